-- What authenticating a client says about its instance: see authenticate_client.
create or replace function messaging.authenticated_instance(instance messaging.instances)
returns jsonb language sql stable
return jsonb_build_object(
  'instanceId', instance.id,
  'name', instance.name,
  'provider', instance.provider,
  'providerClass', instance.provider_class,
  'sealedProviderConfig', instance.sealed_provider_config,
  'gatewayInstanceId', instance.gateway_instance_id,
  'connectedPhone', instance.connected_phone,
  'readReceipts', instance.read_receipts,
  'timeZone', instance.time_zone,
  'interactiveRendering', instance.interactive_rendering,
  'references', jsonb_build_array(
    instance.id,
    instance.embed_key,
    coalesce(instance.business_instance_id, instance.gateway_instance_id)
  )
);
