-- events-api: changes an endpoint. `request`: instanceId, endpointId, changes {url, types, description,
-- isActive, each optional}. An endpoint that becomes active takes the events from now on; one that is no
-- longer active gives up what it waits for. Returns the endpoint. Error: MI024.
create or replace function public.update_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
