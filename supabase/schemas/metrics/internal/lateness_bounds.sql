-- The upper bounds of the buckets of messaging_dispatch_lateness_seconds, in seconds; beyond the last
-- one there is `+Inf`.
create or replace function messaging.lateness_bounds()
returns numeric[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select array[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200]
$$;
