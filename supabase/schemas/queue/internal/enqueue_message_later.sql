-- Queues a message for an instant that the caller chose or after its delay, `not_before`: it gets the slot
-- that an enqueue at that time gives. Where the slots given out reach that far, that is a slot behind them,
-- now. Otherwise a slot now would stand in a gap, and everything queued after it would wait for weeks: the
-- message waits in the unpaced lane with its `interval_seconds`, and the dispatcher enqueues it just before
-- its slot (see enqueue_waiting_messages). `slot` is the slot it is promised by the same rules: the first
-- one, in the send window, one interval from those of other messages that wait so, on a day whose limits have
-- a place beside them and what is queued. It takes none until it is enqueued: messages queued meanwhile may
-- make it later. `interval_seconds`, `held_by` and `is_held` as enqueue_message. Locks pacing, so that
-- simultaneous calls are promised different slots. Errors: MI010.
create or replace function messaging.enqueue_message_later(
  message_id uuid, instance messaging.instances, interval_seconds integer, not_before timestamptz,
  typing interval, contact_id uuid, out slot timestamptz, out held_by text, out is_held boolean
) language plpgsql set search_path = '' as $$
declare
  -- So that the message is enqueued when its slot comes.
  lead constant interval := interval '2 seconds';
  after_last timestamptz;
begin
  select p.last_slot_at + messaging.spacing(
    instance.messages_per_second,
    coalesce(interval_seconds, messaging.default_interval_seconds()),
    interval_seconds is null
  )
  into strict after_last
  from messaging.pacing p
  where p.instance_id = instance.id
  for no key update;
  if after_last >= not_before or not_before <= clock_timestamp() + lead then
    select e.slot, e.held_by, e.is_held into slot, held_by, is_held
    from messaging.enqueue_message(
      message_id, instance, interval_seconds, not_before, typing, contact_id
    ) e;
    return;
  end if;
  select f.slot, f.held_by into slot, held_by
  from messaging.free_slot_later(
    instance, message_id, contact_id, interval_seconds, not_before, typing
  ) f;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, interval_seconds, follows_pace
  )
  values (
    enqueue_message_later.message_id, instance.id, 'unpaced', slot, slot - lead,
    coalesce(enqueue_message_later.interval_seconds, messaging.default_interval_seconds()),
    enqueue_message_later.interval_seconds is null
  )
  returning exists (select from messaging.hold_at(instance.id, slot)) into is_held;
end;
$$;

-- enqueue_message_later: the first slot from `not_before` on that spaced_slot_later gives, with the jitter that
-- the message will have, on a day whose limits have a place, as far as is known now. `held_by` says what moved
-- it, or NULL. Errors: MI010.
-- Plans must not depend on statistics: the settings hold for what it calls.
create or replace function messaging.free_slot_later(
  instance messaging.instances, message_id uuid, contact_id uuid, interval_seconds integer,
  not_before timestamptz, typing interval, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  jitter_seconds constant integer := (instance.protection->>'jitterSeconds')::integer;
  pace constant interval := messaging.spacing(
    instance.messages_per_second,
    coalesce(interval_seconds, messaging.default_interval_seconds())
      + messaging.jitter_of(message_id::text, jitter_seconds),
    interval_seconds is null
  );
  walk messaging.slot_walk;
  is_new boolean;
  day date;
  refusal text;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.spaced_slot_later(instance, pace, jitter_seconds, not_before, typing) f;
  if instance.protection is null then
    return;
  end if;
  walk := messaging.begin_walk(instance, date_trunc('milliseconds', clock_timestamp()));
  loop
    -- A further message to a new contact takes no place of its own.
    is_new := walk.new_limit is not null and messaging.is_new_contact(contact_id) and not exists (
      select from messaging.messages m
      join messaging.message_queue q on q.message_id = any (array[m.id])
      where m.contact_id = free_slot_later.contact_id and m.status = 'queued'
        and q.scheduled_at <= slot
    );
    day := (slot at time zone instance.time_zone)::date;
    refusal := messaging.refused_day_later(instance, walk, day, is_new);
    exit when refusal is null;
    select f.slot, refusal into slot, held_by
    from messaging.spaced_slot_later(
      instance, pace, jitter_seconds, (day + 1)::timestamp at time zone instance.time_zone, typing
    ) f;
  end loop;
end;
$$;

-- free_slot_later: why a day has no place for a message that waits for an instant on it: refused_place, with
-- the messages that wait so counted too; NULL where it has. `walk`: from begin_walk. `is_new`: whether the
-- message needs one of the day's places for new contacts.
create or replace function messaging.refused_day_later(
  instance messaging.instances, walk messaging.slot_walk, day date, is_new boolean
) returns text language plpgsql stable set search_path = '' as $$
declare
  place constant integer := day - walk.first_day + 1;
  starts_at constant timestamptz := day::timestamp at time zone instance.time_zone;
  ends_at constant timestamptz := (day + 1)::timestamp at time zone instance.time_zone;
begin
  walk.taken[place] := coalesce(walk.taken[place], 0) + (
    select count(*)
    from messaging.message_queue q
    where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
      and q.scheduled_at >= starts_at and q.scheduled_at < ends_at
  );
  if is_new then
    walk.taken_new[place] := coalesce(walk.taken_new[place], 0) + (
      select count(distinct m.contact_id)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
        and q.scheduled_at >= starts_at and q.scheduled_at < ends_at
        and messaging.is_new_contact(m.contact_id)
    );
  end if;
  return messaging.refused_place(walk, place, is_new);
end;
$$;

-- free_slot_later: the first slot from `not_before` on that lies in the send window and keeps its distance
-- from the messages that wait for their instants: one interval after the one before it, and the next one's
-- interval before that. The intervals hold the jitter; `jitter_seconds` is NULL for none. `held_by` says what
-- moved it, or NULL. Errors: MI010.
create or replace function messaging.spaced_slot_later(
  instance messaging.instances, pace interval, jitter_seconds integer, not_before timestamptz,
  typing interval, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' as $$
declare
  -- No interval and no typing is longer, but for the jitter.
  reach constant interval := interval '61 minutes' + make_interval(secs => coalesce(jitter_seconds, 0));
  other record;
  ends_at timestamptz;
  open_until timestamptz;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.fit_send_window(instance, not_before, typing) f;
  open_until := messaging.window_open_until(instance, slot);
  for other in
    select q.scheduled_at, messaging.spacing(
        instance.messages_per_second,
        q.interval_seconds + messaging.jitter_of(q.message_id::text, jitter_seconds),
        q.follows_pace
      ) as pace,
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
