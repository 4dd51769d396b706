-- claim_due_messages: gives messages that waited for an instant of the caller's their slots in the paced
-- queue (see enqueue_message_later), in the order of the slots they were promised. The caller holds their
-- queue rows. Never waits for messages and pacing rows: what another session holds is left for later.
create or replace function messaging.enqueue_waiting_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  waiting record;
  instance messaging.instances;
  enqueued record;
begin
  for waiting in
    select q.instance_id, q.message_id, q.scheduled_at, q.attempts,
      case when not q.follows_pace then q.interval_seconds end as interval_seconds,
      q.max_attempts, m.contact_id, m.held_by, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.pacing p on p.instance_id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id, q.scheduled_at, q.position
    for no key update of m, p skip locked
  loop
    if instance.id is distinct from waiting.instance_id then
      select i.* into strict instance from messaging.instances i where i.id = waiting.instance_id;
    end if;
    begin
      delete from messaging.message_queue q where q.message_id = waiting.message_id;
      select e.slot, e.held_by into strict enqueued
      from messaging.enqueue_message(
        waiting.message_id, instance, waiting.interval_seconds, waiting.scheduled_at, waiting.typing,
        waiting.contact_id
      ) e;
      update messaging.message_queue q
      set attempts = waiting.attempts, max_attempts = waiting.max_attempts
      where q.message_id = waiting.message_id and waiting.attempts > 0;
      perform messaging.write_departures(
        array[waiting.message_id], array[enqueued.slot],
        array[coalesce(enqueued.held_by, waiting.held_by)]
      );
    exception when sqlstate 'MI010' then
      -- A window that never opens is looked at daily, as by postpone_dispatch.
      update messaging.message_queue q
      set visible_at = clock + interval '1 day'
      where q.message_id = waiting.message_id;
    end;
  end loop;
end;
$$;
