-- events-api: stores what came of a test, as a delivery that is over: it is not tried again, and says
-- nothing about the endpoint's other deliveries. `request`: instanceId, endpointId, sequence, result (see
-- settle_event_deliveries), idempotency.
-- Returns {delivered, status, error, durationMs}, or {replayed}. Errors: MI007, MI008.
create or replace function public.finish_endpoint_test(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  result constant jsonb := request->'result';
  is_delivered constant boolean :=
    coalesce((result->>'status')::integer between 200 and 299, false);
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.event_deliveries (endpoint_id, sequence, event_id, type, status, attempts)
  select e.id, v.sequence, v.id, v.type,
    case when is_delivered then 'delivered' else 'failed' end,
    jsonb_build_array(messaging.describe_attempt(result, clock_timestamp()))
  from messaging.event_endpoints e
  join messaging.events v on v.sequence = (request->>'sequence')::bigint
  where e.id = (request->>'endpointId')::uuid and e.deleted_at is null;
  return messaging.keep_outcome(request, jsonb_build_object(
    'delivered', is_delivered,
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs'
  ));
end;
$$;
