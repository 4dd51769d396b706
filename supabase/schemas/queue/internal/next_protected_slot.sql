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
