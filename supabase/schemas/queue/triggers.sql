-- What becomes due long after its time (an instance that is released, a message that is given back) may lie
-- below the floor. Settling and accepting write nothing so old.
create trigger dispatch_lower_due_floor
after insert or update on messaging.dispatch
for each row
when (new.in_flight is null and new.next_due_at < now() - interval '10 seconds')
execute function messaging.lower_due_floor();

create trigger message_queue_lower_due_floor
after insert or update of visible_at on messaging.message_queue
for each row
when (new.visible_at < now() - interval '10 seconds')
execute function messaging.lower_due_floor();

-- Trigger: has each look for what is due begin at the start again, until raise_due_floor knows better. At once, also
-- where the transaction is rolled back: that costs a few looks.
-- The lock keeps raise_due_floor, which tries it and never waits, from raising the floor above a row that it
-- does not see yet.
create or replace function messaging.lower_due_floor()
returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('due floor', 0));
  if pg_sequence_last_value('messaging.due_floor') is not null then
    perform setval('messaging.due_floor', 1, false);
  end if;
  return null;
end;
$$;
