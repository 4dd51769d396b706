-- Recomputes when each instance is due next, from the head of its queue. The caller must hold their
-- pacing rows, locked in an earlier statement: otherwise an enqueue that has inserted but not
-- committed is overlooked, and its message never wakes the dispatcher.
-- Of instances with a message in flight it lowers queue_from alone: settling it refreshes them.
-- Looks from the start of the queue: what calls this may have brought a message before queue_from.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.refresh_dispatch(instance_ids uuid[])
returns void language sql set search_path = '' as $$
  update messaging.dispatch d
  set next_due_at = case
      when d.in_flight is not null then d.next_due_at
      else messaging.next_due_at(d, head.scheduled_at, head.interval_seconds, head.follows_pace)
    end,
    queue_from = coalesce(head.scheduled_at, 'infinity')
  from unnest(refresh_dispatch.instance_ids) as wanted(instance_id)
  cross join lateral messaging.dispatch_of(wanted.instance_id) as own
  left join lateral messaging.head_of_queue(wanted.instance_id, '-infinity') as head on true
  where d.instance_id = any (array[own.instance_id])
    and d.generation >= own.generation
    and (d.in_flight is null or head.scheduled_at < d.queue_from);
$$;
