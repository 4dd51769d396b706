-- claim_unpaced_messages: has those of these due messages wait until the month ends that a reached budget stops: see
-- waits_for_budget. The caller has locked the queue rows. Leaves messages that another transaction is changing for the next
-- claim.
create or replace function messaging.hold_unpaced_for_budget(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  held record;
begin
  for held in
    select m as message, i as instance
    from messaging.messages m
    join messaging.instances i on i.id = any (array[m.instance_id])
    where m.id = any (message_ids) and messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id)
    order by m.id
    for no key update of m skip locked
  loop
    continue when not messaging.waits_for_budget(held.message, clock);
    with moved as (
      update messaging.message_queue q
      set scheduled_at = later.slot, visible_at = later.slot
      from messaging.after_budget(
        held.instance, (messaging.budget_state(held.instance, clock)).month_ends_at, interval '0'
      ) as later(slot)
      where q.message_id = (held.message).id
      returning q.message_id, q.scheduled_at
    )
    update messaging.messages m
    set scheduled_for = w.scheduled_at, held_by = 'budget'
    from moved w
    where m.id = any (array[w.message_id]);
  end loop;
end;
$$;
