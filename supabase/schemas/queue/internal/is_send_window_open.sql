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
  return messaging.is_window_time(instance, clock)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = clock::date
    );
end;
$$;
