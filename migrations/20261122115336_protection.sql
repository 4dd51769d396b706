set local check_function_bodies = off;

drop function messaging.enqueue_message(uuid,messaging.instances,integer,timestamp with time zone,interval);

drop function messaging.fitted_slots(messaging.instances,messaging.slot_moves);

drop function messaging.place_message(uuid,messaging.instances,jsonb,interval);

-- What an instance with protection has sent and promised, by its own (local) day. Changed only under the
-- instance's row of pacing, so that no two enqueues count past each other. Instances without protection
-- have no rows.
-- A waiting message counts on the day of its slot, also when that day is over: what is overdue takes the
-- next places, see begin_walk. A claim makes it sent on the day of the claim.
create table messaging.paced_days (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  day date not null,
  sent integer not null default 0,
  sent_new integer not null default 0,
  waiting integer not null default 0,
  waiting_new integer not null default 0,
  last_left_at timestamptz,
  starts_at timestamptz,
  is_over boolean not null default false,
  constraint paced_days_pkey primary key (instance_id, day)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.paced_days enable row level security;
revoke all on table messaging.paced_days from public, anon, authenticated;
grant select, insert, update, delete on table messaging.paced_days to service_role;
comment on column messaging.paced_days.sent_new is
  'How many of them went to a contact to whom nothing had been sent and who had never written.';
comment on column messaging.paced_days.last_left_at is
  'When the message of the day''s last slot will have left.';
comment on column messaging.paced_days.starts_at is
  'Until when a message of the day before must have left, by the interval of the day''s first slot.';
comment on column messaging.paced_days.is_over is
  'A message found no time left on this day: the next ones go behind it, on a later day.';
-- A walk over an instance's slots, in order: see next_slot. The arrays are about its days, from
-- `first_day`; an instance without protection has none, and `last_left_at` says all.
create type messaging.slot_walk as (
  clock timestamptz,
  last_left_at timestamptz,
  opens_at timestamptz,
  closes_at timestamptz,
  jitter_seconds integer,
  daily_limit integer,
  new_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  first_day date,
  taken integer[],
  taken_new integer[],
  left_at timestamptz[],
  starts_at timestamptz[],
  is_over boolean[],
  opened_at timestamptz[],
  closed_at timestamptz[],
  known_from integer,
  known_reason text,
  new_from integer,
  new_reason text,
  slot timestamptz,
  day date,
  interval_seconds integer,
  held_by text
);
comment on column messaging.slot_walk.clock is
  'No slot lies before. Whoever walks ahead of the time moves it forward, never back.';
comment on column messaging.slot_walk.opens_at is
  'From here until closes_at the send window is known to be open; opened_at and closed_at say so of a day.';
comment on column messaging.slot_walk.known_from is
  'The first day, counted from 1, that may have a place for a known contact; new_from for a new one. The reasons say what closed the days before.';

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
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled')
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

-- Counts what an instance's protection counts: called when its protection or its time zone has changed,
-- before plan_slot_moves, which counts what waits. What was sent today is counted once, from the
-- messages; after that, each claim and each immediate send counts itself. Without protection nothing
-- is kept. The caller holds the pacing row.
create or replace function messaging.begin_protection(instance messaging.instances)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  today constant date := (clock_timestamp() at time zone instance.time_zone)::date;
  midnight constant timestamptz := today::timestamp at time zone instance.time_zone;
begin
  update messaging.pacing p
  set is_protected = instance.protection is not null
  where p.instance_id = instance.id;
  if instance.protection is null then
    delete from messaging.paced_days d where d.instance_id = instance.id;
    return;
  end if;
  if not exists (select from messaging.paced_days d where d.instance_id = instance.id) then
    insert into messaging.paced_days (instance_id, day, sent, sent_new)
    select instance.id, today, coalesce(sum(s.messages), 0), count(*) filter (where s.is_new)
    from (
      select count(*) as messages, not exists (
        select from messaging.messages before
        where before.contact_id = m.contact_id and before.sent_at < midnight
      ) as is_new
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.status <> 'failed'
        and m.sent_at >= midnight and not m.is_typed_on_phone
      group by m.contact_id
    ) as s;
  end if;
  if instance.protection ? 'newContactsPerDay' then
    update messaging.message_queue q
    set is_new = w.is_new
    from (
      select p.message_id,
        row_number() over (partition by m.contact_id order by p.scheduled_at, p.position) = 1
          and messaging.is_new_contact(m.contact_id) as is_new
      from messaging.message_queue p
      join messaging.messages m on m.id = any (array[p.message_id])
      where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    ) as w
    where q.message_id = any (array[w.message_id]) and q.is_new is distinct from w.is_new;
  end if;
end;
$$;
revoke all
on function messaging.begin_protection(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.begin_protection(messaging.instances) to service_role;

-- The state from which next_slot gives an instance's next slots at `clock`, as it is stored now. What is
-- overdue takes places of the first day. Reads pacing and paced_days, and locks nothing: an enqueue
-- holds the pacing row, a forecast may be overtaken.
create or replace function messaging.begin_walk(instance messaging.instances, clock timestamptz)
returns messaging.slot_walk
language plpgsql
stable
set search_path = ''
as $$
declare
  walk messaging.slot_walk;
  counted messaging.paced_days;
  place integer;
begin
  walk.clock := begin_walk.clock;
  if instance.protection is null then
    select p.last_slot_at into walk.last_left_at
    from messaging.pacing p where p.instance_id = instance.id;
    return walk;
  end if;
  walk.jitter_seconds := (instance.protection->>'jitterSeconds')::integer;
  walk.daily_limit := (instance.protection->>'dailyLimit')::integer;
  walk.new_limit := (instance.protection->>'newContactsPerDay')::integer;
  walk.warm_up_start := (instance.protection->'warmUp'->>'startPerDay')::integer;
  walk.warm_up_days := (instance.protection->'warmUp'->>'rampDays')::integer;
  walk.warm_up_from := messaging.warm_up_from(instance);
  walk.first_day := (clock at time zone instance.time_zone)::date;
  walk.known_from := 1;
  walk.new_from := 1;
  for counted in
    select d.* from messaging.paced_days d where d.instance_id = instance.id order by d.day
  loop
    place := counted.day - walk.first_day + 1;
    if place < 1 then
      walk.last_left_at := greatest(walk.last_left_at, counted.last_left_at);
      walk.taken[1] := coalesce(walk.taken[1], 0) + counted.waiting;
      walk.taken_new[1] := coalesce(walk.taken_new[1], 0) + counted.waiting_new;
    else
      walk.taken[place] := coalesce(walk.taken[place], 0) + counted.waiting + counted.sent;
      walk.taken_new[place] := coalesce(walk.taken_new[place], 0)
        + counted.waiting_new + counted.sent_new;
      walk.left_at[place] := counted.last_left_at;
      walk.starts_at[place] := counted.starts_at;
      walk.is_over[place] := counted.is_over;
    end if;
  end loop;
  return walk;
end;
$$;
revoke all
on function messaging.begin_walk(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.begin_walk(messaging.instances, timestamptz) to service_role;

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is given back: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  instance_ids uuid[];
  canceled uuid[];
  rows_gone messaging.message_queue[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q
  )
  select array_agg((gone.q).message_id), array_agg(gone.q) into canceled, rows_gone from gone;
  perform messaging.give_back_places(rows_gone);
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = any (canceled);
  perform messaging.record_message_events(canceled, array['message.canceled']);
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;
revoke all
on function messaging.cancel_restored_messages(uuid[])
from public, anon, authenticated;
grant execute on function messaging.cancel_restored_messages(uuid[]) to service_role;

-- An instance's protection after a change: what is given replaces what is set, member by member; a null
-- member removes it, and null the whole. NULL where nothing remains.
create or replace function messaging.changed_protection(protection jsonb, changes jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when jsonb_typeof(changes) = 'object'
      then nullif(jsonb_strip_nulls(coalesce(protection, '{}') || changes), '{}')
  end;
$$;
revoke all on function messaging.changed_protection(jsonb, jsonb) from public, anon, authenticated;
grant execute on function messaging.changed_protection(jsonb, jsonb) to service_role;

-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window. Returns the ids.
-- Heads of instances with protection are left to claim_protected_messages.
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
    select due.instance_id, leaving.message_id, leaving.typing, i.protection is not null as is_protected
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
    )
  into claimed_ids, stalled, protected;

  if protected is not null then
    claimed_ids := claimed_ids || messaging.claim_protected_messages(protected, lease, clock);
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

-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them. A queue that was held over midnight must not burst, and immediate sends may have
-- taken places that were promised: where no place is left, the waiting messages get new slots (see
-- plan_slot_moves), which the dispatcher's maintenance does. The caller has locked dispatch and the queue
-- rows. Tries the pacing rows without waiting: an enqueue locks the two in the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[],
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  head record;
  walk messaging.slot_walk;
  counts_as_new boolean;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing,
      (clock at time zone i.time_zone)::date as today
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    counts_as_new := coalesce(head.takes_new, false) and messaging.is_new_contact(head.contact_id);
    walk := messaging.begin_walk(head.instance, clock);
    select array[d.sent], array[d.sent_new] into walk.taken, walk.taken_new
    from messaging.paced_days d
    where d.instance_id = head.instance_id and d.day = head.today;
    if messaging.refused_place(walk, 1, counts_as_new) is not null then
      perform messaging.request_slot_plan(head.instance_id, clock);
      continue;
    end if;

    update messaging.paced_days d
    set waiting = greatest(d.waiting - 1, 0),
      waiting_new = greatest(d.waiting_new - coalesce(head.takes_new, false)::integer, 0)
    where d.instance_id = head.instance_id
      and d.day = (head.scheduled_at at time zone (head.instance).time_zone)::date;
    insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
    values (head.instance_id, head.today, 1, counts_as_new::integer)
    on conflict on constraint paced_days_pkey do update
    set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = head.today,
      is_new = counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing
    where d.instance_id = head.instance_id;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;
revoke all
on function messaging.claim_protected_messages(uuid[], interval, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.claim_protected_messages(uuid[], interval, timestamptz)
to service_role;

-- Counts a message that leaves when its caller says, at once or after a delay, on the day that it is due:
-- it takes a place of that day's limits, and is never held by them. Only for instances with protection.
-- Locks pacing.
create or replace function messaging.count_unpaced_send(
  instance_id uuid,
  contact_id uuid,
  due_at timestamptz,
  out counted_on date,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  perform from messaging.pacing p
  where p.instance_id = count_unpaced_send.instance_id for no key update;
  instance := messaging.find_instance(instance_id);
  if instance.protection is null then
    return;
  end if;
  counted_on := (due_at at time zone instance.time_zone)::date;
  is_new := instance.protection ? 'newContactsPerDay' and messaging.is_new_contact(contact_id);
  insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
  values (instance.id, counted_on, 1, is_new::integer)
  on conflict on constraint paced_days_pkey do update
  set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
end;
$$;
revoke all
on function messaging.count_unpaced_send(uuid, uuid, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.count_unpaced_send(uuid, uuid, timestamptz)
to service_role;

-- How many messages an instance may send on a day: its daily limit, or what its warm-up allows where
-- that is less. NULL is no limit. On day n of the warm-up, from 0, start + (target - start) * n / days,
-- rounded down; the target is the daily limit, or 1,000. The warm-up ends with the day that allows the
-- target.
create or replace function messaging.day_limit(
  daily_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  day date
)
returns integer
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  n constant bigint := greatest(day - warm_up_from, 0);
  target constant integer := coalesce(daily_limit, 1000);
begin
  if warm_up_days is null or n > warm_up_days then
    return daily_limit;
  end if;
  return warm_up_start + (target - warm_up_start) * n / warm_up_days;
end;
$$;
revoke all
on function messaging.day_limit(integer, integer, integer, date, date)
from public, anon, authenticated;
grant execute
on function messaging.day_limit(integer, integer, integer, date, date)
to service_role;

-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'instanceId', instance.id,
    'workspaceId', instance.workspace_id,
    'name', instance.name,
    'provider', instance.provider,
    'gatewayInstanceId', instance.gateway_instance_id,
    'businessInstanceId', instance.business_instance_id,
    'embedKey', instance.embed_key,
    'connectedPhone', instance.connected_phone,
    'timeZone', instance.time_zone,
    'sendWindow', jsonb_build_object(
      'start', to_char(instance.window_start, 'HH24:MI'),
      'end', to_char(instance.window_end, 'HH24:MI'),
      'days', to_jsonb(instance.window_days),
      'holidays', (
        select coalesce(jsonb_agg(h.day order by h.day), '[]')
        from messaging.holidays h where h.instance_id = instance.id
      )
    ),
    'optOut', jsonb_build_object(
      'keywords', to_jsonb(instance.opt_out_keywords),
      'resumeKeywords', to_jsonb(instance.opt_out_resume_keywords),
      'confirmation', instance.opt_out_confirmation
    ),
    'protection', instance.protection,
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_instance(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.describe_instance(messaging.instances) to service_role;

-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, `daily_limit`, `new_contacts`, `warm_up`, or NULL.
-- With protection the rules of next_slot hold; `jitter_seed` is the message's id where it is not given.
-- Without, they are written out here: others wait for this row.
create or replace function messaging.enqueue_message(
  message_id uuid,
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  contact_id uuid default null,
  jitter_seed text default null,
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
  is_protected boolean := instance.protection is not null;
  is_new boolean;
begin
  if not is_protected then
    -- The clock is read under the lock: Postgres computes the new row version after the wait.
    update messaging.pacing p
    set last_slot_at = greatest(
      not_before,
      date_trunc('milliseconds', clock_timestamp()),
      p.last_slot_at + make_interval(secs => interval_seconds)
    ) + typing
    where p.instance_id = instance.id
    returning p.last_slot_at - typing, p.is_protected, exists (
      select from messaging.holidays h
      where h.instance_id = p.instance_id
        and h.day = ((p.last_slot_at - typing) at time zone instance.time_zone)::date
    ) into strict slot, is_protected, is_on_holiday;
  end if;
  if is_protected then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    select t.slot, t.held_by, t.pace, t.is_new into slot, held_by, interval_seconds, is_new
    from messaging.take_protected_slot(
      instance.id, contact_id, interval_seconds, not_before, typing,
      coalesce(jitter_seed, message_id::text)
    ) t;
  else
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
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, interval_seconds, is_new
  )
  values (
    enqueue_message.message_id, instance.id, 'paced', slot, enqueue_message.interval_seconds, is_new
  )
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
on function messaging.enqueue_message(
  uuid,
  messaging.instances,
  integer,
  timestamptz,
  interval,
  uuid,
  text
)
from public, anon, authenticated;
grant execute
on function messaging.enqueue_message(
  uuid,
  messaging.instances,
  integer,
  timestamptz,
  interval,
  uuid,
  text
)
to service_role;

-- Computes the slots of a stretch of an instance's waiting messages under its present send window, in
-- order. A message that would leave while the window is closed moves to its opening; the messages
-- behind it move as far as their intervals require. No slot becomes earlier. Where the window never
-- opens again the remaining messages keep their slots.
-- `clock`: an earlier slot is treated as `clock`. `left_before`: when the message before the stretch
-- will have left, NULL where it does not move. In a row, `held_by` is NULL where the message keeps its
-- slot, and `left_at` is NULL until a message has moved: up to there all keep what they were promised.
-- With protection the limits of the days hold too, see next_slot: the walk goes on from the stretch's, or
-- begins from what is stored. `walk`: its state before the row, of every `walk_every`th row from the first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.fitted_slots(
  instance messaging.instances,
  stretch messaging.slot_moves,
  walk_every integer default null
)
returns table (
  message_id uuid,
  scheduled_at timestamptz,
  queue_position bigint,
  slot timestamptz,
  held_by text,
  left_at timestamptz,
  is_new boolean,
  interval_seconds integer,
  walk messaging.slot_walk
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
  is_protected constant boolean := instance.protection is not null;
  state messaging.slot_walk := stretch.walk;
  rows_before integer := 0;
begin
  left_at := stretch.left_at;
  if is_protected and state.first_day is null then
    state := messaging.begin_walk(instance, stretch.planned_at);
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.position, q.interval_seconds,
      is_protected and q.is_new and messaging.is_new_contact(m.contact_id) as is_new,
      make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
    message_id := waiting.message_id;
    scheduled_at := waiting.scheduled_at;
    queue_position := waiting.position;
    if is_protected then
      is_new := waiting.is_new;
      interval_seconds := waiting.interval_seconds;
      walk := case when rows_before % walk_every = 0 then state end;
      rows_before := rows_before + 1;
      begin
        state := messaging.next_slot(
          instance, state, interval_seconds, scheduled_at, waiting.typing, null, coalesce(is_new, false)
        );
      exception when sqlstate 'MI010' then
        return;
      end;
      slot := greatest(state.slot, scheduled_at);
      held_by := case
        when slot > greatest(scheduled_at, stretch.planned_at) then coalesce(state.held_by, 'interval')
      end;
      if held_by is null then
        slot := scheduled_at;
      end if;
      left_at := slot + waiting.typing;
      return next;
      continue;
    end if;
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
    return next;
  end loop;
end;
$$;
revoke all
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves, integer)
from public, anon, authenticated;
grant execute
on function messaging.fitted_slots(messaging.instances, messaging.slot_moves, integer)
to service_role;

-- Gives back the places in the days' counts of messages that were taken out of the queue unsent:
-- canceled, expired, moved, or arrived after all. `gone`: their rows as they were, without a claim. The
-- last slot of a day is free again; any other stays unused, so that no other message moves. Costs next to
-- nothing where no instance has protection. The caller holds the pacing rows.
create or replace function messaging.give_back_places(gone messaging.message_queue[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  freed record;
begin
  for freed in
    select g.instance_id, g.lane, g.is_new, i.time_zone,
      coalesce(g.counted_on, (g.scheduled_at at time zone i.time_zone)::date) as day,
      g.counted_on is not null as is_sent
    from unnest(gone) as g
    join messaging.instances i on i.id = any (array[g.instance_id])
    where i.protection is not null
    order by g.scheduled_at desc
  loop
    if freed.is_sent then
      update messaging.paced_days d
      set sent = greatest(d.sent - 1, 0),
        sent_new = greatest(d.sent_new - coalesce(freed.is_new, false)::integer, 0)
      where d.instance_id = freed.instance_id and d.day = freed.day;
    elsif freed.lane = 'paced' then
      update messaging.paced_days d
      set waiting = greatest(d.waiting - 1, 0),
        waiting_new = greatest(d.waiting_new - coalesce(freed.is_new, false)::integer, 0),
        last_left_at = messaging.last_departure_of_day(
          freed.instance_id, freed.day, freed.time_zone
        ),
        is_over = false
      where d.instance_id = freed.instance_id and d.day = freed.day;
    end if;
  end loop;
end;
$$;
revoke all
on function messaging.give_back_places(messaging.message_queue[])
from public, anon, authenticated;
grant execute on function messaging.give_back_places(messaging.message_queue[]) to service_role;

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
    if status not in
      ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed') then
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

-- Whether nothing was ever sent to a contact, and it never wrote.
create or replace function messaging.is_new_contact(contact_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return not exists (
    select from messaging.contacts c
    where c.id = is_new_contact.contact_id and c.last_inbound_at is not null
  ) and not exists (
    select from messaging.contact_activity a
    where a.contact_id = is_new_contact.contact_id and a.last_message_at is not null
  ) and not exists (
    select from messaging.messages m
    where m.contact_id = is_new_contact.contact_id and m.sent_at is not null
  );
end;
$$;
revoke all on function messaging.is_new_contact(uuid) from public, anon, authenticated;
grant execute on function messaging.is_new_contact(uuid) to service_role;

-- When the last of an instance's messages with a slot on that local day will have left, or the one that
-- left last where it was on that day. NULL where there is none.
create or replace function messaging.last_departure_of_day(
  instance_id uuid,
  day date,
  time_zone text
)
returns timestamptz
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = last_departure_of_day.instance_id and q.lane = 'paced'
        and q.scheduled_at >= day::timestamp at time zone time_zone
        and q.scheduled_at < (day + 1)::timestamp at time zone time_zone
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (
      select d.paced_from from messaging.dispatch d
      where d.instance_id = last_departure_of_day.instance_id and isfinite(d.paced_from)
        and (d.paced_from at time zone time_zone)::date = day
    )
  );
end;
$$;
revoke all
on function messaging.last_departure_of_day(uuid, date, text)
from public, anon, authenticated;
grant execute on function messaging.last_departure_of_day(uuid, date, text) to service_role;

-- next_slot of an instance with protection: the first day with a place and the time for it. `earliest`:
-- no slot before. Days are counted from 1, the walk's first.
-- Errors: MI010.
create or replace function messaging.next_protected_slot(
  instance messaging.instances,
  walk messaging.slot_walk,
  earliest timestamptz,
  typing interval,
  is_new boolean
)
returns messaging.slot_walk
language plpgsql
stable
set search_path = ''
as $$
declare
  pace constant interval := make_interval(secs => walk.interval_seconds);
  candidate timestamptz := earliest;
  -- Whether nothing that comes later in the walk may leave on this day before the candidate.
  is_first boolean := earliest = walk.clock;
  pointer integer := case when is_new then walk.new_from else walk.known_from end;
  pointer_reason text := case when is_new then walk.new_reason else walk.known_reason end;
  place integer := (earliest at time zone instance.time_zone)::date - walk.first_day + 1;
  behind timestamptz;
  fitted_place integer;
  refusal text;
  reason text;
  moved_by text;
begin
  if place < pointer then
    place := pointer;
    reason := pointer_reason;
    candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
    is_first := true;
  end if;
  loop
    refusal := messaging.refused_place(walk, place, is_new);
    if refusal is not null or walk.is_over[place] then
      reason := coalesce(refusal, reason);
      place := place + 1;
      if pointer = place - 1 then
        pointer := place;
        pointer_reason := reason;
      end if;
      candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
      is_first := true;
      continue;
    end if;

    behind := greatest(
      walk.left_at[place], case place when 1 then walk.last_left_at else walk.left_at[place - 1] end
    ) + pace;
    walk.slot := greatest(candidate, behind);
    if coalesce(
      walk.slot < walk.opened_at[place] or walk.slot + typing >= walk.closed_at[place], true
    ) then
      select f.slot, f.held_by into candidate, moved_by
      from messaging.fit_send_window(instance, walk.slot, typing) f;
      reason := coalesce(reason, moved_by);
      fitted_place := (candidate at time zone instance.time_zone)::date - walk.first_day + 1;
      if fitted_place > place then
        if behind = walk.slot then
          walk.is_over[place] := true;
        elsif is_first and pointer = place then
          pointer := fitted_place;
          pointer_reason := reason;
        end if;
        place := fitted_place;
        is_first := true;
        continue;
      end if;
      walk.slot := candidate;
      walk.opened_at[place] := walk.slot;
      walk.closed_at[place] := messaging.window_open_until(instance, walk.slot);
    end if;

    -- The first message of the next day needs its interval too.
    exit when coalesce(walk.slot + typing <= walk.starts_at[place + 1], true);
    if behind = walk.slot then
      walk.is_over[place] := true;
    end if;
    place := place + 1;
    candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
    is_first := false;
  end loop;

  walk.taken[place] := coalesce(walk.taken[place], 0) + 1;
  if is_new then
    walk.taken_new[place] := coalesce(walk.taken_new[place], 0) + 1;
    walk.new_from := pointer;
    walk.new_reason := pointer_reason;
  else
    walk.known_from := pointer;
    walk.known_reason := pointer_reason;
  end if;
  walk.left_at[place] := walk.slot + typing;
  walk.starts_at[place] := least(walk.starts_at[place], walk.slot - pace);
  walk.day := walk.first_day + place - 1;
  walk.held_by := coalesce(reason, case when walk.slot > earliest then 'interval' end);
  return walk;
end;
$$;
revoke all
on function messaging.next_protected_slot(
  messaging.instances,
  messaging.slot_walk,
  timestamptz,
  interval,
  boolean
)
from public, anon, authenticated;
grant execute
on function messaging.next_protected_slot(
  messaging.instances,
  messaging.slot_walk,
  timestamptz,
  interval,
  boolean
)
to service_role;

-- The one place of the slot rules: from the state of an instance's slots it yields the next slot, and the
-- state behind it. An enqueue takes one step from what is stored (see take_protected_slot), a changed
-- window or limit walks over the waiting messages (see fitted_slots), a forecast walks ahead of the time.
--
--   walk := messaging.begin_walk(instance, clock);
--   walk := messaging.next_slot(instance, walk, 60, not_before, interval '0', seed, false);
--   -- walk.slot, walk.held_by, walk.interval_seconds (with the jitter), walk.day
--
-- The slot is the later of `not_before`, the walk's clock, and one interval after the slot before; in the
-- send window, with `typing` after it. `not_before` may be NULL. `held_by` says what moved the slot.
-- With protection (see paced_days):
-- - The interval grows by a whole number of seconds from 0 to jitterSeconds, which `jitter_seed` alone
--   decides (no jitter where it is NULL). The queue row keeps that interval: a claim, a late queue and a
--   changed window respect it too.
-- - A day that has no place left passes the message on to the next one. A message to a contact that
--   `is_new` also needs one of the day's places for new contacts; those to known contacts pass it.
-- - Within a day a slot lies behind all others of the day. Where a message finds no time left on a day,
--   that day is over for all that come after it.
-- Takes constant time, however many days are full: a walk remembers from where on there may be a place.
-- Assigned, not selected, it costs no statement. Errors: MI010.
create or replace function messaging.next_slot(
  instance messaging.instances,
  walk messaging.slot_walk,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  jitter_seed text,
  is_new boolean
)
returns messaging.slot_walk
language plpgsql
stable
set search_path = ''
as $$
declare
  earliest constant timestamptz := greatest(not_before, walk.clock);
begin
  walk.interval_seconds := interval_seconds;
  if walk.first_day is not null then
    if walk.jitter_seconds > 0 and jitter_seed is not null then
      walk.interval_seconds := interval_seconds
        + ((hashtextextended(jitter_seed, 0) & 9223372036854775807) % (walk.jitter_seconds + 1));
    end if;
    return messaging.next_protected_slot(instance, walk, earliest, typing, is_new);
  end if;
  walk.slot := greatest(earliest, walk.last_left_at + make_interval(secs => interval_seconds));
  walk.held_by := case when walk.slot > earliest then 'interval' end;
  if coalesce(walk.slot < walk.opens_at or walk.slot + typing >= walk.closes_at, true) then
    select f.slot, coalesce(f.held_by, walk.held_by) into walk.slot, walk.held_by
    from messaging.fit_send_window(instance, walk.slot, typing) f;
    walk.opens_at := walk.slot;
    walk.closes_at := messaging.window_open_until(instance, walk.slot);
  end if;
  walk.last_left_at := walk.slot + typing;
  return walk;
end;
$$;
revoke all
on function messaging.next_slot(
  messaging.instances,
  messaging.slot_walk,
  integer,
  timestamptz,
  interval,
  text,
  boolean
)
from public, anon, authenticated;
grant execute
on function messaging.next_slot(
  messaging.instances,
  messaging.slot_walk,
  integer,
  timestamptz,
  interval,
  text,
  boolean
)
to service_role;

-- Puts an accepted message where its delivery requires: `queued` into the paced lane, `scheduled`
-- (delayed, or deferred to the dispatcher) into the unpaced lane, else `sent`: claimed by the caller
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
  is_delayed constant boolean := coalesce((delivery->>'delaySeconds')::double precision > 0, false);
  not_before constant timestamptz := date_trunc('milliseconds', clock_timestamp())
    + make_interval(secs => coalesce((delivery->>'delaySeconds')::double precision, 0));
  lease_until timestamptz;
  enqueued record;
  is_new boolean;
  counted_on date;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    enqueued := messaging.enqueue_message(
      message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
    );
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

-- Plans new slots for an instance's waiting messages that would leave while its present send window is
-- closed, or on a day whose limits leave no place for them (see paced_days, which it counts anew), and for the messages behind them (see fitted_slots). Moves up to 4,000 messages at once. The
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
    (instance.id, 0, '-infinity', 0, 'infinity', 0, null, clock, null)::messaging.slot_moves;
  last_left_at timestamptz;
  stretches integer;
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s where s.instance_id = instance.id;
  if instance.protection is not null then
    -- What waits is counted anew, below.
    update messaging.paced_days d
    set waiting = 0, waiting_new = 0, starts_at = null, is_over = false,
      last_left_at = (
        select last.paced_from from messaging.dispatch last
        where last.instance_id = instance.id and isfinite(last.paced_from)
          and (last.paced_from at time zone instance.time_zone)::date = d.day
      )
    where d.instance_id = instance.id;
  end if;
  with fitted as materialized (
    select f.*, row_number() over in_order as number, lag(f.left_at) over in_order as left_before
    from messaging.fitted_slots(instance, whole, stretch_length) f
    window in_order as (order by f.scheduled_at, f.queue_position)
  ),
  stretch as (
    select (f.number - 1) / stretch_length as place,
      (array_agg(f.scheduled_at order by f.number))[1] as from_at,
      (array_agg(f.queue_position order by f.number))[1] as from_position,
      (array_agg(f.left_before order by f.number))[1] as left_at,
      (array_agg(f.walk order by f.number))[1] as walk,
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
      instance_id, place, from_at, from_position, until_at, until_position, left_at, planned_at,
      walk
    )
    select instance.id, b.place, b.from_at, b.from_position, b.until_at, b.until_position, b.left_at,
      clock, b.walk
    from bounded b
    where b.is_moved
    returning place
  ),
  counted as (
    insert into messaging.paced_days as d (
      instance_id, day, waiting, waiting_new, last_left_at, starts_at
    )
    select instance.id, (f.slot at time zone instance.time_zone)::date, count(*),
      count(*) filter (where f.is_new), max(f.left_at),
      min(f.slot - make_interval(secs => f.interval_seconds))
    from fitted f
    where instance.protection is not null
    group by 2
    on conflict on constraint paced_days_pkey do update
    set waiting = excluded.waiting, waiting_new = excluded.waiting_new,
      last_left_at = greatest(d.last_left_at, excluded.last_left_at),
      starts_at = excluded.starts_at
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

-- {issues} where an instance's protection contradicts itself: a warm-up that begins above its target
-- (see day_limit); else NULL.
create or replace function messaging.protection_issues(protection jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  target constant integer := coalesce((protection->>'dailyLimit')::integer, 1000);
begin
  return case
    when (protection->'warmUp'->>'startPerDay')::integer > target then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'protection.warmUp.startPerDay',
        'message', format('must be at most %s, to which the warm-up rises', target)
      )))
  end;
end;
$$;
revoke all on function messaging.protection_issues(jsonb) from public, anon, authenticated;
grant execute on function messaging.protection_issues(jsonb) to service_role;

-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment and without an agent, to a contact that is found by its own phone, has a conversation and
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
    or request->>'assignment' is not null or request->>'agent' is not null then
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
      metadata, purpose
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
      nullif(draft->'metadata', 'null'), draft->>'purpose'
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

-- next_slot: why a day of the walk, counted from 1, has no place for a message: `daily_limit`,
-- `warm_up` or `new_contacts`; NULL where it has.
create or replace function messaging.refused_place(
  walk messaging.slot_walk,
  place integer,
  is_new boolean
)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  allowed constant integer := messaging.day_limit(
    walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from,
    walk.first_day + place - 1
  );
begin
  return case
    when walk.taken[place] >= allowed
      then case when allowed is distinct from walk.daily_limit then 'warm_up' else 'daily_limit' end
    when is_new and walk.taken_new[place] >= walk.new_limit then 'new_contacts'
  end;
end;
$$;
revoke all
on function messaging.refused_place(messaging.slot_walk, integer, boolean)
from public, anon, authenticated;
grant execute
on function messaging.refused_place(messaging.slot_walk, integer, boolean)
to service_role;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, and to hold the
-- instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing. Records instance.held where a hold begins or is prolonged.
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
  held_longer uuid[];
  has_returned boolean;
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.return_places(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
  if held is not null then
    with former as (
      select d.instance_id, greatest(d.hold_until, d.operator_hold_until, clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until
    )
    select array_agg(r.instance_id) into held_longer
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(
        held_longer, array_fill(text 'provider_refused', array[cardinality(held_longer)])
      );
    end if;
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

-- Has the dispatcher's maintenance plan new slots for an instance whose head finds no place today: see
-- move_waiting_slots. Until then nothing of the instance is claimed; five seconds at most, so that a
-- plan that moves nothing cannot stop the queue.
create or replace function messaging.request_slot_plan(instance_id uuid, clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.slot_moves (
    instance_id, place, from_at, from_position, until_at, until_position, planned_at
  )
  values (request_slot_plan.instance_id, -1, '-infinity', 0, 'infinity', 0, clock)
  on conflict on constraint slot_moves_pkey do nothing;
  update messaging.dispatch d
  set next_due_at = clock + interval '5 seconds'
  where d.instance_id = request_slot_plan.instance_id;
end;
$$;
revoke all
on function messaging.request_slot_plan(uuid, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.request_slot_plan(uuid, timestamptz) to service_role;

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
      interval '1 millisecond' * coalesce(message.delay_typing_ms, 0), message.contact_id
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

-- Claimed messages that go back into the paced queue unsent no longer count on the day of their claim,
-- but on that of their slot. The caller holds the pacing rows.
create or replace function messaging.return_places(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  back record;
begin
  for back in
    select q.message_id, q.instance_id, q.counted_on, q.is_new,
      (q.scheduled_at at time zone i.time_zone)::date as day
    from messaging.message_queue q
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids) and q.lane = 'paced' and q.claim_token is null
      and q.counted_on is not null
    order by q.message_id
  loop
    update messaging.message_queue q set counted_on = null where q.message_id = back.message_id;
    update messaging.paced_days d
    set sent = greatest(d.sent - 1, 0),
      sent_new = greatest(d.sent_new - coalesce(back.is_new, false)::integer, 0)
    where d.instance_id = back.instance_id and d.day = back.counted_on;
    insert into messaging.paced_days as d (instance_id, day, waiting, waiting_new)
    values (back.instance_id, back.day, 1, coalesce(back.is_new, false)::integer)
    on conflict on constraint paced_days_pkey do update
    set waiting = d.waiting + 1, waiting_new = d.waiting_new + excluded.waiting_new;
  end loop;
end;
$$;
revoke all on function messaging.return_places(uuid[]) from public, anon, authenticated;
grant execute on function messaging.return_places(uuid[]) to service_role;

-- enqueue_message of an instance with protection: takes the next slot, and counts it. The caller holds
-- the pacing row. `pace`: the interval with the jitter. `is_new`: whether the message takes one of the
-- day's places for new contacts; a further message to a new contact takes none, and leaves after the
-- first. Errors: MI010.
create or replace function messaging.take_protected_slot(
  instance_id uuid,
  contact_id uuid,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  jitter_seed text,
  out slot timestamptz,
  out held_by text,
  out pace integer,
  out is_new boolean
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- Read under the lock: the limits may have changed since the caller's look.
  instance constant messaging.instances := messaging.find_instance(instance_id);
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  known_over constant boolean[] := walk.is_over;
  first_slot timestamptz;
  first_reason text;
begin
  is_new := walk.new_limit is not null and contact_id is not null
    and messaging.is_new_contact(contact_id);
  if is_new then
    select q.scheduled_at, m.held_by into first_slot, first_reason
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = take_protected_slot.contact_id and m.sent_at is null
      and m.status = 'queued' and q.is_new
    order by q.scheduled_at desc
    limit 1;
    is_new := not found;
  end if;
  walk := messaging.next_slot(
    instance, walk, interval_seconds, greatest(not_before, first_slot), typing, jitter_seed,
    is_new
  );
  slot := walk.slot;
  pace := walk.interval_seconds;
  held_by := case
    when coalesce(walk.held_by, 'interval') = 'interval' and first_slot > greatest(not_before, clock)
      then coalesce(first_reason, walk.held_by)
    else walk.held_by
  end;
  update messaging.pacing p
  set last_slot_at = greatest(p.last_slot_at, slot + typing)
  where p.instance_id = instance.id;
  if instance.protection is null then
    return;
  end if;
  insert into messaging.paced_days as d (
    instance_id, day, waiting, waiting_new, last_left_at, starts_at
  )
  values (
    instance.id, walk.day, 1, is_new::integer, slot + typing, slot - make_interval(secs => pace)
  )
  on conflict on constraint paced_days_pkey do update
  set waiting = d.waiting + 1,
    waiting_new = d.waiting_new + excluded.waiting_new,
    last_left_at = excluded.last_left_at,
    starts_at = least(d.starts_at, excluded.starts_at);
  if walk.is_over is distinct from known_over then
    update messaging.paced_days d
    set is_over = true
    where d.instance_id = instance.id and d.day >= walk.first_day
      and walk.is_over[d.day - walk.first_day + 1] and not d.is_over;
  end if;
end;
$$;
revoke all
on function messaging.take_protected_slot(uuid, uuid, integer, timestamptz, interval, text)
from public, anon, authenticated;
grant execute
on function messaging.take_protected_slot(uuid, uuid, integer, timestamptz, interval, text)
to service_role;

-- Day 0 of an instance's warm-up, its own (local) day: NULL without one. `startedAt` is an instant, or
-- that day itself.
create or replace function messaging.warm_up_from(instance messaging.instances)
returns date
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  started_at constant text := instance.protection->'warmUp'->>'startedAt';
begin
  if length(started_at) = 10 then
    return started_at::date;
  end if;
  return (started_at::timestamptz at time zone instance.time_zone)::date;
end;
$$;
revoke all on function messaging.warm_up_from(messaging.instances) from public, anon, authenticated;
grant execute on function messaging.warm_up_from(messaging.instances) to service_role;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, protection (see changed_protection), onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance
-- reads them back. Returns the instance. Locks the instance. Raises unique_violation where another
-- instance has one of its ids.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances
language plpgsql
set search_path = ''
as $$
declare
  send_window constant jsonb := settings->'sendWindow';
  opt_out constant jsonb := settings->'optOut';
  instance messaging.instances;
begin
  update messaging.instances i
  set name = coalesce(settings->>'name', i.name),
    sealed_provider_config = coalesce(settings->>'sealedProviderConfig', i.sealed_provider_config),
    gateway_instance_id = case
      when settings ? 'sealedProviderConfig' then settings->>'gatewayInstanceId'
      else i.gateway_instance_id
    end,
    business_instance_id = case
      when settings ? 'businessInstanceId' then settings->>'businessInstanceId'
      else i.business_instance_id
    end,
    connected_phone = coalesce(settings->>'connectedPhone', i.connected_phone),
    connected_phone_key = messaging.phone_identity_key(
      coalesce(settings->>'connectedPhone', i.connected_phone)
    ),
    time_zone = coalesce(settings->>'timeZone', i.time_zone),
    window_start = coalesce((send_window->>'start')::time, i.window_start),
    window_end = coalesce((send_window->>'end')::time, i.window_end),
    window_days = case
      when send_window ? 'days'
      then array(select jsonb_array_elements_text(send_window->'days')::smallint)
      else i.window_days
    end,
    opt_out_keywords = case
      when opt_out ? 'keywords' then array(select jsonb_array_elements_text(opt_out->'keywords'))
      else i.opt_out_keywords
    end,
    opt_out_resume_keywords = case
      when opt_out ? 'resumeKeywords'
      then array(select jsonb_array_elements_text(opt_out->'resumeKeywords'))
      else i.opt_out_resume_keywords
    end,
    opt_out_confirmation = case
      when opt_out ? 'confirmation' then opt_out->>'confirmation' else i.opt_out_confirmation
    end,
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    requests_per_minute = case
      when settings ? 'requestsPerMinute' then (settings->>'requestsPerMinute')::integer
      else i.requests_per_minute
    end,
    protection = case
      when settings ? 'protection'
        then messaging.changed_protection(i.protection, settings->'protection')
      else i.protection
    end,
    updated_at = now()
  where i.id = write_instance_settings.instance_id
  returning i.* into strict instance;
  if send_window ? 'holidays' then
    delete from messaging.holidays h where h.instance_id = instance.id;
    insert into messaging.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;
  return instance;
end;
$$;
revoke all
on function messaging.write_instance_settings(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.write_instance_settings(uuid, jsonb) to service_role;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. The instance's last slot is given back with its
-- message;
-- any other slot stays unused, so that no other message moves. Locks the message, then pacing. Tries
-- the queue row without waiting: its holder is about to send the message.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  freed_slot timestamptz;
  gone messaging.message_queue;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  delete from messaging.message_queue q
  where q.message_id = (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = message.id and w.claim_token is null
    for update skip locked
  )
  returning q.* into gone;
  freed_slot := case when gone.lane = 'paced' then gone.scheduled_at end;
  if not found then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = message.id
  returning m.* into message;
  perform messaging.record_message_events(array[message.id], array['message.canceled']);
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = q.message_id
      where q.instance_id = p.instance_id and q.lane = 'paced' and q.scheduled_at < freed_slot
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  where p.instance_id = message.instance_id
    and p.last_slot_at
      = freed_slot + interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  perform messaging.give_back_places(array[gone]);
  perform messaging.refresh_dispatch(array[message.instance_id]);
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, provider, embedKey, all
--   settings (see write_instance_settings), idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone or the protection contradicts itself, or {taken}:
--   the field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  replayed jsonb;
  violated text;
  taken text;
begin
  if not messaging.is_time_zone(request->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  if messaging.protection_issues(request->'protection') is not null then
    return messaging.protection_issues(request->'protection');
  end if;
  begin
    replayed := messaging.begin_idempotent(request);
    if replayed is not null then
      return replayed;
    end if;
    workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      messaging.phone_identity_key(request->>'connectedPhone'), request->>'timeZone'
    )
    returning * into instance;
    instance := messaging.write_instance_settings(instance.id, request);
    insert into messaging.pacing (instance_id, is_protected)
    values (instance.id, instance.protection is not null);
    insert into messaging.dispatch (instance_id) values (instance.id);
    return messaging.keep_outcome(request, messaging.describe_instance(instance));
  exception when unique_violation then
    -- Leaving the block rolls the idempotency key back too: nothing was executed under it.
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, request->>'businessInstanceId' is not null);
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
end;
$$;
revoke all on function public.create_instance(jsonb) from public, anon, authenticated;
grant execute on function public.create_instance(jsonb) to service_role;

-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free; or plans them, where a claim has asked for it (request_slot_plan).
-- `request`: nothing. Returns {moved, isComplete}: how many slots,
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
    if exists (
      select from messaging.slot_moves s where s.instance_id = chosen and s.place = -1
    ) then
      perform messaging.plan_slot_moves(messaging.find_instance(chosen));
    else
      moved := coalesce(messaging.move_slots(messaging.find_instance(chosen)), 0);
    end if;
    perform messaging.refresh_dispatch(array[chosen]);
  end if;
  return jsonb_build_object(
    'moved', moved, 'isComplete', not exists (select from messaging.slot_moves)
  );
end;
$$;
revoke all on function public.move_waiting_slots(jsonb) from public, anon, authenticated;
grant execute on function public.move_waiting_slots(jsonb) to service_role;

-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is checked again at once, so
-- that new credentials take effect without delay.
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid, or {taken}: the
-- field
--   whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
  refused jsonb;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  if changes ? 'protection' then
    refused := messaging.protection_issues(
      messaging.changed_protection(instance.protection, changes->'protection')
    );
    if refused is not null then
      return refused;
    end if;
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['protection', 'timeZone'] then
    perform messaging.begin_protection(instance);
  end if;
  if changes ?| array['sendWindow', 'timeZone'] or changes ? 'protection' and instance.protection is not null then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;
revoke all on function public.update_instance(jsonb) from public, anon, authenticated;
grant execute on function public.update_instance(jsonb) to service_role;

alter table messaging.instances add column if not exists protection jsonb;

alter table messaging.message_queue add column if not exists counted_on date;

alter table messaging.message_queue add column if not exists is_new boolean;

alter table messaging.pacing add column if not exists is_protected boolean default false not null;

alter table messaging.slot_moves add column if not exists walk messaging.slot_walk;

comment on column messaging.instances.protection is
  '{dailyLimit, newContactsPerDay, jitterSeconds, warmUp {startPerDay, rampDays, startedAt}}, each optional; NULL for none. See next_slot.';

comment on column messaging.message_queue.counted_on is
  'The day on which paced_days counts it as sent. NULL while it waits for its slot, or is not counted.';

comment on column messaging.message_queue.is_new is
  'Whether it takes one of a day''s places for new contacts: see paced_days.';

comment on column messaging.pacing.is_protected is
  'Whether the instance has protection, so that paced_days holds the last slot of each day.';

comment on column messaging.slot_moves.walk is
  'Where the instance has protection: the state of its slots before the stretch, see next_slot.';
