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
