-- A workspace owns instances, operators, departments, templates and agents (decisions, section 2).
create table messaging.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  alert_email text,
  people_scope text not null default 'instance',
  constraint workspaces_name_length check (char_length(name) between 1 and 200),
  constraint workspaces_people_scope_known check (people_scope in ('instance', 'workspace'))
);
create index workspaces_age on messaging.workspaces (created_at, id);
alter table messaging.workspaces enable row level security;
comment on table messaging.workspaces is 'Tenants.';
comment on column messaging.workspaces.alert_email is
  'Who is told by e-mail what an operator must handle; NULL for nobody.';
comment on column messaging.workspaces.people_scope is
  'Whether what a person says about marketing counts at the instance where it was said, or at all of the workspace.';
