-- A claim of an instance with protection: takes one of the places of today for a waiting message, where one is
-- left. A queue that was held over midnight must not burst, and immediate sends may have taken places that
-- were promised: where no place is left, the waiting messages get new slots (see plan_slot_moves), which the
-- dispatcher's maintenance does. `takes_new` and `slot` are the message's, from its row of the queue.
-- `counts_as_new`: whether it took one of the places for new contacts. The caller holds pacing, dispatch and
-- the queue row.
create or replace function messaging.take_place_of_day(
  instance messaging.instances, contact_id uuid, takes_new boolean, slot timestamptz,
  clock timestamptz, out is_taken boolean, out day date, out counts_as_new boolean
) language plpgsql set search_path = '' as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
begin
  day := (clock at time zone instance.time_zone)::date;
  counts_as_new := coalesce(takes_new, false) and messaging.is_new_contact(contact_id);
  select array[d.sent], array[d.sent_new] into walk.taken, walk.taken_new
  from messaging.paced_days d
  where d.instance_id = instance.id and d.day = take_place_of_day.day;
  is_taken := messaging.refused_place(walk, 1, counts_as_new) is null;
  if not is_taken then
    perform messaging.request_slot_plan(instance.id, clock);
    return;
  end if;
  update messaging.paced_days d
  set waiting = greatest(d.waiting - 1, 0),
    waiting_new = greatest(d.waiting_new - coalesce(takes_new, false)::integer, 0)
  where d.instance_id = instance.id and d.day = (slot at time zone instance.time_zone)::date;
  insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
  values (instance.id, take_place_of_day.day, 1, counts_as_new::integer)
  on conflict on constraint paced_days_pkey do update
  set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
end;
$$;

-- Has the dispatcher's maintenance plan new slots for an instance whose head finds no place today: see
-- move_waiting_slots. Until then nothing of the instance is claimed; five seconds at most, so that a
-- plan that moves nothing cannot stop the queue.
create or replace function messaging.request_slot_plan(instance_id uuid, clock timestamptz)
returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.slot_moves (
    instance_id, place, from_at, from_position, until_at, until_position, planned_at
  )
  values (request_slot_plan.instance_id, -1, '-infinity', 0, 'infinity', 0, clock)
  on conflict on constraint slot_moves_pkey do nothing;
  update messaging.dispatch d
  set next_due_at = clock + interval '5 seconds'
  where d.instance_id = request_slot_plan.instance_id;
end;
$$;
