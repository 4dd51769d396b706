-- The statement by which list_contact_ids reads a page: {ids, instants, has_more, last_item, end_of_read}.
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
