-- admin-api: stores credentials that were sealed again. `request`: items [{instanceId, former,
-- sealedProviderConfig}]. Credentials that no longer equal `former` have been changed meanwhile and
-- stay.
-- Returns {replaced}: how many.
create or replace function public.replace_sealed_credentials(request jsonb)
returns jsonb language sql set search_path = '' set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
  with replaced as (
    update messaging.instances i
    set sealed_provider_config = item."sealedProviderConfig"
    from jsonb_to_recordset(request->'items') as item(
      "instanceId" uuid, former text, "sealedProviderConfig" text
    )
    where i.id = item."instanceId" and i.sealed_provider_config = item.former
    returning i.id
  )
  select jsonb_build_object('replaced', count(*)) from replaced;
$$;
