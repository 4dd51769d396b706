-- events-api: a new endpoint, which takes the events from now on. `request`: instanceId, endpointId, url,
-- types (NULL for all), description, sealedSecret (also kept with the outcome, so that a repeated call
-- can be given the secret again), idempotency (see begin_idempotent).
-- The instance's row is locked while its endpoints are counted.
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI023 (there are 10).
create or replace function public.create_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
