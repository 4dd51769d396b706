-- Makes deliveries of the next events of an endpoint that the caller has locked, at most `max_events`
-- looked at. The statements must stay in this order: see the head of tables/events.sql.
-- Events are found by both columns of their index: see read_events.
-- `endpoint.test` goes to the endpoint that was tested, by that call, and to no other.
create or replace function messaging.fan_out_new_events(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(endpoint.instance_id);
  wanted bigint[];
  last_read bigint;
begin
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and (endpoint.types is null or page.type = any (endpoint.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, endpoint.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, horizon)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if last_read is null then
    return;
  end if;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, null);
  end if;
  update messaging.event_endpoints e set told_through = last_read where e.id = endpoint.id;
end;
$$;
