-- The local day as a row, where a paced message of the instance may leave at that local time: in its hours,
-- on a business day.
create or replace function messaging.open_window(instance messaging.instances, wall_clock timestamp)
returns table (day date) language sql stable
begin atomic
  select b.day
  from messaging.business_day(instance, wall_clock::date) as b
  where wall_clock::time >= instance.window_start and wall_clock::time < instance.window_end;
end;
