-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/expected_departure.sql
-- When a waiting message may leave as things stand, and what holds it until then: its slot, one
-- interval after the message that left last, the end of its instance's hold, the send window (which
-- its typing must not outlast). Of an unpaced one its due time. What stands before it in the line is
-- not counted.
create or replace function public.expected_departure(
  queued public.message_queue,
  message public.messages,
  instance public.instances,
  dispatch public.dispatch,
  out leaves_at timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  after_last constant timestamptz :=
    dispatch.paced_from + make_interval(secs => queued.interval_seconds);
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  if queued.due_at is not null then
    return;
  end if;
  if after_last > leaves_at then
    leaves_at := after_last;
    held_by := 'interval';
  end if;
  leaves_at := greatest(leaves_at, dispatch.hold_until);
  looked_at := greatest(leaves_at, clock_timestamp());
  if public.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not public.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(public.next_opening(instance, looked_at), leaves_at);
    held_by := public.closed_by(instance, looked_at);
  end if;
end;
$$;
revoke all on function public.expected_departure(public.message_queue, public.messages, public.instances, public.dispatch) from public, anon, authenticated;
grant execute on function public.expected_departure(public.message_queue, public.messages, public.instances, public.dispatch) to service_role;

-- source: supabase/schemas/functions/window_open_until.sql
-- Until when the send window stays open that is open at `instant`; `instant` itself where the clocks
-- change before its end, so that every slot is looked at there.
create or replace function public.window_open_until(instance public.instances, instant timestamptz)
returns timestamptz
language plpgsql
stable parallel safe
set search_path = ''
as $$
declare
  local_now constant timestamp := instant at time zone instance.time_zone;
  local_end constant timestamp := local_now::date + instance.window_end;
  ends_at constant timestamptz := local_end at time zone instance.time_zone;
begin
  return case when ends_at - instant = local_end - local_now then ends_at else instant end;
end;
$$;
revoke all on function public.window_open_until(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.window_open_until(public.instances, timestamptz) to service_role;

-- source: supabase/schemas/functions/fitted_slots.sql
-- The slots that a stretch of an instance's waiting messages has to have under its send window as it
-- is now, in order: who would leave while the window is closed goes to when that opens, who stands
-- behind as far as the intervals ask. Nobody gets an earlier slot. Ends where the window never opens
-- again: those keep theirs.
-- `clock`: slots before it are looked at as if they were it. `left_before`: when the message before
-- the stretch will have left, NULL where that does not move. Of a row, `held_by` is NULL where it
-- stays, and `left_at` as long as nobody has moved: so long all keep what they were promised.
create or replace function public.fitted_slots(
  instance public.instances,
  stretch public.slot_moves
)
returns table (
  message_id uuid,
  scheduled_at timestamptz,
  queue_position bigint,
  slot timestamptz,
  held_by text,
  left_at timestamptz
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  waiting record;
  looked_at timestamptz;
  open_until timestamptz := '-infinity';
begin
  left_at := stretch.left_at;
  for waiting in
    select q.message_id, q.scheduled_at, q.position,
      make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from public.message_queue q
    join public.messages m on m.id = q.message_id
    where q.instance_id = instance.id and q.due_at is null and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
    slot := greatest(waiting.scheduled_at, left_at + waiting.pace);
    held_by := case when slot > waiting.scheduled_at then 'interval' end;
    looked_at := greatest(slot, stretch.planned_at);
    -- Slots only grow, so one look serves until the window closes.
    if looked_at + waiting.typing >= open_until then
      if not public.is_send_window_open(instance, looked_at)
        or not public.is_send_window_open(instance, looked_at + waiting.typing) then
        begin
          select f.slot, f.held_by into slot, held_by
          from public.fit_send_window(instance, looked_at, waiting.typing) f;
        exception when sqlstate 'MI010' then
          return;
        end;
        looked_at := slot;
      end if;
      open_until := public.window_open_until(instance, looked_at);
    end if;
    if held_by is not null or left_at is not null then
      left_at := slot + waiting.typing;
    end if;
    message_id := waiting.message_id;
    scheduled_at := waiting.scheduled_at;
    queue_position := waiting.position;
    return next;
  end loop;
end;
$$;
revoke all on function public.fitted_slots(public.instances, public.slot_moves) from public, anon, authenticated;
grant execute on function public.fitted_slots(public.instances, public.slot_moves) to service_role;

-- source: supabase/schemas/functions/move_slots.sql
-- Moves the slots of the last stretch that is planned for an instance (see plan_slot_moves). Returns
-- how many moved, NULL where nothing is planned.
-- The caller holds the pacing row; the dispatch row is locked, so that nothing is claimed meanwhile out
-- of its order. What somebody else holds is about to leave or to be taken out.
create or replace function public.move_slots(instance public.instances)
returns bigint
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  stretch public.slot_moves;
  moved bigint;
begin
  perform from public.dispatch d where d.instance_id = instance.id for no key update;
  delete from public.slot_moves s
  where s.instance_id = instance.id
    and s.place = (select max(l.place) from public.slot_moves l where l.instance_id = instance.id)
  returning s.* into stretch;
  if not found then
    return null;
  end if;
  with fitted as materialized (
    select f.message_id, f.slot, f.held_by
    from public.fitted_slots(instance, stretch) f
    where f.held_by is not null
  ),
  free as materialized (
    select q.message_id, fitted.slot, fitted.held_by
    from fitted
    join public.message_queue q on q.message_id = fitted.message_id
    join public.messages m on m.id = q.message_id
    where q.claim_token is null
    for no key update of q, m skip locked
  ),
  queued as (
    update public.message_queue q
    set scheduled_at = free.slot
    from free
    where q.message_id = free.message_id
  ),
  told as (
    update public.messages m
    set scheduled_for = free.slot, held_by = free.held_by
    from free
    where m.id = free.message_id
  )
  select count(*) into moved from free;
  return moved;
end;
$$;
revoke all on function public.move_slots(public.instances) from public, anon, authenticated;
grant execute on function public.move_slots(public.instances) to service_role;

-- source: supabase/schemas/functions/plan_slot_moves.sql
-- Plans the new slots of what waits in an instance's queue and would leave while its send window, as it
-- is now, is closed, and of what stands behind that (see fitted_slots). Up to 4,000 messages move at
-- once; of more the dispatcher moves 2,000 at a time (move_waiting_slots), so that no call takes as
-- long as the queue.
-- The last ones move first: slots only grow, so those that have moved stay behind those that have not,
-- and the order holds at every moment. A claim asks the window and the interval itself: what has not
-- moved yet leaves in its turn and when it may. What is queued from now on gets its slot behind the
-- last one planned. A former plan is dropped.
-- The caller holds the pacing row. Locks dispatch, and what it moves.
create or replace function public.plan_slot_moves(instance public.instances)
returns void
language plpgsql
set search_path = ''
as $$
declare
  stretch_length constant integer := 2000;
  max_stretches_at_once constant integer := 2;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  whole constant public.slot_moves :=
    (instance.id, 0, '-infinity', 0, 'infinity', 0, null, clock)::public.slot_moves;
  last_left_at timestamptz;
  stretches integer;
begin
  perform from public.dispatch d where d.instance_id = instance.id for no key update;
  delete from public.slot_moves s where s.instance_id = instance.id;
  with fitted as materialized (
    select f.*, row_number() over in_order as number, lag(f.left_at) over in_order as left_before
    from public.fitted_slots(instance, whole) f
    window in_order as (order by f.scheduled_at, f.queue_position)
  ),
  stretch as (
    select (f.number - 1) / stretch_length as place,
      (array_agg(f.scheduled_at order by f.number))[1] as from_at,
      (array_agg(f.queue_position order by f.number))[1] as from_position,
      (array_agg(f.left_before order by f.number))[1] as left_at,
      bool_or(f.held_by is not null) as is_moved
    from fitted f
    group by place
  ),
  bounded as (
    select s.*,
      lead(s.from_at, 1, 'infinity') over (order by s.place) as until_at,
      lead(s.from_position, 1, 0) over (order by s.place) as until_position
    from stretch s
  ),
  planned as (
    insert into public.slot_moves (
      instance_id, place, from_at, from_position, until_at, until_position, left_at, planned_at
    )
    select instance.id, b.place, b.from_at, b.from_position, b.until_at, b.until_position, b.left_at,
      clock
    from bounded b
    where b.is_moved
    returning place
  )
  select (select max(f.left_at) from fitted f), (select count(*) from planned)
  into last_left_at, stretches;
  update public.pacing p set last_slot_at = greatest(p.last_slot_at, last_left_at)
  where p.instance_id = instance.id;
  if stretches <= max_stretches_at_once then
    while public.move_slots(instance) is not null loop
    end loop;
  end if;
end;
$$;
revoke all on function public.plan_slot_moves(public.instances) from public, anon, authenticated;
grant execute on function public.plan_slot_moves(public.instances) to service_role;

-- source: supabase/schemas/functions/describe_message.sql
-- The state of one message as messages-api reports it. A claim counts as `sending`; what waits says
-- when it may leave now, and what holds it (see expected_departure).
create or replace function public.describe_message(message public.messages)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'messageId', message.id,
    'status', case
      when q.claim_token is not null and message.status = 'queued' then 'sending'
      else message.status
    end,
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', public.iso_in_zone(
      case when expected.is_waiting then expected.leaves_at else message.scheduled_for end,
      i.time_zone
    ),
    'heldBy', case when expected.is_waiting then expected.held_by else message.held_by end,
    'createdAt', public.iso_in_zone(message.created_at, i.time_zone),
    'sentAt', public.iso_in_zone(message.sent_at, i.time_zone),
    'deliveredAt', public.iso_in_zone(message.delivered_at, i.time_zone),
    'readAt', public.iso_in_zone(message.read_at, i.time_zone),
    'failedAt', public.iso_in_zone(message.failed_at, i.time_zone),
    'attempts', message.attempts + case when q.claim_token is not null then 1 else 0 end,
    'lastError', message.last_error
  )
  from public.instances i
  left join public.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.*
    from public.dispatch d
    cross join lateral public.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
$$;
revoke all on function public.describe_message(public.messages) from public, anon, authenticated;
grant execute on function public.describe_message(public.messages) to service_role;

-- source: supabase/schemas/functions/find_message.sql
-- The outbound message `messageId` of an instance, locked. Errors: MI004.
create or replace function public.find_message(request jsonb)
returns public.messages
language plpgsql
set search_path = ''
as $$
declare
  message public.messages;
begin
  select m.* into message
  from public.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'outbound'
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return message;
end;
$$;
revoke all on function public.find_message(jsonb) from public, anon, authenticated;
grant execute on function public.find_message(jsonb) to service_role;

-- source: supabase/schemas/functions/get_message.sql
-- messages-api: the state of one outbound message. `request`: instanceId, messageId. Errors: MI004.
create or replace function public.get_message(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message public.messages;
begin
  select m.* into message
  from public.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'outbound';
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return public.describe_message(message);
end;
$$;
revoke all on function public.get_message(jsonb) from public, anon, authenticated;
grant execute on function public.get_message(jsonb) to service_role;

-- source: supabase/schemas/functions/cancel_message.sql
-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling what is canceled already changes nothing. The last slot of an instance is given back with
-- its message, any other stays unused: nobody's slot changes by it. Locks the message, then pacing;
-- the queue row is tried, not waited for: who holds that is about to send the message.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message public.messages;
  freed_slot timestamptz;
begin
  message := public.find_message(request);
  if message.status = 'canceled' then
    return public.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  perform from public.pacing p where p.instance_id = message.instance_id for no key update;
  delete from public.message_queue q
  where q.message_id = (
    select w.message_id
    from public.message_queue w
    where w.message_id = message.id and w.claim_token is null
    for update skip locked
  )
  returning case when q.due_at is null then q.scheduled_at end into freed_slot;
  if not found then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  update public.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = message.id
  returning m.* into message;
  update public.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from public.message_queue q
      join public.messages m on m.id = q.message_id
      where q.instance_id = p.instance_id and q.due_at is null and q.scheduled_at < freed_slot
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from public.dispatch d where d.instance_id = p.instance_id)
  )
  where p.instance_id = message.instance_id
    and p.last_slot_at
      = freed_slot + interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  perform public.refresh_dispatch(array[message.instance_id]);
  return public.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- source: supabase/schemas/functions/retry_message.sql
