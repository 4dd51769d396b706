-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldBy, holdReason, holdCode and heldUntil,
-- connection, webhooks {state, url} as they were last seen, channelLimit, allowance (see shown_allowance),
-- pace {messagesPerSecond, current, slowedUntil} (NULL for none), budget (see describe_budget; NULL for
-- none), protection (see describe_day), lastSuccessAt, lastFailure {at, status, code, message}.
-- heldBy, and what belongs to it, is the one answer to why nothing leaves (see instance_hold), else what holds the
-- message that leaves next (see expected_departure); NULL where that may leave, or nothing waits.
-- `status`: `held` while the provider refuses the whole instance or an operator holds it (heldUntil is
-- NULL where that has no end), `disconnected` while its connection is lost, else `late` when something that may
-- leave is over a minute late (no dispatcher runs, or the provider is slow), else `ok`.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.get_instance_health(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  dispatch messaging.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  hold record;
  next_held_by text;
  is_stopped boolean;
  is_disconnected boolean;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select d.* into strict dispatch from messaging.dispatch_of(instance.id) as d;
  is_window_open := messaging.is_send_window_open(instance, clock);
  select h.* into hold from messaging.instance_hold(dispatch, clock, true) as h;
  is_stopped := messaging.stopped_until(dispatch) > clock;
  is_disconnected := dispatch.disconnected_until > clock;
  -- Each lane is read by its own index, so that other tenants' queues are not read.
  select count(*) filter (where q.claim_token is null), count(q.claim_token), min(q.lease_until)
  into queue_depth, in_flight, first_lease_end
  from (
    select p.claim_token, p.lease_until from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced'
    union all
    select u.claim_token, u.lease_until from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced'
  ) as q;
  -- A paced message is late only when neither its turn, its window nor a hold keeps it. A claim whose
  -- lease is over is late too: its worker died.
  select min(due.since) into oldest_due
  from (
    select dispatch.next_due_at as since
    where dispatch.in_flight is null and is_window_open
    union all
    (
      select q.scheduled_at from messaging.message_queue q
      where q.instance_id = instance.id and q.lane = 'unpaced' and q.claim_token is null
        and not is_stopped
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  if hold.held_by is null then
    select e.held_by into next_held_by
    from (
      (
        select p as queued
        from messaging.message_queue p
        where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
        order by p.scheduled_at, p.position
        limit 1
      )
      union all
      (
        select u
        from messaging.message_queue u
        where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
        order by u.scheduled_at, u.position
        limit 1
      )
    ) as q
    join messaging.messages m on m.id = any (array[(q.queued).message_id])
    cross join lateral messaging.expected_departure(
      q.queued, m, instance, dispatch, messaging.reached_budget_ends_at(instance, clock)
    ) as e
    order by (q.queued).scheduled_at, (q.queued).position
    limit 1;
  end if;
  select newest.* into failure
  from (
    (
      select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at
      from messaging.messages m
      where m.instance_id = instance.id and m.status = 'failed'
      order by coalesce(m.failed_at, m.unconfirmed_at) desc
      limit 1
    )
    union all
    (
      select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at)
      from messaging.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
      order by coalesce(m.failed_at, m.unconfirmed_at) desc
      limit 1
    )
    union all
    -- A refusal of the whole instance lets its message wait: no message's own state tells of it.
    select 'queued', dispatch.hold_error, dispatch.hold_refused_at
    where dispatch.hold_refused_at is not null
  ) as newest
  order by newest.at desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when hold.held_by = 'disconnected' then 'disconnected'
      when hold.held_by is not null then 'held'
      when oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    'oldestDueAt', messaging.iso_in_zone(oldest_due, instance.time_zone),
    'oldestDueSeconds', floor(extract(epoch from clock - oldest_due)),
    'nextDueAt', messaging.iso_in_zone(
      case when isfinite(dispatch.next_due_at) then dispatch.next_due_at end, instance.time_zone
    ),
    'queueDepth', queue_depth,
    'inFlight', in_flight,
    'unconfirmed', (
      select count(*) from messaging.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
    ),
    'isWindowOpen', is_window_open,
    'heldBy', coalesce(hold.held_by, next_held_by),
    'connection', jsonb_build_object(
      'state', case
        when is_disconnected then 'disconnected'
        else coalesce(nullif(dispatch.connection, 'disconnected'), 'unknown')
      end,
      'since', case
        when is_disconnected then messaging.iso_in_zone(dispatch.disconnected_at, instance.time_zone)
      end,
      'until', case
        when is_disconnected and isfinite(dispatch.disconnected_until)
          then messaging.iso_in_zone(dispatch.disconnected_until, instance.time_zone)
      end,
      'reason', case when is_disconnected then dispatch.disconnected_reason end
    ),
    'webhooks', jsonb_build_object(
      'state', coalesce(dispatch.webhooks_state, 'unknown'), 'url', dispatch.webhooks_url
    ),
    'channelLimit', dispatch.channel_limit,
    'allowance', messaging.shown_allowance(
      dispatch.allowance, instance.provider_class, clock, instance.time_zone
    ),
    'pace', case when dispatch.messages_per_second is not null then jsonb_build_object(
      'messagesPerSecond', instance.messages_per_second,
      'current', case
        when dispatch.slowed_until > clock then dispatch.messages_per_second / 2.0
        else dispatch.messages_per_second
      end,
      'slowedUntil', messaging.iso_in_zone(
        case when dispatch.slowed_until > clock then dispatch.slowed_until end, instance.time_zone
      )
    ) end,
    'budget', case when instance.budget is not null then messaging.describe_budget(instance, clock) end,
    'protection', messaging.describe_day(instance, clock),
    'lastSuccessAt', (
      select messaging.iso_in_zone(m.sent_at, instance.time_zone)
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ),
    'lastFailure', case when failure.at is not null then jsonb_build_object(
      'at', messaging.iso_in_zone(failure.at, instance.time_zone),
      'status', failure.status,
      'code', failure.last_error->>'code',
      'message', failure.last_error->>'message'
    ) end
  ) || messaging.shown_hold(hold.reason, hold.code, hold.ends_at, instance.time_zone);
end;
$$;
