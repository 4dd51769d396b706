-- admin-api: an operator holds the queue of an instance, or of every instance that exists: nothing that
-- the dispatcher sends leaves (paced, delayed and retried messages, agents' replies, e-mails), while
-- immediate sends go out and inbound messages are taken. A new hold replaces the former one.
-- `request`: instanceId or NULL for all, until (NULL: until it is released), reason, idempotency.
-- Returns {instances, inFlight, heldUntil, reason}: how many instances are held now by this call, and
-- how many of their messages had been claimed before, which may still leave; {issues} where `until` is
-- not ahead, or {replayed}. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.hold_queue(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  hold_until constant timestamptz := coalesce((request->>'until')::timestamptz, 'infinity');
  held uuid[];
  replayed jsonb;
begin
  if hold_until <= clock_timestamp() then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'until', 'message', 'must be in the future'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is null then
    select array_agg(i.id) into held from messaging.instances i;
  else
    held := array[(messaging.find_instance((request->>'instanceId')::uuid)).id];
  end if;
  perform messaging.set_operator_hold(held, hold_until, request->>'reason');
  return messaging.keep_outcome(request, jsonb_build_object(
    'instances', coalesce(cardinality(held), 0),
    'inFlight', (
      select count(q.claim_token)
      from unnest(held) as of_hold(instance_id)
      cross join lateral messaging.queue_of_instance(of_hold.instance_id) as q
    ),
    'heldUntil', messaging.iso_in_zone(
      case when isfinite(hold_until) then hold_until end, 'UTC'
    ),
    'reason', request->>'reason'
  ));
end;
$$;
