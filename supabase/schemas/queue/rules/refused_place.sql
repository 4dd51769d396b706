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
