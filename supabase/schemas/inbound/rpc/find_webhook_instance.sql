-- The instance that a webhook address names. `request`: provider, instanceRef (UUID, business
-- instance id or embed key). Returns {instance}: NULL where there is none.
create or replace function public.find_webhook_instance(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('instance', (
    select jsonb_build_object(
      'instanceId', i.id,
      'provider', i.provider,
      'sealedProviderConfig', i.sealed_provider_config
    )
    -- A name is unique within a provider.
    from messaging.find_instances_by_reference(request->>'instanceRef') i
    where i.provider = request->>'provider'
  ));
$$;
