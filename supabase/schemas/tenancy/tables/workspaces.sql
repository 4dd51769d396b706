-- A workspace owns instances, operators, departments, templates and agents (decisions, section 2).
create table messaging.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  alert_email text,
  constraint workspaces_name_length check (char_length(name) between 1 and 200)
);
create index workspaces_age on messaging.workspaces (created_at, id);
alter table messaging.workspaces enable row level security;
comment on table messaging.workspaces is 'Tenants.';
comment on column messaging.workspaces.alert_email is
  'Who is told by e-mail what an operator must handle; NULL for nobody.';
