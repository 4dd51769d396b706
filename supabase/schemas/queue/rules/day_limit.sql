-- How many messages an instance may send on a day: its daily limit, or what its warm-up allows where
-- that is less. NULL is no limit. On day n of the warm-up, from 0, start + (target - start) * n / days,
-- rounded down; the target is the daily limit, or 1,000. The warm-up ends with the day that allows the
-- target. `walk`: from begin_walk.
create or replace function messaging.day_limit(walk messaging.slot_walk, day date)
returns integer language sql immutable
return case
  when walk.warm_up_days is null
  or day - walk.warm_up_from > walk.warm_up_days then walk.daily_limit
  else (
    walk.warm_up_start + (coalesce(walk.daily_limit, 1000) - walk.warm_up_start)::bigint * greatest(
      day - walk.warm_up_from,
      0
    ) / walk.warm_up_days
  )::integer
end;
