-- Lets what an instance holds for a reason (budget, new_contacts) leave: it is due at once, in its former
-- order and at the instance's pace; what has no pace, when the send window is open. A claim holds it again
-- where that still holds. The caller holds pacing, and refreshes dispatch. Skips messages that another
-- transaction holds.
create or replace function messaging.release_held_messages(
  instance_id uuid, reason text, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message_ids uuid[];
  slots timestamptz[];
  reasons text[];
begin
  with held as materialized (
    select q.message_id
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = release_held_messages.instance_id and q.lane in ('paced', 'unpaced')
      and q.claim_token is null
      and m.held_by = reason
    for no key update of q, m skip locked
  ),
  due as (
    update messaging.message_queue q
    set scheduled_at = case when q.lane = 'unpaced' then open.slot else clock end,
      visible_at = case when q.lane = 'unpaced' then open.slot else q.visible_at end
    from held h
    cross join (
      select messaging.after_hold(i, clock, interval '0') as slot
      from messaging.instances i
      where i.id = release_held_messages.instance_id
    ) as open
    where q.message_id = any (array[h.message_id])
    returning q.message_id, q.scheduled_at
  )
  select array_agg(d.message_id), array_agg(d.scheduled_at),
    array_agg(case when d.scheduled_at > clock then 'window' else 'interval' end)
  into message_ids, slots, reasons
  from due d;
  perform messaging.write_departures(message_ids, slots, reasons);
end;
$$;
