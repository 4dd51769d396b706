-- events-api: records `endpoint.test`, which the caller sends to the endpoint at once, whether it is
-- active or not, and then tells finish_endpoint_test. `request`: instanceId, endpointId, idempotency.
-- Returns {sequence, eventId, body, target} (see claim_event_deliveries), or {replayed}: the outcome of
-- the first call with the key. Errors: MI007, MI008, MI024.
create or replace function public.begin_endpoint_test(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  endpoint messaging.event_endpoints;
  event messaging.events;
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  event := messaging.record_event(
    endpoint.instance_id, null, 'endpoint.test', jsonb_build_object('endpointId', endpoint.id)
  );
  return jsonb_build_object(
    'sequence', event.sequence,
    'eventId', messaging.describe_event(event)->>'id',
    'body', messaging.describe_event(event)::text,
    'target', messaging.describe_event_target(endpoint)
  );
end;
$$;
