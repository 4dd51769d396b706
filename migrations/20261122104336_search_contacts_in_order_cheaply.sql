set local check_function_bodies = off;

-- The contacts of a page, and one more where there is another: [{at, id}] in order.
-- `filters` as in list_contacts, with tagId and contactId in place of tag and phone; `after_at` and
-- `after_id`: the end of the page before.
-- With updatedSince: in the order of (updated_at, id), tombstones too, and nothing that a transaction
-- under way may still precede. Otherwise in the order of creation.
-- The order does not tell where those contacts are that a filter leaves. So a filtered page is looked
-- for in two ways, of which one is cheap: among the next 5,000 contacts, where many fit; and where
-- these do not fill the page, few fit, and the index of a filter has them all.
create or replace function messaging.list_contact_ids(
  instance_id uuid,
  filters jsonb,
  after_at timestamptz,
  after_id uuid,
  row_limit integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  folded constant text := messaging.fold_text(filters->>'q');
  is_filtered constant boolean := filters ?| '{q,tagId,assignedTo,consent}';
  horizon timestamptz;
  sources text[];
  conditions constant text := concat(
    case
      when folded is null then ''
      when filters ? 'updatedSince' then ' and exists (
        select from messaging.contact_search w where w.contact_id = s.contact_id and w.words ~ $5)'
      else ' and s.words ~ $5'
    end,
    case when filters ? 'tagId' then ' and exists (
      select from messaging.contact_tags g where g.contact_id = s.contact_id and g.tag_id = $6)' end,
    case when filters ? 'assignedTo' then ' and exists (
      select from messaging.conversations v where v.contact_id = s.contact_id and v.assigned_to = $7)' end,
    case when filters ? 'consent' then ' and exists (
      select from messaging.contacts k where k.id = s.contact_id and k.consent_marketing = $12)' end,
    case when filters ? 'contactId' then ' and s.contact_id = $8' end
  );
  in_order constant text := 'select c.contact_id, c.created_at as at, c.words, false as is_deleted
    from messaging.contact_search c
    where c.instance_id = $1 and (c.created_at, c.contact_id) > ($2, $3)';
  source text;
  contacts jsonb;
begin
  if filters ? 'updatedSince' then
    horizon := messaging.change_horizon(instance_id);
    sources := array['select a.contact_id, a.updated_at as at,
        a.merged_into is not null or a.erased_at is not null as is_deleted
      from messaging.contact_activity a
      where a.instance_id = $1 and (a.updated_at, a.contact_id) > ($2, $3)
        and a.updated_at >= $9 and a.updated_at < $10
      order by a.updated_at, a.contact_id'];
  elsif filters ? 'contactId' then
    sources := array[in_order || ' and c.contact_id = $8'];
  elsif not is_filtered then
    sources := array[in_order || ' order by c.created_at, c.contact_id'];
  else
    sources := array[
      in_order || ' order by c.created_at, c.contact_id limit 5000',
      in_order || case
        when folded is not null then ' and messaging.search_keys(c.instance_id, c.words) @> $11'
        when filters ? 'tagId'
          then ' and c.contact_id = any (array(
            select g.contact_id from messaging.contact_tags g where g.tag_id = $6))'
        when filters->>'consent' in ('granted', 'denied')
          then ' and c.contact_id = any (array(
            select k.id from messaging.contacts k
            where k.instance_id = $1 and k.consent_marketing = $12
              and k.consent_marketing <> ''unknown''))'
        when filters ? 'consent' then ''
        else ' and c.contact_id = any (array(
            select v.contact_id from messaging.conversations v
            where v.assigned_to = $7 and v.instance_id = $1))'
      end
    ];
  end if;
  foreach source in array sources loop
    execute format(
      'select coalesce(jsonb_agg(jsonb_build_object(''at'', f.at, ''id'', f.contact_id) order by f.at, f.contact_id), ''[]'')
       from (
         select s.at, s.contact_id from (%s) as s
         where s.is_deleted or (true %s)
         order by s.at, s.contact_id
         limit $4
       ) as f',
      source, conditions
    )
    into contacts
    using instance_id, after_at, after_id, row_limit, messaging.search_pattern(folded),
      (filters->>'tagId')::uuid, (filters->>'assignedTo')::uuid, (filters->>'contactId')::uuid,
      (filters->>'updatedSince')::timestamptz, horizon, messaging.asked_keys(instance_id, folded),
      filters->>'consent';
    exit when jsonb_array_length(contacts) >= row_limit;
  end loop;
  return contacts;
end;
$$;
revoke all
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
from public, anon, authenticated;
grant execute
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
to service_role;
