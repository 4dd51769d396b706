-- Lets the recipients of these messages that are pending be told by their messages again: a pause had taken
-- the message out of the queue, or it was to be tried again, and it has ended or arrived since. The caller
-- holds the messages, or their batches. Locks the batches in the order of their ids, even where nobody is
-- pending: who makes recipients pending holds the batch until that is committed.
create or replace function messaging.accept_pending_recipients(message_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.batches b
  where b.id = any (array(select m.batch_id from messaging.messages m where m.id = any (message_ids)))
  order by b.id
  for no key update;
  with told as (
    update messaging.batch_recipients r
    set status = 'accepted'
    -- A look-up by the contact for each message: no plan reads all that are pending.
    where r.ctid = any (array(
      select own.place
      from messaging.messages m
      cross join lateral (
        select f.ctid as place, f.status from messaging.batch_recipients f
        where f.contact_id = m.contact_id and f.batch_id = m.batch_id and f.message_id = m.id
        offset 0
      ) as own
      where m.id = any (message_ids) and own.status = 'pending'
    ))
    returning r.batch_id
  )
  update messaging.batches b
  set pending_count = b.pending_count - t.number
  from (select told.batch_id, count(*) as number from told group by told.batch_id) as t
  where b.id = any (array[t.batch_id]);
end;
$$;
