-- The one place of the slot rules: from the state of an instance's slots it yields the next slot, and the
-- state behind it. An enqueue takes one step from what is stored (see take_protected_slot), a changed
-- window or limit walks over the waiting messages (see fitted_slots), a forecast walks ahead of the time.
--
--   walk := messaging.begin_walk(instance, clock);
--   walk := messaging.next_slot(instance, walk, 60, not_before, interval '0', seed, false);
--   -- walk.slot, walk.held_by, walk.interval_seconds (with the jitter), walk.day
--
-- The slot is the later of `not_before`, the walk's clock, and one interval after the slot before; in the
-- send window, with `typing` after it. `not_before` may be NULL. `interval_seconds` is NULL for a message
-- that follows the pace of its instance (see spacing). `held_by` says what moved the slot.
-- With protection (see paced_days):
-- - The interval, where the message has one, grows by a whole number of seconds from 0 to jitterSeconds,
-- which `jitter_seed` alone
--   decides (no jitter where it is NULL). The queue row keeps that interval: a claim, a late queue and a
--   changed window respect it too.
-- - A day that has no place left passes the message on to the next one. A message to a contact that
--   `is_new` also needs one of the day's places for new contacts; those to known contacts pass it.
-- - Within a day a slot lies behind all others of the day. Where a message finds no time left on a day,
--   that day is over for all that come after it.
-- Takes constant time, however many days are full: a walk remembers from where on there may be a place.
-- Assigned, not selected, it costs no statement. Errors: MI010.
create or replace function messaging.next_slot(
  instance messaging.instances, walk messaging.slot_walk, interval_seconds integer,
  not_before timestamptz, typing interval, jitter_seed text, is_new boolean
) returns messaging.slot_walk language plpgsql stable set search_path = '' as $$
declare
  earliest constant timestamptz := greatest(not_before, walk.clock);
  candidate timestamptz := earliest;
  pace interval;
  follows_pace constant boolean := interval_seconds is null;
  -- Whether nothing that comes later in the walk may leave on this day before the candidate.
  is_first boolean;
  pointer integer;
  pointer_reason text;
  place integer;
  behind timestamptz;
  fitted_place integer;
  refusal text;
  reason text;
  moved_by text;
begin
  walk.interval_seconds := coalesce(interval_seconds, messaging.default_interval_seconds());
  if walk.first_day is null then
    walk.slot := messaging.next_free_slot(
      walk.last_left_at,
      messaging.spacing(instance.messages_per_second, walk.interval_seconds, follows_pace),
      not_before, walk.clock
    );
    walk.held_by := case when walk.slot > earliest then 'interval' end;
    if coalesce(walk.slot < walk.opens_at or walk.slot + typing >= walk.closes_at, true) then
      select f.slot, coalesce(f.held_by, walk.held_by) into walk.slot, walk.held_by
      from messaging.fit_send_window(instance, walk.slot, typing) f;
      walk.opens_at := walk.slot;
      walk.closes_at := messaging.window_open_until(instance, walk.slot);
    end if;
    walk.last_left_at := walk.slot + typing;
    return walk;
  end if;

  -- With protection: the first day with a place and the time for it. Days are counted from 1, the walk's
  -- first.
  if walk.jitter_seconds > 0 and jitter_seed is not null then
    walk.interval_seconds := walk.interval_seconds
      + messaging.jitter_of(jitter_seed, walk.jitter_seconds);
  end if;
  pace := messaging.spacing(instance.messages_per_second, walk.interval_seconds, follows_pace);
  place := (earliest at time zone instance.time_zone)::date - walk.first_day + 1;
  is_first := earliest = walk.clock;
  if is_new then
    pointer := walk.new_from;
    pointer_reason := walk.new_reason;
  else
    pointer := walk.known_from;
    pointer_reason := walk.known_reason;
  end if;
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
