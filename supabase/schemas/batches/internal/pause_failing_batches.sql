-- Pauses the running batches whose messages this transaction has failed (see note_batch_failures), where
-- batch_failure says so. Records batch.paused, and tells the workspace's alert address.
-- A step towards the end of an RPC. The caller holds the failed messages. Locks the waiting messages of those
-- batches, since a transaction that holds a message may wait for the pacing row; then pacing, then the batches.
create or replace function messaging.pause_failing_batches()
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  noted constant text := current_setting('messaging.failed_messages', true);
  failed uuid[];
  batch_ids uuid[];
  batch messaging.batches;
  failure record;
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.failed_messages', '', true);
  failed := string_to_array(rtrim(noted), ' ')::uuid[];
  batch_ids := array(
    select distinct b.id
    from messaging.messages m
    join messaging.batches b on b.id = any (array[m.batch_id])
    where m.id = any (failed) and b.status = 'running'
  );
  perform from messaging.messages m
  where m.batch_id = any (batch_ids) and m.status = 'queued'
    and exists (select from messaging.message_queue q where q.message_id = m.id)
  order by m.id
  for no key update;
  perform from messaging.pacing p
  where p.instance_id = any (array(
    select b.instance_id from messaging.batches b where b.id = any (batch_ids)
  ))
  order by p.instance_id
  for no key update;
  for batch in
    select b.* from messaging.batches b
    where b.id = any (batch_ids) and b.status = 'running'
    order by b.id
    for no key update
  loop
    failure := messaging.batch_failure(batch, failed);
    continue when failure.reason is null;
    perform messaging.unqueue_batch_messages(batch);
    update messaging.batches b
    set status = 'paused', waiting_message = null, pause_reason = failure.reason,
      pause_error = failure.error
    where b.id = batch.id
    returning b.* into batch;
    perform messaging.note_feeding(batch.instance_id);
    perform messaging.tell_batch_pause(batch);
  end loop;
end;
$$;
