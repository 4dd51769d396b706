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
