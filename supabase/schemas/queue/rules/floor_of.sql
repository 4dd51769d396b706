-- Where a look for what is due begins, by a sequence that says that nothing which waits is due before: see due_floor
-- and delivery_floor. Some seconds ago at the latest (see floor_lag), so that what is written now is found although
-- the clock was just set back, or its transaction lasts.
create or replace function messaging.floor_of(floor regclass, clock timestamptz)
returns timestamptz language sql volatile
return least(
  coalesce(to_timestamp(pg_sequence_last_value(floor_of.floor)), '-infinity'::timestamptz),
  clock - messaging.floor_lag()
);
