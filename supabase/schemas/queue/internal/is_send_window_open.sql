-- Whether a paced message of the instance may leave at that instant.
create or replace function messaging.is_send_window_open(
  instance messaging.instances,
  instant timestamptz
)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  clock constant timestamp := instant at time zone instance.time_zone;
begin
  return clock::time >= instance.window_start
    and clock::time < instance.window_end
    -- is_business_day, written out: this is asked once for every claim and every slot.
    and extract(isodow from clock)::smallint = any (instance.window_days)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = clock::date
    );
end;
$$;
revoke all
on function messaging.is_send_window_open(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.is_send_window_open(messaging.instances, timestamptz)
to service_role;
