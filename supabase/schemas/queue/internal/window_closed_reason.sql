-- Why an instance's send window is closed at an instant: `holiday` where the weekday is a business
-- day, else `window`.
create or replace function messaging.window_closed_reason(
  instance messaging.instances, instant timestamptz
) returns text language plpgsql stable set search_path = '' as $$
declare
  local_day constant date := (instant at time zone instance.time_zone)::date;
begin
  return case
    when messaging.is_window_day(instance, local_day)
      and not exists (select from messaging.business_day(instance, local_day)) then 'holiday'
    else 'window'
  end;
end;
$$;
