-- Makes the deliveries of what was recorded since the last time, for every active endpoint that has
-- something, at most `max_events` looked at for each. An endpoint that another dispatcher is at is left
-- to it.
create or replace function messaging.fan_out_events(max_events integer)
returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  for endpoint in
    select e.*
    from messaging.event_endpoints e
    where e.is_active and (
      exists (
        select from messaging.events v
        where v.instance_id = e.instance_id
          and (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
      )
      or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
    )
    for no key update of e skip locked
  loop
    perform messaging.fan_out_new_events(endpoint, max_events);
    perform messaging.fan_out_replay(endpoint, max_events);
  end loop;
end;
$$;
