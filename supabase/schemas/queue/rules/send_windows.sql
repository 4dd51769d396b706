-- The local day as a row, where a paced message of the instance may leave at that local time: in its hours,
-- on a business day.
create or replace function messaging.open_window(instance messaging.instances, wall_clock timestamp)
returns table (day date) language sql stable
begin atomic
  select b.day
  from messaging.business_day(instance, wall_clock::date) as b
  where wall_clock::time >= instance.window_start and wall_clock::time < instance.window_end;
end;

-- That local day as a row, where the instance's queue sends on it: one of its weekdays and no holiday.
create or replace function messaging.business_day(instance messaging.instances, local_day date)
returns table (day date) language sql stable
begin atomic
  select business_day.local_day
  where
    messaging.is_window_day(instance, business_day.local_day)
    and not exists (
      select
      from messaging.holidays as h
      where h.instance_id = instance.id and h.day = business_day.local_day
    );
end;

-- Whether that day is one of the instance's weekdays for sending. It may be a holiday all the same.
create or replace function messaging.is_window_day(instance messaging.instances, local_day date)
returns boolean language sql immutable
return extract(isodow from local_day)::smallint = any (instance.window_days);
