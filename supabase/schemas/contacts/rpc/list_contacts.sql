-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, contactId or userId (one of them), tag, q, assignedTo (operator's UUID or e-mail), consent,
-- updatedSince (inclusive), referral (whether an ad or post brought it). An unknown phone, userId or tag has
-- no contacts. Returns {items, next}: items see describe_contacts; a page may be short, see list_contact_ids.
-- Errors: MI001; MI031 and MI035 see find_recipient; MI055 see refuse_merged.
create or replace function public.list_contacts(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince', 'referral', request->>'referral'
  ));
  tag_id uuid;
  contact_id uuid;
  page jsonb;
  items jsonb;
begin
  if request->>'assignedTo' is not null then
    filters := filters || jsonb_build_object(
      'assignedTo', (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id
    );
  end if;
  if request->>'tag' is not null then
    select t.id into tag_id from messaging.tags t
    where t.instance_id = instance.id and lower(t.name) = lower(request->>'tag');
    filters := filters || jsonb_build_object('tagId', tag_id);
  end if;
  if coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null then
    contact_id := (messaging.find_recipient(instance.id, request)).id;
    filters := filters || jsonb_build_object('contactId', contact_id);
  end if;
  if filters @? '$.* ? (@ == null)' then
    return jsonb_build_object('items', jsonb '[]', 'next', null);
  end if;
  page := messaging.list_contact_ids(
    instance.id, filters,
    coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity'),
    coalesce((request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'),
    (request->>'limit')::integer
  );
  items := messaging.describe_contacts(
    instance, array(select f.id::uuid from jsonb_array_elements_text(page->'ids') as f(id))
  );
  -- A contact may have changed since the page was read. Its newer instant would lead a reader past the
  -- changes of transactions under way, so it is listed by the instant that was read, and comes again.
  if filters ? 'updatedSince' then
    select coalesce(jsonb_agg(
      i.item || jsonb_build_object('updatedAt', messaging.iso_in_zone(
        (page->'instants'->>(i.item->>'contactId'))::timestamptz, instance.time_zone
      ))
      order by i.place
    ), '[]') into items
    from jsonb_array_elements(items) with ordinality as i(item, place);
  end if;
  perform messaging.refuse_merged(contact_id);
  return jsonb_build_object('items', items, 'next', page->'next');
end;
$$;

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
  instance_id uuid, filters jsonb, after_at timestamptz, after_id uuid, page_size integer
) returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_indexscan = on set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set work_mem = '32MB' as $$
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

-- How list_contact_ids finds the contacts of a list. `contact`: the one that is asked for. `changes`:
-- contact_activity in its order, with updatedSince. `tag`, `operator`, `consent`: all that this filter
-- leaves, where they are at most `most`. `order`: contact_search in the order of creation.
-- `filters` as in list_contact_ids.
create or replace function messaging.contact_list_path(
  instance_id uuid, filters jsonb, most integer
) returns text language plpgsql stable set search_path = '' as $$
begin
  return case
    when filters ? 'contactId' then 'contact'
    when filters ? 'updatedSince' then 'changes'
    when messaging.is_few(instance_id, 'tag', filters->>'tagId', most) then 'tag'
    when messaging.is_few(instance_id, 'operator', filters->>'assignedTo', most) then 'operator'
    -- Nearly everybody's consent is unknown.
    when filters->>'consent' in ('granted', 'denied')
      and messaging.is_few(instance_id, 'consent', filters->>'consent', most) then 'consent'
    else 'order'
  end;
end;
$$;

-- The statement by which list_contact_ids reads a page: {ids, instants, has_more, last_item, end_of_read}.
-- end_of_read {createdAt, id}: the last contact that was read, where a page that is not full, or a search,
-- has read all that it may ($12). The other parameters are those of list_contact_ids, in its order.
-- No plan may read all contacts, whatever the statistics: a search names nothing but the keys, "offset 0"
-- keeps a look-up to itself, and a sub-select does what EXISTS would.
-- Over 80 lines: the text of one statement, with the part of every filter.
create or replace function messaging.contact_list_query(path text, filters jsonb)
returns text language plpgsql immutable set search_path = '' as $$
declare
  in_order constant text := '
    select c.contact_id, c.created_at as at, c.words, false as is_deleted
    from messaging.contact_search c
    where c.instance_id = $1 and (c.created_at, c.contact_id) > ($2, $3)
    order by c.created_at, c.contact_id
    limit $12';
  by_change constant text := '
    select a.contact_id, a.updated_at as at,
      (select w.words from messaging.contact_search w where w.contact_id = a.contact_id) as words,
      a.merged_into is not null or a.erased_at is not null as is_deleted
    from messaging.contact_activity a
    where a.instance_id = $1 and (a.updated_at, a.contact_id) > ($2, $3)
      and a.updated_at >= $9 and a.updated_at < $10 %s
    order by a.updated_at, a.contact_id
    limit $12';
  by_id constant text := '
    select c.contact_id, c.created_at as at, c.words, false as is_deleted
    from (%s) as few
    cross join lateral (
      select k.* from messaging.contact_search k where k.contact_id = few.id offset 0
    ) as c
    where c.instance_id = $1';
  source constant text := case path
    when 'order' then in_order
    when 'changes' then format(by_change, '')
    when 'contact' then case
      when filters ? 'updatedSince' then format(by_change, 'and a.contact_id = $8')
      else format(by_id, 'select $8 as id')
    end
    when 'search' then '
      select c.contact_id, c.created_at as at, c.words, false as is_deleted
      from messaging.contact_search c
      where messaging.search_keys(c.instance_id, c.words) @> $13
      limit $12'
    when 'tag' then
      format(by_id, 'select g.contact_id as id from messaging.contact_tags g where g.tag_id = $6')
    when 'operator' then format(by_id, '
      select v.contact_id as id from messaging.conversations v
      where v.instance_id = $1 and v.assigned_to = $7')
    when 'consent' then format(by_id, '
      select k.id from messaging.contacts k
      where k.instance_id = $1 and k.consent_marketing = $11 and k.consent_marketing <> ''unknown''')
  end;
  conditions constant text := concat(
    case
      when char_length(messaging.fold_text(filters->>'q')) < 3
        then ' and s.words ~ messaging.search_pattern($5)'
      when filters ? 'q' then ' and strpos(s.words, $5) > 0'
    end,
    case when filters ? 'tagId' and path <> 'tag' then '
      and (select true from messaging.contact_tags g where g.contact_id = s.contact_id and g.tag_id = $6)'
    end,
    case when filters ? 'assignedTo' and path <> 'operator' then '
      and (select v.assigned_to from messaging.conversations v where v.contact_id = s.contact_id) = $7'
    end,
    case when filters ? 'consent' and path <> 'consent' then '
      and (select k.consent_marketing from messaging.contacts k where k.id = s.contact_id) = $11'
    end,
    case when filters ? 'referral' then format('
      and %L = (select count(*) > 0 from messaging.newest_referral(s.contact_id))', (filters->>'referral')::boolean)
    end
  );
begin
  return format(
    'with source as %1$s materialized (%2$s),
    matching as (
      select s.at, s.contact_id from source s
      where (s.at, s.contact_id) > ($2, $3) and (s.is_deleted or (true %3$s))
      order by s.at, s.contact_id
      limit $4 + 1
    ),
    page as (
      select m.at, m.contact_id from matching m order by m.at, m.contact_id limit $4
    ),
    filled as (
      select count(*) > $4 as has_more from matching
    )
    select
      array(select p.contact_id from page p order by p.at, p.contact_id) as ids,
      (select jsonb_object_agg(p.contact_id, p.at) from page p) as instants,
      f.has_more,
      (
        select jsonb_build_object(''createdAt'', p.at, ''id'', p.contact_id) from page p
        order by p.at desc, p.contact_id desc
        limit 1
      ) as last_item,
      case when %4$s then (
        select jsonb_build_object(''createdAt'', r.at, ''id'', r.contact_id) from source r
        offset $12 - 1
        limit 1
      ) end as end_of_read
    from filled f',
    case when path = 'search' then '' else 'not' end, source, conditions,
    case when path = 'search' then 'true' when path in ('order', 'changes') then 'not f.has_more' else 'false' end
  );
end;
$$;

-- The regular expression for what `q` asks for in folded words; every character is itself. One or two
-- characters are looked for where a word begins (see search_keys), more of them anywhere.
create or replace function messaging.search_pattern(folded text)
returns text language sql immutable strict parallel safe set search_path = '' as $$
  select case when char_length(folded) < 3 and folded ~ '^[0-9a-z]' then '(^|[^0-9a-z])' else '' end
    || regexp_replace(folded, '([\\.^$*+?()|{}\[\]-])', '\\\1', 'g');
$$;

-- The keys (see search_keys) that a contact has which a search for `folded` may find.
create or replace function messaging.asked_keys(instance_id uuid, folded text)
returns bigint[] language sql immutable strict parallel safe set search_path = '' as $$
  select array_agg(distinct hashtextextended(piece, uuid_hash_extended(instance_id, 0)))
  from (
    select '^' || folded as piece where char_length(folded) < 3
    union all
    select substr(folded, place, 3)
    from generate_series(1, char_length(folded) - 2) as place
  ) as asked;
$$;
