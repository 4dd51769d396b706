-- By how many seconds an interval grows: a whole number from 0 to `jitter_seconds`, which the seed alone
-- decides. 0 where that is NULL.
create or replace function messaging.jitter_of(seed text, jitter_seconds integer)
returns integer language sql immutable
return coalesce(
  (hashtextextended(seed, 0) & 9223372036854775807) % (nullif(jitter_seconds, 0) + 1),
  0
)::integer;
