-- By how many seconds an interval grows: a whole number from 0 to `jitter_seconds`, which the seed alone
-- decides, as in next_slot. 0 where that is NULL.
create or replace function messaging.jitter_of(seed text, jitter_seconds integer)
returns integer
language sql
immutable
parallel safe
set search_path = ''
as $$
  select coalesce(
    (hashtextextended(seed, 0) & 9223372036854775807) % (nullif(jitter_seconds, 0) + 1), 0
  )::integer;
$$;
revoke all on function messaging.jitter_of(text, integer) from public, anon, authenticated;
grant execute on function messaging.jitter_of(text, integer) to service_role;
