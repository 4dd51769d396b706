-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/queue/internal/claim_paced_messages.sql
-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window. Returns the ids.
-- An instance that is due but has nothing to send now gets its new due time: see postpone_dispatch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_paced_messages(
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  claimed_ids uuid[];
  stalled uuid[];
begin
  with due as materialized (
    select d.instance_id, d.paced_from
    from messaging.dispatch d
    where d.in_flight is null and d.next_due_at <= clock
    order by d.next_due_at
    limit max_messages
    for no key update skip locked
  ),
  head as (
    select due.instance_id, leaving.message_id, leaving.typing
    from due
    join messaging.instances i on i.id = any (array[due.instance_id])
    left join lateral (
      select q.message_id, q.interval_seconds
      from messaging.message_queue q
      where q.instance_id = due.instance_id and q.lane = 'paced' and q.claim_token is null
        and q.scheduled_at <= clock
      order by q.scheduled_at, q.position
      limit 1
      for no key update skip locked
    ) as h on true
    left join lateral (
      select m.id as message_id, shown.typing
      from messaging.messages m
      cross join lateral (
        select interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
      ) as shown
      where m.id = h.message_id
        -- The due time may have been another head's, with a shorter interval.
        and due.paced_from + make_interval(secs => h.interval_seconds) <= clock
        -- is_send_window_open, written out: called, it would cost as much as finding the message.
        and ((clock + shown.typing) at time zone i.time_zone)::time >= i.window_start
        and ((clock + shown.typing) at time zone i.time_zone)::time < i.window_end
        and extract(isodow from (clock + shown.typing) at time zone i.time_zone)::smallint
          = any (i.window_days)
        and not exists (
          select from messaging.holidays holiday
          where holiday.instance_id = i.id
            and holiday.day = ((clock + shown.typing) at time zone i.time_zone)::date
        )
        and (shown.typing = interval '0' or messaging.is_send_window_open(i, clock))
    ) as leaving on true
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing
    from head
    where q.message_id = any (array[head.message_id])
    returning q.message_id, q.instance_id, q.lease_until, head.typing
  ),
  marked as (
    -- An instance that is less than 50 ms late keeps the grid of its slots: the delay is not added to
    -- the next message. Beyond that the interval counts from now.
    update messaging.dispatch d
    set in_flight = claimed.message_id,
      lease_until = claimed.lease_until,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + claimed.typing
    from claimed
    where d.instance_id = any (array[claimed.instance_id])
    returning d.in_flight
  )
  select
    (select array_agg(marked.in_flight) from marked),
    (select array_agg(head.instance_id) from head where head.message_id is null)
  into claimed_ids, stalled;

  if stalled is not null then
    perform messaging.postpone_dispatch(stalled, clock);
  end if;
  return claimed_ids;
end;
$$;
revoke all
on function messaging.claim_paced_messages(integer, interval, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.claim_paced_messages(integer, interval, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/claim_unpaced_messages.sql
-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- A claimed message is invisible until its lease ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  claimed_ids uuid[];
begin
  with due as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from due
    join messaging.messages m on m.id = any (array[due.message_id])
    where q.message_id = any (array[due.message_id])
    returning q.message_id
  )
  select array_agg(claimed.message_id) into claimed_ids from claimed;
  return claimed_ids;
end;
$$;
revoke all
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/claimed_messages.sql
-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(handed order by handed."scheduledAt")), '[]')
    from (
      select m.id as "messageId",
        q.claim_token as "claimToken",
        q.scheduled_at as "scheduledAt",
        i.id as "instanceId",
        i.provider,
        i.sealed_provider_config as "sealedProviderConfig",
        c.is_blocked as "isContactBlocked",
        -- Only the agent's deferred answers: a caller cancels its own delayed messages.
        m.agent_id is not null and m.mode = 'scheduled' and m.held_by is distinct from 'delay'
          and exists (
          select from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        -- contact_send_address, written out: a call per message would be a quarter of the work.
        coalesce(
          (
            select a.address from messaging.contact_addresses a
            where a.contact_id = c.id
            order by a.proven_at desc
            limit 1
          ),
          m.phone_given,
          c.phone
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.content,
        m.delay_typing_ms as "delayTypingMs"
      from unnest(claimed_messages.message_ids) as claimed(message_id)
      join messaging.message_queue q on q.message_id = any (array[claimed.message_id])
      join messaging.messages m on m.id = any (array[claimed.message_id])
      join messaging.contacts c on c.id = any (array[m.contact_id])
      join messaging.instances i on i.id = any (array[m.instance_id])
    ) as handed
  );
end;
$$;
revoke all on function messaging.claimed_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.claimed_messages(uuid[]) to service_role;

-- source: supabase/schemas/queue/internal/enqueue_message.sql
-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, or NULL.
create or replace function messaging.enqueue_message(
  message_id uuid,
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  is_paced boolean;
  is_on_holiday boolean;
  wall_clock timestamp;
  has_one_before boolean;
begin
  -- The clock is read under the lock: Postgres computes the new row version after the wait.
  update messaging.pacing p
  set last_slot_at = greatest(
    not_before,
    date_trunc('milliseconds', clock_timestamp()),
    p.last_slot_at + make_interval(secs => interval_seconds)
  ) + typing
  where p.instance_id = instance.id
  returning p.last_slot_at - typing, exists (
    select from messaging.holidays h
    where h.instance_id = p.instance_id
      and h.day = ((p.last_slot_at - typing) at time zone instance.time_zone)::date
  ) into strict slot, is_on_holiday;
  is_paced := slot > greatest(not_before, date_trunc('milliseconds', clock_timestamp()));
  -- is_send_window_open, written out for the slot itself: others wait for this row.
  wall_clock := slot at time zone instance.time_zone;
  if is_on_holiday or wall_clock::time < instance.window_start
    or wall_clock::time >= instance.window_end
    or extract(isodow from wall_clock)::smallint <> all (instance.window_days)
    or typing > interval '0' and not messaging.is_send_window_open(instance, slot + typing) then
    select f.slot, f.held_by into slot, held_by
    from messaging.fit_send_window(instance, slot, typing) f;
    update messaging.pacing p set last_slot_at = enqueue_message.slot + typing
    where p.instance_id = instance.id;
  end if;
  if held_by is null and is_paced then
    held_by := 'interval';
  end if;
  insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, interval_seconds)
  values (enqueue_message.message_id, instance.id, 'paced', slot, enqueue_message.interval_seconds)
  returning exists (
    select from messaging.message_queue q
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and q.scheduled_at <= slot
  ) into has_one_before;
  -- Lowers the due time, and only for a new head: a message behind another one leaves after it. Without
  -- need no lock is taken that would make a claim skip the instance.
  if not has_one_before then
    update messaging.dispatch d
    set next_due_at = messaging.next_due_at(d, slot, enqueue_message.interval_seconds)
    where d.instance_id = instance.id
      and d.next_due_at > messaging.next_due_at(d, slot, enqueue_message.interval_seconds);
  end if;
end;
$$;
revoke all
on function messaging.enqueue_message(uuid, messaging.instances, integer, timestamptz, interval)
from public, anon, authenticated;
grant execute
on function messaging.enqueue_message(uuid, messaging.instances, integer, timestamptz, interval)
to service_role;

-- source: supabase/schemas/queue/internal/expected_departure.sql
-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time. Messages before it in the queue are not
-- counted.
create or replace function messaging.expected_departure(
  queued messaging.message_queue,
  message messaging.messages,
  instance messaging.instances,
  dispatch messaging.dispatch,
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
  if queued.lane = 'unpaced' then
    return;
  end if;
  if after_last > leaves_at then
    leaves_at := after_last;
    held_by := 'interval';
  end if;
  leaves_at := greatest(leaves_at, dispatch.hold_until);
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    held_by := messaging.window_closed_reason(instance, looked_at);
  end if;
end;
$$;
revoke all
on function messaging.expected_departure(
  messaging.message_queue,
  messaging.messages,
  messaging.instances,
  messaging.dispatch
)
from public, anon, authenticated;
grant execute
on function messaging.expected_departure(
  messaging.message_queue,
  messaging.messages,
  messaging.instances,
  messaging.dispatch
)
to service_role;

-- source: supabase/schemas/queue/internal/first_instant_of_window.sql
-- The earliest instant not before `earliest` at which the clock of that local day shows
-- `window_start` or later. Where a daylight-saving change skips that time it is the end of the gap;
-- where the change repeats it, its first occurrence still ahead. NULL where that day has none.
create or replace function messaging.first_instant_of_window(
  local_day date,
  window_start time,
  time_zone text,
  earliest timestamptz
)
returns timestamptz
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  nominal timestamptz := (local_day + window_start) at time zone time_zone;
  -- No zone has ever shifted by more than three hours for daylight saving.
  reach constant interval := interval '3 hours';
begin
  if nominal at time zone time_zone = local_day + window_start
    and (nominal - reach) at time zone time_zone = local_day + window_start - reach
    and nominal >= earliest then
    return nominal;
  end if;
  return (
    select min(instant)
    from generate_series(nominal - reach, nominal + reach, interval '1 minute') as instant
    where instant >= earliest
      and (instant at time zone time_zone)::date = local_day
      and (instant at time zone time_zone)::time >= window_start
  );
end;
$$;
revoke all
on function messaging.first_instant_of_window(date, time, text, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.first_instant_of_window(date, time, text, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/fit_send_window.sql
-- Moves an instant into the instance's send window (decisions, section 5); `typing` after it must fit
-- too. An instant inside stays. One before the window of a business day moves to that day's start, any
-- other to the start of the next business day. `held_by` says what moved it (see
-- window_closed_reason), or NULL. Errors: MI010, also where the window is shorter than the typing.
create or replace function messaging.fit_send_window(
  instance messaging.instances,
  candidate timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  closed_at constant timestamptz := case
    when messaging.is_send_window_open(instance, candidate) then candidate + typing
    else candidate
  end;
begin
  if messaging.is_send_window_open(instance, closed_at) then
    slot := candidate;
    return;
  end if;
  held_by := messaging.window_closed_reason(instance, closed_at);
  slot := messaging.next_window_start(instance, closed_at);
  if slot is null or not messaging.is_send_window_open(instance, slot + typing) then
    raise exception using errcode = 'MI010', message = 'send_window_never_opens';
  end if;
end;
$$;
revoke all
on function messaging.fit_send_window(messaging.instances, timestamptz, interval)
from public, anon, authenticated;
grant execute
on function messaging.fit_send_window(messaging.instances, timestamptz, interval)
to service_role;

-- source: supabase/schemas/queue/internal/fitted_slots.sql
-- Computes the slots of a stretch of an instance's waiting messages under its present send window, in
-- order. A message that would leave while the window is closed moves to its opening; the messages
-- behind it move as far as their intervals require. No slot becomes earlier. Where the window never
-- opens again the remaining messages keep their slots.
-- `clock`: an earlier slot is treated as `clock`. `left_before`: when the message before the stretch
-- will have left, NULL where it does not move. In a row, `held_by` is NULL where the message keeps its
-- slot, and `left_at` is NULL until a message has moved: up to there all keep what they were promised.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.fitted_slots(
  instance messaging.instances,
  stretch messaging.slot_moves
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
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
    slot := greatest(waiting.scheduled_at, left_at + waiting.pace);
    held_by := case when slot > waiting.scheduled_at then 'interval' end;
    looked_at := greatest(slot, stretch.planned_at);
    -- Slots only grow, so one look serves until the window closes.
    if looked_at + waiting.typing >= open_until then
      if not messaging.is_send_window_open(instance, looked_at)
        or not messaging.is_send_window_open(instance, looked_at + waiting.typing) then
        begin
          select f.slot, f.held_by into slot, held_by
          from messaging.fit_send_window(instance, looked_at, waiting.typing) f;
        exception when sqlstate 'MI010' then
          return;
        end;
        looked_at := slot;
      end if;
      open_until := messaging.window_open_until(instance, looked_at);
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
revoke all
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves)
from public, anon, authenticated;
grant execute
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves)
to service_role;

-- source: supabase/schemas/queue/internal/head_of_queue.sql
-- The paced message of an instance that leaves next: the earliest slot among those not in flight.
create or replace function messaging.head_of_queue(instance_id uuid)
returns table (message_id uuid, scheduled_at timestamptz, interval_seconds integer)
language sql
stable
rows 1
set search_path = ''
as $$
  select q.message_id, q.scheduled_at, q.interval_seconds
  from messaging.message_queue q
  where q.instance_id = head_of_queue.instance_id and q.lane = 'paced' and q.claim_token is null
  order by q.scheduled_at, q.position
  limit 1;
$$;
revoke all on function messaging.head_of_queue(uuid) from public, anon, authenticated;
grant execute on function messaging.head_of_queue(uuid) to service_role;

-- source: supabase/schemas/queue/internal/hold_for_refusal.sql
-- For how long to hold an instance that its provider refuses as a whole (credentials, payment): ten
-- seconds, so that a single refusal costs little; five minutes when it happens again within ten
-- minutes, so that a backlog is not used up. A hold in force is not prolonged.
create or replace function messaging.hold_for_refusal(instance_id uuid)
returns interval
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch messaging.dispatch;
begin
  select d.* into strict dispatch
  from messaging.dispatch d where d.instance_id = hold_for_refusal.instance_id;
  return case
    when dispatch.refused_at < clock - interval '10 minutes' then interval '10 seconds'
    when dispatch.hold_until > clock then interval '0'
    else interval '5 minutes'
  end;
end;
$$;
revoke all on function messaging.hold_for_refusal(uuid) from public, anon, authenticated;
grant execute on function messaging.hold_for_refusal(uuid) to service_role;

-- source: supabase/schemas/queue/internal/is_business_day.sql
-- Whether the instance's queue sends on that local day: one of its weekdays and no holiday.
create or replace function messaging.is_business_day(instance messaging.instances, local_day date)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return extract(isodow from local_day)::smallint = any (instance.window_days)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = local_day
    );
end;
$$;
revoke all
on function messaging.is_business_day(messaging.instances, date)
from public, anon, authenticated;
grant execute on function messaging.is_business_day(messaging.instances, date) to service_role;

-- source: supabase/schemas/queue/internal/is_send_window_open.sql
-- Whether a paced message of the instance may leave at that instant.
create or replace function messaging.is_send_window_open(
  instance messaging.instances,
  instant timestamptz
)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  clock constant timestamp := instant at time zone instance.time_zone;
begin
  return clock::time >= instance.window_start
    and clock::time < instance.window_end
    -- is_business_day, written out: this is asked once for every claim and every slot.
    and extract(isodow from clock)::smallint = any (instance.window_days)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = clock::date
    );
end;
$$;
revoke all
on function messaging.is_send_window_open(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.is_send_window_open(messaging.instances, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/iso_in_zone.sql
-- An instant as ISO 8601 with milliseconds and the offset that the zone has then; NULL stays NULL.
create or replace function messaging.iso_in_zone(instant timestamptz, time_zone text)
returns text
language plpgsql
stable
strict
parallel safe
set search_path = ''
as $$
begin
  return (
    select to_char(clock.local, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
      || case when clock.shift < interval '0' then '-' else '+' end
      || to_char(greatest(clock.shift, -clock.shift), 'HH24:MI')
    from (
      select instant at time zone time_zone as local,
        (instant at time zone time_zone) - (instant at time zone 'UTC') as shift
    ) as clock
  );
end;
$$;
revoke all on function messaging.iso_in_zone(timestamptz, text) from public, anon, authenticated;
grant execute on function messaging.iso_in_zone(timestamptz, text) to service_role;

-- source: supabase/schemas/queue/internal/move_slots.sql
-- Moves the slots of the last stretch that is planned for an instance (see plan_slot_moves). Returns
-- how many slots moved, NULL where none are planned.
-- The caller holds the pacing row. Locks the dispatch row, so that no message is claimed out of order
-- meanwhile. Skips locked messages: they are about to leave or to be canceled.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.move_slots(instance messaging.instances)
returns bigint
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  stretch messaging.slot_moves;
  moved bigint;
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s
  where s.instance_id = instance.id
    and s.place = (select max(l.place) from messaging.slot_moves l where l.instance_id = instance.id)
  returning s.* into stretch;
  if not found then
    return null;
  end if;
  with fitted as materialized (
    select f.message_id, f.slot, f.held_by
    from messaging.fitted_slots(instance, stretch) f
    where f.held_by is not null
  ),
  free as materialized (
    select q.message_id, fitted.slot, fitted.held_by
    from fitted
    join messaging.message_queue q on q.message_id = any (array[fitted.message_id])
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.claim_token is null
    for no key update of q, m skip locked
  ),
  queued as (
    update messaging.message_queue q
    set scheduled_at = free.slot
    from free
    where q.message_id = any (array[free.message_id])
  ),
  told as (
    update messaging.messages m
    set scheduled_for = free.slot, held_by = free.held_by
    from free
    where m.id = any (array[free.message_id])
  )
  select count(*) into moved from free;
  return moved;
end;
$$;
revoke all on function messaging.move_slots(messaging.instances) from public, anon, authenticated;
grant execute on function messaging.move_slots(messaging.instances) to service_role;

-- source: supabase/schemas/queue/internal/next_due_at.sql
-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held. NULL slot (an empty queue) is never.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if slot is null then
    return timestamptz 'infinity';
  end if;
  return greatest(
    slot, dispatch.paced_from + make_interval(secs => interval_seconds), dispatch.hold_until
  );
end;
$$;
revoke all
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
from public, anon, authenticated;
grant execute
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
to service_role;

-- source: supabase/schemas/queue/internal/next_wake_up.sql
-- When the next message or outbox row is due: how long the dispatcher may sleep. NULL for never.
create or replace function messaging.next_wake_up()
returns timestamptz
language sql
stable
set search_path = ''
as $$
  select nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    ),
    (select o.run_at from messaging.outbox o where o.settled_at is null order by o.run_at limit 1)
  ), 'infinity');
$$;
revoke all on function messaging.next_wake_up() from public, anon, authenticated;
grant execute on function messaging.next_wake_up() to service_role;

-- source: supabase/schemas/queue/internal/next_window_start.sql
-- When the instance's send window opens next for an instant at which it is closed: the same day's
-- start while that lies ahead, else the next business day's. A day whose window falls whole into a
-- daylight-saving gap is passed over. NULL where it does not open within three years.
create or replace function messaging.next_window_start(
  instance messaging.instances,
  candidate timestamptz
)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  local_now constant timestamp := candidate at time zone instance.time_zone;
  first_day constant integer := case when local_now::time < instance.window_start then 0 else 1 end;
  opening timestamptz;
begin
  for days_ahead in first_day..1100 loop
    if messaging.is_business_day(instance, local_now::date + days_ahead) then
      opening := messaging.first_instant_of_window(
        local_now::date + days_ahead, instance.window_start, instance.time_zone, candidate
      );
      if messaging.is_send_window_open(instance, opening) then
        return opening;
      end if;
    end if;
  end loop;
  return null;
end;
$$;
revoke all
on function messaging.next_window_start(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.next_window_start(messaging.instances, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/plan_slot_moves.sql
-- Plans new slots for an instance's waiting messages that would leave while its present send window is
-- closed, and for the messages behind them (see fitted_slots). Moves up to 4,000 messages at once. The
-- dispatcher moves the rest 2,000 at a time (move_waiting_slots), so that no call takes as long as the
-- queue.
-- The last messages move first: slots only become later, so the order holds at every moment. A claim
-- checks window and interval itself, so a message that has not moved yet still leaves in order and in
-- time. Messages queued from now on get slots behind the last planned one. Replaces an earlier plan.
-- The caller holds the pacing row. Locks dispatch and the messages that it moves.
create or replace function messaging.plan_slot_moves(instance messaging.instances)
returns void
language plpgsql
set search_path = ''
as $$
declare
  stretch_length constant integer := 2000;
  max_stretches_at_once constant integer := 2;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  whole constant messaging.slot_moves :=
    (instance.id, 0, '-infinity', 0, 'infinity', 0, null, clock)::messaging.slot_moves;
  last_left_at timestamptz;
  stretches integer;
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s where s.instance_id = instance.id;
  with fitted as materialized (
    select f.*, row_number() over in_order as number, lag(f.left_at) over in_order as left_before
    from messaging.fitted_slots(instance, whole) f
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
    insert into messaging.slot_moves (
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
  update messaging.pacing p set last_slot_at = greatest(p.last_slot_at, last_left_at)
  where p.instance_id = instance.id;
  if stretches <= max_stretches_at_once then
    while messaging.move_slots(instance) is not null loop
    end loop;
  end if;
end;
$$;
revoke all
on function messaging.plan_slot_moves(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.plan_slot_moves(messaging.instances) to service_role;

-- source: supabase/schemas/queue/internal/postpone_dispatch.sql
-- Moves the due time of instances that looked due but have nothing to send now: their head was
-- canceled or lies ahead, or the window is closed or will be when the head's typing has been shown.
-- Tries the pacing rows without waiting: the caller holds the dispatch rows, and an enqueue locks the
-- two in the other order.
create or replace function messaging.postpone_dispatch(instance_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  locked uuid[];
begin
  select array_agg(l.instance_id) into locked
  from (
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (instance_ids)
    order by p.instance_id
    for no key update skip locked
  ) as l;
  perform messaging.refresh_dispatch(locked);
  update messaging.dispatch d
  -- A window that never opens must not stop other instances: check such an instance daily.
  set next_due_at = case
    when not messaging.is_send_window_open(i, clock)
      then coalesce(messaging.next_window_start(i, clock), clock + interval '1 day')
    when not messaging.is_send_window_open(i, head.leaves_at)
      then coalesce(messaging.next_window_start(i, head.leaves_at), clock + interval '1 day')
    else clock
  end
  from messaging.instances i
  cross join lateral (
    select clock + interval '1 millisecond' * coalesce(max(m.delay_typing_ms), 0) as leaves_at
    from messaging.head_of_queue(i.id) h
    join messaging.messages m on m.id = h.message_id
  ) as head
  where d.instance_id = any (locked) and i.id = d.instance_id
    and d.in_flight is null and d.next_due_at <= clock;
end;
$$;
revoke all
on function messaging.postpone_dispatch(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.postpone_dispatch(uuid[], timestamptz) to service_role;

-- source: supabase/schemas/queue/internal/refresh_dispatch.sql
-- Recomputes when each instance is due next, from the head of its queue. The caller must hold their
-- pacing rows, locked in an earlier statement: otherwise an enqueue that has inserted but not
-- committed is overlooked, and its message never wakes the dispatcher.
-- Skips instances with a message in flight: settling it refreshes them.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.refresh_dispatch(instance_ids uuid[])
returns void
language sql
set search_path = ''
as $$
  update messaging.dispatch d
  set next_due_at = messaging.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(refresh_dispatch.instance_ids) as wanted(instance_id)
  left join lateral messaging.head_of_queue(wanted.instance_id) as head on true
  where d.instance_id = any (array[wanted.instance_id]) and d.in_flight is null;
$$;
revoke all on function messaging.refresh_dispatch(uuid[]) from public, anon, authenticated;
grant execute on function messaging.refresh_dispatch(uuid[]) to service_role;

-- source: supabase/schemas/queue/internal/release_instances.sql
-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, and to hold the
-- instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  released uuid[];
  held uuid[];
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance)
  into released, held
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if held is not null then
    update messaging.dispatch d
    set hold_until = greatest(d.hold_until, s.retry_at),
      refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
    from unnest(settlements) as s
    join messaging.instances i on i.id = any (array[s.instance_id])
    where s.holds_instance and d.instance_id = any (array[s.instance_id])
      and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config);
  end if;

  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    next_due_at = messaging.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(settlements) as s
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from messaging.message_queue q
    where q.instance_id = s.instance_id and q.lane = 'paced' and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of everything in flight.
  where s.lane = 'paced' and d.instance_id = any (array[s.instance_id]) and (d.in_flight = s.message_id) is true;

  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
end;
$$;
revoke all
on function messaging.release_instances(messaging.settlement[])
from public, anon, authenticated;
grant execute on function messaging.release_instances(messaging.settlement[]) to service_role;

-- source: supabase/schemas/queue/internal/requeue_message.sql
-- Puts a failed or unconfirmed message back into the queue: a queued message into the paced lane with
-- a new slot, any other into the unpaced lane, due at once. The caller holds the message's row and has
-- checked its state.
create or replace function messaging.requeue_message(message messaging.messages)
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  slot timestamptz := clock;
  held_by text := message.held_by;
begin
  if message.mode = 'queued' then
    select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message.id, instance, message.interval_seconds, clock,
      interval '1 millisecond' * coalesce(message.delay_typing_ms, 0)
    ) e;
  else
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (message.id, message.instance_id, 'unpaced', clock, clock);
  end if;
  update messaging.messages m
  set status = 'queued', scheduled_for = requeued.slot, held_by = requeued.held_by,
    confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null
  from (select slot, held_by) as requeued
  where m.id = message.id;
end;
$$;
revoke all
on function messaging.requeue_message(messaging.messages)
from public, anon, authenticated;
grant execute on function messaging.requeue_message(messaging.messages) to service_role;

-- source: supabase/schemas/queue/internal/retry_delay.sql
-- How long to wait before trying a message again: 2, 8, 32, 128, 512 seconds with up to a fifth
-- more at random, or the provider's Retry-After where that is longer. The one place of the backoff.
create or replace function messaging.retry_delay(attempts integer, retry_after_ms integer)
returns interval
language sql
volatile
set search_path = ''
as $$
  select greatest(
    interval '2 seconds' * power(4, least(attempts, 5) - 1) * (1 + random() / 5),
    interval '1 millisecond' * coalesce(retry_after_ms, 0)
  );
$$;
revoke all on function messaging.retry_delay(integer, integer) from public, anon, authenticated;
grant execute on function messaging.retry_delay(integer, integer) to service_role;

-- source: supabase/schemas/queue/internal/settle_queue_rows.sql
-- settle_messages: takes settled messages out of the queue, or gives them back to it without a claim.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_queue_rows(settlements messaging.settlement[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  with gone as (
    delete from messaging.message_queue q
    using unnest(settlements) as s
    where q.message_id = any (array[s.message_id]) and not s.is_retried
  )
  update messaging.message_queue q
  set claim_token = null,
    lease_until = null,
    echo = null,
    attempts = case when s.is_outage or s.is_unsent then q.attempts - 1 else q.attempts end,
    visible_at = case when q.lane = 'unpaced' then s.retry_at end,
    -- A paced message that is refused for its whole instance, or was not sent, stays the head; otherwise
    -- others may pass.
    scheduled_at = case
      when q.lane = 'paced' and (s.holds_instance or s.has_old_credentials or s.is_unsent)
        then q.scheduled_at
      else s.retry_at
    end
  from unnest(settlements) as s
  where q.message_id = any (array[s.message_id]) and s.is_retried;
end;
$$;
revoke all
on function messaging.settle_queue_rows(messaging.settlement[])
from public, anon, authenticated;
grant execute on function messaging.settle_queue_rows(messaging.settlement[]) to service_role;

-- source: supabase/schemas/queue/internal/window_closed_reason.sql
-- Why an instance's send window is closed at an instant: `holiday` where the weekday is a business
-- day, else `window`.
create or replace function messaging.window_closed_reason(
  instance messaging.instances,
  instant timestamptz
)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  local_day constant date := (instant at time zone instance.time_zone)::date;
begin
  return case
    when exists (
      select from messaging.holidays h where h.instance_id = instance.id and h.day = local_day
    ) and extract(isodow from local_day)::smallint = any (instance.window_days) then 'holiday'
    else 'window'
  end;
end;
$$;
revoke all
on function messaging.window_closed_reason(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.window_closed_reason(messaging.instances, timestamptz)
to service_role;

-- source: supabase/schemas/queue/internal/window_open_until.sql
-- Until when a send window that is open at `instant` stays open. Returns `instant` itself where the
-- clocks change before the window's end, so that the caller checks every slot.
create or replace function messaging.window_open_until(
  instance messaging.instances,
  instant timestamptz
)
returns timestamptz
language plpgsql
stable
parallel safe
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
revoke all
on function messaging.window_open_until(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.window_open_until(messaging.instances, timestamptz)
to service_role;

-- source: supabase/schemas/queue/rpc/claim_due_messages.sql
-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it).
-- Returns {messages, nextDueInMs, isOutboxDue}: nextDueInMs says in how long something is due that
-- was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work. Never waits for a lock: what another session holds is left for later.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
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
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  max_paced integer;
  paced uuid[];
  unpaced uuid[];
begin
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced), 0), lease, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() ignores NULL, which must stay NULL.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from messaging.next_wake_up() as due(at)
    ),
    'isOutboxDue', exists (
      select from messaging.outbox o
      where o.settled_at is null and o.run_at <= (select clock_timestamp())
    )
  );
end;
$$;
revoke all on function public.claim_due_messages(jsonb) from public, anon, authenticated;
grant execute on function public.claim_due_messages(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/expire_claims.sql
-- Ends claims whose lease is over. Their worker died before it recorded the outcome, so it is unknown
-- whether the provider was called: the message becomes `unconfirmed` and is not sent again by itself.
-- Ends at most `request`.maxMessages a call. Returns {expired}: how many.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.expire_claims(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  expired jsonb;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is not null
      order by q.visible_at
      limit (request->>'maxMessages')::integer
    )
  )
  select jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was sending this message ended before it recorded the outcome.'
    )
  )) into expired
  from lapsed
  join messaging.message_queue q on q.message_id = any (array[lapsed.message_id])
  where q.claim_token is not null and q.lease_until <= clock;
  if expired is null then
    -- A message in flight that was deleted with its contact is never settled: release its instance.
    perform messaging.release_instances(array_agg(jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object('message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced')
    )))
    from messaging.dispatch d
    where d.in_flight is not null and d.lease_until <= clock
      and not exists (select from messaging.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
    return jsonb_build_object('expired', 0);
  end if;
  return jsonb_build_object(
    'expired',
    jsonb_array_length(public.settle_messages(jsonb_build_object('results', expired))->'settled')
  );
end;
$$;
revoke all on function public.expire_claims(jsonb) from public, anon, authenticated;
grant execute on function public.expire_claims(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/get_instance_health.sql
-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldUntil, lastSuccessAt, lastFailure
-- {at, status, code, message}.
-- `status`: `held` while the provider refuses the whole instance, else `late` when something that may
-- leave is over a minute late (no dispatcher runs, or the provider is slow), else `ok`.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.get_instance_health(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  instance messaging.instances;
  dispatch messaging.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  is_window_open := messaging.is_send_window_open(instance, clock);
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
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at into failure
  from messaging.messages m
  where m.instance_id = instance.id and coalesce(m.failed_at, m.unconfirmed_at) is not null
  order by coalesce(m.failed_at, m.unconfirmed_at) desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when dispatch.hold_until > clock then 'held'
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
    'heldUntil', messaging.iso_in_zone(
      case when dispatch.hold_until > clock then dispatch.hold_until end, instance.time_zone
    ),
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
  );
end;
$$;
revoke all on function public.get_instance_health(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance_health(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/list_message_queue.sql
-- messages-api: the waiting messages of an instance, in order. `request`: instanceId, limit, and
-- `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next}. An item's `position` is its place in the queue, from 1; for
-- `scheduledFor` and `heldBy` see expected_departure.
-- Each lane is read by its own index and the two are merged, so that other tenants' queues are not
-- read.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.list_message_queue(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  instance messaging.instances;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  dispatch messaging.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  select count(*), count(*) filter (
    where (q.scheduled_at, q.position) <= (after_at, after_position)
  )
  into total, passed
  from (
    select p.scheduled_at, p.position from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    union all
    select u.scheduled_at, u.position from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
  ) as q;
  with next_paced as (
    select p as queued
    from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
      and (p.scheduled_at, p.position) > (after_at, after_position)
    order by p.scheduled_at, p.position
    limit page_size + 1
  ),
  next_unpaced as (
    select u as queued
    from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
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
          'scheduledFor', messaging.iso_in_zone(expected.leaves_at, instance.time_zone),
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
  join messaging.messages m on m.id = page.message_id
  join messaging.contacts c on c.id = m.contact_id
  cross join lateral messaging.expected_departure(
    page.queued, m, instance, dispatch
  ) as expected;
  return jsonb_build_object('items', items, 'total', total, 'next', next);
end;
$$;
revoke all on function public.list_message_queue(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_queue(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/move_waiting_slots.sql
-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free. `request`: nothing. Returns {moved, isComplete}: how many slots,
-- and whether no stretch is left. Locks pacing, dispatch, queue rows, messages; waits for dispatch
-- alone, which is never locked for long.
create or replace function public.move_waiting_slots(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  chosen uuid;
  moved bigint := 0;
begin
  select p.instance_id into chosen
  from messaging.pacing p
  where p.instance_id = any (array(select distinct s.instance_id from messaging.slot_moves s))
  order by p.instance_id
  limit 1
  for no key update skip locked;
  if chosen is not null then
    moved := coalesce(messaging.move_slots(messaging.find_instance(chosen)), 0);
    perform messaging.refresh_dispatch(array[chosen]);
  end if;
  return jsonb_build_object(
    'moved', moved, 'isComplete', not exists (select from messaging.slot_moves)
  );
end;
$$;
revoke all on function public.move_waiting_slots(jsonb) from public, anon, authenticated;
grant execute on function public.move_waiting_slots(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/purge_expired.sql
-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after 24 hours, provider events after 30 days, delivery events without a message
-- after 7 days, done outbox rows after 7 days, dead outbox rows (a person should see them) after 90
-- days.
-- Messages, contacts, notes and logs belong to the user and stay.
-- Never waits for a lock. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from messaging.idempotency_keys k
  where k.ctid = any (array(
    select e.ctid from messaging.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select e.ctid from messaging.provider_events e
    where e.received_at <= clock - interval '30 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.unmatched_statuses s
  where s.ctid = any (array(
    select e.ctid from messaging.unmatched_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/rescue_stalled_instances.sql
-- Finds stalled instances, which have waiting messages and no due time, and makes them due again. A
-- safety net for lost wake-ups: none is ever expected, and the dispatcher logs each.
-- Handles at most `request`.maxInstances a call. Returns {woken}: how many.
-- Steps from instance to instance through message_queue_head, so that neither long queues nor
-- instances with an empty queue cost anything.
create or replace function public.rescue_stalled_instances(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
    join messaging.dispatch d on d.instance_id = queued.instance_id
    cross join lateral messaging.head_of_queue(d.instance_id) as head
    where d.in_flight is null and d.next_due_at = 'infinity'
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
revoke all on function public.rescue_stalled_instances(jsonb) from public, anon, authenticated;
grant execute on function public.rescue_stalled_instances(jsonb) to service_role;

-- source: supabase/schemas/queue/rpc/retry_unconfirmed.sql
-- Sends messages again that stayed unconfirmed for 15 minutes, on instances with onUnconfirmed =
-- `retry` (decisions, section 5), while attempts are left. Not after a day: a person decides about
-- messages that were held back for so long. A message that cannot be queued now (its window never
-- opens) stays and stops no other. Handles at most `request`.maxMessages a call. Returns {requeued}:
-- how many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  max_messages constant integer := (request->>'maxMessages')::integer;
  message messaging.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from messaging.instances i
    -- Instance by instance: unconfirmed messages of instances that hold them are not read.
    cross join lateral (
      select u.* from messaging.messages u
      where u.instance_id = i.id
        and u.status = 'unconfirmed'
        and u.unconfirmed_at <= clock - interval '15 minutes'
        and u.unconfirmed_at > clock - interval '1 day'
        and u.attempts < 6
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
    -- Locks pacing rows in the order of the instances, as everywhere.
    order by i.id, m.unconfirmed_at
    limit max_messages
  loop
    begin
      perform messaging.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;
revoke all on function public.retry_unconfirmed(jsonb) from public, anon, authenticated;
grant execute on function public.retry_unconfirmed(jsonb) to service_role;
