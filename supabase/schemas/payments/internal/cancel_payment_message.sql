-- Cancels a message that still waits, a request or the message of its Pix code: nobody shall pay by it any more.
-- What a worker has in hand goes. Locks the message, then as end_queued_messages and end_unqueued_messages.
create or replace function messaging.cancel_payment_message(message_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = cancel_payment_message.message_id and m.status = 'queued'
  for no key update skip locked;
  if found then
    perform messaging.end_queued_messages(array[message_id], 'canceled');
    -- One that a pause of its batch has taken out of the queue.
    perform messaging.end_unqueued_messages(array[message_id], 'canceled');
  end if;
end;
$$;
