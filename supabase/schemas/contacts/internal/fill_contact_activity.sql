-- Adds the rows of contact_activity that contacts lack which are older than the table: all of them
-- (NULL, as the migration does), or those of `contact_ids`.
create or replace function messaging.fill_contact_activity(contact_ids uuid[])
returns void
language sql
set search_path = ''
as $$
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select c.id, c.instance_id,
    date_trunc('milliseconds', greatest(c.updated_at, v.updated_at, last.sent_at)),
    last.sent_at, coalesce(last.direction = 'inbound', false)
  from messaging.contacts c
  left join messaging.conversations v on v.contact_id = c.id
  left join lateral (
    select m.sent_at, m.direction from messaging.messages m
    where m.contact_id = c.id and m.sent_at is not null
    order by m.sent_at desc
    limit 1
  ) as last on true
  where (contact_ids is null or c.id = any (contact_ids))
    and not exists (select from messaging.contact_activity a where a.contact_id = c.id)
  order by c.id
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_activity(uuid[]) from public, anon, authenticated;
grant execute on function messaging.fill_contact_activity(uuid[]) to service_role;
