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
  if known.outcome ? 'isErased' then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  return jsonb_build_object('replayed', messaging.describe_kept_outcome(known));
end;
$$;
