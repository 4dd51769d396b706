-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them: see take_place_of_day. The caller has locked dispatch and the queue rows. Tries the pacing rows without waiting: an enqueue locks the two in the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[], lease interval, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  head record;
  place record;
  budget record;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id) as is_stoppable,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    if head.is_stoppable then
      continue when not messaging.lock_budget(head.instance_id, false);
      budget := messaging.budget_state(head.instance, clock);
      if budget.is_reached then
        perform messaging.hold_for_budget(head.message_id, head.instance, budget.month_ends_at);
        perform messaging.refresh_dispatch(array[head.instance_id]);
        continue;
      end if;
    end if;
    if (head.instance).protection is null then
      select true as is_taken, null::date as day, head.takes_new as counts_as_new into place;
    else
      place := messaging.take_place_of_day(
        head.instance, head.contact_id, head.takes_new, head.scheduled_at, clock
      );
    end if;
    continue when not place.is_taken;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = place.day,
      is_new = place.counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    where d.instance_id = head.instance_id;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;
