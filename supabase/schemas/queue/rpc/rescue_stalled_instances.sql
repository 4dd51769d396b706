-- Finds stalled instances, which have waiting messages and no due time, or one before queue_from, where no claim
-- looks, and makes them due again. A safety net for lost wake-ups: none is ever expected, and the dispatcher logs each.
-- Handles at most `request`.maxInstances a call. Returns {woken}: how many.
-- Steps from instance to instance through message_queue_head, so that neither long queues nor
-- instances with an empty queue cost anything. Without jit: what is switched off has no other way in one
-- place, and its price alone would have the plan compiled at every call.
create or replace function public.rescue_stalled_instances(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
declare
  stalled uuid[];
begin
  select array_agg(s.instance_id order by s.instance_id) into stalled
  from (
    with recursive queued as (
      (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced'
        order by q.instance_id
        limit 1
      )
      union all
      select (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced' and q.instance_id > before.instance_id
        order by q.instance_id
        limit 1
      )
      from queued before
      where before.instance_id is not null
    )
    select d.instance_id
    from queued
    cross join lateral messaging.dispatch_of(queued.instance_id) as d
    cross join lateral messaging.head_of_queue(d.instance_id, '-infinity') as head
    -- A hold without an end is no lost wake-up.
    where d.in_flight is null and d.next_due_at = 'infinity' and d.operator_hold_until < 'infinity'
      and d.disconnected_until < 'infinity' and d.wrong_phone_until < 'infinity'
      or head.scheduled_at < d.queue_from
    limit (request->>'maxInstances')::integer
  ) as s;
  if stalled is null then
    return jsonb_build_object('woken', 0);
  end if;
  perform from messaging.pacing p
  where p.instance_id = any (stalled) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(stalled);
  return jsonb_build_object('woken', cardinality(stalled));
end;
$$;
