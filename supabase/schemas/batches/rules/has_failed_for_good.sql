-- Whether a message has failed by a refusal that is not temporary.
create or replace function messaging.has_failed_for_good(message messaging.messages)
returns boolean language sql immutable
return message.status = 'failed' and not message.is_retryable;
