-- Ends messages that still wait, in the queue or in none: they become `status`, canceled or expired. What a worker has
-- claimed goes. Returns how many ended. The caller holds the messages. Locks as end_queued_messages, then as
-- end_unqueued_messages.
create or replace function messaging.end_waiting_messages(message_ids uuid[], status text)
returns integer language plpgsql set search_path = '' as $$
begin
  return cardinality(messaging.end_queued_messages(message_ids, status))
    + messaging.end_unqueued_messages(message_ids, status);
end;
$$;

-- Takes waiting messages out of the queue for good: they become `status`, canceled or expired. A message
-- in flight stays: its claim says what becomes of it. Their slots are released (see release_slots).
-- Returns the ids of those that ended.
-- The caller holds the messages. Locks pacing, then dispatch. Tries the queue rows without waiting: their
-- holders are about to send the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.end_queued_messages(message_ids uuid[], status text)
returns uuid[] language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance_ids uuid[];
  ended uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(distinct m.instance_id) into instance_ids
  from messaging.messages m
  where m.id = any (message_ids);
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids)
  order by p.instance_id
  for no key update;
  with waiting as materialized (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = any (message_ids) and w.claim_token is null
    for update skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q order by (taken.q).message_id) into gone from taken;
  if gone is null then
    return '{}';
  end if;
  ended := array(select g.message_id from unnest(gone) as g);
  perform messaging.end_messages(ended, status);
  perform messaging.release_slots(gone);
  perform messaging.refresh_dispatch(instance_ids);
  return ended;
end;
$$;

-- Ends those of the messages that are in no queue, because a pause took them out of it or because they wait for
-- their contact's answer: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_unqueued_messages(message_ids uuid[], status text)
returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ended uuid[];
begin
  ended := array(
    select m.id
    from messaging.messages m
    where m.id = any (message_ids) and m.status = 'queued'
      and (m.batch_id is not null or m.held_by = 'awaiting_reply')
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    order by m.id
    for no key update
  );
  if ended = '{}' then
    return 0;
  end if;
  perform messaging.end_messages(ended, status);
  perform messaging.accept_pending_recipients(ended);
  return cardinality(ended);
end;
$$;
