-- Until when the instance's agent keeps silent towards a contact (specification, section 3).
create table public.agent_pauses (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  instance_id uuid not null,
  paused_until timestamptz not null
);
alter table public.agent_pauses enable row level security;
revoke all on table public.agent_pauses from public, anon, authenticated;
grant select, insert, update, delete on table public.agent_pauses to service_role;
