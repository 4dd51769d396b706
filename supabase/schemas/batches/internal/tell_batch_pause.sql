-- Tells that a batch has paused by itself: the event batch.paused, and an e-mail to the workspace's alert
-- address, where there is one.
create or replace function messaging.tell_batch_pause(batch messaging.batches)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform messaging.record_event(
    batch.instance_id, null, 'batch.paused', jsonb_build_object(
      'batchId', batch.id,
      'name', batch.name,
      'status', batch.status,
      'reason', batch.pause_reason,
      'error', messaging.shown_error(batch.pause_error),
      'counts', messaging.batch_counts(batch)
    )
  );
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'batch_paused_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'batchId', batch.id,
    'batchName', batch.name,
    'reason', batch.pause_reason,
    'error', messaging.shown_error(batch.pause_error),
    'waiting', batch.pending_count,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = batch.instance_id and w.alert_email is not null;
end;
$$;