-- messages-api: sends a `failed` or `unconfirmed` message again because a person says so.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI007; MI008; MI012 (any other state, or a call to the provider that is still open: it has
-- failed by a delivery event, and nobody knows yet whether another one is to be made).
create or replace function public.retry_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message public.messages;
  contact public.contacts;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  message := public.find_message(request);
  if message.status not in ('failed', 'unconfirmed')
    or exists (select from public.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable';
  end if;
  select c.* into contact from public.contacts c where c.id = message.contact_id;
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  perform public.requeue_message(message);
  select m.* into message from public.messages m where m.id = message.id;
  outcome := public.describe_message(message);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.retry_message(jsonb) from public, anon, authenticated;
grant execute on function public.retry_message(jsonb) to service_role;

-- source: supabase/schemas/functions/list_message_queue.sql
-- messages-api: what waits to be sent on an instance, in order. `request`: instanceId, limit, and
-- to go on `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next}; `position` of an item is its place in the line, from 1, `scheduledFor`
-- and `heldBy` see expected_departure.
-- Paced and unpaced ones are found by an index each, and merged; no sizes of other tenants' queues
-- lead the plan to read those.
create or replace function public.list_message_queue(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance public.instances;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  dispatch public.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from public.dispatch d where d.instance_id = instance.id;
  select count(*), count(*) filter (
    where (q.scheduled_at, q.position) <= (after_at, after_position)
  )
  into total, passed
  from (
    select p.scheduled_at, p.position from public.message_queue p
    where p.instance_id = instance.id and p.due_at is null and p.claim_token is null
    union all
    select u.scheduled_at, u.position from public.message_queue u
    where u.instance_id = instance.id and u.due_at is not null and u.claim_token is null
  ) as q;
  with next_paced as (
    select p as queued
    from public.message_queue p
    where p.instance_id = instance.id and p.due_at is null and p.claim_token is null
      and (p.scheduled_at, p.position) > (after_at, after_position)
    order by p.scheduled_at, p.position
    limit page_size + 1
  ),
  next_unpaced as (
    select u as queued
    from public.message_queue u
    where u.instance_id = instance.id and u.due_at is not null and u.claim_token is null
      and (u.scheduled_at, u.position) > (after_at, after_position)
    order by u.scheduled_at, u.position
    limit page_size + 1
  ),
  page as (
    select q.queued, (q.queued).message_id, (q.queued).scheduled_at, (q.queued).position,
      row_number() over (
        order by (q.queued).scheduled_at, (q.queued).position
      ) as row_number
    from (table next_paced union all table next_unpaced) as q
    order by (q.queued).scheduled_at, (q.queued).position
    limit page_size + 1
  )
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', m.id,
          'phone', coalesce(m.phone_given, c.phone),
          'messageType', m.message_type,
          'scheduledFor', public.iso_in_zone(expected.leaves_at, instance.time_zone),
          'heldBy', expected.held_by,
          'position', passed + page.row_number
        )
        order by page.row_number
      ) filter (where page.row_number <= page_size),
      '[]'
    ),
    case when count(*) > page_size then (
      select jsonb_build_object('scheduledAt', last.scheduled_at, 'position', last.position)
      from page last where last.row_number = page_size
    ) end
  into items, next
  from page
  join public.messages m on m.id = page.message_id
  join public.contacts c on c.id = m.contact_id
  cross join lateral public.expected_departure(
    page.queued, m, instance, dispatch
  ) as expected;
  return jsonb_build_object('items', items, 'total', total, 'next', next);
end;
$$;
revoke all on function public.list_message_queue(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_queue(jsonb) to service_role;

-- source: supabase/schemas/functions/get_instance_health.sql
-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldUntil, lastSuccessAt, lastFailure
-- {at, status, code, message}.
-- `status`: `held` while the provider refuses the whole instance, else `late` when something that may
-- leave is over a minute late (nobody dispatches, or the provider is slow), else `ok`.
create or replace function public.get_instance_health(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance public.instances;
  dispatch public.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from public.dispatch d where d.instance_id = instance.id;
  is_window_open := public.is_send_window_open(instance, clock);
  -- By an index each, the paced and the unpaced: other tenants' queues are not read.
  select count(*) filter (where q.claim_token is null), count(q.claim_token), min(q.lease_until)
  into queue_depth, in_flight, first_lease_end
  from (
    select p.claim_token, p.lease_until from public.message_queue p
    where p.instance_id = instance.id and p.due_at is null
    union all
    select u.claim_token, u.lease_until from public.message_queue u
    where u.instance_id = instance.id and u.due_at is not null
  ) as q;
  -- A paced message waits for its turn, its window and the end of a hold: late is what could leave.
  -- So is what a worker has in hand whose time is over: it died, and nobody has noticed.
  select min(due.since) into oldest_due
  from (
    select dispatch.next_due_at as since
    where dispatch.in_flight is null and is_window_open
    union all
    (
      select q.scheduled_at from public.message_queue q
      where q.instance_id = instance.id and q.due_at is not null and q.claim_token is null
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at into failure
  from public.messages m
  where m.instance_id = instance.id and coalesce(m.failed_at, m.unconfirmed_at) is not null
  order by coalesce(m.failed_at, m.unconfirmed_at) desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when dispatch.hold_until > clock then 'held'
      when oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    'oldestDueAt', public.iso_in_zone(oldest_due, instance.time_zone),
    'oldestDueSeconds', floor(extract(epoch from clock - oldest_due)),
    'nextDueAt', public.iso_in_zone(
      case when isfinite(dispatch.next_due_at) then dispatch.next_due_at end, instance.time_zone
    ),
    'queueDepth', queue_depth,
    'inFlight', in_flight,
    'unconfirmed', (
      select count(*) from public.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
    ),
    'isWindowOpen', is_window_open,
    'heldUntil', public.iso_in_zone(
      case when dispatch.hold_until > clock then dispatch.hold_until end, instance.time_zone
    ),
    'lastSuccessAt', (
      select public.iso_in_zone(m.sent_at, instance.time_zone)
      from public.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ),
    'lastFailure', case when failure.at is not null then jsonb_build_object(
      'at', public.iso_in_zone(failure.at, instance.time_zone),
      'status', failure.status,
      'code', failure.last_error->>'code',
      'message', failure.last_error->>'message'
    ) end
  );
end;
$$;
revoke all on function public.get_instance_health(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance_health(jsonb) to service_role;
