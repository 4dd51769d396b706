-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as end_waiting_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable', detail = message.status;
  end if;
  if messaging.end_waiting_messages(array[message.id], 'canceled') = 0 then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable', detail = 'sending';
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
