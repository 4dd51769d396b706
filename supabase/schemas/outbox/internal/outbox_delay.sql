-- How long an outbox row waits after this many attempts: 5 seconds, tripled each time, at most two hours.
-- A file's five attempts spread over an hour.
create or replace function messaging.outbox_delay(kind text, attempts integer)
returns interval
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when kind = 'media_fetch'
      then make_interval(secs => (array[15, 120, 600, 2700])[least(greatest(attempts, 1), 4)])
    else least(interval '5 seconds' * power(3, attempts - 1), interval '2 hours')
  end;
$$;
