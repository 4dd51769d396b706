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

-- The pending recipients of a batch who may not be written to now, whatever their slot: blocked, opted out,
-- or without an address of the channel. Returns {<reason>: [{batch, index}]}. Locks nothing.
create or replace function messaging.refused_recipients(batch messaging.batches)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
begin
  return (
    select coalesce(jsonb_object_agg(by_reason.reason, by_reason.places), '{}')
    from (
      select judged.reason,
        jsonb_agg(jsonb_build_object('batch', batch.id, 'index', r.index)) as places
      from messaging.batch_recipients r
      cross join lateral (
        select c.* from messaging.contacts c where c.id = r.contact_id offset 0
      ) as person
      cross join lateral (
        select (
          messaging.judge_recipient(
            instance, batch.purpose, c, r.phone, r.draft,
            row(r.index, r.contact_id, null, null, false, null, null)::messaging.batch_candidate
          )
        ).reason
        from messaging.contacts c
        where c.id = person.id
        offset 0
      ) as judged
      where r.batch_id = batch.id and r.status = 'pending'
        and messaging.may_be_refused(
          person.is_blocked, person.phone, person.consent_marketing, instance.people_scope, batch.purpose
        )
        and judged.reason is not null
      group by judged.reason
    ) as by_reason
  );
end;
$$;
