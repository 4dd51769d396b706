-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/idempotency/internal/begin_idempotent.sql
-- Takes an `Idempotency-Key` for the caller's transaction (decisions, section 5). Every function that
-- executes a call once begins with it and ends with keep_outcome:
--   replayed jsonb := messaging.begin_idempotent(request);
--   ... if replayed is not null then return replayed; end if; ...
--   return messaging.keep_outcome(request, outcome);
-- `request`: idempotency {scope, key, fingerprint}; NULL means that the call has no key.
-- Returns NULL when the caller is the first and must execute, else {replayed}: what the first call
-- decided, and what has become of it (see describe_kept_outcome). A simultaneous call with the same
-- key waits here until the first one commits: the key's row stays locked. Keys live 24 hours.
-- Errors: MI007 (the first still runs), MI008 (other body).
create or replace function messaging.begin_idempotent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  return jsonb_build_object('replayed', messaging.describe_kept_outcome(known));
end;
$$;
revoke all on function messaging.begin_idempotent(jsonb) from public, anon, authenticated;
grant execute on function messaging.begin_idempotent(jsonb) to service_role;

-- source: supabase/schemas/idempotency/internal/describe_kept_outcome.sql
-- Decides the answer to a call with a known `Idempotency-Key` (decisions, section 5).
-- Returns {outcome, response, message, messageId, isAttemptDue}:
--   response is the first answer while it is still right, else NULL;
--   message is the message as it is now (see describe_message, and isRetryable) where the first
--     answer is no longer right, else NULL;
--   isAttemptDue says that the immediate send had a temporary refusal and may be tried again: see
--     attempt_again.
-- A successful first answer stays right unless the message was canceled since. A refusal or an unknown
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
begin
  select m.* into message from messaging.messages m where m.id = known.message_id;
  select q.* into queued from messaging.message_queue q where q.message_id = known.message_id;
  stands := case
    when message.id is null or status = 200 then true
    when not is_immediate then message.status <> 'canceled'
    when status is null or queued.message_id is not null or known.attempt <> message.attempts then false
    when message.status = 'failed' then status <> 504 and not message.is_retryable
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
      messaging.describe_message(message) || jsonb_build_object('isRetryable', message.is_retryable)
    end,
    'isAttemptDue', not stands and is_immediate and message.status = 'failed'
      and message.is_retryable and queued.message_id is null
  );
end;
$$;
revoke all
on function messaging.describe_kept_outcome(messaging.idempotency_keys)
from public, anon, authenticated;
grant execute
on function messaging.describe_kept_outcome(messaging.idempotency_keys)
to service_role;

-- source: supabase/schemas/idempotency/internal/keep_outcome.sql
-- Keeps what the transaction decided under the request's `Idempotency-Key`, if it has one (see
-- begin_idempotent). `message_id`: the message whose state a repeated call asks for. Returns the
-- outcome.
create or replace function messaging.keep_outcome(
  request jsonb,
  outcome jsonb,
  message_id uuid default null
)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if nullif(request->'idempotency', 'null') is not null then
    update messaging.idempotency_keys k
    set outcome = keep_outcome.outcome, message_id = keep_outcome.message_id
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key';
  end if;
  return outcome;
end;
$$;
revoke all on function messaging.keep_outcome(jsonb, jsonb, uuid) from public, anon, authenticated;
grant execute on function messaging.keep_outcome(jsonb, jsonb, uuid) to service_role;

-- source: supabase/schemas/idempotency/internal/keep_response.sql
-- Keeps the response of an immediate send under its `Idempotency-Key`, where its message was among
-- those that were settled.
create or replace function messaging.keep_response(
  idempotency jsonb,
  response jsonb,
  settled uuid[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.idempotency_keys k
  set response = keep_response.response,
    attempt = (select m.attempts from messaging.messages m where m.id = k.message_id)
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key'
    and k.message_id = any (settled);
end;
$$;
revoke all
on function messaging.keep_response(jsonb, jsonb, uuid[])
from public, anon, authenticated;
grant execute on function messaging.keep_response(jsonb, jsonb, uuid[]) to service_role;

-- source: supabase/schemas/idempotency/internal/recall_idempotent.sql
-- Reads the result of the first call with this `Idempotency-Key`, in the form of begin_idempotent.
-- Returns NULL for an unused key, and does not take it. For calls that read before they execute: a
-- repeated call gets the first answer, whatever has changed since. Errors: MI007, MI008.
create or replace function messaging.recall_idempotent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from messaging.idempotency_keys k
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key'
      and k.created_at > now() - interval '24 hours'
  ) then
    return messaging.begin_idempotent(request);
  end if;
  return null;
end;
$$;
revoke all on function messaging.recall_idempotent(jsonb) from public, anon, authenticated;
grant execute on function messaging.recall_idempotent(jsonb) to service_role;

-- source: supabase/schemas/idempotency/internal/take_keys.sql
-- accept_messages: takes the `Idempotency-Key`s of the plain calls, as begin_idempotent does for one.
-- Returns the calls that may be executed: those without a key, and those whose key is new. A known key's
-- call, and the second of two with one key, are left out. Waits for a simultaneous call with the same key,
-- in the order of the keys.
create or replace function messaging.take_keys(plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  first_ones messaging.acceptance[];
begin
  with taken as (
    insert into messaging.idempotency_keys (scope, key, fingerprint, message_id)
    select p.idempotency->>'scope', p.idempotency->>'key', p.idempotency->>'fingerprint',
      p.message_id
    from unnest(plain) as p
    where p.idempotency is not null
    order by p.idempotency->>'scope', p.idempotency->>'key', p.place
    on conflict on constraint idempotency_keys_pkey do nothing
    returning message_id
  )
  select array_agg(p order by p.place) into first_ones
  from unnest(plain) as p
  where p.idempotency is null or p.message_id in (select t.message_id from taken t);
  return first_ones;
end;
$$;
revoke all on function messaging.take_keys(messaging.acceptance[]) from public, anon, authenticated;
grant execute on function messaging.take_keys(messaging.acceptance[]) to service_role;
