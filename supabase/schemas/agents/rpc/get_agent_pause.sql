-- conversations-api agent-pause: the agent's pause for a contact. For an unknown phone or user id
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId,
-- phone | contactId | userId. Errors: MI031.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return messaging.describe_agent_pause(
    instance, (messaging.find_recipient(instance.id, request)).id
  );
end;
$$;
