-- Whether the agent is silent towards a contact, and until when, as conversations-api tells it.
create or replace function messaging.describe_agent_pause(
  instance messaging.instances,
  contact_id uuid
)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'contactId', describe_agent_pause.contact_id,
    'paused', p.paused_until is not null,
    'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, instance.time_zone)
  )
  from (values (true)) as always
  left join messaging.agent_pauses p
    on p.contact_id = describe_agent_pause.contact_id and p.paused_until > clock_timestamp();
$$;
