-- conversations-api: one conversation. `request`: instanceId, conversationId. Errors: MI032.
create or replace function public.get_conversation(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return messaging.describe_conversation(
    messaging.find_conversation(instance.id, (request->>'conversationId')::uuid),
    instance.time_zone
  );
end;
$$;
