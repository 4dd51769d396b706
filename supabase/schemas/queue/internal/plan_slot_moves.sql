-- Plans new slots for an instance's waiting messages that would leave while its present send window is
-- closed, or on a day whose limits leave no place for them (see paced_days, which it counts anew), and for
-- the messages behind them (see fitted_slots). Moves up to 4,000 messages at once. The dispatcher moves the
-- rest 2,000 at a time (move_waiting_slots), so that no call takes as long as the queue.
-- The last messages move first: slots only become later, so the order holds at every moment. A claim
-- checks window and interval itself, so a message that has not moved yet still leaves in order and in
-- time. Messages queued from now on get slots behind the last planned one. Replaces an earlier plan.
-- The caller holds the pacing row. Locks dispatch and the messages that it moves.
create or replace function messaging.plan_slot_moves(instance messaging.instances)
returns void language plpgsql set search_path = '' as $$
declare
  stretch_length constant integer := 2000;
  max_stretches_at_once constant integer := 2;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  whole constant messaging.slot_moves :=
    (instance.id, 0, '-infinity', 0, 'infinity', 0, null, clock, null)::messaging.slot_moves;
  last_left_at timestamptz;
  stretches integer;
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s where s.instance_id = instance.id;
  if instance.protection is not null then
    -- What waits is counted anew, below.
    update messaging.paced_days d
    set waiting = 0, waiting_new = 0, starts_at = null, is_over = false,
      last_left_at = (
        select last.paced_from from messaging.dispatch last
        where last.instance_id = instance.id and isfinite(last.paced_from)
          and (last.paced_from at time zone instance.time_zone)::date = d.day
      )
    where d.instance_id = instance.id;
  end if;
  with fitted as materialized (
    select f.*, row_number() over in_order as number, lag(f.left_at) over in_order as left_before
    from messaging.fitted_slots(instance, whole, stretch_length) f
    window in_order as (order by f.scheduled_at, f.queue_position)
  ),
  stretch as (
    select (f.number - 1) / stretch_length as place,
      (array_agg(f.scheduled_at order by f.number))[1] as from_at,
      (array_agg(f.queue_position order by f.number))[1] as from_position,
      (array_agg(f.left_before order by f.number))[1] as left_at,
      (array_agg(f.walk order by f.number))[1] as walk,
      bool_or(f.held_by is not null) as is_moved
    from fitted f
    group by place
  ),
  bounded as (
    select s.*,
      lead(s.from_at, 1, 'infinity') over (order by s.place) as until_at,
      lead(s.from_position, 1, 0) over (order by s.place) as until_position
    from stretch s
  ),
  planned as (
    insert into messaging.slot_moves (
      instance_id, place, from_at, from_position, until_at, until_position, left_at, planned_at,
      walk
    )
    select instance.id, b.place, b.from_at, b.from_position, b.until_at, b.until_position, b.left_at,
      clock, b.walk
    from bounded b
    where b.is_moved
    returning place
  ),
  counted as (
    insert into messaging.paced_days as d (
      instance_id, day, waiting, waiting_new, last_left_at, starts_at
    )
    select instance.id, (f.slot at time zone instance.time_zone)::date, count(*),
      count(*) filter (where f.is_new), max(f.left_at),
      min(f.slot - f.spacing)
    from fitted f
    where instance.protection is not null
    group by 2
    on conflict on constraint paced_days_pkey do update
    set waiting = excluded.waiting, waiting_new = excluded.waiting_new,
      last_left_at = greatest(d.last_left_at, excluded.last_left_at),
      starts_at = excluded.starts_at
  )
  select (select max(f.left_at) from fitted f), (select count(*) from planned)
  into last_left_at, stretches;
  update messaging.pacing p set last_slot_at = greatest(p.last_slot_at, last_left_at)
  where p.instance_id = instance.id;
  if stretches <= max_stretches_at_once then
    while messaging.move_slots(instance) is not null loop
    end loop;
  end if;
end;
$$;
