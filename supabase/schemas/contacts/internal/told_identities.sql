-- Of the addresses that an event shows of one person: {userId, username, lid}, of each the first, without those that
-- it does not show.
create or replace function messaging.told_identities(addresses text[])
returns jsonb language sql immutable set search_path = '' as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'userId', (array_agg(a.address order by a.place) filter (where a.kind = 'user_id'))[1],
    'username', substr(
      (array_agg(a.address order by a.place) filter (where a.kind = 'username'))[1],
      length('username:') + 1
    ),
    'lid', (array_agg(a.address order by a.place) filter (where a.kind = 'lid'))[1]
  ))
  from (
    select seen.address, seen.place, messaging.address_kind(seen.address) as kind
    from unnest(addresses) with ordinality as seen(address, place)
  ) as a;
$$;
