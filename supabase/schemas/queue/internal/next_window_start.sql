-- When the instance's send window opens next for an instant at which it is closed: the same day's
-- start while that lies ahead, else the next business day's. A day whose window falls whole into a
-- daylight-saving gap is passed over. NULL where it does not open within three years.
create or replace function messaging.next_window_start(
  instance messaging.instances, candidate timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  local_now constant timestamp := candidate at time zone instance.time_zone;
  first_day constant integer := case when local_now::time < instance.window_start then 0 else 1 end;
  opening timestamptz;
begin
  for days_ahead in first_day..1100 loop
    if exists (select from messaging.business_day(instance, local_now::date + days_ahead)) then
      opening := messaging.first_instant_of_window(
        local_now::date + days_ahead, instance.window_start, instance.time_zone, candidate
      );
      if messaging.is_send_window_open(instance, opening) then
        return opening;
      end if;
    end if;
  end loop;
  return null;
end;
$$;

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
