-- Ends the running batches of an instance that have nothing left to send: no message of theirs waits or is
-- being sent, and no recipient is pending, or the time of all of them is over. Records batch.finished.
-- The caller holds the batches.
create or replace function messaging.finish_batches(of_instance uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  batch messaging.batches;
begin
  perform messaging.end_unqueued_of_batch(b.id, 'expired')
  from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running' and b.expires_at <= clock_timestamp();
  for batch in
    update messaging.batches b
    set status = 'finished', finished_at = clock_timestamp(), waiting_message = null
    where b.instance_id = of_instance and b.status = 'running'
      and (b.pending_count = 0 or b.expires_at <= clock_timestamp())
      and not exists (
        select from messaging.messages m where m.batch_id = b.id and m.status = 'queued'
      )
    returning b.*
  loop
    perform messaging.record_event(
      batch.instance_id, null, 'batch.finished', jsonb_build_object(
        'batchId', batch.id,
        'name', batch.name,
        'status', batch.status,
        'counts', messaging.batch_counts(batch)
      )
    );
  end loop;
end;
$$;
