-- Cancels messages that still wait, because what they were to follow up has come: `reason` is what their records
-- tell as cancelReason (replied, paid, payment_canceled). What a worker has claimed goes; one whose attempt is
-- then refused for now is canceled in place of another attempt, see settle_messages.
-- Returns how many were canceled. The caller holds the messages. Locks as end_queued_messages and
-- end_unqueued_messages.
create or replace function messaging.cancel_follow_ups(message_ids uuid[], reason text)
returns integer language plpgsql set search_path = '' as $$
begin
  -- Before their end, whose event tells it.
  update messaging.messages m
  set cancel_reason = cancel_follow_ups.reason
  where m.id = any (message_ids) and m.status = 'queued';
  return cardinality(messaging.end_queued_messages(message_ids, 'canceled'))
    + messaging.end_unqueued_messages(message_ids, 'canceled');
end;
$$;
