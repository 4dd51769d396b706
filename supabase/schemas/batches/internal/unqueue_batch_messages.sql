-- A pause: takes the waiting messages of a batch out of the queue, and gives their slots back. They keep
-- their ids, and their recipients are pending again. A message in flight stays.
-- The caller holds pacing and the batch. Tries the queue rows without waiting: their holders are about to
-- send the messages.
create or replace function messaging.unqueue_batch_messages(batch messaging.batches)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  gone messaging.message_queue[];
  taken_back integer;
begin
  with waiting as materialized (
    select q.message_id
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.batch_id = batch.id and m.status = 'queued' and q.claim_token is null
    for update of q skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  if gone is null then
    return;
  end if;
  perform messaging.write_departures(array_agg(g.message_id), null, null) from unnest(gone) as g;
  with pending as (
    update messaging.batch_recipients r
    set status = 'pending'
    from unnest(gone) as g
    join messaging.messages m on m.id = any (array[g.message_id])
    where r.contact_id = any (array[m.contact_id]) and r.batch_id = batch.id and r.message_id = m.id
      and r.status = 'accepted'
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + p.number, first_pending = least(b.first_pending, p.first),
    known_from = least(b.known_from, p.first)
  from (select count(*)::integer as number, min(pending.index) as first from pending) as p
  where b.id = batch.id;
  perform messaging.release_slots(gone);
  perform messaging.refresh_dispatch(array[batch.instance_id]);
end;
$$;
