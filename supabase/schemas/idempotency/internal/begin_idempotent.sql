-- Takes an `Idempotency-Key` for the caller's transaction (decisions, section 5). Every function that
-- executes a call once begins with it and ends with keep_outcome:
--   replayed jsonb := messaging.begin_idempotent(request);
--   ... if replayed is not null then return replayed; end if; ...
--   return messaging.keep_outcome(request, outcome);
-- `request`: idempotency {scope, key, fingerprint}; NULL means that the call has no key.
-- Returns NULL when the caller is the first and must execute, else {replayed}: what the first call
-- decided, and what has become of it (see describe_kept_outcome). A simultaneous call with the same
-- key waits here until the first one commits: the key's row stays locked. Keys live 24 hours.
-- Errors: MI007 (the first still runs), MI008 (other body), MI035 (it was about a person who was erased
-- since; see sweep_idempotency_keys).
create or replace function messaging.begin_idempotent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  idempotency constant jsonb := nullif(request->'idempotency', 'null');
  known messaging.idempotency_keys;
begin
  if idempotency is null then
    return null;
  end if;
  insert into messaging.idempotency_keys as kept (scope, key, fingerprint)
  values (idempotency->>'scope', idempotency->>'key', idempotency->>'fingerprint')
  on conflict on constraint idempotency_keys_pkey do update
  set fingerprint = excluded.fingerprint, outcome = null, response = null, message_id = null,
    attempt = null, created_at = now()
  where kept.created_at <= now() - interval '24 hours';
  if found then
    return null;
  end if;
  select k.* into known
  from messaging.idempotency_keys k
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
  if known.outcome ? 'isErased' then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  return jsonb_build_object('replayed', messaging.describe_kept_outcome(known));
end;
$$;

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
returns jsonb language plpgsql stable set search_path = '' as $$
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
