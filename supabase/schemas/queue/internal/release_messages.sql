-- Lets those of these messages that are held for a reason (budget, new_contacts) leave: they are due at once,
-- in their former order and at their instance's pace; what has no pace, when the send window is open. A claim
-- holds them again where that still holds. The caller holds pacing, and refreshes dispatch. Skips messages
-- that another transaction holds.
create or replace function messaging.release_messages(
  message_ids uuid[], reason text, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  released uuid[];
  slots timestamptz[];
  reasons text[];
begin
  with held as materialized (
    select q.message_id, q.instance_id
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (message_ids) and q.lane in ('paced', 'unpaced')
      and q.claim_token is null
      and m.held_by = reason
    for no key update of q, m skip locked
  ),
  open as materialized (
    select i.id as instance_id, messaging.after_hold(i, clock, interval '0') as slot
    from messaging.instances i
    where i.id in (select h.instance_id from held h)
  ),
  due as (
    update messaging.message_queue q
    set scheduled_at = case when q.lane = 'unpaced' then o.slot else clock end,
      visible_at = case when q.lane = 'unpaced' then o.slot else q.visible_at end
    from held h
    join open o on o.instance_id = any (array[h.instance_id])
    where q.message_id = any (array[h.message_id])
    returning q.message_id, q.scheduled_at
  )
  select array_agg(d.message_id), array_agg(d.scheduled_at),
    array_agg(case when d.scheduled_at > clock then 'window' else 'interval' end)
  into released, slots, reasons
  from due d;
  perform messaging.write_departures(released, slots, reasons);
end;
$$;
