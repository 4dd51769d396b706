set local check_function_bodies = off;

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Records its event, and message.sent before it where the message had not been sent as far as was known.
-- Returns whether it changed anything. Locks the message, then pacing.
create or replace function messaging.advance_message(
  message_id uuid,
  provider_message_id text,
  status text,
  occurred_at timestamptz,
  error jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved_instance_id uuid;
  moved_contact_id uuid;
  is_newly_sent boolean;
  former_status text;
  was_unsent boolean;
  types text[];
  gone messaging.message_queue;
begin
  select m.status, m.sent_at is null into former_status, was_unsent
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
  update messaging.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled', 'expired')
        then coalesce(advance_message.provider_message_id, m.provider_message_id)
      else coalesce(m.provider_message_id, advance_message.provider_message_id)
    end,
    sent_at = case
      when advance_message.status = 'failed' then m.sent_at
      else coalesce(m.sent_at, greatest(least(occurred_at, m.unconfirmed_at), m.created_at))
    end,
    delivered_at = case
      when advance_message.status in ('delivered', 'read') then coalesce(m.delivered_at, occurred_at)
      else m.delivered_at
    end,
    read_at = case when advance_message.status = 'read' then occurred_at else m.read_at end,
    failed_at = case when advance_message.status = 'failed' then occurred_at end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  where m.id = advance_message.message_id
    and case messaging.message_transition(m.status, advance_message.status)
      when 'always' then true
      when 'new_id' then coalesce(m.provider_message_id <> advance_message.provider_message_id, true)
      when 'claimed_new_id' then
        coalesce(m.provider_message_id <> advance_message.provider_message_id, true) and exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is not null
        )
      when 'same_id' then coalesce(m.provider_message_id = advance_message.provider_message_id, true)
      when 'other_id' then m.provider_message_id <> advance_message.provider_message_id
      else false
    end
  returning m.instance_id, m.contact_id, was_unsent and m.sent_at is not null
  into moved_instance_id, moved_contact_id, is_newly_sent;
  if not found then
    return false;
  end if;
  types := array['message.' || advance_message.status];
  if advance_message.status in ('delivered', 'read')
    and former_status not in ('sent', 'delivered', 'read') then
    types := 'message.sent'::text || types;
  end if;
  perform messaging.record_message_events(
    array_fill(advance_message.message_id, array[cardinality(types)]),
    types,
    exists (
      select from messaging.message_queue q
      where q.message_id = advance_message.message_id and q.claim_token is not null
    )
  );
  -- 131050 of the official channel: the contact has stopped marketing messages there.
  if advance_message.status = 'failed' and error->>'code' = '131050' then
    perform messaging.change_consent(
      moved_contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
    );
  end if;
  if is_newly_sent then
    perform messaging.note_contact(moved_contact_id);
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null
  returning q.* into gone;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.give_back_places(array[gone]);
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
to service_role;

