-- conversations-api agent-pause: the agent's pause for the contact of a phone. For an unknown phone
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId, phone.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  return messaging.describe_agent_pause(
    instance, (messaging.find_contact(instance.id, request->>'phone')).id
  );
end;
$$;
revoke all on function public.get_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.get_agent_pause(jsonb) to service_role;
