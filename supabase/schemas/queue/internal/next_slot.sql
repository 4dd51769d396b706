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
