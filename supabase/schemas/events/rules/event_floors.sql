-- Must be called before the transaction draws its first event number for the instance: see the head of
-- tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances. Beyond a
-- hundred instances one lock stands for all, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. What it returns says nothing.
create or replace function messaging.hold_event_floor(instance_id uuid)
returns text language sql volatile
return case
  when current_setting('messaging.event_floors', true) = '*'
  or strpos(current_setting('messaging.event_floors', true), instance_id::text) > 0 then null
  when length(
    current_setting('messaging.event_floors', true)
  ) >= 3600 then messaging.lock_event_floor(null) || set_config('messaging.event_floors', '*', true)
  else messaging.lock_event_floor(instance_id) || set_config(
    'messaging.event_floors',
    concat(current_setting('messaging.event_floors', true), instance_id),
    true
  )
end;

-- Takes the floor of an instance's writer: a shared advisory lock of two numbers, the instance's hash and
-- the low 32 bits of the event number that was drawn last. No one takes it exclusively, so nothing waits.
-- (Advisory locks of one number are taken elsewhere.) NULL stands for all instances: every reader looks
-- at the key 0. Returns an empty text, so that a condition can take it. See the head of tables/events.sql.
create or replace function messaging.lock_event_floor(instance_id uuid)
returns text language sql volatile
return pg_advisory_xact_lock_shared(
  coalesce(uuid_hash(instance_id), 0),
  coalesce(pg_sequence_last_value('messaging.event_sequence'), 0)::bit(32)::integer
)::text;

-- The floor that a writer's lock holds, from the low 32 bits that are its second number: the number nearest to the
-- one that was drawn last. See lock_event_floor.
create or replace function messaging.event_floor(last_drawn bigint, low_bits oid)
returns bigint language sql immutable parallel safe
return last_drawn + ((low_bits::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648;
