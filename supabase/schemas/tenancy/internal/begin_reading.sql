-- The beginning of a list that reads in growing steps, because few of many rows may match: `request` as in
-- begin_page. Errors: MI013, MI014.
create or replace function messaging.begin_reading(request jsonb)
returns messaging.list_reading
language sql
stable
set search_path = ''
as $$
  select page.size, page.after_at, page.after_id, page.size + 1, 0, '{}'::jsonb[], null::jsonb, false
  from messaging.begin_page(request) as page;
$$;
