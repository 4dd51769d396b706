-- events-api: a new endpoint, which takes the events from now on. `request`: instanceId, endpointId, url,
-- types (NULL for all), description, sealedSecret (also kept with the outcome, so that a repeated call
-- can be given the secret again), idempotency (see begin_idempotent).
-- The instance's row is locked while its endpoints are counted.
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI023 (there are 10).
create or replace function public.create_event_endpoint(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform from messaging.instances i where i.id = of_instance for no key update;
  if (
    select count(*) >= 10 from messaging.event_endpoints e
    where e.instance_id = of_instance and e.deleted_at is null
  ) then
    raise exception using errcode = 'MI023', message = 'too_many_endpoints';
  end if;
  insert into messaging.event_endpoints (
    id, instance_id, url, types, description, sealed_secret, told_through
  )
  values (
    (request->>'endpointId')::uuid, of_instance, request->>'url',
    case when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
    end,
    request->>'description', request->>'sealedSecret', messaging.last_event(of_instance)
  )
  returning * into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;

-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_event_endpoint(r) from messaging.event_endpoints r
    where r.id = (request->>'endpointId')::uuid and r.instance_id = (request->>'instanceId')::uuid
      and r.deleted_at is null
  ), 'MI024', 'endpoint_not_found');
$$;

-- events-api: the endpoints of an instance, oldest first, a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_event_endpoints(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_event_endpoint(r))
    from messaging.event_endpoints r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and r.instance_id = (request->>'instanceId')::uuid and r.deleted_at is null
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- events-api: changes an endpoint. `request`: instanceId, endpointId, changes {url, types, description,
-- isActive, each optional}. An endpoint that becomes active takes the events from now on; one that is no
-- longer active gives up what it waits for. Returns the endpoint. Error: MI024.
create or replace function public.update_event_endpoint(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  former messaging.event_endpoints;
  endpoint messaging.event_endpoints;
begin
  former := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set url = coalesce(changes->>'url', e.url),
    types = case
      when changes ? 'types' then array(select jsonb_array_elements_text(changes->'types'))
      else e.types
    end,
    description = case
      when changes ? 'description' then nullif(changes->>'description', '') else e.description
    end,
    is_active = coalesce((changes->>'isActive')::boolean, e.is_active),
    -- Another address has not failed yet.
    failing_since = case
      when changes->>'url' <> e.url or (changes->>'isActive')::boolean and not e.is_active then null
      else e.failing_since
    end,
    updated_at = clock_timestamp()
  where e.id = former.id
  returning e.* into endpoint;
  if endpoint.is_active and not former.is_active then
    update messaging.event_endpoints e
    set disabled_reason = null, disabled_at = null,
      told_through = messaging.last_event(e.instance_id)
    where e.id = endpoint.id
    returning e.* into endpoint;
  elsif former.is_active and not endpoint.is_active then
    perform messaging.fail_pending_deliveries(endpoint.id);
    update messaging.event_endpoints e set disabled_at = clock_timestamp()
    where e.id = endpoint.id
    returning e.* into endpoint;
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;

-- events-api: gives an endpoint a new secret; the former one signs too for gracePeriodSeconds. While a
-- former one does, a further rotation is refused, since it was promised to sign until then; without a period
-- it ends all former ones at once. `request`: instanceId, endpointId,
-- sealedSecret (also kept with the outcome), gracePeriodSeconds, idempotency (see begin_idempotent).
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI024,
-- MI072.
create or replace function public.rotate_endpoint_secret(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  grace constant interval := make_interval(secs => (request->>'gracePeriodSeconds')::integer);
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set sealed_secret = request->>'sealedSecret',
    sealed_previous_secret = case when grace > interval '0' then e.sealed_secret end,
    previous_secret_until = case when grace > interval '0' then clock_timestamp() + grace end,
    updated_at = clock_timestamp()
  where e.id = endpoint.id
    and (grace = interval '0' or coalesce(e.previous_secret_until <= clock_timestamp(), true));
  if not found then
    raise exception using errcode = 'MI072', message = 'secret_rotation_pending';
  end if;
  endpoint := messaging.find_event_endpoint(request);
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;

-- events-api: deletes an endpoint, its secrets at once, its deliveries at the next purge_expired: no
-- call shows them any more. `request`: instanceId, endpointId. Returns the endpoint. Error: MI024.
create or replace function public.delete_event_endpoint(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  endpoint messaging.event_endpoints;
begin
  endpoint := messaging.find_event_endpoint(request);
  delete from messaging.event_replays r where r.endpoint_id = endpoint.id;
  update messaging.event_endpoints e
  set deleted_at = clock_timestamp(), is_active = false, sealed_secret = '',
    sealed_previous_secret = null, previous_secret_until = null
  where e.id = endpoint.id
  returning e.* into endpoint;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;

-- The number of the instance's last event that is visible; 0 where it has none. What begins now begins
-- after it. Never a horizon, and found by both
-- columns of the index: see read_events.
create or replace function messaging.last_event(instance_id uuid)
returns bigint language plpgsql set search_path = '' set enable_sort = off as $$
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

-- events-api: an endpoint as a response shows it, without its secrets.
create or replace function messaging.describe_event_endpoint(endpoint messaging.event_endpoints)
returns jsonb language sql stable set search_path = '' as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'instanceId', endpoint.instance_id,
    'url', endpoint.url,
    'types', to_jsonb(endpoint.types),
    'description', endpoint.description,
    'isActive', endpoint.is_active,
    'disabledReason', endpoint.disabled_reason,
    'disabledAt', messaging.iso_in_zone(endpoint.disabled_at, 'UTC'),
    'failingSince', messaging.iso_in_zone(endpoint.failing_since, 'UTC'),
    'previousSecretUntil', case
      when endpoint.previous_secret_until > clock_timestamp()
        then messaging.iso_in_zone(endpoint.previous_secret_until, 'UTC')
    end,
    'createdAt', messaging.iso_in_zone(endpoint.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(endpoint.updated_at, 'UTC')
  );
$$;
