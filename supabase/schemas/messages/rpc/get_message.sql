-- messages-api: the record of one message, sent or received. `request`: instanceId, messageId (see
-- find_message_id).
-- Errors: MI004.
create or replace function public.get_message(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request);
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.describe_message(message);
end;
$$;
