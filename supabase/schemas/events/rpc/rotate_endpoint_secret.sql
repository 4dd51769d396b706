-- events-api: gives an endpoint a new secret; the former one signs too for gracePeriodSeconds. Of several
-- rotations within one period the last former secret counts. `request`: instanceId, endpointId,
-- sealedSecret (also kept with the outcome), gracePeriodSeconds, idempotency (see begin_idempotent).
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI024.
create or replace function public.rotate_endpoint_secret(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
  returning e.* into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;
