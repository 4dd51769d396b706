-- The earliest instant not before `earliest` at which the clock of that local day shows
-- `window_start` or later. Where a daylight-saving change skips that time it is the end of the gap;
-- where the change repeats it, its first occurrence still ahead. NULL where that day has none.
create or replace function messaging.first_instant_of_window(
  local_day date, window_start time, time_zone text, earliest timestamptz
) returns timestamptz language plpgsql stable parallel safe set search_path = '' as $$
declare
  nominal timestamptz := (local_day + window_start) at time zone time_zone;
  -- No zone has ever shifted by more than three hours for daylight saving.
  reach constant interval := interval '3 hours';
begin
  if nominal at time zone time_zone = local_day + window_start
    and (nominal - reach) at time zone time_zone = local_day + window_start - reach
    and nominal >= earliest then
    return nominal;
  end if;
  return (
    select min(instant)
    from generate_series(nominal - reach, nominal + reach, interval '1 minute') as instant
    where instant >= earliest
      and (instant at time zone time_zone)::date = local_day
      and (instant at time zone time_zone)::time >= window_start
  );
end;
$$;
