-- The number of the instance's last event that is visible; 0 where it has none. What begins now begins
-- after it. Never a horizon, and found by both
-- columns of the index: see read_events.
create or replace function messaging.last_event(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(instance_id);
begin
  return coalesce((
    select e.sequence from messaging.events e
    where (e.instance_id, e.sequence) >= (last_event.instance_id, 0)
      and (e.instance_id, e.sequence) <= (last_event.instance_id, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1
  ), 0);
end;
$$;