-- accept_message: refuses a `timing` that is not ahead: sendAt up to 35 days, and past by a minute at most
-- (callers' clocks differ); expiresAt in the future. Checked when the call is recorded, not when it is
-- read: a repeated call gets its first answer however late it is repeated.
-- Errors: MI041, MI042, MI043.
create or replace function messaging.check_timing(timing jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  send_at constant timestamptz := (timing->>'sendAt')::timestamptz;
begin
  if send_at < clock - interval '1 minute' then
    raise exception using errcode = 'MI041', message = 'sendAt is past';
  end if;
  -- 35 times 24 hours, whatever the local clocks do meanwhile.
  if send_at > clock + interval '840 hours' then
    raise exception using errcode = 'MI042', message = 'sendAt is too far ahead';
  end if;
  if (timing->>'expiresAt')::timestamptz <= clock then
    raise exception using errcode = 'MI043', message = 'expiresAt is past';
  end if;
end;
$$;
revoke all on function messaging.check_timing(jsonb) from public, anon, authenticated;
grant execute on function messaging.check_timing(jsonb) to service_role;

-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window. Returns the ids.
-- Heads of instances with protection are left to claim_protected_messages.
-- A head whose expires_at has come is ended instead, and the next claim takes the one behind it.
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
  protected uuid[];
  late uuid[];
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
    select due.instance_id, leaving.message_id, late.message_id as late_id, leaving.typing,
      i.protection is not null as is_protected
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
      where m.id = h.message_id and coalesce(m.expires_at > clock, true)
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
    left join lateral (
      select m.id as message_id
      from messaging.messages m
      where m.id = h.message_id and m.expires_at <= clock
    ) as late on true
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing
    from head
    where q.message_id = any (array[head.message_id]) and not head.is_protected
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
    (select array_agg(head.instance_id) from head where head.message_id is null),
    (
      select array_agg(head.message_id) from head
      where head.is_protected and head.message_id is not null
    ),
    (select array_agg(head.late_id) from head where head.late_id is not null)
  into claimed_ids, stalled, protected, late;

  if protected is not null then
    claimed_ids := claimed_ids || messaging.claim_protected_messages(protected, lease, clock);
  end if;

  if late is not null then
    perform messaging.expire_due_messages(late, clock);
  end if;
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

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds until
-- the hold does.
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
  held_ids uuid[];
  to_be_paced uuid[];
  due_ids uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      d.operator_hold_until > clock and not due.is_to_be_paced as is_held
    from due
    join messaging.dispatch d on d.instance_id = any (array[due.instance_id])
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from checked
    join messaging.messages m on m.id = any (array[checked.message_id])
    where q.message_id = any (array[checked.message_id]) and not checked.is_held
      and not checked.is_to_be_paced and coalesce(m.expires_at > clock, true)
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced
    )
  into claimed_ids, held_ids, to_be_paced, due_ids;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  -- What was due and not claimed has come to its expires_at.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
  end if;
  return claimed_ids;
end;
$$;
revoke all
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
to service_role;

-- Decides the answer to a call with a known `Idempotency-Key` (decisions, section 5).
-- Returns {outcome, response, message, messageId, isAttemptDue}:
--   response is the first answer while it is still right, else NULL;
--   message is the message as it is now (see describe_message, and isRetryable) where the first
--     answer is no longer right, else NULL;
--   isAttemptDue says that the immediate send had a temporary refusal and may be tried again: see
--     attempt_again.
-- A successful first answer stays right unless the message was canceled or has expired since. A refusal or an unknown
-- outcome stays right until the message is attempted again or its state changes. Writes nothing.
-- Errors: MI007 (a call to the provider is under way).
create or replace function messaging.describe_kept_outcome(known messaging.idempotency_keys)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
  queued messaging.message_queue;
  is_immediate constant boolean := known.outcome->>'mode' = 'sent';
  status constant integer := (known.response->>'status')::integer;
  stands boolean;
  may_be_retried boolean;
begin
  select m.* into message from messaging.messages m where m.id = known.message_id;
  select q.* into queued from messaging.message_queue q where q.message_id = known.message_id;
  may_be_retried := message.is_retryable
    and coalesce(message.expires_at > clock_timestamp(), true);
  stands := case
    when message.id is null or status = 200 then true
    when not is_immediate then message.status not in ('canceled', 'expired')
    when status is null or queued.message_id is not null or known.attempt <> message.attempts then false
    when message.status = 'failed' then status <> 504 and not may_be_retried
    else message.status = 'unconfirmed' and status = 504
  end;
  -- In flight means a claim within its lease: after the lease no worker has the message.
  if not stands and queued.lease_until > clock_timestamp() then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  return jsonb_build_object(
    'outcome', known.outcome,
    'response', case when stands then known.response end,
    'messageId', known.message_id,
    'message', case when not stands then
      messaging.describe_message(message) || jsonb_build_object('isRetryable', may_be_retried)
    end,
    'isAttemptDue', not stands and is_immediate and message.status = 'failed'
      and may_be_retried and queued.message_id is null
  );
end;
$$;
revoke all
on function messaging.describe_kept_outcome(messaging.idempotency_keys)
from public, anon, authenticated;
grant execute
on function messaging.describe_kept_outcome(messaging.idempotency_keys)
to service_role;

-- Queues a message for an instant that the caller chose, `not_before`: it gets the slot that an enqueue at
-- that time gives. Where the slots given out reach that far, that is a slot behind them, now. Otherwise a
-- slot now would stand in a gap, and everything queued after it would wait for weeks: the message waits in
-- the unpaced lane with its `interval_seconds`, and the dispatcher enqueues it just before its slot (see
-- enqueue_waiting_messages). `slot` is the slot it is promised: the first one, in the send window and one
-- interval from those of other messages that wait so. Messages queued meanwhile may make it later,
-- and so may the limits of a day.
-- `held_by` as enqueue_message. Locks pacing, so that simultaneous calls are promised different slots.
-- Errors: MI010.
create or replace function messaging.enqueue_message_later(
  message_id uuid,
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  contact_id uuid,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
as $$
declare
  -- So that the message is enqueued when its slot comes.
  lead constant interval := interval '2 seconds';
  after_last timestamptz;
begin
  select p.last_slot_at + make_interval(secs => interval_seconds) into strict after_last
  from messaging.pacing p
  where p.instance_id = instance.id
  for no key update;
  if after_last >= not_before or not_before <= clock_timestamp() + lead then
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message_id, instance, interval_seconds, not_before, typing, contact_id
    ) e;
    return;
  end if;
  select f.slot, f.held_by into slot, held_by
  from messaging.free_slot_later(instance, interval_seconds, not_before, typing) f;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, interval_seconds
  )
  values (
    enqueue_message_later.message_id, instance.id, 'unpaced', slot, slot - lead,
    enqueue_message_later.interval_seconds
  );
