-- Ends the messages of a batch that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds the batch.
create or replace function messaging.end_unqueued_of_batch(of_batch uuid, status text)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform messaging.end_unqueued_messages(
    array(select m.id from messaging.messages m where m.batch_id = of_batch and m.status = 'queued'),
    end_unqueued_of_batch.status
  );
end;
$$;
