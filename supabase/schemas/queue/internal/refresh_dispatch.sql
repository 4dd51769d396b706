-- Recomputes when each instance is due next, from the head of its queue. The caller must hold their
-- pacing rows, locked in an earlier statement: otherwise an enqueue that has inserted but not
-- committed is overlooked, and its message never wakes the dispatcher.
-- Skips instances with a message in flight: settling it refreshes them.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.refresh_dispatch(instance_ids uuid[])
returns void language sql set search_path = '' as $$
  update messaging.dispatch d
  set next_due_at = messaging.next_due_at(
    d, head.scheduled_at, head.interval_seconds, head.follows_pace
  )
  from unnest(refresh_dispatch.instance_ids) as wanted(instance_id)
  left join lateral messaging.head_of_queue(wanted.instance_id) as head on true
  where d.instance_id = any (array[wanted.instance_id]) and d.in_flight is null;
$$;
