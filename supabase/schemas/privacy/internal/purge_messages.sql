-- purge_expired: deletes messages that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`, with the files that no other message names and their places in the lists of
-- batches. What still waits to be sent stays, and what asks a question that has not ended; an ended one goes with
-- the message that asked it.
-- Contacts and conversations stay. Where a contact's last message is among them, its activity is read anew,
-- so that reading the contact shows no message that is gone.
-- Returns how many. Waits for no lock but those of contact_activity, which are the last.
-- Plans: see purge_expired.
create or replace function messaging.purge_messages(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  ids uuid[];
  files uuid[];
  contact_ids uuid[];
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select m.id from messaging.messages m
      where m.instance_id = i.id and m.created_at > '-infinity'
        and m.created_at <= clock - make_interval(days => i.retention_messages_days)
        -- Not EXISTS: see claim_due_messages.
        and (
          select true from messaging.message_queue q where q.message_id = m.id limit 1
        ) is null
        and (
          m.question_id is null or (
            select true from messaging.questions o
            where o.id = m.question_id and messaging.is_question_live(o.status)
            limit 1
          ) is null
        )
      order by m.instance_id, m.created_at
      limit max_rows
      for update of m skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  files := messaging.media_of_messages(ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids)
    returning m.id, m.contact_id, m.batch_id, m.sent_at, m.question_id
  ),
  unasked as (
    delete from messaging.questions o
    using gone g
    where o.id = any (array[g.question_id]) and o.message_id = g.id
  ),
  unlisted as (
    delete from messaging.batch_recipients r
    using gone g
    where r.contact_id = any (array[g.contact_id]) and r.batch_id = any (array[g.batch_id])
      and r.message_id = g.id and r.status = 'accepted'
  ),
  unpaid as (
    delete from messaging.payments p
    using gone g
    where p.message_id = any (array[g.id])
  )
  select array_agg(a.contact_id) into contact_ids
  from (select g.contact_id, max(g.sent_at) as last_at from gone g group by g.contact_id) as newest
  cross join lateral (
    select x.contact_id from messaging.contact_activity x
    where x.contact_id = newest.contact_id and x.last_message_at <= newest.last_at
    offset 0
  ) as a;
  perform messaging.forget_media(files);
  if contact_ids is not null then
    perform messaging.note_contact(named.id) from unnest(contact_ids) as named(id);
    perform messaging.touch_noted_contacts();
  end if;
  return cardinality(ids);
end;
$$;
