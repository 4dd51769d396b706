-- conversations-api: one conversation. `request`: instanceId, conversationId. Errors: MI032.
create or replace function public.get_conversation(request jsonb)
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
  return messaging.describe_conversation(
    messaging.find_conversation(instance.id, (request->>'conversationId')::uuid),
    instance.time_zone
  );
end;
$$;
