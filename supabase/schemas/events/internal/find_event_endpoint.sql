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