end;
$$;
revoke all
on function messaging.enqueue_message_later(
  uuid,
  messaging.instances,
  integer,
  timestamptz,
  interval,
  uuid
)
from public, anon, authenticated;
grant execute
on function messaging.enqueue_message_later(
  uuid,
  messaging.instances,
  integer,
  timestamptz,
  interval,
  uuid
)
to service_role;

-- claim_due_messages: gives messages that waited for an instant of the caller's their slots in the paced
-- queue (see enqueue_message_later), in the order of the slots they were promised. The caller holds their
-- queue rows. Never waits for messages and pacing rows: what another session holds is left for later.
create or replace function messaging.enqueue_waiting_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  waiting record;
  instance messaging.instances;
  enqueued record;
begin
  for waiting in
    select q.instance_id, q.message_id, q.scheduled_at, q.interval_seconds, q.attempts,
      q.max_attempts, m.contact_id, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.pacing p on p.instance_id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id, q.scheduled_at, q.position
    for no key update of m, p skip locked
  loop
    if instance.id is distinct from waiting.instance_id then
      select i.* into strict instance from messaging.instances i where i.id = waiting.instance_id;
    end if;
    begin
      delete from messaging.message_queue q where q.message_id = waiting.message_id;
      select e.slot, e.held_by into strict enqueued
      from messaging.enqueue_message(
        waiting.message_id, instance, waiting.interval_seconds, waiting.scheduled_at, waiting.typing,
        waiting.contact_id
      ) e;
      update messaging.message_queue q
      set attempts = waiting.attempts, max_attempts = waiting.max_attempts
      where q.message_id = waiting.message_id and waiting.attempts > 0;
      update messaging.messages m
      set scheduled_for = enqueued.slot,
        held_by = coalesce(enqueued.held_by, m.held_by)
      where m.id = waiting.message_id;
    exception when sqlstate 'MI010' then
      -- A window that never opens is looked at daily, as by postpone_dispatch.
      update messaging.message_queue q
      set visible_at = clock + interval '1 day'
      where q.message_id = waiting.message_id;
    end;
  end loop;
