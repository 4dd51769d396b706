-- Makes the deliveries of what was recorded (fan_out_events), then claims due ones for a worker until
-- their lease ends; settle_event_deliveries requires the claim. Never waits for a lock.
-- `request`: maxDeliveries; leaseSeconds; perEndpoint and perFailingEndpoint, how many of one endpoint
-- after an attempt that succeeded, or that did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery of an event that is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock timestamptz;
  due_from timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  claimable uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  due_from := messaging.delivery_floor(clock);
  claimable := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.first_deliveries(due_from) as f
      join messaging.event_endpoints e on e.id = any (array[f.endpoint_id])
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at >= due_from and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active and f.due_at <= clock
    ) as waiting
    order by waiting.turn
    limit (request->>'maxDeliveries')::integer
  );
  if claimable = '{}' then
    return jsonb '{"deliveries": [], "targets": []}';
  end if;
  with claimed as (
    update messaging.event_deliveries d
    set claim_token = gen_random_uuid(),
      next_attempt_at = clock
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from messaging.events v
    where d.id = any (claimable) and v.sequence = d.sequence
    returning d.id, d.claim_token, d.endpoint_id, messaging.describe_event(v) as event
  ),
  gone as (
    update messaging.event_deliveries d
    set status = 'failed', next_attempt_at = null, claim_token = null
    where d.id = any (claimable)
      and not exists (select from messaging.events v where v.sequence = d.sequence)
  )
  select jsonb_build_object(
    'deliveries', coalesce(jsonb_agg(
      jsonb_build_object(
        'deliveryId', c.id,
        'claimToken', c.claim_token,
        'endpointId', c.endpoint_id,
        'eventId', c.event->>'id',
        'body', c.event::text
      )
      order by (c.event->>'sequence')::bigint
    ), '[]'),
    'targets', coalesce((
      select jsonb_agg(messaging.describe_event_target(e))
      from messaging.event_endpoints e
      where e.id in (select t.endpoint_id from claimed t)
    ), '[]')
  )
  into answer
  from claimed c;
  return answer;
end;
$$;

-- Makes the deliveries of what was recorded since the last time, for every active endpoint that has
-- something, at most `max_events` looked at for each. An endpoint that another dispatcher is at is left
-- to it.
create or replace function messaging.fan_out_events(max_events integer)
returns void language plpgsql set search_path = '' as $$
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

-- Makes deliveries of the next events of an endpoint that the caller has locked, at most `max_events`
-- looked at. The statements must stay in this order: see the head of tables/events.sql.
-- Events are found by both columns of their index: see read_events.
-- `endpoint.test` goes to the endpoint that was tested, by that call, and to no other.
create or replace function messaging.fan_out_new_events(
  endpoint messaging.event_endpoints, max_events integer
) returns void language plpgsql set search_path = '' set enable_sort = off as $$
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

-- Makes deliveries of the next events that an endpoint, which the caller has locked, shall be sent once
-- more, at most `max_events` looked at. Waits while as many of its deliveries are due: what is replayed
-- must not stand before what is new.
create or replace function messaging.fan_out_replay(
  endpoint messaging.event_endpoints, max_events integer
) returns void language plpgsql set search_path = '' set enable_sort = off as $$
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
