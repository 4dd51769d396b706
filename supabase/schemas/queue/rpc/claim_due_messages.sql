-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it), crowdingInstances: the
-- ids of instances that have as many calls waiting for their provider as one may have; NULL for none.
-- Their unpaced messages wait (see postpone_crowding_messages).
-- Returns {messages, nextDueInMs, isOutboxDue, isTurnDue, webhooks, groups}: nextDueInMs says in how long
-- something is due that was not handed out (by the database's clock; NULL for nothing known), isOutboxDue
-- whether claim_outbox has work, isTurnDue whether end_turns has, webhooks what event_work says, groups the
-- instances with a pace that are due: see claim_message_group (NULL for none). Never waits for a lock: what
-- another session holds is left for later.
-- An outbox row that is due counts for isOutboxDue alone. For nextDueInMs it would be due at once for as
-- long as its worker has no room for it: 50 polls a second beside received files, most of their cost.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
  message_due_at constant timestamptz := messaging.next_wake_up();
  outbox_due_at constant timestamptz := (
    select o.run_at from messaging.outbox o where o.settled_at is null order by o.run_at limit 1
  );
  is_outbox_due constant boolean := coalesce(outbox_due_at <= clock, false);
  is_turn_due constant boolean := exists (
    select from messaging.conversation_turns t where t.due_at <= clock
  );
  max_paced integer;
  paced record;
  unpaced uuid[];
begin
  -- An idle poll ends here: with claims that find nothing it took four times as long.
  if message_due_at is null or message_due_at > clock then
    return jsonb_build_object(
      'messages', jsonb '[]',
      'nextDueInMs', extract(
        epoch from least(message_due_at, case when not is_outbox_due then outbox_due_at end) - clock
      ) * 1000,
      'isOutboxDue', is_outbox_due,
      'isTurnDue', is_turn_due,
      'webhooks', messaging.event_work()
    );
  end if;
  if request->>'crowdingInstances' is not null then
    perform messaging.postpone_crowding_messages(
      array(select jsonb_array_elements_text(request->'crowdingInstances')::uuid), due_from, clock
    );
  end if;
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, due_from, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced.claimed), 0), lease, due_from, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced.claimed || unpaced),
    'nextDueInMs', (
      -- greatest() ignores NULL, which must stay NULL.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from least(
        messaging.next_wake_up(), case when not is_outbox_due then outbox_due_at end
      ) as due(at)
    ),
    'isOutboxDue', is_outbox_due,
    'isTurnDue', is_turn_due,
    'webhooks', messaging.event_work(),
    'groups', to_jsonb(paced.groups)
  );
end;
$$;

-- When the next message is due: how long the dispatcher may sleep. NULL for never.
-- Of unpaced ones only what is due within a second: no dispatcher sleeps longer, and behind it are the ends of the
-- leases of all that has just left at once, which a look beside an old snapshot would read.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.next_wake_up()
returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
begin
  return nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null and d.next_due_at >= due_from order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at >= due_from and q.visible_at <= clock + interval '1 second'
      order by q.visible_at limit 1
    )
  ), 'infinity');
end;
$$;

-- claim_due_messages: makes the due unpaced messages of instances whose provider hangs invisible for ten
-- seconds, oldest first, so that a claim reads those of the others. A bounded number a claim.
-- Skips what another session holds. Plans: see claim_due_messages, whose settings it inherits.
create or replace function messaging.postpone_crowding_messages(
  instance_ids uuid[], due_from timestamptz, clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  with crowding as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
      and q.instance_id = any (postpone_crowding_messages.instance_ids)
    order by q.visible_at
    limit 1000
    for no key update skip locked
  )
  update messaging.message_queue q
  set visible_at = clock + interval '10 seconds'
  from crowding
  where q.message_id = any (array[crowding.message_id]);
end;
$$;

-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second. In one statement for
-- all endpoints: one for each of them took six times as long.
create or replace function messaging.event_work()
returns text language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  if not exists (select from messaging.event_endpoints e where e.is_active) then
    return 'none';
  end if;
  return case
    when exists (
        select from messaging.first_deliveries(messaging.delivery_floor(clock)) as f
        join messaging.event_endpoints e on e.id = any (array[f.endpoint_id])
        where e.is_active and f.due_at <= clock
      )
      or exists (
        select from messaging.event_replays r
        join messaging.event_endpoints e on e.id = any (array[r.endpoint_id])
        where e.is_active
      )
      or exists (
        select from messaging.event_endpoints e
        -- A sub-select, because a plan may read all events for an EXISTS.
        where e.is_active and (
          select true from messaging.events v
          where (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
            and (v.instance_id, v.sequence) <= (e.instance_id, 9223372036854775807)
          limit 1
        )
      )
      then 'due'
    else 'idle'
  end;
end;
$$;
