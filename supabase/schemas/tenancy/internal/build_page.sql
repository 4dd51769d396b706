-- admin-api: a page out of its rows, which are one more than it may hold where there is a next page.
-- `records`: [{createdAt, id, record}] in order. Returns {items, next}: `next` {createdAt, id} is the
-- place after which the next page begins, NULL on the last page.
create or replace function messaging.build_page(records jsonb[], page_size integer)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'items', coalesce(
      jsonb_agg(r.entry->'record' order by r.place) filter (where r.place <= page_size), '[]'
    ),
    'next', case when cardinality(records) > page_size then records[page_size] - 'record' end
  )
  from unnest(records) with ordinality as r(entry, place);
$$;
