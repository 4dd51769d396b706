-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_event_endpoint(r) from messaging.event_endpoints r
    where r.id = (request->>'endpointId')::uuid and r.instance_id = (request->>'instanceId')::uuid
      and r.deleted_at is null
  ), 'MI024', 'endpoint_not_found');
$$;
