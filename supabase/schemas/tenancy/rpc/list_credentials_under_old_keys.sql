-- admin-api: instances whose credentials are sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{instanceId, sealedProviderConfig}], total, unreadable: [instanceId]}: the last are
-- sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_credentials_under_old_keys(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_ids constant text[] := array(select jsonb_array_elements_text(request->'keyIds'));
  max_items constant integer := (request->>'limit')::integer;
begin
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object('instanceId', f.id, 'sealedProviderConfig', f.sealed_provider_config)
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select i.id, i.sealed_provider_config, seal.key_id = any (key_ids) as is_readable,
        row_number() over (
          partition by seal.key_id = any (key_ids) order by i.created_at, i.id
        ) as place
      from messaging.instances i
      cross join lateral (select split_part(i.sealed_provider_config, '.', 2) as key_id) as seal
      where seal.key_id <> key_ids[1]
    ) as f
  );
end;
$$;
