-- Until when a send window that is open at `instant` stays open. Returns `instant` itself where the
-- clocks change before the window's end, so that the caller checks every slot.
create or replace function messaging.window_open_until(
  instance messaging.instances, instant timestamptz
) returns timestamptz language plpgsql stable parallel safe set search_path = '' as $$
declare
  local_now constant timestamp := instant at time zone instance.time_zone;
  local_end constant timestamp := local_now::date + instance.window_end;
  ends_at constant timestamptz := local_end at time zone instance.time_zone;
begin
  return case when ends_at - instant = local_end - local_now then ends_at else instant end;
end;
$$;
