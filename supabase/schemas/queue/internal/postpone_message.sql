-- A claim finds that a message may not leave until `ends_at`: it waits for that, and for the send window
-- then. `reason` is what holds it: budget (its instance has reached it) or new_contacts (new chats are
-- locked). A message that another transaction is changing is left for the next claim. The caller holds pacing
-- and the queue row, and refreshes dispatch.
create or replace function messaging.postpone_message(
  message_id uuid, instance messaging.instances, ends_at timestamptz, reason text
) returns void language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  queued messaging.message_queue;
  slot timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = postpone_message.message_id
  for no key update skip locked;
  if not found then
    return;
  end if;
  slot := messaging.after_hold(
    instance, ends_at, interval '1 millisecond' * coalesce(message.delay_typing_ms, 0)
  );
  select q.* into queued from messaging.message_queue q where q.message_id = message.id;
  update messaging.message_queue q set scheduled_at = slot where q.message_id = message.id;
  -- After the move: the day's last departure is then that of what stays.
  perform messaging.release_day_quota(array[queued]);
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;
