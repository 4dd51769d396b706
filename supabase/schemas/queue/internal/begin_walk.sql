-- The state from which next_slot gives an instance's next slots at `clock`, as it is stored now. What is
-- overdue takes places of the first day. Reads pacing and paced_days, and locks nothing: an enqueue
-- holds the pacing row, a forecast may be overtaken.
create or replace function messaging.begin_walk(instance messaging.instances, clock timestamptz)
returns messaging.slot_walk language plpgsql stable set search_path = '' as $$
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

-- Day 0 of an instance's warm-up, its own (local) day: NULL without one. `startedAt` is an instant, or
-- that day itself.
create or replace function messaging.warm_up_from(instance messaging.instances)
returns date language plpgsql stable parallel safe set search_path = '' as $$
declare
  started_at constant text := instance.protection->'warmUp'->>'startedAt';
begin
  if length(started_at) = 10 then
    return started_at::date;
  end if;
  return (started_at::timestamptz at time zone instance.time_zone)::date;
end;
$$;
