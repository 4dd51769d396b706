set local check_function_bodies = off;

drop function messaging.list_contact_ids(uuid,jsonb,timestamp with time zone,uuid,integer);

-- How list_contact_ids finds the contacts of a list. `contact`: the one that is asked for. `changes`:
-- contact_activity in its order, with updatedSince. `tag`, `operator`, `consent`: all that this filter
-- leaves, where they are at most `most`. `order`: contact_search in the order of creation.
-- `filters` as in list_contact_ids.
create or replace function messaging.contact_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := instance_id;
  of_tag constant uuid := (filters->>'tagId')::uuid;
  of_operator constant uuid := (filters->>'assignedTo')::uuid;
  of_consent constant text := filters->>'consent';
begin
  if filters ? 'contactId' then
    return 'contact';
  elsif filters ? 'updatedSince' then
    return 'changes';
  elsif of_tag is not null and (
    select count(*) <= most
    from (select from messaging.contact_tags g where g.tag_id = of_tag limit most + 1) as found
  ) then
    return 'tag';
  elsif of_operator is not null and (
    select count(*) <= most
    from (
      select from messaging.conversations v
      where v.instance_id = of_instance and v.assigned_to = of_operator
      limit most + 1
    ) as found
  ) then
    return 'operator';
  -- Nearly everybody's consent is unknown.
  elsif of_consent in ('granted', 'denied') and (
    select count(*) <= most
    from (
      select from messaging.contacts k
      where k.instance_id = of_instance and k.consent_marketing = of_consent
        and k.consent_marketing <> 'unknown'
      limit most + 1
    ) as found
  ) then
    return 'consent';
  end if;
  return 'order';
end;
$$;
revoke all
on function messaging.contact_list_path(uuid, jsonb, integer)
from public, anon, authenticated;
grant execute on function messaging.contact_list_path(uuid, jsonb, integer) to service_role;

-- The statement by which list_contact_ids reads a page: {ids, has_more, last_item, end_of_read}.
-- end_of_read {createdAt, id}: the last contact that was read, where a page that is not full, or a search,
-- has read all that it may ($12). The other parameters are those of list_contact_ids, in its order.
-- No plan may read all contacts, whatever the statistics: a search names nothing but the keys, "offset 0"
-- keeps a look-up to itself, and a sub-select does what EXISTS would.
create or replace function messaging.contact_list_query(path text, filters jsonb)
returns text
language plpgsql
immutable
set search_path = ''
as $$
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
revoke all on function messaging.contact_list_query(text, jsonb) from public, anon, authenticated;
grant execute on function messaging.contact_list_query(text, jsonb) to service_role;

-- Contacts as contacts-api tells them, in the order of `contact_ids`, in one statement: [{contactId, …}].
-- A merged or erased one is its tombstone {contactId, isDeleted, mergedInto}; unknown ids are left out.
create or replace function messaging.describe_contacts(
  instance messaging.instances,
  contact_ids uuid[]
)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  zone constant text := instance.time_zone;
begin
  return (
    select coalesce(
      jsonb_agg(
        case
          when c.id is null then jsonb_build_object(
            'contactId', a.contact_id, 'isDeleted', true, 'mergedInto', a.merged_into,
            'updatedAt', messaging.iso_in_zone(a.updated_at, zone)
          )
          else jsonb_build_object(
            'contactId', c.id,
            'phone', messaging.contact_display_phone(c),
            'name', c.name,
            'email', c.email,
            'company', c.company,
            'jobTitle', c.job_title,
            'notes', c.notes,
            'tags', coalesce(tagged.names, '[]'),
            'utmSource', c.utm_source,
            'utmMedium', c.utm_medium,
            'utmCampaign', c.utm_campaign,
            'customLabels', c.custom_labels,
            'isFavorite', c.is_favorite,
            'isArchived', c.is_archived,
            'isBlocked', c.is_blocked,
            'origin', c.origin,
            'consent', messaging.describe_consent(c, zone),
            'identities', shown.identities,
            'window', case
              when instance.provider_class = 'official' then jsonb_build_object(
                'isOpen', coalesce(c.last_inbound_at >= clock_timestamp() - interval '24 hours', false),
                'closesAt', messaging.iso_in_zone(c.last_inbound_at + interval '24 hours', zone)
              )
            end,
            'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, zone),
            'conversation', case
              when v.id is not null then jsonb_build_object(
                'conversationId', v.id,
                'status', v.status,
                'assignedTo', v.assigned_to,
                'departmentId', v.department_id,
                'portfolio', f.operator_id is not null,
                'lastMessageAt', messaging.iso_in_zone(a.last_message_at, zone)
              )
            end,
            'createdAt', messaging.iso_in_zone(c.created_at, zone),
            'updatedAt', messaging.iso_in_zone(coalesce(a.updated_at, c.updated_at), zone)
          )
        end
        order by wanted.place
      ),
      '[]'
    )
    from unnest(contact_ids) with ordinality as wanted(id, place)
    -- No index knows "is not distinct from": without statistics a plan may read all of the instance.
    left join messaging.contacts c
      on c.id = any (array[wanted.id]) and c.instance_id is not distinct from instance.id
    left join messaging.contact_activity a
      on a.contact_id = any (array[wanted.id]) and a.instance_id is not distinct from instance.id
    left join messaging.conversations v on v.contact_id = any (array[c.id])
    left join messaging.portfolios f on f.contact_id = any (array[c.id])
    left join messaging.agent_pauses p
      on p.contact_id = any (array[c.id]) and p.paused_until > clock_timestamp()
    left join lateral (
      select jsonb_agg(t.name order by lower(t.name)) as names
      from messaging.contact_tags g
      join messaging.tags t on t.id = any (array[g.tag_id])
      where g.contact_id = c.id
    ) as tagged on true
    left join lateral (select messaging.contact_identities(c) as identities) as shown on true
    where c.id is not null or a.merged_into is not null or a.erased_at is not null
  );
end;
$$;
revoke all
on function messaging.describe_contacts(messaging.instances, uuid[])
from public, anon, authenticated;
grant execute
on function messaging.describe_contacts(messaging.instances, uuid[])
to service_role;

-- The contacts of a page: {ids, next}. `next` {createdAt, id}: where the next page begins; NULL on the last.
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
    'next', case when page.has_more then page.last_item else page.end_of_read end
  );
end;
$$;
revoke all
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
from public, anon, authenticated;
grant execute
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
to service_role;

-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, contactId or userId (one of them), tag, q, assignedTo (operator's UUID or e-mail), consent,
-- updatedSince (inclusive). An unknown phone, userId or tag has no contacts.
-- Returns {items, next}: items see describe_contacts; a page may be short, see list_contact_ids. Errors: MI001; MI031 and MI035 see find_recipient.
create or replace function public.list_contacts(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince'
  ));
  tag_id uuid;
  contact_id uuid;
  page jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
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
  return jsonb_build_object(
    'items', messaging.describe_contacts(
      instance, array(select f.id::uuid from jsonb_array_elements_text(page->'ids') as f(id))
    ),
    'next', page->'next'
  );
end;
$$;
revoke all on function public.list_contacts(jsonb) from public, anon, authenticated;
grant execute on function public.list_contacts(jsonb) to service_role;

drop function messaging.fill_contact_activity(uuid[]);

drop function messaging.fill_contact_search();
