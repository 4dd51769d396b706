-- admin-api: instances with credentials that are sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{instanceId, sealedProviderConfig}], total, unreadable: [instanceId]}: the last are
-- sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_credentials_under_old_keys(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return messaging.sealed_under_old_keys(array(
    select jsonb_build_object(
      'id', i.id,
      'keys', array[split_part(i.sealed_provider_config, '.', 2)],
      'item', jsonb_build_object('instanceId', i.id, 'sealedProviderConfig', i.sealed_provider_config)
    )
    from messaging.instances i
    where i.sealed_provider_config is not null
    order by i.created_at, i.id
  ), request);
end;
$$;
