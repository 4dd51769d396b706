-- Where a look for what is due begins. Half a minute ago at the latest, so that what is written now is found
-- although the clock was just set back, or its transaction lasts.
create or replace function messaging.due_floor(clock timestamptz)
returns timestamptz language sql volatile
return least(
  coalesce(
    to_timestamp(pg_sequence_last_value('messaging.due_floor'::regclass)),
    '-infinity'::timestamptz
  ),
  clock - interval '30 seconds'
);
