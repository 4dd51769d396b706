-- admin-api: webhook endpoints with a secret that is sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{endpointId, sealedSecret, sealedPreviousSecret}], total, unreadable: [endpointId]}: the
-- last have a secret that is sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_endpoint_secrets_under_old_keys(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return messaging.sealed_under_old_keys(array(
    select jsonb_build_object(
      'id', e.id,
      'keys', array[
        split_part(e.sealed_secret, '.', 2),
        split_part(coalesce(e.sealed_previous_secret, e.sealed_secret), '.', 2)
      ],
      'item', jsonb_build_object(
        'endpointId', e.id,
        'sealedSecret', e.sealed_secret,
        'sealedPreviousSecret', e.sealed_previous_secret
      )
    )
    from messaging.event_endpoints e
    where e.deleted_at is null
    order by e.created_at, e.id
  ), request);
end;
$$;
