-- Holds instances for an operator until `hold_until` (infinity: until they are released), or releases
-- them (-infinity). What the dispatcher would send for them waits: paced messages by their due time (see
-- next_due_at), unpaced ones and outbox rows when a claim comes upon them. What a former hold has
-- postponed is due at its own time again.
-- A message that was claimed before may still leave: this ends no claim.
-- A release also says that the instance is to be trusted: see hold_suspects.
-- Records instance.held for the instances whose hold is new, or has another end or reason now.
-- Locks pacing and dispatch before it looks for what was postponed, then queue rows without a claim.
create or replace function messaging.set_operator_hold(
  instance_ids uuid[], hold_until timestamptz, reason text
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  former_ids uuid[];
  former_ends timestamptz[];
  held_anew uuid[];
begin
  perform from messaging.pacing p
  where p.instance_id = any (set_operator_hold.instance_ids)
  order by p.instance_id
  for no key update;
  select array_agg(l.instance_id), array_agg(l.operator_hold_until) into former_ids, former_ends
  from (
    select d.instance_id, d.operator_hold_until
    from messaging.dispatch d
    where d.instance_id = any (set_operator_hold.instance_ids)
    order by d.instance_id
    for no key update
  ) as l
  where isfinite(l.operator_hold_until) or l.operator_hold_until = 'infinity';
  select array_agg(d.instance_id) into held_anew
  from messaging.dispatch d
  where d.instance_id = any (set_operator_hold.instance_ids)
    and set_operator_hold.hold_until > clock
    and (d.operator_hold_until, d.operator_hold_reason)
      is distinct from (set_operator_hold.hold_until, set_operator_hold.reason);
  update messaging.dispatch d
  set operator_hold_until = set_operator_hold.hold_until,
    operator_hold_reason = set_operator_hold.reason,
    trusted_from = case when d.suspected_at is not null then clock else d.trusted_from end,
    suspected_at = null,
    operator_held_at = case
      when set_operator_hold.hold_until > clock then
        case when d.operator_hold_until > clock then d.operator_held_at else clock end
    end
  where d.instance_id = any (set_operator_hold.instance_ids);
  if held_anew is not null then
    perform messaging.record_instance_holds(held_anew, 'operator_hold');
  end if;
  perform messaging.refresh_dispatch(set_operator_hold.instance_ids);

  update messaging.message_queue q
  set visible_at = q.scheduled_at
  where q.instance_id = any (former_ids) and q.lane = 'unpaced' and q.claim_token is null
    and q.visible_at > q.scheduled_at;
  -- An outbox row that was postponed is due exactly when the hold ends.
  update messaging.outbox o
  set run_at = clock
  from unnest(former_ids, former_ends) as former(instance_id, ends_at)
  where o.settled_at is null and o.run_at = former.ends_at
    and (o.payload->>'instanceId')::uuid = former.instance_id;
end;
$$;
