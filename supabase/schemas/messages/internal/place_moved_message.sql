-- move_message: puts a message back into its lane of the queue, due at `send_at`. `gone` is its row as it
-- was. The caller holds the message and pacing. Errors: MI010.
create or replace function messaging.place_moved_message(
  message messaging.messages, instance messaging.instances, gone messaging.message_queue,
  send_at timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  slot timestamptz := greatest(send_at, clock);
  reason text;
  counted record;
begin
  if gone.lane = 'paced' or gone.interval_seconds > 0 then
    -- The message's own interval: that of its row may hold a jitter.
    if slot > clock then
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message_later(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    else
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    end if;
    update messaging.message_queue q
    set attempts = gone.attempts, max_attempts = gone.max_attempts
    where q.message_id = message.id and gone.attempts > 0;
  else
    counted := messaging.count_unpaced_send(instance.id, message.contact_id, slot);
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, is_new,
      counted_on
    )
    values (
      message.id, instance.id, 'unpaced', slot, slot, gone.max_attempts, gone.attempts,
      counted.is_new, counted.counted_on
    );
  end if;
  reason := coalesce(reason, case when send_at > clock then 'delay' end);
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;
