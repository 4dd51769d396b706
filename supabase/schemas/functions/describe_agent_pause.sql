-- Whether the agent is silent towards a contact, and until when, as conversations-api tells it.
create or replace function public.describe_agent_pause(instance public.instances, contact_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'contactId', describe_agent_pause.contact_id,
    'paused', p.paused_until is not null,
    'aiAgentPausedUntil', public.iso_in_zone(p.paused_until, instance.time_zone)
  )
  from (values (true)) as always
  left join public.agent_pauses p
    on p.contact_id = describe_agent_pause.contact_id and p.paused_until > clock_timestamp();
$$;
revoke all on function public.describe_agent_pause(public.instances, uuid) from public, anon, authenticated;
grant execute on function public.describe_agent_pause(public.instances, uuid) to service_role;
