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
