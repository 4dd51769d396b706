-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, `daily_limit`, `new_contacts`, `warm_up`, or NULL. `is_held`: whether the instance
-- is held at the slot.
-- With protection the rules of next_slot hold; `jitter_seed` is the message's id where it is not given.
-- Without, what next_slot does for such an instance is one statement, because others wait for this row.
-- `interval_seconds` is NULL for a message without an interval of its own: it follows the pace of its instance.
create or replace function messaging.enqueue_message(
  message_id uuid, instance messaging.instances, interval_seconds integer, not_before timestamptz,
  typing interval, contact_id uuid default null, jitter_seed text default null,
  out slot timestamptz, out held_by text, out is_held boolean
) language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  is_paced boolean;
  is_open boolean;
  -- That the instance is held at the slot, and that a message leaves before it.
  found_there boolean[];
  is_protected boolean := instance.protection is not null;
  is_new boolean;
  follows_pace constant boolean := interval_seconds is null;
begin
  interval_seconds := coalesce(interval_seconds, messaging.default_interval_seconds());
  if not is_protected then
    -- The clock is read under the lock: Postgres computes the new row version after the wait.
    update messaging.pacing p
    set last_slot_at = messaging.next_free_slot(
      p.last_slot_at,
      messaging.spacing(instance.messages_per_second, interval_seconds, follows_pace),
      not_before, date_trunc('milliseconds', clock_timestamp())
    ) + typing
    where p.instance_id = instance.id
    returning p.last_slot_at - typing, p.is_protected, exists (
      select from messaging.open_window(
        instance, (p.last_slot_at - typing) at time zone instance.time_zone
      )
    ) into strict slot, is_protected, is_open;
  end if;
  if is_protected then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    select t.slot, t.held_by, t.pace, t.is_new into slot, held_by, interval_seconds, is_new
    from messaging.take_protected_slot(
      instance.id, contact_id, case when not follows_pace then interval_seconds end, not_before, typing,
      coalesce(jitter_seed, message_id::text)
    ) t;
  else
    is_paced := slot > greatest(not_before, date_trunc('milliseconds', clock_timestamp()));
    if not is_open
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
    message_id, instance_id, lane, scheduled_at, interval_seconds, is_new, follows_pace
  )
  values (
    enqueue_message.message_id, instance.id, 'paced', slot, enqueue_message.interval_seconds, is_new,
    follows_pace
  )
  returning (
    select array[
      coalesce(messaging.held_until(own) > slot, false),
      exists (
        select from messaging.message_queue q
        where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
          and q.scheduled_at <= slot and q.scheduled_at >= own.queue_from
      )
    ]
    from messaging.dispatch_of(instance.id) as own
  ) into found_there;
  is_held := found_there[1];
  -- Lowers the due time and where the queue begins, and only for a new head: a message behind another one leaves
  -- after it. Without need no lock is taken that would make a claim skip the instance.
  if not found_there[2] then
    update messaging.dispatch d
    set next_due_at = least(
        d.next_due_at,
        messaging.next_due_at(d, slot, enqueue_message.interval_seconds, follows_pace)
      ),
      queue_from = least(d.queue_from, slot)
    from messaging.dispatch_of(instance.id) as own
    where d.instance_id = any (array[own.instance_id]) and d.generation >= own.generation
      and (
        d.queue_from > slot
        or d.next_due_at
          > messaging.next_due_at(d, slot, enqueue_message.interval_seconds, follows_pace)
      );
  end if;
end;
$$;

-- enqueue_message of an instance with protection: takes the next slot, and counts it. The caller holds
-- the pacing row. `pace`: the interval with the jitter. `is_new`: whether the message takes one of the
-- day's places for new contacts; a further message to a new contact takes none, and leaves after the
-- first. Errors: MI010.
create or replace function messaging.take_protected_slot(
  instance_id uuid, contact_id uuid, interval_seconds integer, not_before timestamptz,
  typing interval, jitter_seed text, out slot timestamptz, out held_by text, out pace integer,
  out is_new boolean
) language plpgsql set search_path = '' set enable_seqscan = off as $$
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
    select f.scheduled_at, f.held_by into first_slot, first_reason
    from messaging.first_to_new_contact(contact_id) f;
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
    instance.id, walk.day, 1, is_new::integer, slot + typing,
    slot - messaging.spacing(instance.messages_per_second, pace, interval_seconds is null)
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
