-- Hands out the messages of an instance with a pace that leave next (see claim_instance_group), each with a claim
-- that its settling must show. A call of its own, beside claim_due_messages, so that nobody waits for it.
-- `request`: instanceId, maxMessages, leaseSeconds (from the message's departure; a message's typing delay is
-- added to it). Returns {messages, departuresInMs, messagesPerSecond, feedsBatches}: departuresInMs says by
-- message how long after this call's beginning, by the database's clock, its call is to begin, feedsBatches
-- whether a batch of the instance is running. Returns no messages where the instance is locked, or has no
-- pace any more.
-- Plans must not depend on statistics: the queue may hold ten rows or a million.
create or replace function public.claim_message_group(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch messaging.dispatch;
  claimed uuid[];
begin
  select d.* into dispatch
  from messaging.dispatch d
  where d.instance_id = (request->>'instanceId')::uuid and d.in_flight is null
    and d.messages_per_second is not null
  for no key update skip locked;
  if found then
    claimed := messaging.claim_instance_group(
      dispatch,
      messaging.find_instance(dispatch.instance_id),
      (request->>'maxMessages')::integer,
      make_interval(secs => (request->>'leaseSeconds')::double precision),
      clock
    );
  end if;
  return jsonb_build_object(
    'messages', messaging.claimed_messages(claimed),
    'departuresInMs', (
      select coalesce(
        jsonb_object_agg(q.message_id, extract(epoch from q.departs_at - clock) * 1000), '{}'
      )
      from messaging.message_queue q
      where q.message_id = any (claimed)
    ),
    'messagesPerSecond', dispatch.messages_per_second,
    'feedsBatches', coalesce(dispatch.feeds_batches, false)
  );
end;
$$;
