-- admin-api: the provider's account that a month of an instance is billed to. `request`: instanceId, month
-- (YYYY-MM, of the instance's time zone). Returns {provider, sealedProviderConfig, connectedPhone, startsAt,
-- endsAt (Unix seconds; the end is not included)}. Error: MI014.
create or replace function public.find_billed_account(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  first_day constant date := (request->>'month') || '-01';
begin
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'connectedPhone', instance.connected_phone,
    'startsAt', extract(epoch from first_day::timestamp at time zone instance.time_zone)::bigint,
    'endsAt', extract(
      epoch from (first_day + interval '1 month') at time zone instance.time_zone
    )::bigint
  );
end;
$$;
