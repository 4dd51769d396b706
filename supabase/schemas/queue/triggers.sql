-- What becomes due long after its time (an instance that is released, a message that is given back) may lie
-- below the floor. Settling and accepting write nothing so old.
create trigger dispatch_lower_due_floor
after insert or update on messaging.dispatch
for each row
when
  (
    new.in_flight is null
    and new.next_due_at < now() - interval '3 seconds'
    or new.lease_until < now() - interval '3 seconds'
  )
execute function messaging.lower_floor('messaging.due_floor');

create trigger message_queue_lower_due_floor
after insert or update of visible_at on messaging.message_queue
for each row
when (new.visible_at < now() - interval '3 seconds')
execute function messaging.lower_floor('messaging.due_floor');

-- Deliveries are as old as their events, which may have waited for their dispatcher.
create trigger event_deliveries_lower_floor
after insert or update of next_attempt_at on messaging.event_deliveries
for each row
when (new.next_attempt_at < now() - interval '3 seconds')
execute function messaging.lower_floor('messaging.delivery_floor');

-- Trigger: has each look for what is due begin at the row's time at the latest, until expire_claims knows better. At
-- once, also where the transaction is rolled back: that costs a few looks. Its argument is the sequence: see floor_of.
-- The lock keeps what raises the floor, which tries it and never waits, from raising it above a row that it
-- does not see yet. Of two that lower it at the same instant the later row's may win: expire_claims lowers it then.
create or replace function messaging.lower_floor()
returns trigger language plpgsql set search_path = '' as $$
declare
  due_at timestamptz;
begin
  if tg_table_name = 'dispatch' then
    due_at := least(case when new.in_flight is null then new.next_due_at end, new.lease_until);
  elsif tg_table_name = 'message_queue' then
    due_at := new.visible_at;
  else
    due_at := new.next_attempt_at;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[0], 0));
  perform setval(tg_argv[0]::regclass, messaging.floor_value(due_at))
  where pg_sequence_last_value(tg_argv[0]::regclass) > messaging.floor_value(due_at);
  return null;
end;
$$;

-- A message that is brought forward may become the head of its instance's queue. What is queued, or comes back from
-- a claim, is seen to where that is done: see enqueue_message and release_instances.
create trigger message_queue_lower_queue_from
after update of scheduled_at on messaging.message_queue
for each row
when (new.scheduled_at < old.scheduled_at and new.lane = 'paced')
execute function messaging.lower_queue_from();

-- Trigger: has looks for the head of an instance's queue begin at the message's slot. The caller holds pacing.
create or replace function messaging.lower_queue_from()
returns trigger language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.dispatch d
  set queue_from = new.scheduled_at
  from messaging.dispatch_of(new.instance_id) as own
  where d.instance_id = any (array[own.instance_id]) and d.generation >= own.generation
    and d.queue_from > new.scheduled_at;
  return null;
end;
$$;
