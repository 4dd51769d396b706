-- The beginning of a list that reads in growing steps, because few of many rows may match: `request` as in
-- begin_page, with order (`desc`: from the newest). Errors: MI013, MI014.
create or replace function messaging.begin_reading(request jsonb)
returns messaging.list_reading language sql stable set search_path = '' as $$
  select
    page.size,
    case when starts_at_newest then 'infinity' else page.after_at end,
    case when starts_at_newest then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else page.after_id end,
    page.size + 1, 0, '{}'::jsonb[], null::jsonb, false
  from
    messaging.begin_page(request) as page,
    coalesce(request->>'order' = 'desc' and nullif(request->'after', 'null') is null, false)
      as starts_at_newest;
$$;
