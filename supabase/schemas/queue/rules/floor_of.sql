-- Where a look for what is due begins, by a sequence that says that nothing which waits is due before: see due_floor
-- and delivery_floor. Some seconds ago at the latest (see floor_lag), so that what is written now is found although
-- the clock was just set back, or its transaction lasts.
create or replace function messaging.floor_of(floor regclass, clock timestamptz)
returns timestamptz language sql volatile
return least(
  coalesce(to_timestamp(pg_sequence_last_value(floor_of.floor)), '-infinity'::timestamptz),
  clock - messaging.floor_lag()
);

-- How far behind the clock a floor stays: twice as far as what lowers it, so that a transaction may last as long.
-- Beside an old snapshot each look reads what has left since then.
create or replace function messaging.floor_lag()
returns interval language sql immutable
return interval '6 seconds';

-- An instant as the sequence of a floor holds it: seconds since 1970.
create or replace function messaging.floor_value(due_at timestamptz)
returns bigint language sql stable
return greatest(floor(extract(epoch from due_at)), 1)::bigint;
