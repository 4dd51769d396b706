-- What of `sealed` is not sealed under the current key: the answer of the lists of what is sealed under former
-- keys. `sealed`: [{id, keys: ids of the keys of its seals, item}] in order; `request`: keyIds (of all keys,
-- the current one first), limit. Returns {items, total, unreadable: [id]}: the last are sealed under no key
-- that there is, at most `limit` of them too.
create or replace function messaging.sealed_under_old_keys(sealed jsonb[], request jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'items', coalesce(
      jsonb_agg(f.entry->'item' order by f.place) filter (where f.is_readable and f.number <= f.most), '[]'
    ),
    'total', count(*) filter (where f.is_readable),
    'unreadable', coalesce(
      jsonb_agg(f.entry->'id' order by f.place) filter (where not f.is_readable and f.number <= f.most), '[]'
    )
  )
  from (
    select s.entry, s.place, seal.is_readable, (request->>'limit')::integer as most,
      row_number() over (partition by seal.is_readable order by s.place) as number
    from unnest(sealed) with ordinality as s(entry, place)
    cross join lateral (select s.entry->'keys' <@ (request->'keyIds')) as seal(is_readable)
    where not s.entry->'keys' <@ jsonb_build_array(request->'keyIds'->0)
  ) as f;
$$;
