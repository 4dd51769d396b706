-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- What leaves after another message waits until that one is settled: see postpone_followers.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds or
-- that is disconnected until that ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer, lease interval, due_from timestamptz, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  claimed_ids uuid[];
  held_ids uuid[];
  to_be_paced uuid[];
  due_ids uuid[];
  followers uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced,
      q.goes_after
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      messaging.stopped_until(own) > clock
        and not due.is_to_be_paced as is_held,
      own.new_chats_locked_until as locked_until,
      due.goes_after is not null and exists (
        select from messaging.message_queue f where f.message_id = any (array[due.goes_after])
      ) as is_follower
    from due
    cross join lateral messaging.dispatch_of(due.instance_id) as own
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from checked
    join messaging.messages m on m.id = any (array[checked.message_id])
    where q.message_id = any (array[checked.message_id]) and not checked.is_held
      and not checked.is_to_be_paced and not checked.is_follower and coalesce(m.expires_at > clock, true)
      and not messaging.locks_new_chat(checked.locked_until, m.contact_id, clock)
      -- Of all that is unpaced a budget may stop marketing alone: batches are paced.
      and (
        m.purpose is distinct from 'marketing'
        or not messaging.stopped_by_budget(
          (messaging.find_instance(m.instance_id)).budget, m.purpose, m.batch_id
        )
      )
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced and not checked.is_follower
    ),
    (
      select array_agg(checked.message_id)
      from checked
      where checked.is_follower and not checked.is_held
    )
  into claimed_ids, held_ids, to_be_paced, due_ids, followers;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  if followers is not null then
    perform messaging.postpone_followers(followers, clock);
  end if;
  -- What was due and not claimed has come to its expires_at, would open a chat that is locked, or its instance's
  -- budget decides.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
    perform messaging.postpone_new_chats(due_ids, clock);
    claimed_ids := claimed_ids || messaging.claim_unpaced_within_budget(
      array(select d from unnest(due_ids) as d where d <> all (coalesce(claimed_ids, '{}'))),
      lease, clock
    );
  end if;
  return claimed_ids;
end;
$$;

-- Makes unpaced messages that leave after another one (goes_after) invisible for half a second, and for as
-- long as that one is. The caller has locked the queue rows. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_followers(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.message_queue q
  set visible_at = greatest(clock, case when f.claim_token is null then f.visible_at end)
    + interval '500 milliseconds'
  from messaging.message_queue f
  where q.message_id = any (message_ids) and f.message_id = any (array[q.goes_after]);
end;
$$;

-- Makes unpaced messages of instances that an operator holds or that are disconnected invisible until that
-- ends, so that a claim reads each of them once. The caller has locked the queue rows. Tries the dispatch
-- rows without waiting; their locks keep a release from overlooking what is postponed here: it waits for them
-- before it looks (see set_operator_hold).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_held_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
begin
  with held as (
    select d.instance_id, messaging.stopped_until(d) as ends_at
    from messaging.dispatch d
    where messaging.stopped_until(d) > clock and d.instance_id in (
      select q.instance_id
      from unnest(postpone_held_messages.message_ids) as late(message_id)
      join messaging.message_queue q on q.message_id = any (array[late.message_id])
    )
    order by d.instance_id
    for share skip locked
  )
  update messaging.message_queue q
  set visible_at = held.ends_at
  from held
  where q.message_id = any (postpone_held_messages.message_ids)
    and q.instance_id = any (array[held.instance_id])
    and q.claim_token is null;
end;
$$;

-- claim_due_messages: gives messages that waited for an instant of the caller's their slots in the paced
-- queue (see enqueue_message_later), in the order of the slots they were promised. The caller holds their
-- queue rows. Never waits for messages and pacing rows: what another session holds is left for later.
create or replace function messaging.enqueue_waiting_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  waiting record;
  instance messaging.instances;
  enqueued record;
begin
  for waiting in
    select q.instance_id, q.message_id, q.scheduled_at, q.attempts,
      case when not q.follows_pace then q.interval_seconds end as interval_seconds,
      q.max_attempts, m.contact_id, m.held_by, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.pacing p on p.instance_id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id, q.scheduled_at, q.position
    for no key update of m, p skip locked
  loop
    if instance.id is distinct from waiting.instance_id then
      select i.* into strict instance from messaging.instances i where i.id = waiting.instance_id;
    end if;
    begin
      delete from messaging.message_queue q where q.message_id = waiting.message_id;
      select e.slot, e.held_by into strict enqueued
      from messaging.enqueue_message(
        waiting.message_id, instance, waiting.interval_seconds, waiting.scheduled_at, waiting.typing,
        waiting.contact_id
      ) e;
      update messaging.message_queue q
      set attempts = waiting.attempts, max_attempts = waiting.max_attempts
      where q.message_id = waiting.message_id and waiting.attempts > 0;
      perform messaging.write_departures(
        array[waiting.message_id], array[enqueued.slot],
        array[coalesce(enqueued.held_by, waiting.held_by)]
      );
    exception when sqlstate 'MI010' then
      -- A window that never opens is looked at daily, as by postpone_dispatch.
      update messaging.message_queue q
      set visible_at = clock + interval '1 day'
      where q.message_id = waiting.message_id;
    end;
  end loop;
end;
$$;

-- claim_unpaced_messages: has those of these due messages that would open a locked chat (see locks_new_chat) wait
-- until the lock ends. The caller has locked the queue rows. Leaves messages that another transaction is changing
-- for the next claim.
create or replace function messaging.postpone_new_chats(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting record;
begin
  for waiting in
    select m.id as message_id, m.contact_id, i as instance, d.new_chats_locked_until as locked_until
    from messaging.message_queue q
    join messaging.dispatch d on d.instance_id = any (array[q.instance_id])
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[m.instance_id])
    where q.message_id = any (message_ids) and q.claim_token is null
      and d.new_chats_locked_until > clock
      and messaging.locks_new_chat(d.new_chats_locked_until, m.contact_id, clock)
    order by i.id, q.visible_at, m.id
    for no key update of m skip locked
  loop
    -- Once more: it may have written before its message was locked, see release_known_contacts.
    continue when not messaging.locks_new_chat(waiting.locked_until, waiting.contact_id, clock);
    perform messaging.postpone_message(
      waiting.message_id, waiting.instance, waiting.locked_until, 'new_contacts'
    );
  end loop;
end;
$$;

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
      perform messaging.postpone_message(
        waiting.message_id, waiting.instance, budget.month_ends_at, 'budget'
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
