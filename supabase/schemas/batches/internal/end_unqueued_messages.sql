-- Ends those of the messages that are in no queue, because a pause took them out of it or because they wait for
-- their contact's answer: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_unqueued_messages(message_ids uuid[], status text)
returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ended uuid[];
begin
  ended := array(
    select m.id
    from messaging.messages m
    where m.id = any (message_ids) and m.status = 'queued'
      and (m.batch_id is not null or m.held_by = 'awaiting_reply')
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    order by m.id
    for no key update
  );
  if ended = '{}' then
    return 0;
  end if;
  perform messaging.end_messages(ended, status);
  perform messaging.accept_pending_recipients(ended);
  return cardinality(ended);
end;
$$;
