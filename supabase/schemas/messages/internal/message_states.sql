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

-- Writes when messages leave, and what holds them until then: `slots` and `reasons` by their place, or NULL where a
-- message is in no queue. The caller holds the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.write_departures(
  message_ids uuid[], slots timestamptz[], reasons text[]
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set scheduled_for = d.slot, held_by = d.reason
  from unnest(message_ids, slots, reasons) as d(message_id, slot, reason)
  where m.id = any (array[d.message_id]);
end;
$$;

-- A claimed message goes on under the same claim: its content, ladder, attempts and error are what `message` says: its
-- row, which the caller holds, as the caller has changed it. Where another call is made, the claim lasts
-- `lease_seconds` from now; NULL leaves it as it is. The caller holds the queue row. Locks dispatch.
create or replace function messaging.go_on_under_claim(
  message messaging.messages, lease_seconds double precision
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
begin
  update messaging.messages m
  set content = message.content, ladder = message.ladder, attempts = message.attempts,
    last_error = message.last_error
  where m.id = message.id;
  if ends_at is null then
    return;
  end if;
  update messaging.message_queue q
  set lease_until = ends_at, visible_at = case when q.lane = 'unpaced' then ends_at end
  where q.message_id = message.id;
  update messaging.dispatch d set lease_until = ends_at
  where d.instance_id = message.instance_id and d.in_flight = message.id;
end;
$$;

-- Cancels messages that still wait, because what they were to follow up has come: `reason` is what their records
-- tell as cancelReason (replied, paid, payment_canceled). What a worker has claimed goes; one whose attempt is
-- then refused for now is canceled in place of another attempt, see settle_messages.
-- Returns how many were canceled. The caller holds the messages. Locks as
-- end_waiting_messages.
create or replace function messaging.cancel_follow_ups(message_ids uuid[], reason text)
returns integer language plpgsql set search_path = '' as $$
begin
  -- Before their end, whose event tells it.
  update messaging.messages m
  set cancel_reason = cancel_follow_ups.reason
  where m.id = any (message_ids) and m.status = 'queued';
  return messaging.end_waiting_messages(message_ids, 'canceled');
end;
$$;

-- Ends messages that have been taken out of the queue, or were in none: they become `status`, canceled or expired.
-- The caller holds them.
create or replace function messaging.end_messages(message_ids uuid[], status text)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = end_messages.status,
    canceled_at = case when end_messages.status = 'canceled' then clock_timestamp() end
  where m.id = any (message_ids);
end;
$$;

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

-- Writes what a message says: its type, words, content and file, when it was edited or deleted, and the change that a
-- call has asked for. `message`: its row, which the caller holds, as the caller has changed it.
create or replace function messaging.write_content(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set message_type = message.message_type, message = message.message, content = message.content,
    media_id = message.media_id, edited_at = message.edited_at, deleted_at = message.deleted_at,
    change = message.change
  where m.id = message.id;
end;
$$;
