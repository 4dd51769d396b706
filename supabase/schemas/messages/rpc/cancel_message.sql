-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as withdraw_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  if cardinality(messaging.withdraw_messages(array[message.id], 'canceled')) = 0 then
    -- The message of a paused batch waits without a place in the queue.
    update messaging.messages m
    set status = 'canceled', canceled_at = clock_timestamp()
    where m.id = message.id and m.batch_id is not null
      and not exists (select from messaging.message_queue q where q.message_id = m.id);
    if not found then
      raise exception using errcode = 'MI011', message = 'message_not_cancelable';
    end if;
    perform messaging.record_message_events(array[message.id], array['message.canceled']);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;
