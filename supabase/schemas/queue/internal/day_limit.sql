-- How many messages an instance may send on a day: its daily limit, or what its warm-up allows where
-- that is less. NULL is no limit. On day n of the warm-up, from 0, start + (target - start) * n / days,
-- rounded down; the target is the daily limit, or 1,000. The warm-up ends with the day that allows the
-- target.
create or replace function messaging.day_limit(
  daily_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  day date
)
returns integer
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  n constant bigint := greatest(day - warm_up_from, 0);
  target constant integer := coalesce(daily_limit, 1000);
begin
  if warm_up_days is null or n > warm_up_days then
    return daily_limit;
  end if;
  return warm_up_start + (target - warm_up_start) * n / warm_up_days;
end;
$$;
