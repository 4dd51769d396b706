-- The message of an instance that a path names (see find_message_id), locked. `request`: instanceId, messageId.
-- A received one too: its status (received) says what cannot be done with it.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request)
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.message_after_merge(message);
end;
$$;
