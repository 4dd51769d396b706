-- Writes that a message waits again, as if no attempt had been made: for `slot`, or in no queue (NULL). What else
-- changes with that, its content, ladder, end, attempts, error and reason to cancel, is what `message` says: its row,
-- which the caller holds, as the caller has changed it.
create or replace function messaging.wait_again(
  message messaging.messages, slot timestamptz, held_by text
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = 'queued', scheduled_for = slot, held_by = wait_again.held_by,
    content = message.content, ladder = message.ladder, expires_at = message.expires_at,
    attempts = message.attempts, last_error = message.last_error,
    is_retryable = message.is_retryable, lost_claim_token = message.lost_claim_token,
    cancel_reason = message.cancel_reason,
    confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null, pricing = null, estimated_cost = null, cost_currency = null,
    is_free_service = null
  where m.id = message.id;
end;
$$;
