-- The page of a list that is read to its end, or not at all: {items, next}, see build_page.
create or replace function messaging.build_read_page(reading messaging.list_reading)
returns jsonb language sql immutable set search_path = '' as $$
  select page || jsonb_build_object('next', coalesce(nullif(page->'next', 'null'), reading.next))
  from messaging.build_page(reading.records, reading.page_size) as page;
$$;
