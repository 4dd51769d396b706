-- Cancels the message of a Pix code that still waits: nobody shall pay by it any more. What a worker has in hand
-- goes. Locks the message, then as end_queued_messages.
create or replace function messaging.cancel_payment_code(code_message_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = code_message_id and m.status = 'queued'
  for no key update skip locked;
  if found then
    perform messaging.end_queued_messages(array[code_message_id], 'canceled');
  end if;
end;
$$;
