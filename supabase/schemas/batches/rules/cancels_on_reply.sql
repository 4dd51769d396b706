-- Whether a reply cancels the messages of a batch that still wait.
create or replace function messaging.cancels_on_reply(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'cancelOn' ? 'reply', false);
