-- claim_unpaced_messages: claims those of these due messages that an instance's budget may stop (see
-- stopped_by_budget), as far as the budget reaches, and has the others wait until the month ends. Returns the ids of
-- the claimed ones. The caller has locked the queue rows. Leaves messages that another transaction is changing, or
-- of a budget that another one has taken, for the next claim.
create or replace function messaging.claim_unpaced_within_budget(
  message_ids uuid[], lease interval, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting record;
  of_instance uuid;
  has_budget boolean;
  budget record;
  budget_left numeric;
  slot timestamptz;
  claimed_ids uuid[];
begin
  for waiting in
    select m.id as message_id, i as instance, i.id as instance_id,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[m.instance_id])
    where q.message_id = any (message_ids) and q.claim_token is null
      and messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id)
    order by i.id, q.visible_at, m.id
    for no key update of m skip locked
  loop
    if waiting.instance_id is distinct from of_instance then
      of_instance := waiting.instance_id;
      has_budget := messaging.lock_budget(of_instance, false);
      budget := messaging.budget_state(waiting.instance, clock);
      -- NULL without rates: such a budget is never reached.
      budget_left := case
        when budget.currency is not null then budget.amount - budget.spent - budget.under_way
      end;
    end if;
    continue when not has_budget;
    if budget_left <= 0 then
      slot := messaging.after_budget(waiting.instance, budget.month_ends_at, interval '0');
      update messaging.message_queue q
      set scheduled_at = slot, visible_at = slot
      where q.message_id = waiting.message_id;
      perform messaging.write_departures(
        array[waiting.message_id], array[slot], array['budget']
      );
      continue;
    end if;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + waiting.typing,
      visible_at = clock + lease + waiting.typing
    where q.message_id = waiting.message_id;
    budget_left := budget_left - coalesce(
      (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
    );
    claimed_ids := claimed_ids || waiting.message_id;
  end loop;
  return claimed_ids;
end;
$$;
