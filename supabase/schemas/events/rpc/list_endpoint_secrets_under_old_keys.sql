-- admin-api: webhook endpoints with a secret that is sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{endpointId, sealedSecret, sealedPreviousSecret}], total, unreadable: [endpointId]}: the
-- last have a secret that is sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_endpoint_secrets_under_old_keys(request jsonb)
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
          jsonb_build_object(
            'endpointId', f.id,
            'sealedSecret', f.sealed_secret,
            'sealedPreviousSecret', f.sealed_previous_secret
          )
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select e.id, e.sealed_secret, e.sealed_previous_secret, seals.used <@ key_ids as is_readable,
        row_number() over (
          partition by seals.used <@ key_ids order by e.created_at, e.id
        ) as place
      from messaging.event_endpoints e
      cross join lateral (
        select array[
          split_part(e.sealed_secret, '.', 2),
          split_part(coalesce(e.sealed_previous_secret, e.sealed_secret), '.', 2)
        ] as used
      ) as seals
      where e.deleted_at is null and seals.used <> array[key_ids[1], key_ids[1]]
    ) as f
  );
end;
$$;
