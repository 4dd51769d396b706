-- admin-api, connect: with which provider and credentials an instance's connection is asked for. `request`:
-- instanceId. Returns {provider, sealedProviderConfig, configureWebhooks, webhooksState}; the last is NULL while
-- nobody has asked where the provider sends events. Error: MI014.
create or replace function public.get_connection_target(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'configureWebhooks', instance.configure_webhooks,
    'webhooksState', (
      select d.webhooks_state from messaging.dispatch d where d.instance_id = instance.id
    )
  );
end;
$$;
