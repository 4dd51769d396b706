-- Ends those of the messages that are in no queue, because a pause took them out of it or because they wait for
-- their contact's answer: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_unqueued_messages(message_ids uuid[], status text)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  ended uuid[];
begin
  with ended_messages as (
    update messaging.messages m
    set status = end_unqueued_messages.status,
      canceled_at = case when end_unqueued_messages.status = 'canceled' then clock_timestamp() end
    where m.id = any (message_ids) and m.status = 'queued'
      and (m.batch_id is not null or m.held_by = 'awaiting_reply')
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  if ended is null then
    return 0;
  end if;
  perform messaging.accept_pending_recipients(ended);
  return cardinality(ended);
end;
$$;
