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
