-- Ends those of the messages that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds their batches.
create or replace function messaging.end_messages_taken_back(message_ids uuid[], status text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  ended uuid[];
begin
  with ended_messages as (
    update messaging.messages m
    set status = end_messages_taken_back.status,
      canceled_at = case when end_messages_taken_back.status = 'canceled' then clock_timestamp() end
    where m.id = any (message_ids) and m.status = 'queued'
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  perform messaging.record_message_events(
    ended, array['message.' || end_messages_taken_back.status]
  );
end;
$$;
revoke all
on function messaging.end_messages_taken_back(uuid[], text)
from public, anon, authenticated;
grant execute on function messaging.end_messages_taken_back(uuid[], text) to service_role;
