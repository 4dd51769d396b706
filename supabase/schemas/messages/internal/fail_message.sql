-- Ends a message that is in no queue as failed. Its ladder, attempts and error, and whether it may be retried, are
-- what `message` says: its row, which the caller holds, as the caller has changed it.
create or replace function messaging.fail_message(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = 'failed', failed_at = clock_timestamp(), unconfirmed_at = null, held_by = null,
    ladder = message.ladder, attempts = message.attempts, last_error = message.last_error,
    is_retryable = message.is_retryable, lost_claim_token = message.lost_claim_token
  where m.id = message.id;
end;
$$;
