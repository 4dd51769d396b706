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
  select own.* into dispatch
  from (
    -- As dispatch_of, with a lock.
    select d.* from messaging.dispatch d
    where d.instance_id = (request->>'instanceId')::uuid
    order by d.generation desc
    limit 1
    for no key update skip locked
  ) as own
  where own.in_flight is null and own.messages_per_second is not null;
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

-- claim_message_group: claims what leaves next of an instance with a pace, in order, and says when each call is
-- to begin (`departs_at`): at its slot, and as far behind the message before it as present_spacing says. So no
-- second has more departures than the pace, whatever the claims and their workers do. Each lies in the window
-- and behind what holds the instance. Returns the ids.
-- While it is in flight, a message of a group is in the unpaced lane, whose leases end one by one: many are in
-- flight at once, two seconds' worth at most. Of one contact there is only one: the next one waits until that is
-- settled, and others pass it.
-- What a reached budget stops waits for the end of the month: see postpone_message.
-- A message whose expires_at has come by then is ended instead. With protection each takes its place of the day.
-- The caller has locked dispatch. Tries pacing without waiting, since an enqueue locks the two in the other
-- order: without it the next due time is a guess, because a message that is being queued cannot be seen, and
-- the instance is looked at again shortly. Never waits for queue rows either.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_instance_group(
  dispatch messaging.dispatch, instance messaging.instances, max_messages integer, lease interval,
  clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  -- Twice the lead, so that a poll that is late by no more than that loses no departure.
  horizon constant timestamptz := clock + 2 * messaging.group_lead();
  due_from constant timestamptz := messaging.due_floor(clock);
  most_in_flight constant integer := greatest(10, 2 * dispatch.messages_per_second);
  has_pacing boolean;
  has_budget boolean := true;
  busy uuid[];
  room integer;
  waiting record;
  budget record;
  budget_left numeric;
  place record;
  left_at timestamptz := dispatch.paced_from;
  leaves_at timestamptz;
  open_until timestamptz := '-infinity';
  claimed uuid[];
  late uuid[];
  next_due_at timestamptz;
  head_at timestamptz;
  not_before timestamptz := clock + interval '5 milliseconds';
begin
  perform from messaging.pacing p
  where p.instance_id = dispatch.instance_id for no key update skip locked;
  has_pacing := found;
  select array_agg(m.contact_id), least(max_messages, most_in_flight - count(*)) into busy, room
  from messaging.message_queue q
  join messaging.messages m on m.id = any (array[q.message_id])
  where q.instance_id = dispatch.instance_id and q.departs_at is not null
    and q.visible_at >= due_from;

  if instance.budget is not null then
    has_budget := messaging.lock_budget(instance.id, false);
    budget := messaging.budget_state(instance, clock);
    if budget.currency is not null then
      budget_left := budget.amount - budget.spent - budget.under_way;
    end if;
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.interval_seconds, q.follows_pace, q.is_new, m.contact_id,
      m.expires_at, messaging.stopped_by_budget(instance.budget, m.purpose, m.batch_id) as is_stoppable, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = dispatch.instance_id and q.lane = 'paced' and q.claim_token is null
      and q.scheduled_at >= dispatch.queue_from and q.scheduled_at <= horizon
    order by q.scheduled_at, q.position
    limit greatest(200, dispatch.messages_per_second)
    for no key update of q skip locked
  loop
    leaves_at := greatest(
      waiting.scheduled_at,
      left_at + messaging.present_spacing(
        dispatch, left_at, waiting.interval_seconds, waiting.follows_pace
      ),
      messaging.held_until(dispatch),
      clock
    );
    exit when leaves_at > horizon;
    if room <= 0 then
      not_before := clock + interval '50 milliseconds';
      exit;
    end if;
    if waiting.expires_at <= leaves_at then
      late := late || waiting.message_id;
      continue;
    end if;
    if waiting.contact_id = any (busy) then
      not_before := clock + interval '50 milliseconds';
      continue;
    end if;
    if leaves_at >= open_until then
      if messaging.is_send_window_open(instance, leaves_at) then
        open_until := messaging.window_open_until(instance, leaves_at);
      else
        not_before := messaging.next_window_start(instance, leaves_at) - messaging.group_lead();
        exit;
      end if;
    end if;
    if leaves_at + waiting.typing >= open_until
      and not messaging.is_send_window_open(instance, leaves_at + waiting.typing) then
      not_before := messaging.next_window_start(instance, leaves_at + waiting.typing)
        - messaging.group_lead();
      exit;
    end if;
    if waiting.is_stoppable and not has_budget then
      not_before := clock + interval '20 milliseconds';
      exit;
    end if;
    if waiting.is_stoppable and budget_left <= 0 then
      exit when not has_pacing;
      perform messaging.postpone_message(waiting.message_id, instance, budget.month_ends_at, 'budget');
      continue;
    end if;
    if instance.protection is not null then
      exit when not has_pacing;
      place := messaging.take_place_of_day(
        instance, waiting.contact_id, waiting.is_new, waiting.scheduled_at, leaves_at
      );
      if not place.is_taken then
        not_before := clock + interval '5 seconds';
        exit;
      end if;
      update messaging.message_queue q
      set counted_on = place.day, is_new = place.counts_as_new
      where q.message_id = waiting.message_id;
    end if;
    update messaging.message_queue q
    set lane = 'unpaced',
      claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = leaves_at + lease + waiting.typing,
      visible_at = leaves_at + lease + waiting.typing,
      departs_at = leaves_at
    where q.message_id = waiting.message_id;
    if budget_left is not null then
      budget_left := budget_left - coalesce(
        (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
      );
    end if;
    claimed := claimed || waiting.message_id;
    busy := busy || waiting.contact_id;
    room := room - 1;
    left_at := leaves_at + waiting.typing;
  end loop;

  if late is not null then
    perform messaging.expire_due_messages(late, horizon);
  end if;
  if not has_pacing then
    not_before := clock + interval '20 milliseconds';
  end if;
  -- A window that never opens must not stop other instances: such an instance is looked at daily.
  not_before := coalesce(not_before, clock + interval '1 day');
  dispatch.paced_from := left_at;
  if has_pacing then
    select messaging.next_due_at(
      dispatch, head.scheduled_at, head.interval_seconds, head.follows_pace
    ), head.scheduled_at
    into next_due_at, head_at
    from messaging.head_of_queue(dispatch.instance_id, dispatch.queue_from) as head;
    not_before := greatest(not_before, coalesce(next_due_at, 'infinity'));
    head_at := coalesce(head_at, 'infinity');
  end if;
  update messaging.dispatch d
  set paced_from = left_at,
    next_due_at = not_before,
    generation = d.generation + has_pacing::integer,
    queue_from = coalesce(head_at, d.queue_from)
  where d.instance_id = dispatch.instance_id and d.generation >= dispatch.generation;
  return claimed;
end;
$$;
