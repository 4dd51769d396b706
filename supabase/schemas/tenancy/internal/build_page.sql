-- admin-api: a page out of one row more than it may hold. `records`: [{createdAt, id, record}] in
-- order, or NULL for none. Returns {items, next}; `next` {createdAt, id} is the place to go on after,
-- NULL on the last page.
create or replace function messaging.build_page(records jsonb, page_size integer)
returns jsonb
language sql
immutable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'items', jsonb_path_query_array(
      coalesce(records, '[]'), '$[0 to $last].record', jsonb_build_object('last', page_size - 1)
    ),
    'next', case
      when jsonb_array_length(records) > page_size then (records->(page_size - 1)) - 'record'
    end
  );
$$;
revoke all on function messaging.build_page(jsonb, integer) from public, anon, authenticated;
grant execute on function messaging.build_page(jsonb, integer) to service_role;
