-- Whether a paced message of the instance may leave at that instant.
create or replace function public.is_send_window_open(instance public.instances, instant timestamptz)
returns boolean
language sql
stable parallel safe
set search_path = ''
as $$
  select (instant at time zone instance.time_zone)::time >= instance.window_start
    and (instant at time zone instance.time_zone)::time < instance.window_end
    and public.is_business_day(instance, (instant at time zone instance.time_zone)::date);
$$;
revoke all on function public.is_send_window_open(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.is_send_window_open(public.instances, timestamptz) to service_role;
