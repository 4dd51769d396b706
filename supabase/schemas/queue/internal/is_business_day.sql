-- Whether the instance's queue sends on that local day: one of its weekdays and no holiday.
create or replace function messaging.is_business_day(instance messaging.instances, local_day date)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return messaging.is_window_day(instance, local_day)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = local_day
    );
end;
$$;
