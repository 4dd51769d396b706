-- Why a day of the walk, counted from 1, has no place for a message: `daily_limit`, `warm_up` or
-- `new_contacts`; NULL where it has.
create or replace function messaging.refused_place(
  walk messaging.slot_walk, place integer, is_new boolean
) returns text language sql immutable
return case
  when walk.taken[place] >= messaging.day_limit(walk, walk.first_day + place - 1) then case
    when messaging.day_limit(
      walk,
      walk.first_day + place - 1
    ) is distinct from walk.daily_limit then 'warm_up'
    else 'daily_limit'
  end
  when is_new
  and walk.taken_new[place] >= walk.new_limit then 'new_contacts'
end;

-- How many messages an instance may send on a day: its daily limit, or what its warm-up allows where
-- that is less. NULL is no limit. On day n of the warm-up, from 0, start + (target - start) * n / days,
-- rounded down; the target is the daily limit, or 1,000. The warm-up ends with the day that allows the
-- target. `walk`: from begin_walk.
create or replace function messaging.day_limit(walk messaging.slot_walk, day date)
returns integer language sql immutable
return case
  when walk.warm_up_days is null
  or day - walk.warm_up_from > walk.warm_up_days then walk.daily_limit
  else (
    walk.warm_up_start + (coalesce(walk.daily_limit, 1000) - walk.warm_up_start)::bigint * greatest(
      day - walk.warm_up_from,
      0
    ) / walk.warm_up_days
  )::integer
end;

-- The message to a new contact that waits for one of a day's places for new contacts, the last of them;
-- none where none waits. A further message to the contact takes no such place, and leaves after it.
create or replace function messaging.first_to_new_contact(contact_id uuid)
returns table (scheduled_at timestamptz, held_by text) language sql stable
begin atomic
  select q.scheduled_at, m.held_by
  from
    messaging.messages as m
    inner join messaging.message_queue as q on q.message_id = any (array[m.id])
  where
    m.contact_id = first_to_new_contact.contact_id
    and m.sent_at is null
    and m.status = 'queued'
    and q.is_new
  order by q.scheduled_at desc
  limit 1;
end;
