-- What providers told us, as received: the evidence behind every status, and the place of what
-- nobody understands yet.
create table public.provider_events (
  id bigint generated always as identity primary key,
  instance_id uuid not null references public.instances (id) on delete cascade,
  event jsonb not null,
  received_at timestamptz not null default now()
);
create index provider_events_age on public.provider_events (received_at);
alter table public.provider_events enable row level security;
revoke all on table public.provider_events from public, anon, authenticated;
grant select, insert, update, delete on table public.provider_events to service_role;
