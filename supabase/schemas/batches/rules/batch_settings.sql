-- Whether each message of a batch asks for a payment.
create or replace function messaging.asks_for_payment(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'message' ->> 'messageType' = 'payment_request', false)
or batch.source ? 'asksForPayment';

-- Whether a reply to a message of a batch matters: it cancels what still waits, or answers the batch's question.
create or replace function messaging.expects_reply(batch messaging.batches)
returns boolean language sql immutable
return messaging.cancels_on_reply(batch) or coalesce(batch.source ? 'ask', false);

-- Whether a reply cancels the messages of a batch that still wait.
create or replace function messaging.cancels_on_reply(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'cancelOn' ? 'reply', false);

-- The interval of a batch's messages; NULL where it has none of its own, so that they follow the pace of the
-- instance.
create or replace function messaging.own_interval(batch messaging.batches)
returns integer language sql immutable
return case
  when not batch.follows_pace then batch.interval_seconds
end;
