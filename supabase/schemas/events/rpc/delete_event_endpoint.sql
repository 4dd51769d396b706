-- events-api: deletes an endpoint, its secrets at once, its deliveries at the next purge_expired: no
-- call shows them any more. `request`: instanceId, endpointId. Returns the endpoint. Error: MI024.
create or replace function public.delete_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
