-- Whether the present error of a message may pause its batch: batch_failure decides it. An account's error
-- fails no message that waits, and counts all the same.
create or replace function messaging.may_pause_batch(message messaging.messages)
returns boolean language sql immutable
return message.batch_id is not null
and (
  messaging.has_failed_for_good(message)
  or messaging.stops_batch(message.last_error) is not null
);
