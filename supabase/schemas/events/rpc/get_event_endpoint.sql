-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;
