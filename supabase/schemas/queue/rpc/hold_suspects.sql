-- Holds instances that accept messages and confirm none any more (see is_suspect), until something is
-- confirmed or received, or an operator releases them; and releases those that have confirmed. An
-- instance that is held, disconnected or connected to a wrong phone already is left alone. `request`: maxInstances.
-- Returns {held, released}: how many. Looks at the newest messages of each instance, in their index:
-- called once a run of the dispatcher. Without jit: see rescue_stalled_instances.
-- Locks as set_operator_hold; never waits for pacing.
create or replace function public.hold_suspects(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  released constant integer := messaging.trust_confirmed_instances();
  held uuid[];
begin
  select array_agg(l.instance_id) into held
  from (
    select p.instance_id
    from messaging.dispatch d
    cross join lateral (
      -- Most instances have sent nothing lately, or their last message is confirmed.
      select m.status, m.sent_at
      from messaging.messages m
      where m.instance_id = d.instance_id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ) as last
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where messaging.stopped_until(d) <= clock
      and last.status = 'sent' and last.sent_at > clock - interval '1 day'
      and messaging.is_suspect(d.instance_id, d.trusted_from, clock)
    order by p.instance_id
    limit (request->>'maxInstances')::integer
    for no key update of p skip locked
  ) as l;
  if held is not null then
    perform messaging.set_operator_hold(held, 'infinity', 'suspect');
    update messaging.dispatch d
    set suspected_at = clock
    where d.instance_id = any (held);
    perform messaging.tell_hold(i, 'operator_hold', true, clock)
    from messaging.instances i
    where i.id = any (held);
  end if;
  return jsonb_build_object('held', coalesce(cardinality(held), 0), 'released', released);
end;
$$;
