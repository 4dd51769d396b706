-- Queues a message for an instant that the caller chose or after its delay, `not_before`: it gets the slot that an enqueue at
-- that time gives. Where the slots given out reach that far, that is a slot behind them, now. Otherwise a
-- slot now would stand in a gap, and everything queued after it would wait for weeks: the message waits in
-- the unpaced lane with its `interval_seconds`, and the dispatcher enqueues it just before its slot (see
-- enqueue_waiting_messages). `slot` is the slot it is promised by the same rules: the first one, in the send
-- window, one interval from those of other messages that wait so, on a day whose limits have a place beside
-- them and what is queued. It takes none until it is enqueued: messages queued meanwhile may make it later.
-- `interval_seconds`, `held_by` and `is_held` as enqueue_message. Locks pacing, so that simultaneous calls are promised different slots.
-- Errors: MI010.
create or replace function messaging.enqueue_message_later(
  message_id uuid, instance messaging.instances, interval_seconds integer, not_before timestamptz,
  typing interval, contact_id uuid, out slot timestamptz, out held_by text, out is_held boolean
) language plpgsql set search_path = '' as $$
declare
  -- So that the message is enqueued when its slot comes.
  lead constant interval := interval '2 seconds';
  after_last timestamptz;
begin
  select p.last_slot_at + messaging.spacing(
    instance.messages_per_second,
    coalesce(interval_seconds, messaging.default_interval_seconds()),
    interval_seconds is null
  )
  into strict after_last
  from messaging.pacing p
  where p.instance_id = instance.id
  for no key update;
  if after_last >= not_before or not_before <= clock_timestamp() + lead then
    select e.slot, e.held_by, e.is_held into slot, held_by, is_held
    from messaging.enqueue_message(
      message_id, instance, interval_seconds, not_before, typing, contact_id
    ) e;
    return;
  end if;
  select f.slot, f.held_by into slot, held_by
  from messaging.free_slot_later(
    instance, message_id, contact_id, interval_seconds, not_before, typing
  ) f;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, interval_seconds, follows_pace
  )
  values (
    enqueue_message_later.message_id, instance.id, 'unpaced', slot, slot - lead,
    coalesce(enqueue_message_later.interval_seconds, messaging.default_interval_seconds()),
    enqueue_message_later.interval_seconds is null
  )
  returning exists (select from messaging.hold_at(instance.id, slot)) into is_held;
end;
$$;
