-- Days on which an instance's queue does not send, whatever the weekday.
create table public.holidays (
  instance_id uuid not null references public.instances (id) on delete cascade,
  day date not null,
  primary key (instance_id, day)
);
alter table public.holidays enable row level security;
revoke all on table public.holidays from public, anon, authenticated;
grant select, insert, update, delete on table public.holidays to service_role;
