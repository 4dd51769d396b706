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

-- admin-api: what a request for a page asks for. `request`: limit, `after` {createdAt, id} as returned
-- in `next` (NULL for the first page), workspaceId and instanceId where the page is narrowed to them.
-- Returns the size, and the place after which the page begins: a page is the rows of a
-- greater (created_at, id), in that order, one more than `size` of them (see build_page).
-- Errors: MI013, MI014.
create or replace function messaging.begin_page(
  request jsonb, out size integer, out after_at timestamptz, out after_id uuid
) language plpgsql stable set search_path = '' as $$
begin
  if request->>'workspaceId' is not null then
    perform messaging.find_workspace((request->>'workspaceId')::uuid);
  end if;
  if request->>'instanceId' is not null then
    perform messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  size := (request->>'limit')::integer;
  after_at := coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity');
  after_id := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
end;
$$;

-- A list's reading after a step, which has read `step_read` rows, the last one at `last_read` {createdAt, id},
-- and found `records` among them. It is over where the page is full or no row is left, or where all steps have
-- read `most_read` rows: then the page is short, and the next one goes on there.
create or replace function messaging.go_on_reading(
  reading messaging.list_reading, records jsonb[], step_read bigint, last_read jsonb,
  most_read integer
) returns messaging.list_reading language plpgsql immutable set search_path = '' as $$
begin
  reading.records := reading.records || go_on_reading.records;
  reading.rows_read := reading.rows_read + step_read;
  reading.is_over := cardinality(reading.records) > reading.page_size or step_read < reading.step;
  if not reading.is_over and reading.rows_read >= most_read then
    reading.is_over := true;
    reading.next := last_read;
  end if;
  reading.after_at := (last_read->>'createdAt')::timestamptz;
  reading.after_id := (last_read->>'id')::uuid;
  reading.step := least(reading.step * 4, most_read - reading.rows_read);
  return reading;
end;
$$;

-- The page of a list that is read to its end, or not at all: {items, next}, see build_page.
create or replace function messaging.build_read_page(reading messaging.list_reading)
returns jsonb language sql immutable set search_path = '' as $$
  select page || jsonb_build_object('next', coalesce(nullif(page->'next', 'null'), reading.next))
  from messaging.build_page(reading.records, reading.page_size) as page;
$$;

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
