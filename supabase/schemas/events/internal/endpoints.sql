-- An instance's endpoint, locked against every change beside the caller's. `request`: instanceId,
-- endpointId. Error: MI024, for a deleted one and another instance's alike.
create or replace function messaging.find_event_endpoint(request jsonb)
returns messaging.event_endpoints language plpgsql set search_path = '' as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return endpoint;
end;
$$;

-- What a worker needs to call an endpoint: where it is, and the secrets that sign now.
create or replace function messaging.describe_event_target(endpoint messaging.event_endpoints)
returns jsonb language sql stable set search_path = '' as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'url', endpoint.url,
    'sealedSecrets', jsonb_build_array(endpoint.sealed_secret) || case
      when endpoint.previous_secret_until > clock_timestamp()
        then jsonb_build_array(endpoint.sealed_previous_secret)
      else '[]'
    end
  );
$$;

-- Ends what an endpoint still waits for, because it is not active any more. A replay sends it again.
-- The caller has locked the endpoint.
create or replace function messaging.fail_pending_deliveries(endpoint_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.event_deliveries d
  set status = 'failed', next_attempt_at = null
  where d.endpoint_id = fail_pending_deliveries.endpoint_id and d.next_attempt_at is not null;
  delete from messaging.event_replays r
  where r.endpoint_id = fail_pending_deliveries.endpoint_id;
end;
$$;
