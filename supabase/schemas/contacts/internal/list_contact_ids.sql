-- The contacts of a page: {ids, instants, next}. `next` {createdAt, id}: where the next page begins; NULL on
-- the last. `instants`: by which instant of its order each contact was read.
-- `filters` as in list_contacts, with tagId and contactId in place of tag and phone, and the operator's id
-- in assignedTo; `after_at` and `after_id`: the end of the page before.
-- With updatedSince: in the order of (updated_at, id), tombstones too, and nothing that a transaction
-- under way may still precede. Otherwise in the order of creation.
-- By the way that contact_list_path chooses. In an order it reads at most `most_read` contacts: where few
-- of many match, a page has fewer items than its size, or none, and `next` all the same. With `q` it goes
-- on: where so few match that more reading would not fill the page, the index of the words has them all
-- (unless it has `most_found`, many of them only alike); else it reads `most_searched`.
-- Plans must not depend on statistics: hence the settings. work_mem holds a search's bitmap: where it does
-- not fit, Postgres computes the keys of whole pages of rows.
create or replace function messaging.list_contact_ids(
  instance_id uuid,
  filters jsonb,
  after_at timestamptz,
  after_id uuid,
  page_size integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_indexscan = on
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set work_mem = '32MB'
as $$
declare
  most_read constant integer := 5000;
  most_found constant integer := 50000;
  most_searched constant integer := 25000;
  folded constant text := messaging.fold_text(filters->>'q');
  path text := messaging.contact_list_path(instance_id, filters, most_read);
  read_limit integer := most_read;
  horizon timestamptz;
  page record;
begin
  if filters ? 'updatedSince' then
    horizon := messaging.change_horizon(instance_id);
  end if;
  loop
    perform set_config('enable_indexscan', (path <> 'search')::text, true),
      set_config('enable_bitmapscan', (path = 'search')::text, true);
    execute messaging.contact_list_query(path, filters)
    into page
    using instance_id, after_at, after_id, page_size, folded,
      (filters->>'tagId')::uuid, (filters->>'assignedTo')::uuid, (filters->>'contactId')::uuid,
      (filters->>'updatedSince')::timestamptz, horizon, filters->>'consent', read_limit,
      messaging.asked_keys(instance_id, folded);
    exit when page.end_of_read is null or folded is null or path = 'changes'
      or read_limit = most_searched;
    if path = 'order' and cardinality(page.ids) < page_size * most_read / most_searched then
      path := 'search';
      read_limit := most_found;
    else
      path := 'order';
      read_limit := most_searched;
    end if;
  end loop;
  return jsonb_build_object(
    'ids', to_jsonb(page.ids),
    'instants', page.instants,
    'next', case when page.has_more then page.last_item else page.end_of_read end
  );
end;
$$;
