-- Ends messages that wait beyond their expires_at: they become `expired`, the oldest first, at most
-- `request`.maxMessages a call. A message in flight stays, and one that another session holds is left
-- for later. Returns {expired}: how many.
-- Claims look at expires_at too (see expire_due_messages): this is for what was not due by then, and for
-- messages of paused batches and those that wait for an answer, which have no place in the queue.
-- Locks the messages, then as end_waiting_messages.
create or replace function public.expire_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  late uuid[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    where m.expires_at <= clock and m.status = 'queued'
      and (
        exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is null
        )
        or (m.batch_id is not null or m.held_by = 'awaiting_reply') and not exists (
          select from messaging.message_queue q where q.message_id = m.id
        )
      )
    order by m.expires_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  ) as l;
  return jsonb_build_object('expired', case
    when late is null then 0
    else messaging.end_waiting_messages(late, 'expired')
  end);
end;
$$;
