-- The paced message of an instance that leaves next: the earliest slot among those not in flight, from
-- `queue_from` on: that of its dispatch row, behind what has left, or -infinity for what that may not know yet.
create or replace function messaging.head_of_queue(instance_id uuid, queue_from timestamptz)
returns table (
  message_id uuid, scheduled_at timestamptz, interval_seconds integer, follows_pace boolean
) language sql stable rows 1
begin atomic
  select q.message_id, q.scheduled_at, q.interval_seconds, q.follows_pace
  from messaging.message_queue as q
  where
    q.instance_id = head_of_queue.instance_id
    and q.lane = 'paced'
    and q.claim_token is null
    and q.scheduled_at >= head_of_queue.queue_from
  order by q.scheduled_at, q.position
  limit 1;
end;
