-- Puts a failed or unconfirmed message back into the queue: a queued message into the paced lane with
-- a new slot, any other into the unpaced lane, due at once. `message`: its row, which the caller holds, as the
-- caller has changed it (see wait_again).
create or replace function messaging.requeue_message(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  slot timestamptz := clock;
  held_by text := message.held_by;
begin
  if message.mode = 'queued' then
    select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message.id, instance, message.interval_seconds, clock,
      interval '1 millisecond' * coalesce(message.delay_typing_ms, 0), message.contact_id
    ) e;
  else
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (message.id, message.instance_id, 'unpaced', clock, clock);
  end if;
  perform messaging.wait_again(message, slot, held_by);
end;
$$;