end;
$$;
revoke all
on function messaging.enqueue_waiting_messages(uuid[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.enqueue_waiting_messages(uuid[], timestamptz)
to service_role;

-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time, unless it is to be paced (see enqueue_message_later). Messages before it in the queue are not
-- counted. While an operator's hold keeps it, that is the reason; `leaves_at` is NULL where the hold has
-- no end.
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
  is_paced boolean;
  is_held_by_operator boolean;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  is_paced := queued.lane = 'paced' or queued.interval_seconds > 0;
  if is_paced then
    if after_last > leaves_at then
      leaves_at := after_last;
      held_by := 'interval';
    end if;
    leaves_at := greatest(leaves_at, dispatch.hold_until);
  end if;
  is_held_by_operator := dispatch.operator_hold_until > greatest(leaves_at, clock_timestamp());
  if is_held_by_operator then
    held_by := 'operator_hold';
    leaves_at := case
      when isfinite(dispatch.operator_hold_until) then dispatch.operator_hold_until
    end;
  end if;
  if not is_paced or leaves_at is null then
    return;
  end if;
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if not is_held_by_operator then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
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

-- claim_due_messages: ends messages that were due after their expires_at: they become `expired` instead
-- of being claimed. The caller holds their queue rows. What another session holds is left for later:
-- nothing waits here. The caller sees to it that the instance gets its next due time.
create or replace function messaging.expire_due_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  late uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    join messaging.pacing p on p.instance_id = any (array[m.instance_id])
    where m.id = any (message_ids) and m.status = 'queued' and m.expires_at <= clock
    order by m.instance_id, m.id
    for no key update of m, p skip locked
  ) as l;
  if late is null then
    return;
  end if;
  with taken as (
    delete from messaging.message_queue q where q.message_id = any (late)
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  update messaging.messages m set status = 'expired' where m.id = any (late);
  perform messaging.record_message_events(late, array['message.expired']);
  perform messaging.give_back_slots(gone);
end;
$$;
revoke all
on function messaging.expire_due_messages(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.expire_due_messages(uuid[], timestamptz) to service_role;

-- enqueue_message_later: the first slot from `not_before` on that lies in the send window and keeps its
-- distance from the messages that wait for their instants: one interval after the one before it, and the
-- next one's interval before that. `held_by` says what moved it, or NULL. Errors: MI010.
create or replace function messaging.free_slot_later(
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
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
  -- No interval and no typing is longer.
  reach constant interval := interval '61 minutes';
  pace constant interval := make_interval(secs => interval_seconds);
  other record;
  ends_at timestamptz;
  open_until timestamptz;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.fit_send_window(instance, not_before, typing) f;
  open_until := messaging.window_open_until(instance, slot);
  for other in
    select q.scheduled_at, make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
      and q.scheduled_at > slot - reach
    order by q.scheduled_at, q.position
  loop
    exit when other.scheduled_at > slot + typing + reach;
    ends_at := other.scheduled_at + other.typing;
    if slot < ends_at + pace and other.scheduled_at < slot + typing + other.pace then
      slot := ends_at + pace;
      held_by := 'interval';
      if slot + typing >= open_until then
        select f.slot, coalesce(f.held_by, 'interval') into slot, held_by
        from messaging.fit_send_window(instance, slot, typing) f;
        open_until := messaging.window_open_until(instance, slot);
      end if;
    end if;
  end loop;
end;
$$;
revoke all
on function messaging.free_slot_later(messaging.instances, integer, timestamptz, interval)
from public, anon, authenticated;
grant execute
on function messaging.free_slot_later(messaging.instances, integer, timestamptz, interval)
to service_role;

-- Gives back what rows that were taken out of the queue unsent had: the instance's last slot, and the
-- places in its days' counts (see give_back_places). Any other slot stays unused, so that no other message
-- moves. `gone`: the rows as they were, without a claim. The caller holds the pacing rows.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.give_back_slots(gone messaging.message_queue[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = p.instance_id and q.lane = 'paced'
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  from unnest(gone) as g
  join messaging.messages m on m.id = any (array[g.message_id])
  where g.lane = 'paced' and p.instance_id = any (array[g.instance_id])
    and p.last_slot_at = g.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0);
  perform messaging.give_back_places(gone);
end;
$$;
revoke all
on function messaging.give_back_slots(messaging.message_queue[])
from public, anon, authenticated;
grant execute on function messaging.give_back_slots(messaging.message_queue[]) to service_role;

-- Whether the columns of a message's state agree: known values, `received` for inbound messages and
-- only for them, an instant for everything that was sent or received, and a content that fits the type
-- (see is_message_content).
-- One function instead of several CHECK constraints: Postgres parses constraints again for each
-- statement that writes a message, which took a sixth of the time of queuing one. Branches instead of
-- one expression: each expression is prepared again in each transaction, if it is reached.
create or replace function messaging.is_message_state(
  direction text,
  status text,
  mode text,
  held_by text,
  sent_at timestamptz,
  message_type text,
  content jsonb
)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if sent_at is null and status in ('sent', 'delivered', 'read', 'received') then
    return false;
  end if;
  if direction = 'outbound' then
    if status not in (
      'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed', 'expired'
    ) then
      return false;
    end if;
  elsif direction <> 'inbound' or status <> 'received' then
    return false;
  end if;
  if mode not in ('sent', 'queued', 'scheduled') then
    return false;
  end if;
  if held_by not in (
    'interval', 'window', 'holiday', 'delay', 'daily_limit', 'new_contacts', 'warm_up'
  ) then
    return false;
  end if;
  if message_type = 'text' then
    return content is null;
  end if;
  return messaging.is_message_content(message_type, content);
end;
$$;
revoke all
on function messaging.is_message_state(text, text, text, text, timestamptz, text, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.is_message_state(text, text, text, text, timestamptz, text, jsonb)
to service_role;

-- The table of what a provider's event (sent, delivered, read, failed) may change: under which condition
-- it moves an outbound message out of `status`. NULL for a pair that is not listed: such an event is
-- late or repeated, and changes nothing. Each condition compares the event's provider message id with
-- the id that the message has:
--   always           whatever the ids are
--   new_id           not the same id: one that is known before an attempt ends is an earlier attempt's
--   claimed_new_id   as new_id, and a worker has the message in hand
--   same_id          not another id: that is an earlier attempt's
--   other_id         another id, and both are known
-- advance_message applies it.
create or replace function messaging.message_transition(status text, event text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case status || ' > ' || event
    -- Waits in the queue, or a paced message in flight.
    when 'queued > sent'           then 'new_id'          -- it left, though its answer was lost
    when 'queued > delivered'      then 'always'          -- the customer has it
    when 'queued > read'           then 'always'          -- the customer has it
    when 'queued > failed'         then 'claimed_new_id'  -- while it only waits it cannot have failed
    -- An immediate message in flight.
    when 'sending > sent'          then 'new_id'          -- the event came before the answer
    when 'sending > delivered'     then 'always'          -- the event came before the answer
    when 'sending > read'          then 'always'          -- the event came before the answer
    when 'sending > failed'        then 'new_id'          -- the event came before the answer
    -- The outcome of its call is unknown: the event tells it.
    when 'unconfirmed > sent'      then 'new_id'          -- it left
    when 'unconfirmed > delivered' then 'always'          -- it left
    when 'unconfirmed > read'      then 'always'          -- it left
    when 'unconfirmed > failed'    then 'new_id'          -- it did not leave
    -- The provider has accepted it.
    when 'sent > delivered'        then 'always'          -- forward
    when 'sent > read'             then 'always'          -- forward; not every provider tells both
    when 'sent > failed'           then 'same_id'         -- the attempt that was accepted has failed
    -- Has arrived: it cannot fail any more.
    when 'delivered > read'        then 'always'          -- forward
    -- Left the queue unsent, and had left after all.
    when 'canceled > sent'         then 'new_id'          -- a claim was settled too late
    when 'canceled > delivered'    then 'always'          -- the customer has it
    when 'canceled > read'         then 'always'          -- the customer has it
    when 'expired > sent'          then 'new_id'          -- a claim was settled too late
    when 'expired > delivered'     then 'always'          -- the customer has it
    when 'expired > read'          then 'always'          -- the customer has it
    -- One attempt has failed; only that another attempt has arrived counts.
    when 'failed > delivered'      then 'other_id'        -- the customer has it
    when 'failed > read'           then 'other_id'        -- the customer has it
  end;
end;
$$;
revoke all on function messaging.message_transition(text, text) from public, anon, authenticated;
grant execute on function messaging.message_transition(text, text) to service_role;

-- Puts an accepted message where its delivery requires: `queued` into the paced lane, `scheduled`
-- (delayed, for an instant of the caller's, or deferred to the dispatcher) into the unpaced lane, else `sent`: claimed by the caller
-- for leaseSeconds and tried once. See accept_message for `delivery`, enqueue_message for `typing`.
-- `slot` and `held_by` are NULL for an immediate message, `claim_token` for all others.
create or replace function messaging.place_message(
  message_id uuid,
  instance messaging.instances,
  delivery jsonb,
  typing interval,
  contact_id uuid,
  out mode text,
  out slot timestamptz,
  out held_by text,
  out claim_token uuid
)
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  send_at constant timestamptz := date_trunc(
    'milliseconds', (delivery->'timing'->>'sendAt')::timestamptz
  );
  not_before constant timestamptz := greatest(
    clock + make_interval(secs => coalesce((delivery->>'delaySeconds')::double precision, 0)), send_at
  );
  is_delayed constant boolean := not_before > clock;
  lease_until timestamptz;
  enqueued record;
  is_new boolean;
  counted_on date;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    if send_at > clock then
      enqueued := messaging.enqueue_message_later(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    else
      enqueued := messaging.enqueue_message(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    end if;
    slot := enqueued.slot;
    held_by := coalesce(enqueued.held_by, case when is_delayed then 'delay' end);
  elsif is_delayed or (delivery->>'isDeferred')::boolean then
    mode := 'scheduled';
    slot := not_before;
    held_by := case when is_delayed then 'delay' end;
    if instance.protection is not null then
      select c.is_new, c.counted_on into is_new, counted_on
      from messaging.count_unpaced_send(instance.id, contact_id, slot) c;
    end if;
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, is_new, counted_on
    )
    values (
      message_id, instance.id, 'unpaced', slot, slot, is_new, counted_on
    );
  else
    mode := 'sent';
    if instance.protection is not null then
      perform messaging.count_unpaced_send(instance.id, contact_id, not_before);
    end if;
    claim_token := gen_random_uuid();
    lease_until := clock_timestamp()
      + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
      lease_until
    )
    values (
      message_id, instance.id, 'unpaced', not_before, lease_until, 1, 1, claim_token, lease_until
    );
  end if;
end;
$$;
revoke all
on function messaging.place_message(uuid, messaging.instances, jsonb, interval, uuid)
from public, anon, authenticated;
grant execute
on function messaging.place_message(uuid, messaging.instances, jsonb, interval, uuid)
to service_role;

-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        exists (
          select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
        ),
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute',
        call.idempotency, call.message, call.delivery,
        coalesce(former.message_id, gen_random_uuid()),
        coalesce(former.claim_token, gen_random_uuid()),
        coalesce(own.id, shown.id), v.id,
        case when call.message->>'sentBy' = 'operator' then v.assigned_to end,
        nullif(call.phone, coalesce(own.phone, shown.phone)),
        (
          select a.address from messaging.contact_addresses a
          where a.contact_id = coalesce(own.id, shown.id)
          order by a.proven_at desc
          limit 1
        ),
        former.paused_until
      )::messaging.acceptance
      order by call.place
    )
    from rows from (
      jsonb_to_recordset(calls) as (
        "instanceId" uuid, phone text, idempotency jsonb, assignment jsonb, agent jsonb,
        message jsonb, delivery jsonb, authentication jsonb
      )
    ) with ordinality as call (
      instance_id, phone, idempotency, assignment, agent, message, delivery, authentication, place
    )
    left join unnest(known) as former on former.place = call.place
    -- "offset 0" keeps each look-up to itself: whatever the statistics, it has both columns of its key.
    cross join lateral (
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.protection,
        n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.id, k.last_used_at
      from messaging.client_tokens k
      where k.token_hash = call.authentication->>'tokenHash' and k.instance_id = i.id
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
        and (k.scopes is null or 'send' = any (k.scopes))
        and i.version = call.authentication->>'instanceVersion'
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where own.id is null and c.id = (
        select a.contact_id from messaging.contact_addresses a
        where a.instance_id = i.id and a.identity_key = wanted.identity_key
      )
      offset 0
    ) as shown on true
    left join lateral (
      select c.id, c.assigned_to
      from messaging.conversations c
      where c.contact_id = coalesce(own.id, shown.id)
      offset 0
    ) as v on true
    where call.phone is not null and call.message is not null and call.assignment is null and call.agent is null
      and call.message->>'sentBy' is distinct from 'ai_agent'
      and not coalesce((call.delivery->>'queued')::boolean, false)
      and not coalesce((call.delivery->>'isDeferred')::boolean, false)
      and coalesce((call.delivery->>'delaySeconds')::double precision, 0) <= 0
      -- Its sends are counted, one by one: see count_unpaced_send.
      and i.protection is null
      and call.delivery->>'timing' is null
      and not coalesce(own.is_blocked, shown.is_blocked, false)
      and not (
        call.message->>'purpose' is not distinct from 'marketing'
        and coalesce(own.consent_marketing, shown.consent_marketing, 'unknown') = 'denied'
      )
      and not (
        i.provider_class = 'official' and call.message->>'messageType' <> 'template'
        and coalesce(own.last_inbound_at, shown.last_inbound_at, 'infinity')
          < clock_timestamp() - interval '24 hours'
      )
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;
revoke all
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
to service_role;

-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment, without an agent and without a time of its own (delivery.timing), to a contact that is found by its own phone, has a conversation and
-- may be written to, by a client that is authenticated (see require_client).
-- `request`, the result, the order of the locks and the errors are accept_message's. Each step does what
-- the step of the same name in record_sending_call does.
-- Returns NULL where the call is not plain: nothing is written or locked then, and nothing refused.
-- Plans must not depend on statistics: there may be ten contacts or a million.
-- Errors: 40001 where the contact was merged since it was read; the call must be repeated.
create or replace function messaging.record_plain_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft constant jsonb := request->'message';
  delivery constant jsonb := request->'delivery';
  given_hash constant text := request->'authentication'->>'tokenHash';
  given_phone constant text := request->>'phone';
  wanted_key constant text := messaging.phone_identity_key(given_phone);
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := clock_timestamp();
  is_immediate constant boolean := (delivery->>'queued')::boolean is not true
    and (delivery->>'isDeferred')::boolean is not true
    and coalesce((delivery->>'delaySeconds')::double precision, 0) <= 0;
  lease_ends_at timestamptz;
  message_id constant uuid := gen_random_uuid();
  claim_token constant uuid := gen_random_uuid();
  mode text := 'sent';
  status constant text := case when is_immediate then 'sending' else 'queued' end;
  known record;
  recorded jsonb;
  paused_until timestamptz;
  placed record;
  slot timestamptz;
  held_by text;
begin
  if draft->>'messageType' is null or given_phone is null or draft->>'sentBy' = 'ai_agent'
    or request->>'assignment' is not null or request->>'agent' is not null
    or delivery->>'timing' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, i.protection is not null as is_protected, t.id as token_id,
    t.last_used_at is null or t.last_used_at < clock - interval '1 minute'
      as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = given_hash and t.instance_id = i.id
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock)
    and (t.scopes is null or 'send' = any (t.scopes))
    and i.xmin::text = request->'authentication'->>'instanceVersion'
  left join lateral (
    select a.address from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and not c.is_blocked
    and not (c.consent_marketing = 'denied' and draft->>'purpose' is not distinct from 'marketing')
    and not (
      i.provider_class = 'official' and draft->>'messageType' <> 'template'
      and coalesce(c.last_inbound_at, 'infinity') < clock - interval '24 hours'
    )
    and (request->>'authentication' is null or t.id is not null);
  if not found then
    return null;
  end if;
  if known.token_id is not null and known.is_token_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;

  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is null then
    perform from messaging.contacts c where c.id = known.contact_id for key share;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
    if known.has_agent then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    end if;
    if is_immediate then
      if known.is_protected then
        perform messaging.count_unpaced_send(known.instance_id, known.contact_id, clock);
      end if;
      -- place_message, written out. The lease begins after all waits.
      lease_ends_at := clock_timestamp()
        + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
      insert into messaging.message_queue (
        message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts,
        claim_token, lease_until
      ) values (
        message_id, known.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease_ends_at, 1,
        1, claim_token, lease_ends_at
      );
    else
      placed := messaging.place_message(
        message_id, known.instance, delivery,
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0),
        known.contact_id
      );
      mode := placed.mode;
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
      held_by, phone_given, metadata, purpose
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone), nullif(draft->'metadata', 'null'), draft->>'purpose'
    );
    if not is_immediate then
      placed := messaging.held_departure(message_id, known.instance, slot, held_by);
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    if paused_until is not null then
      perform messaging.touch_contacts(array[known.contact_id]);
    end if;
    recorded := jsonb_build_object(
      'mode', mode,
      'contactId', known.contact_id,
      'conversationId', known.conversation_id,
      'agentId', null,
      'assignment', null,
      'messageId', message_id,
      'status', status,
      'scheduledFor', messaging.iso_in_zone(slot, known.time_zone),
      'heldBy', held_by,
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, known.time_zone),
      'claimToken', case when is_immediate then claim_token end,
      'to', case when is_immediate then coalesce(known.address, given_phone) end
    );
    if has_key then
      perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
    end if;
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, request->'authentication'->>'functionName', known.requests_per_minute
  );
end;
$$;
revoke all on function messaging.record_plain_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_call(jsonb) to service_role;

-- Records any sending call, also one that record_plain_call leaves: contact, conversation, assignment, message, slot, agent pause, idempotency
-- key. `request`, the result, the order of the locks and the errors are accept_message's.
create or replace function messaging.record_sending_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  timing constant jsonb := nullif(delivery->'timing', 'null');
  replayed constant jsonb := messaging.begin_idempotent(request);
  assignment jsonb;
  agent_id uuid;
  outcome jsonb;
  mode text;
  message_id constant uuid := gen_random_uuid();
  claim_token uuid;
  slot timestamptz;
  held_by text;
  placed record;
  departure record;
  paused_until timestamptz;
  is_pausing boolean := false;
  send_address text;
begin
  if (replayed->'replayed'->>'isAttemptDue')::boolean then
    return messaging.attempt_again(request, replayed->'replayed');
  elsif replayed is not null then
    return replayed;
  end if;
  if draft is not null and timing is not null then
    perform messaging.check_timing(timing);
  end if;

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft is not null then
    perform messaging.refuse_unreachable_contact(instance, contact, draft->>'messageType');
    perform messaging.refuse_opted_out(contact, draft->>'purpose');
    send_address := messaging.channel_send_address(
      instance, contact, request->>'phone',
      draft->'content'->'template'->'needsPhone' is not null
    );
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;

  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    perform messaging.take_agent_turn(
      conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
      (request->'agent'->>'answersThrough')::bigint
    );
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;

  if draft is null then
    mode := 'assign_only';
  else
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent' then
      paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
      is_pausing := true;
      if paused_until is not null then
        perform messaging.note_contact(contact.id);
      end if;
    end if;
    placed := messaging.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0), contact.id
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
    claim_token := placed.claim_token;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given,
      metadata, purpose, expires_at, cancel_key
    ) values (
      message_id, instance.id, contact.id, conversation.id, 'outbound', draft->>'messageType',
      draft->>'message', nullif(draft->'content', 'null'), draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then
        coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to)
      end,
      agent_id, (draft->>'delayTypingMs')::integer, mode,
      (delivery->>'intervalSeconds')::integer,
      case mode when 'sent' then 'sending' else 'queued' end, slot, held_by,
      case when request->>'phone' is distinct from contact.phone then request->>'phone' end,
      nullif(draft->'metadata', 'null'), draft->>'purpose',
      (timing->>'expiresAt')::timestamptz, timing->>'cancelKey'
    );
  end if;

  if mode in ('queued', 'scheduled') then
    departure := messaging.held_departure(message_id, instance, slot, held_by);
    slot := departure.slot;
    held_by := departure.held_by;
  end if;
  perform messaging.touch_noted_contacts();
  if not is_pausing then
    select p.paused_until into paused_until from messaging.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock_timestamp();
  end if;

  outcome := jsonb_build_object(
    'mode', mode,
    'contactId', contact.id,
    'conversationId', conversation.id,
    'agentId', agent_id,
    'assignment', assignment,
    'messageId', case when draft is not null then message_id end,
    'status', case mode when 'assign_only' then null when 'sent' then 'sending' else 'queued' end,
    'scheduledFor', messaging.iso_in_zone(slot, instance.time_zone),
    'heldBy', held_by,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
  );
  return messaging.keep_outcome(
    request, outcome, case when draft is not null then message_id end
  ) || jsonb_build_object(
    'claimToken', claim_token,
    'to', case when mode = 'sent' then send_address end
  );
