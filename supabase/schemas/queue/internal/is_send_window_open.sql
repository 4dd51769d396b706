-- Whether a paced message of the instance may leave at that instant.
create or replace function messaging.is_send_window_open(
  instance messaging.instances, instant timestamptz
) returns boolean language plpgsql stable parallel safe set search_path = '' as $$
begin
  return exists (
    select from messaging.open_window(instance, instant at time zone instance.time_zone)
  );
end;
$$;
