-- batches-api: starts, pauses, resumes or cancels a batch, or tries its failed messages again. `request`:
-- instanceId, batchId, action (start | pause | resume | cancel | retry-failed), idempotency. Returns the
-- batch. Changes a handful of rows, whatever the size of the batch, but for retry-failed. A start also skips
-- whom it may not write to, as the dry run says; they are found before anything is locked.
-- Locks pacing, then the batch. Errors: MI007, MI008, MI010, MI027, MI028 (the batch's status does not allow
-- it).
create or replace function public.change_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  action constant text := request->>'action';
  clock constant timestamptz := clock_timestamp();
  replayed jsonb := messaging.begin_idempotent(request);
  batch messaging.batches;
  new_status text;
  refused jsonb := '{}';
  reason text;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := messaging.find_batch(request);
  if action = 'start' then
    refused := messaging.refused_recipients(batch);
  end if;
  -- A transaction that holds a message may wait for the pacing row.
  perform from messaging.messages m
  where m.batch_id = batch.id and m.status = 'queued'
  order by m.id
  for no key update;
  perform from messaging.pacing p where p.instance_id = batch.instance_id for no key update;
  select b.* into batch from messaging.batches b where b.id = batch.id for no key update;
  if not batch.status = any (case action
    when 'start' then array['draft']
    when 'pause' then array['running']
    when 'resume' then array['paused']
    when 'cancel' then array['draft', 'running', 'paused']
    when 'retry-failed' then array['running', 'paused', 'finished']
  end) then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  for reason in select jsonb_object_keys(refused) loop
    perform messaging.skip_recipients(refused->reason, reason);
  end loop;
  if action = 'pause' then
    perform messaging.unqueue_batch_messages(batch);
  elsif action = 'cancel' then
    perform messaging.end_queued_messages(
      array(
        select m.id from messaging.messages m
        where m.batch_id = batch.id and m.status = 'queued'
        order by m.id
        for no key update
      ),
      'canceled'
    );
    perform messaging.end_unqueued_of_batch(batch.id, 'canceled');
  end if;
  new_status := case action
    when 'pause' then 'paused'
    when 'cancel' then 'canceled'
    when 'retry-failed' then case
      when messaging.retry_failed_recipients(batch.id) > 0 and batch.status = 'finished' then 'running'
      else batch.status
    end
    else 'running'
  end;
  update messaging.batches b
  set status = new_status,
    waiting_message = case when new_status = 'running' then b.waiting_message end,
    started_at = case when action = 'start' then clock else b.started_at end,
    finished_at = case new_status when 'canceled' then clock when 'finished' then b.finished_at end,
    counted_from = case when action in ('resume', 'retry-failed') then b.turns + 1 else b.counted_from end,
    pause_reason = case when new_status = 'paused' then b.pause_reason end,
    pause_error = case when new_status = 'paused' then b.pause_error end
  where b.id = batch.id;
  perform messaging.feed_instance(batch.instance_id);
  perform messaging.touch_noted_contacts();
  select b.* into strict batch from messaging.batches b where b.id = batch.id;
  return messaging.keep_outcome(request, messaging.describe_batch(batch));
end;
$$;