end;
$$;
revoke all on function messaging.record_sending_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_sending_call(jsonb) to service_role;

-- Takes waiting messages out of the queue for good: they become `status`, canceled or expired. A message
-- in flight stays: its claim says what becomes of it. Their slots are given back (see give_back_slots).
-- Returns the ids of those that were withdrawn.
-- The caller holds the messages. Locks pacing, then dispatch. Tries the queue rows without waiting: their
-- holders are about to send the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.withdraw_messages(message_ids uuid[], status text)
returns uuid[]
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance_ids uuid[];
  withdrawn uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(distinct m.instance_id) into instance_ids
  from messaging.messages m
  where m.id = any (message_ids);
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids)
  order by p.instance_id
  for no key update;
  with waiting as materialized (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = any (message_ids) and w.claim_token is null
    for update skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q order by (taken.q).message_id) into gone from taken;
  if gone is null then
    return '{}';
  end if;
  withdrawn := array(select g.message_id from unnest(gone) as g);
  update messaging.messages m
  set status = withdraw_messages.status,
    canceled_at = case when withdraw_messages.status = 'canceled' then clock end
  where m.id = any (withdrawn);
  perform messaging.record_message_events(
    withdrawn, array['message.' || withdraw_messages.status]
  );
  perform messaging.give_back_slots(gone);
  perform messaging.refresh_dispatch(instance_ids);
  return withdrawn;
