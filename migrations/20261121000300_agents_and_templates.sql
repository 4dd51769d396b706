-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/tables/ai_agents.sql
create table public.ai_agents (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references public.instances (id) on delete cascade,
  name text not null,
  instructions text not null,
  model text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ai_agents_name_length check (char_length(name) between 1 and 200)
);
create index ai_agents_instance on public.ai_agents (instance_id, created_at, id);
alter table public.ai_agents enable row level security;
revoke all on table public.ai_agents from public, anon, authenticated;
grant select, insert, update, delete on table public.ai_agents to service_role;

-- source: supabase/schemas/tables/agent_pauses.sql
-- Until when the instance's agent keeps silent towards a contact (specification, section 3).
create table public.agent_pauses (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  instance_id uuid not null,
  paused_until timestamptz not null
);
alter table public.agent_pauses enable row level security;
revoke all on table public.agent_pauses from public, anon, authenticated;
grant select, insert, update, delete on table public.agent_pauses to service_role;

-- source: supabase/schemas/tables/message_templates.sql
-- Stored templates (specification, sections 2 and 4.7); components in the official channel's shape.
create table public.message_templates (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id),
  instance_id uuid references public.instances (id) on delete cascade,
  name text not null,
  language text not null,
  parameter_format text not null,
  components jsonb not null,
  provider_status text,
  provider_template_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  defined_at timestamptz not null default now(),
  constraint message_templates_format_known check (parameter_format in ('POSITIONAL', 'NAMED')),
  constraint message_templates_components_array check (jsonb_typeof(components) = 'array')
);
create index message_templates_workspace on public.message_templates (workspace_id, created_at, id);
create index message_templates_synced
  on public.message_templates (instance_id, provider_template_id);
create index message_templates_at_provider on public.message_templates (provider_template_id);
alter table public.message_templates enable row level security;
revoke all on table public.message_templates from public, anon, authenticated;
grant select, insert, update, delete on table public.message_templates to service_role;
comment on column public.message_templates.defined_at is
  'As of when its name, language and components are known: an older list does not change them.';

-- source: supabase/schemas/functions/pause_agent.sql
-- Silences the instance's agent towards a contact for 30 minutes from when a person wrote
-- (specification, section 3), where the instance has an active agent and they are not over yet.
-- Returns until when, NULL where there is none.
create or replace function public.pause_agent(
  instance_id uuid,
  contact_id uuid,
  written_at timestamptz
)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  until timestamptz;
begin
  insert into public.agent_pauses as pause (contact_id, instance_id, paused_until)
  select pause_agent.contact_id, pause_agent.instance_id, written_at + interval '30 minutes'
  where written_at > clock_timestamp() - interval '30 minutes' and exists (
    select from public.ai_agents a
    where a.instance_id = pause_agent.instance_id and a.is_active
  )
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = greatest(pause.paused_until, excluded.paused_until)
  returning pause.paused_until into until;
  return until;
end;
$$;
revoke all on function public.pause_agent(uuid, uuid, timestamptz) from public, anon, authenticated;
grant execute on function public.pause_agent(uuid, uuid, timestamptz) to service_role;
