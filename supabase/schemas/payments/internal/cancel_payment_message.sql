-- Cancels a message that still waits, a request or the message of its Pix code: nobody shall pay by it any more.
-- What a worker has in hand goes. Locks the message, then as end_waiting_messages.
create or replace function messaging.cancel_payment_message(message_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = cancel_payment_message.message_id and m.status = 'queued'
  for no key update skip locked;
  if found then
    perform messaging.end_waiting_messages(array[message_id], 'canceled');
  end if;
end;
$$;
