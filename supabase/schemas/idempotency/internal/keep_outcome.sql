-- Keeps under the call's `Idempotency-Key`, if it has one, what its transaction decided.
create or replace function messaging.keep_outcome(idempotency jsonb, outcome jsonb, message_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if idempotency is null or jsonb_typeof(idempotency) = 'null' then
    return;
  end if;
  update messaging.idempotency_keys k
  set outcome = keep_outcome.outcome, message_id = keep_outcome.message_id
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
end;
$$;
revoke all on function messaging.keep_outcome(jsonb, jsonb, uuid) from public, anon, authenticated;
grant execute on function messaging.keep_outcome(jsonb, jsonb, uuid) to service_role;
