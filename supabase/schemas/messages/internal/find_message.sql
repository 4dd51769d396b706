-- The outbound message `messageId` of an instance, locked. `request`: instanceId, messageId.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'outbound'
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.message_after_merge(message);
end;
$$;
