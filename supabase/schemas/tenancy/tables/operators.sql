-- People who answer conversations. E-mail identifies one within the workspace, whatever its case.
create table messaging.operators (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  name text not null,
  email text not null,
  created_at timestamptz not null default now(),
  constraint operators_name_length check (char_length(name) between 1 and 200)
);
create unique index operators_email on messaging.operators (workspace_id, lower(email));
alter table messaging.operators enable row level security;