end;
$$;
revoke all on function messaging.withdraw_messages(uuid[], text) from public, anon, authenticated;
grant execute on function messaging.withdraw_messages(uuid[], text) to service_role;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as withdraw_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  if cardinality(messaging.withdraw_messages(array[message.id], 'canceled')) = 0 then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- messages-api: cancels all messages that still wait under a cancelKey. `request`: instanceId, cancelKey.
-- What is being sent, or has another state, stays. Returns {canceled}: how many.
-- Locks the messages in the order of their ids, then as withdraw_messages.
create or replace function public.cancel_messages_by_key(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
    else cardinality(messaging.withdraw_messages(waiting, 'canceled'))
  end);
end;
$$;
revoke all on function public.cancel_messages_by_key(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_messages_by_key(jsonb) to service_role;

-- Ends messages that wait beyond their expires_at: they become `expired`, the oldest first, at most
-- `request`.maxMessages a call. A message in flight stays, and one that another session holds is left
-- for later. Returns {expired}: how many.
-- Claims look at expires_at too (see expire_due_messages): this is for what was not due by then.
-- Locks the messages, then as withdraw_messages.
create or replace function public.expire_messages(request jsonb)
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
  clock constant timestamptz := clock_timestamp();
  late uuid[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    where m.expires_at <= clock and m.status = 'queued'
      and exists (
        select from messaging.message_queue q
        where q.message_id = m.id and q.claim_token is null
      )
    order by m.expires_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  ) as l;
  return jsonb_build_object('expired', case
    when late is null then 0
    else cardinality(messaging.withdraw_messages(late, 'expired'))
  end);
end;
$$;
revoke all on function public.expire_messages(jsonb) from public, anon, authenticated;
grant execute on function public.expire_messages(jsonb) to service_role;

-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI034 (the contact has denied marketing by now); MI007; MI008; MI012 (any other state; its
-- expires_at has come; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
create or replace function public.retry_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  message := messaging.find_message(request);
  if message.status not in ('failed', 'unconfirmed') or message.expires_at <= clock_timestamp()
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable';
  end if;
  select c.* into contact from messaging.contacts c where c.id = message.contact_id;
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  perform messaging.refuse_opted_out(contact, message.purpose);
  perform messaging.requeue_message(message);
  -- What had been sent, and failed, is no longer the last message.
  if message.sent_at is not null then
    perform messaging.note_contact(message.contact_id);
    perform messaging.touch_noted_contacts();
  end if;
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
end;
$$;
revoke all on function public.retry_message(jsonb) from public, anon, authenticated;
grant execute on function public.retry_message(jsonb) to service_role;

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
        and coalesce(u.expires_at > clock, true)
        -- An operator has decided about these after a restore: see settle_may_have_left.
        and u.last_error->>'code' is distinct from 'may_have_left'
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
      and not exists (
        select from messaging.dispatch d
        where d.instance_id = i.id and d.operator_hold_until > clock
      )
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

alter table messaging.messages add column if not exists cancel_key text;

alter table messaging.messages add column if not exists expires_at timestamp with time zone;

comment on column messaging.messages.cancel_key is
  'The caller''s name for messages that it may cancel together while they wait.';

comment on column messaging.messages.expires_at is
  'What has not left by then is never sent: it becomes `expired`. NULL for no end.';

create index if not exists messages_cancel_key on messaging.messages (instance_id, cancel_key)
where cancel_key is not null and status = 'queued';

-- Only what still waits: most messages are in neither, so that a plain send writes neither.
create index if not exists messages_expiring on messaging.messages (expires_at)
where expires_at is not null and status = 'queued';
