-- messages-api: cancels all messages that still wait under a cancelKey. `request`: instanceId, cancelKey.
-- What is being sent, or has another state, stays. Returns {canceled}: how many.
-- Locks the messages in the order of their ids, then as end_waiting_messages.
create or replace function public.cancel_messages_by_key(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  waiting uuid[];
begin
  select array_agg(l.id) into waiting
  from (
    select m.id
    from messaging.messages m
    where m.instance_id = (request->>'instanceId')::uuid and m.cancel_key = request->>'cancelKey'
      and m.status = 'queued'
    order by m.id
    for no key update
  ) as l;
  return jsonb_build_object('canceled', case
    when waiting is null then 0
    else messaging.end_waiting_messages(waiting, 'canceled')
  end);
end;
$$;
