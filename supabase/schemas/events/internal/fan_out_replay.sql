-- Makes deliveries of the next events that an endpoint, which the caller has locked, shall be sent once
-- more, at most `max_events` looked at. Waits while as many of its deliveries are due: what is replayed
-- must not stand before what is new.
create or replace function messaging.fan_out_replay(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  replay messaging.event_replays;
  wanted bigint[];
  last_read bigint;
begin
  select r.* into replay
  from messaging.event_replays r
  where r.endpoint_id = endpoint.id
  for update;
  if not found or (
    select count(*) = max_events
    from (
      select from messaging.event_deliveries d
      where d.endpoint_id = endpoint.id and d.next_attempt_at <= clock_timestamp()
      limit max_events
    ) as due
  ) then
    return;
  end if;
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and page.recorded_at >= replay.since and page.recorded_at <= replay.until
        and (endpoint.types is null or page.type = any (endpoint.types))
        and (replay.types is null or page.type = any (replay.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type, e.recorded_at from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, replay.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, replay.through)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, clock_timestamp());
  end if;
  if last_read is null or last_read >= replay.through then
    delete from messaging.event_replays r where r.id = replay.id;
  else
    update messaging.event_replays r set told_through = last_read where r.id = replay.id;
  end if;
end;
$$;
