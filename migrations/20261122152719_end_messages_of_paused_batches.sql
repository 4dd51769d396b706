set local check_function_bodies = off;

drop function messaging.end_messages_taken_back(uuid[],text);

-- Ends those of the messages that a pause has taken out of the queue: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_messages_taken_back(message_ids uuid[], status text)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  ended uuid[];
begin
  with ended_messages as (
    update messaging.messages m
    set status = end_messages_taken_back.status,
      canceled_at = case when end_messages_taken_back.status = 'canceled' then clock_timestamp() end
    where m.id = any (message_ids) and m.status = 'queued' and m.batch_id is not null
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  if ended is null then
    return 0;
  end if;
  perform from messaging.batches b
  where b.id = any (array(select m.batch_id from messaging.messages m where m.id = any (ended)))
  order by b.id
  for no key update;
  with told as (
    update messaging.batch_recipients r
    set status = 'accepted'
    -- A look-up by the contact for each message: no plan reads all that are pending.
    where r.ctid = any (array(
      select own.place
      from messaging.messages m
      cross join lateral (
        select f.ctid as place, f.status from messaging.batch_recipients f
        where f.contact_id = m.contact_id and f.batch_id = m.batch_id and f.message_id = m.id
        offset 0
      ) as own
      where m.id = any (ended) and own.status = 'pending'
    ))
    returning r.batch_id
  )
  update messaging.batches b
  set pending_count = b.pending_count - t.number
  from (select told.batch_id, count(*) as number from told group by told.batch_id) as t
  where b.id = any (array[t.batch_id]);
  perform messaging.record_message_events(
    ended, array['message.' || end_messages_taken_back.status]
  );
  return cardinality(ended);
end;
$$;
revoke all
on function messaging.end_messages_taken_back(uuid[], text)
from public, anon, authenticated;
grant execute on function messaging.end_messages_taken_back(uuid[], text) to service_role;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as withdraw_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  if cardinality(messaging.withdraw_messages(array[message.id], 'canceled')) = 0 then
    -- The message of a paused batch waits without a place in the queue.
    if messaging.end_messages_taken_back(array[message.id], 'canceled') = 0 then
      raise exception using errcode = 'MI011', message = 'message_not_cancelable';
    end if;
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- Ends messages that wait beyond their expires_at: they become `expired`, the oldest first, at most
-- `request`.maxMessages a call. A message in flight stays, and one that another session holds is left
-- for later. Returns {expired}: how many.
-- Claims look at expires_at too (see expire_due_messages): this is for what was not due by then, and for
-- messages of paused batches, which have no place in the queue.
-- Locks the messages, then as withdraw_messages, then batches.
create or replace function public.expire_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
        or m.batch_id is not null and not exists (
          select from messaging.message_queue q where q.message_id = m.id
        )
      )
    order by m.expires_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  ) as l;
  return jsonb_build_object('expired', case
    when late is null then 0
    else cardinality(messaging.withdraw_messages(late, 'expired'))
      + messaging.end_messages_taken_back(late, 'expired')
  end);
end;
$$;
revoke all on function public.expire_messages(jsonb) from public, anon, authenticated;
grant execute on function public.expire_messages(jsonb) to service_role;
