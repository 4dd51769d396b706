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
