-- The rows that contacts of 1.0.0 lack, which the triggers of the migration before add for newer ones,
-- and the bucket that keeps files on the platform.
--
-- Inserts only, and locks no contact against messages: some minutes for 1,000,000 contacts, while
-- messages go on.
set local statement_timeout = 0;

-- Plans must not depend on the statistics of tables that have just been made: each look-up is by its
-- index, and "offset 0" keeps it to itself.
set local enable_seqscan = off;

insert into messaging.contact_activity (
  contact_id, instance_id, updated_at, last_message_at, awaits_reply
)
select c.id, c.instance_id,
  date_trunc('milliseconds', greatest(c.updated_at, v.updated_at, last.sent_at)),
  last.sent_at, coalesce(last.direction = 'inbound', false)
from messaging.contacts c
left join lateral (
  select k.updated_at from messaging.conversations k where k.contact_id = c.id offset 0
) as v on true
left join lateral (
  select m.sent_at, m.direction from messaging.messages m
  where m.contact_id = c.id and m.sent_at is not null
  order by m.sent_at desc
  limit 1
) as last on true
where (
  select true from messaging.contact_activity a where a.contact_id = c.id
) is null
order by c.id
on conflict do nothing;

insert into messaging.contact_search (contact_id, instance_id, created_at, words)
select c.id, c.instance_id, c.created_at, messaging.search_words(c)
from messaging.contacts c
where (
  select true from messaging.contact_search s where s.contact_id = c.id
) is null
order by c.instance_id, c.created_at
on conflict do nothing;

select messaging.create_media_bucket();
