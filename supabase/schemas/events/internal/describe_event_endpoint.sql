-- events-api: an endpoint as a response shows it, without its secrets.
create or replace function messaging.describe_event_endpoint(endpoint messaging.event_endpoints)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'instanceId', endpoint.instance_id,
    'url', endpoint.url,
    'types', to_jsonb(endpoint.types),
    'description', endpoint.description,
    'isActive', endpoint.is_active,
    'disabledReason', endpoint.disabled_reason,
    'disabledAt', messaging.iso_in_zone(endpoint.disabled_at, 'UTC'),
    'failingSince', messaging.iso_in_zone(endpoint.failing_since, 'UTC'),
    'previousSecretUntil', case
      when endpoint.previous_secret_until > clock_timestamp()
        then messaging.iso_in_zone(endpoint.previous_secret_until, 'UTC')
    end,
    'createdAt', messaging.iso_in_zone(endpoint.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(endpoint.updated_at, 'UTC')
  );
$$;
