-- Decides the answer to a call with a known `Idempotency-Key` (decisions, section 5).
-- Returns {outcome, response, message, messageId, isAttemptDue}:
--   response is the first answer while it is still right, else NULL;
--   message is the message as it is now (see describe_message, and isRetryable) where the first
--     answer is no longer right, else NULL;
--   isAttemptDue says that the immediate send had a temporary refusal and may be tried again: see
--     attempt_again.
-- A successful first answer stays right unless the message was canceled or has expired since. A refusal or an unknown
-- outcome stays right until the message is attempted again or its state changes. Writes nothing.
-- Errors: MI007 (a call to the provider is under way).
create or replace function messaging.describe_kept_outcome(known messaging.idempotency_keys)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
  queued messaging.message_queue;
  is_immediate constant boolean := known.outcome->>'mode' = 'sent';
  status constant integer := (known.response->>'status')::integer;
  stands boolean;
  may_be_retried boolean;
begin
  select m.* into message from messaging.messages m where m.id = known.message_id;
  select q.* into queued from messaging.message_queue q where q.message_id = known.message_id;
  may_be_retried := message.is_retryable
    and coalesce(message.expires_at > clock_timestamp(), true);
  stands := case
    when message.id is null or status = 200 then true
    when not is_immediate then message.status not in ('canceled', 'expired')
    when status is null or queued.message_id is not null or known.attempt <> message.attempts then false
    when message.status = 'failed' then status <> 504 and not may_be_retried
    else message.status = 'unconfirmed' and status = 504
  end;
  -- In flight means a claim within its lease: after the lease no worker has the message.
  if not stands and queued.lease_until > clock_timestamp() then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  return jsonb_build_object(
    'outcome', known.outcome,
    'response', case when stands then known.response end,
    'messageId', known.message_id,
    'message', case when not stands then
      messaging.describe_message(message) || jsonb_build_object('isRetryable', may_be_retried)
    end,
    'isAttemptDue', not stands and is_immediate and message.status = 'failed'
      and may_be_retried and queued.message_id is null
  );
end;
$$;
