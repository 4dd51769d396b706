-- Whether each message of a batch asks for a payment.
create or replace function messaging.asks_for_payment(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'message' ->> 'messageType' = 'payment_request', false)
or batch.source ? 'asksForPayment';
