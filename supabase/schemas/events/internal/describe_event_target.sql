-- What a worker needs to call an endpoint: where it is, and the secrets that sign now.
create or replace function messaging.describe_event_target(endpoint messaging.event_endpoints)
returns jsonb language sql stable set search_path = '' as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'url', endpoint.url,
    'sealedSecrets', jsonb_build_array(endpoint.sealed_secret) || case
      when endpoint.previous_secret_until > clock_timestamp()
        then jsonb_build_array(endpoint.sealed_previous_secret)
      else '[]'
    end
  );
$$;
