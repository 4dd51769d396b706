-- Whether a reply to a message of a batch matters: it cancels what still waits, or answers the batch's question.
create or replace function messaging.expects_reply(batch messaging.batches)
returns boolean language sql immutable
return messaging.cancels_on_reply(batch) or coalesce(batch.source ? 'ask', false);
