create table messaging.departments (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  name text not null,
  created_at timestamptz not null default now(),
  constraint departments_name_length check (char_length(name) between 1 and 200)
);
create index departments_workspace on messaging.departments (workspace_id, created_at, id);
alter table messaging.departments enable row level security;
