-- Whether the instance's queue sends on that local day: one of its weekdays and no holiday.
create or replace function public.is_business_day(instance public.instances, local_day date)
returns boolean
language plpgsql
stable parallel safe
set search_path = ''
as $$
begin
  return extract(isodow from local_day)::smallint = any (instance.window_days)
    and not exists (
      select from public.holidays h
      where h.instance_id = instance.id and h.day = local_day
    );
end;
$$;
revoke all on function public.is_business_day(public.instances, date) from public, anon, authenticated;
grant execute on function public.is_business_day(public.instances, date) to service_role;
