-- Moves the slots of the last stretch that is planned for an instance (see plan_slot_moves). Returns
-- how many slots moved, NULL where none are planned.
-- The caller holds the pacing row. Locks the dispatch row, so that no message is claimed out of order
-- meanwhile. Skips locked messages: they are about to leave or to be canceled.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.move_slots(instance messaging.instances)
returns bigint language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  stretch messaging.slot_moves;
  moved bigint;
  message_ids uuid[];
  slots timestamptz[];
  reasons text[];
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s
  where s.instance_id = instance.id
    and s.place = (select max(l.place) from messaging.slot_moves l where l.instance_id = instance.id)
  returning s.* into stretch;
  if not found then
    return null;
  end if;
  with fitted as materialized (
    select f.message_id, f.slot, f.held_by
    from messaging.fitted_slots(instance, stretch) f
    where f.held_by is not null
  ),
  free as materialized (
    select q.message_id, fitted.slot, fitted.held_by
    from fitted
    join messaging.message_queue q on q.message_id = any (array[fitted.message_id])
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.claim_token is null
    for no key update of q, m skip locked
  ),
  queued as (
    update messaging.message_queue q
    set scheduled_at = free.slot
    from free
    where q.message_id = any (array[free.message_id])
  )
  select count(*), array_agg(free.message_id), array_agg(free.slot), array_agg(free.held_by)
  into moved, message_ids, slots, reasons
  from free;
  perform messaging.write_departures(message_ids, slots, reasons);
  return moved;
end;
$$;
