-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free; or plans them, where a claim has asked for it (request_slot_plan).
-- Lets a further part leave of what an instance held for a reason that is over (see release_held_messages).
-- `request`: nothing. Returns {moved, isComplete}: how many slots,
-- and whether neither is left. Locks pacing, dispatch, queue rows, messages; waits for dispatch
-- alone, which is never locked for long.
create or replace function public.move_waiting_slots(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  chosen uuid;
  moved bigint := 0;
  release messaging.held_releases;
begin
  select p.instance_id into chosen
  from messaging.pacing p
  where p.instance_id = any (array(select distinct s.instance_id from messaging.slot_moves s))
  order by p.instance_id
  limit 1
  for no key update skip locked;
  if chosen is not null then
    if exists (
      select from messaging.slot_moves s where s.instance_id = chosen and s.place = -1
    ) then
      perform messaging.plan_slot_moves(messaging.find_instance(chosen));
    else
      moved := coalesce(messaging.move_slots(messaging.find_instance(chosen)), 0);
    end if;
    perform messaging.refresh_dispatch(array[chosen]);
  end if;
  select r.* into release
  from messaging.held_releases r
  join messaging.pacing p on p.instance_id = any (array[r.instance_id])
  order by r.instance_id, r.reason
  limit 1
  for no key update of p skip locked;
  if found then
    perform messaging.go_on_releasing(
      release, date_trunc('milliseconds', clock_timestamp())
    );
    perform messaging.refresh_dispatch(array[release.instance_id]);
  end if;
  return jsonb_build_object(
    'moved', moved,
    'isComplete', not exists (select from messaging.slot_moves)
      and not exists (select from messaging.held_releases)
  );
end;
$$;
