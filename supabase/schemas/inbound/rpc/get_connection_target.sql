-- admin-api, connect: with which provider and credentials an instance's connection is asked for. `request`:
-- instanceId. Returns {provider, sealedProviderConfig}. Error: MI014.
create or replace function public.get_connection_target(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config
  );
end;
$$;
