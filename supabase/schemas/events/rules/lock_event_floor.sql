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
