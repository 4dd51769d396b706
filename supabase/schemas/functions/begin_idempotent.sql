-- Takes an `Idempotency-Key` for the caller's transaction (decisions, section 5).
-- `idempotency`: scope, key, fingerprint; NULL means that the call has no key.
-- Returns NULL when the caller is the first and must execute; else what the first call decided:
-- {outcome, response, message {status, providerMessageId, lastError}}. A simultaneous call with the same key waits here for the
-- first one's commit. Keys live 24 hours. Errors: MI007 (the first still runs), MI008 (other body).
create or replace function public.begin_idempotent(idempotency jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  known public.idempotency_keys;
begin
  if idempotency is null or jsonb_typeof(idempotency) = 'null' then
    return null;
  end if;
  insert into public.idempotency_keys as kept (scope, key, fingerprint)
  values (idempotency->>'scope', idempotency->>'key', idempotency->>'fingerprint')
  on conflict on constraint idempotency_keys_pkey do update
  set fingerprint = excluded.fingerprint, outcome = null, response = null, message_id = null,
    created_at = now()
  where kept.created_at <= now() - interval '24 hours';
  if found then
    return null;
  end if;
  select k.* into known
  from public.idempotency_keys k
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  -- In flight means a live claim; after its lease nobody works on the message any more.
  if known.response is null and exists (
    select from public.message_queue q
    where q.message_id = known.message_id
      and q.max_attempts = 1 and q.lease_until > clock_timestamp()
  ) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  return jsonb_build_object(
    'outcome', known.outcome,
    'response', known.response,
    'message', (
      select jsonb_build_object(
        'status', m.status, 'providerMessageId', m.provider_message_id, 'lastError', m.last_error
      )
      from public.messages m where m.id = known.message_id
    )
  );
end;
$$;
revoke all on function public.begin_idempotent(jsonb) from public, anon, authenticated;
grant execute on function public.begin_idempotent(jsonb) to service_role;
