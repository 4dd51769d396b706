-- admin-api: the instance of templates that are to be read from its provider. `request`: instanceId,
-- idempotency (see begin_idempotent). Returns {provider, sealedProviderConfig, askedAt}, or
-- {replayed}: then the provider need not be asked again. Takes nothing. Errors: MI007, MI008, MI014.
create or replace function public.begin_template_sync(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'askedAt', clock_timestamp()
  );
end;
$$;
