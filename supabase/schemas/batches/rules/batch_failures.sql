-- Whether the present error of a message may pause its batch: batch_failure decides it. An account's error
-- fails no message that waits, and counts all the same.
create or replace function messaging.may_pause_batch(message messaging.messages)
returns boolean language sql immutable
return message.batch_id is not null
and (
  messaging.has_failed_for_good(message)
  or messaging.stops_batch(message.last_error) is not null
);

-- Whether a message has failed by a refusal that is not temporary.
create or replace function messaging.has_failed_for_good(message messaging.messages)
returns boolean language sql immutable
return message.status = 'failed' and not message.is_retryable;

-- Why an error pauses a batch at once, as the pause's reason: it is the template's or the account's, and so
-- every further message would meet it. NULL for all others.
create or replace function messaging.stops_batch(error jsonb)
returns text language sql immutable
return case
  when error ->> 'meaning' in ('template_refused', 'account_restricted') then error ->> 'meaning'
end;
