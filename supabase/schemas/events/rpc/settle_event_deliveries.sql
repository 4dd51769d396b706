-- Records what came of claimed deliveries. `request`: results [{deliveryId, claimToken, status (of HTTP,
-- NULL without an answer), error, durationMs, answer, retryAfterMs}].
-- 2xx is delivered. 410 disables the endpoint at once; so does a failure after 5 days of nothing but
-- failures. Else the delivery is tried again (see delivery_pause), and failed after the last time.
-- Results without a claim change nothing: another worker has taken the delivery over.
-- Locks the endpoints that change, by id, then the deliveries.
-- Returns {settled}: how many.
create or replace function public.settle_event_deliveries(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  locked uuid[];
  outcomes jsonb;
  endpoint messaging.event_endpoints;
begin
  locked := array(
    select e.id
    from messaging.event_endpoints e
    where e.id in (
        select d.endpoint_id
        from messaging.event_results(request) r
        join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
        where r.is_gone or r.is_success = (e.failing_since is not null)
          or (not r.is_success and e.failing_since <= clock - interval '5 days')
      )
    order by e.id
    for no key update of e
  );
  with decided as (
    select d.id, r.is_success, r.is_gone, r.attempt,
      case
        when d.status = 'pending' and not r.is_success and not r.is_gone
          then messaging.delivery_pause(d.tries + 1, r.retry_after_ms)
      end as pause
    from messaging.event_results(request) r
    join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
    for no key update of d
  ),
  settled as (
    update messaging.event_deliveries d
    set status = case
        when x.is_success then 'delivered'
        when x.pause is null then 'failed'
        else 'pending'
      end,
      next_attempt_at = clock + x.pause,
      tries = d.tries + 1,
      attempts = case when jsonb_array_length(d.attempts) < 20 then d.attempts else d.attempts - 0 end
        || messaging.describe_attempt(x.attempt, clock),
      claim_token = null
    from decided x
    where d.id = x.id
    returning d.endpoint_id, x.is_success, x.is_gone
  )
  select jsonb_object_agg(o.endpoint_id, o.outcome) into outcomes
  from (
    select t.endpoint_id, jsonb_build_object(
      'settled', count(*), 'isSuccess', bool_or(t.is_success), 'isGone', bool_or(t.is_gone)
    ) as outcome
    from settled t
    group by t.endpoint_id
  ) as o;
  for endpoint in
    update messaging.event_endpoints e
    set failing_since = case
      when not (outcomes->e.id::text->>'isSuccess')::boolean then coalesce(e.failing_since, clock)
    end
    where e.id = any (locked) and outcomes ? e.id::text
    returning e.*
  loop
    if endpoint.is_active and (
      (outcomes->endpoint.id::text->>'isGone')::boolean
      or endpoint.failing_since <= clock - interval '5 days'
    ) then
      perform messaging.disable_event_endpoint(
        endpoint,
        case when (outcomes->endpoint.id::text->>'isGone')::boolean then 'gone' else 'failing' end
      );
    end if;
  end loop;
  return jsonb_build_object('settled', coalesce(
    (select sum((o.value->>'settled')::integer) from jsonb_each(outcomes) as o), 0
  ));
end;
$$;

-- The results of settle_event_deliveries, read: what the receiver said, and what it means.
create or replace function messaging.event_results(request jsonb)
returns table (
  delivery_id uuid, claim_token uuid, is_success boolean, is_gone boolean, retry_after_ms bigint,
  attempt jsonb
) language sql immutable set search_path = '' as $$
  select (r.result->>'deliveryId')::uuid, (r.result->>'claimToken')::uuid,
    coalesce((r.result->>'status')::integer between 200 and 299, false),
    coalesce((r.result->>'status')::integer = 410, false),
    (r.result->>'retryAfterMs')::bigint,
    r.result
  from jsonb_array_elements(request->'results') as r(result);
$$;

-- Disables an endpoint that the caller has locked: `gone` (it answered 410) or `failing` (nothing but
-- failures for 5 days). Tells it by an event, and by an e-mail to the workspace's alert address.
create or replace function messaging.disable_event_endpoint(
  endpoint messaging.event_endpoints, reason text
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.event_endpoints e
  set is_active = false, disabled_reason = reason, disabled_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where e.id = endpoint.id;
  perform messaging.fail_pending_deliveries(endpoint.id);
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'endpoint_disabled_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'endpointId', endpoint.id,
    'description', endpoint.description,
    'url', endpoint.url,
    'reason', reason,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = endpoint.instance_id and w.alert_email is not null;
  perform messaging.record_event(
    endpoint.instance_id, null, 'endpoint.disabled',
    jsonb_build_object('endpointId', endpoint.id, 'reason', reason)
  );
end;
$$;
