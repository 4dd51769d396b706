-- Makes the deliveries of what was recorded (fan_out_events), then claims due ones for a worker until
-- their lease ends; settle_event_deliveries requires the claim. Never waits for a lock.
-- `request`: maxDeliveries; leaseSeconds; perEndpoint and perFailingEndpoint, how many of one endpoint
-- whose last attempt succeeded, or did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery whose event is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  claimable uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  claimable := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.endpoints_with_due_deliveries(clock) as due(id)
      join messaging.event_endpoints e on e.id = any (array[due.id])
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active
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
