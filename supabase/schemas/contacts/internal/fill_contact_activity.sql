-- Adds the rows of contact_activity that contacts lack which are older than the table: all of them
-- (NULL, as the migration does), or those of `contact_ids`.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.fill_contact_activity(contact_ids uuid[])
returns void
language sql
set search_path = ''
set enable_seqscan = off
as $$
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select c.id, c.instance_id,
    date_trunc('milliseconds', greatest(c.updated_at, v.updated_at, last.sent_at)),
    last.sent_at, coalesce(last.direction = 'inbound', false)
  from unnest(coalesce(contact_ids, array(select all_of_them.id from messaging.contacts all_of_them)))
    as wanted(contact_id)
  cross join lateral (
    select k.id, k.instance_id, k.updated_at from messaging.contacts k
    where k.id = wanted.contact_id
    offset 0
  ) as c
  left join lateral (
    select k.updated_at from messaging.conversations k where k.contact_id = c.id offset 0
  ) as v on true
  left join lateral (
    select m.sent_at, m.direction from messaging.messages m
    where m.contact_id = c.id and m.sent_at is not null
    order by m.sent_at desc
    limit 1
  ) as last on true
  -- Not EXISTS: its plan may read all rows.
  where (
    select true from messaging.contact_activity a where a.contact_id = c.id
  ) is null
  order by c.id
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_activity(uuid[]) from public, anon, authenticated;
grant execute on function messaging.fill_contact_activity(uuid[]) to service_role;
