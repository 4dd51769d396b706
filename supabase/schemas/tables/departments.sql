create table public.departments (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id),
  name text not null,
  created_at timestamptz not null default now(),
  constraint departments_name_length check (char_length(name) between 1 and 200)
);
create index departments_workspace on public.departments (workspace_id, created_at, id);
alter table public.departments enable row level security;
revoke all on table public.departments from public, anon, authenticated;
grant select, insert, update, delete on table public.departments to service_role;
