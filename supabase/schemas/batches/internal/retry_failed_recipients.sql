-- Makes the recipients of a batch whose message has failed pending again. Never those whose message is
-- unconfirmed: it may have left. Returns how many. The caller holds the batch.
create or replace function messaging.retry_failed_recipients(of_batch uuid)
returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  retried integer;
begin
  with failed as (
    update messaging.batch_recipients r
    set status = 'pending'
    from messaging.messages m
    where m.batch_id = of_batch and m.status = 'failed'
      and r.contact_id = any (array[m.contact_id]) and r.batch_id = of_batch and r.message_id = m.id
      and r.status = 'accepted'
      -- A delivery event may have failed it while its call is still open.
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + f.number, first_pending = least(b.first_pending, f.first),
    known_from = least(b.known_from, f.first)
  from (select count(*)::integer as number, min(failed.index) as first from failed) as f
  where b.id = of_batch and f.number > 0
  returning f.number into retried;
  return coalesce(retried, 0);
end;
$$;
