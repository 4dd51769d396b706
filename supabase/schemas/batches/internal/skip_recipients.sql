-- Makes recipients of batches skipped for a reason, whatever they were, and keeps the batches' counts.
-- Their messages that a pause has taken out of the queue are canceled.
-- `places`: [{batch, index}]. Locks the batches in the order of their ids, then those messages.
create or replace function messaging.skip_recipients(places jsonb, reason text)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  taken_back uuid[];
begin
  perform from messaging.batches b
  where b.id = any (array(select (p->>'batch')::uuid from jsonb_array_elements(places) as p))
  order by b.id
  for no key update;
  with skipped as (
    update messaging.batch_recipients r
    set status = 'skipped', reason = skip_recipients.reason, draft = null
    from jsonb_to_recordset(places) as p(batch uuid, index integer)
    cross join lateral (
      select f.status from messaging.batch_recipients f
      where f.batch_id = p.batch and f.index = p.index
      offset 0
    ) as former
    where r.batch_id = any (array[p.batch]) and r.index = any (array[p.index])
    returning r.batch_id, r.message_id, former.status as former_status
  ),
  counted as (
    select s.batch_id, count(*) filter (where s.former_status <> 'skipped') as skipped,
      count(*) filter (where s.former_status = 'pending') as pending
    from skipped s
    group by s.batch_id
  ),
  updated as (
    update messaging.batches b
    set skipped_count = b.skipped_count + c.skipped, pending_count = b.pending_count - c.pending
    from counted c
    where b.id = any (array[c.batch_id])
  )
  select array_agg(s.message_id order by s.message_id) into taken_back
  from skipped s
  where s.message_id is not null and s.former_status = 'pending';
  if taken_back is not null then
    perform messaging.end_unqueued_messages(taken_back, 'canceled');
  end if;
end;
$$;
