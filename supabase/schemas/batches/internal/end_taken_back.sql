-- Ends the messages of a batch that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds the batch.
create or replace function messaging.end_taken_back(of_batch uuid, status text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform messaging.end_messages_taken_back(
    array(select m.id from messaging.messages m where m.batch_id = of_batch and m.status = 'queued'),
    end_taken_back.status
  );
end;
$$;
