-- Contacts that one operator alone sees in the queue: at most one portfolio per contact.
create table public.portfolios (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  instance_id uuid not null,
  operator_id uuid not null references public.operators (id),
  created_at timestamptz not null default now()
);
create index portfolios_operator on public.portfolios (operator_id);
alter table public.portfolios enable row level security;
revoke all on table public.portfolios from public, anon, authenticated;
grant select, insert, update, delete on table public.portfolios to service_role;
