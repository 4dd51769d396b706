-- Whether that day is one of the instance's weekdays for sending. It may be a holiday all the same.
create or replace function messaging.is_window_day(instance messaging.instances, local_day date)
returns boolean language sql immutable
return extract(isodow from local_day)::smallint = any (instance.window_days);
