-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- What leaves after another message waits until that one is settled: see postpone_followers.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds or
-- that is disconnected until that ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer, lease interval, clock timestamptz
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
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      messaging.stopped_until(d) > clock
        and not due.is_to_be_paced as is_held,
      due.goes_after is not null and exists (
        select from messaging.message_queue f where f.message_id = any (array[due.goes_after])
      ) as is_follower
    from due
    join messaging.dispatch d on d.instance_id = any (array[due.instance_id])
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
  -- What was due and not claimed has come to its expires_at, or its instance's budget decides.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
    claimed_ids := claimed_ids || messaging.claim_unpaced_within_budget(
      array(select d from unnest(due_ids) as d where d <> all (coalesce(claimed_ids, '{}'))),
      lease, clock
    );
  end if;
  return claimed_ids;
end;
$$;
