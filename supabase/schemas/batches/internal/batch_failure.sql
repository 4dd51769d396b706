-- Whether these messages of a running batch pause it, and why: `template_refused` or `account_restricted` at
-- once (see stops_batch), `failures_in_row` with the fifth message in a row that has failed for good with the
-- same code. `error` is the last error; both are NULL for no. A batch without anything left to send goes on,
-- and finishes. Locks nothing: the caller holds the batch, so of two failures at the same time the second one
-- sees the first.
create or replace function messaging.batch_failure(
  batch messaging.batches, message_ids uuid[], out reason text, out error jsonb
) language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  failed record;
begin
  if batch.pending_count = 0 and not exists (
    select from messaging.messages m where m.batch_id = batch.id and m.status = 'queued'
  ) then
    return;
  end if;
  for failed in
    select r.turn, m.last_error
    from messaging.messages m
    join messaging.batch_recipients r on r.contact_id = any (array[m.contact_id])
      and r.batch_id = any (array[m.batch_id]) and r.message_id = m.id
    where m.id = any (message_ids) and m.batch_id = batch.id and r.turn >= batch.counted_from
    order by r.turn
  loop
    reason := messaging.stops_batch(failed.last_error);
    if reason is null
      and messaging.failures_in_row(batch, failed.turn, failed.last_error->>'code') >= 5 then
      reason := 'failures_in_row';
    end if;
    if reason is not null then
      error := failed.last_error;
      return;
    end if;
  end loop;
end;
$$;
