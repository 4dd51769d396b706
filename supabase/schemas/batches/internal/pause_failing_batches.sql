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

-- How many messages of a batch in a row, that of `turn` among them, have failed for good with this code: at
-- most four on either side are looked at. They stand in the order in which they left, whenever their outcomes
-- came, so a delivery event that is late counts where it belongs. What has not left, and what nobody knows
-- of, is passed over.
create or replace function messaging.failures_in_row(
  batch messaging.batches, turn integer, code text
) returns integer language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  failures integer;
begin
  with neighbours as (
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code as is_equal
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn < failures_in_row.turn and r.turn >= batch.counted_from
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn desc
      limit 4
    )
    union all
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn > failures_in_row.turn
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn
      limit 4
    )
  )
  select 1 + count(*) into failures
  from neighbours n
  where n.turn > coalesce(
      (select max(e.turn) from neighbours e where not e.is_equal and e.turn < failures_in_row.turn), 0
    )
    and n.turn < coalesce(
      (select min(e.turn) from neighbours e where not e.is_equal and e.turn > failures_in_row.turn),
      batch.turns + 1
    );
  return failures;
end;
$$;
