-- A claim finds that a message may not leave until `ends_at`: it waits for that, and for the send window
-- then. `reason` is what holds it: budget (its instance has reached it) or new_contacts (new chats are
-- locked). A message that another transaction is changing is left for the next claim. The caller holds the
-- queue row; of a paced message pacing too, and refreshes dispatch.
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
  select q.* into strict queued from messaging.message_queue q where q.message_id = message.id;
  slot := messaging.after_hold(
    instance, ends_at,
    interval '1 millisecond'
      * case queued.lane when 'paced' then coalesce(message.delay_typing_ms, 0) else 0 end
  );
  update messaging.message_queue q
  set scheduled_at = slot, visible_at = case when q.lane = 'unpaced' then slot end
  where q.message_id = message.id;
  if queued.lane = 'paced' then
    -- After the move: the day's last departure is then that of what stays.
    perform messaging.release_day_quota(array[queued]);
  end if;
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;
