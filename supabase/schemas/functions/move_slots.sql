-- Moves what waits in an instance's queue and would leave while its send window, as it is now, is
-- closed: to when that opens, and what stands behind it as far as the intervals ask. Nothing moves to
-- an earlier slot. Where the window never opens again, all stays.
-- The caller holds the pacing row; the dispatch row is locked, so that nothing is claimed meanwhile out
-- of its order. What somebody else holds is about to leave or to be taken out.
create or replace function public.move_slots(instance public.instances)
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  waiting record;
  fitted record;
  slot timestamptz;
  moved_by text;
  left_at timestamptz;
  moved_ids uuid[] := '{}';
  moved_slots timestamptz[] := '{}';
  movers text[] := '{}';
begin
  perform from public.dispatch d where d.instance_id = instance.id for no key update;
  for waiting in
    select q.message_id, q.scheduled_at,
      make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from public.message_queue q
    join public.messages m on m.id = q.message_id
    where q.instance_id = instance.id and q.due_at is null and q.claim_token is null
    order by q.scheduled_at, q.position
    for no key update of q, m skip locked
  loop
    -- As long as nothing has moved, all keep what they were promised.
    slot := greatest(waiting.scheduled_at, left_at + waiting.pace);
    moved_by := 'interval';
    if not public.is_send_window_open(instance, greatest(slot, clock))
      or not public.is_send_window_open(instance, greatest(slot, clock) + waiting.typing) then
      begin
        select f.slot, f.held_by into fitted
        from public.fit_send_window(instance, greatest(slot, clock), waiting.typing) f;
      exception when sqlstate 'MI010' then
        exit;
      end;
      slot := fitted.slot;
      moved_by := fitted.held_by;
    end if;
    if slot > waiting.scheduled_at then
      moved_ids := moved_ids || waiting.message_id;
      moved_slots := moved_slots || slot;
      movers := movers || moved_by;
    end if;
    if cardinality(moved_ids) > 0 then
      left_at := slot + waiting.typing;
    end if;
  end loop;
  update public.message_queue q
  set scheduled_at = moved.slot
  from unnest(moved_ids, moved_slots) as moved(message_id, slot)
  where q.message_id = moved.message_id;
  update public.messages m
  set scheduled_for = moved.slot, held_by = moved.moved_by
  from unnest(moved_ids, moved_slots, movers) as moved(message_id, slot, moved_by)
  where m.id = moved.message_id;
  update public.pacing p set last_slot_at = greatest(p.last_slot_at, left_at)
  where p.instance_id = instance.id;
end;
$$;
revoke all on function public.move_slots(public.instances) from public, anon, authenticated;
grant execute on function public.move_slots(public.instances) to service_role;
