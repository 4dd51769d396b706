-- Whether that local time lies in the instance's hours, on one of its weekdays. The day may be a holiday
-- all the same.
create or replace function messaging.is_window_time(
  instance messaging.instances,
  wall_clock timestamp
)
returns boolean
language sql
immutable
return wall_clock::time >= instance.window_start
and wall_clock::time < instance.window_end
and messaging.is_window_day(instance, wall_clock::date);
