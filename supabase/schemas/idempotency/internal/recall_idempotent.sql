-- What the first call with this `Idempotency-Key` came to, as begin_idempotent says it; NULL while
-- the key is free, which it stays. For calls that have something to read before they are executed:
-- a repeat is answered by the first answer, whatever has changed since. Errors: MI007, MI008.
create or replace function messaging.recall_idempotent(idempotency jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from messaging.idempotency_keys k
    where k.scope = idempotency->>'scope' and k.key = idempotency->>'key'
      and k.created_at > now() - interval '24 hours'
  ) then
    return messaging.begin_idempotent(idempotency);
  end if;
  return null;
end;
$$;
revoke all on function messaging.recall_idempotent(jsonb) from public, anon, authenticated;
grant execute on function messaging.recall_idempotent(jsonb) to service_role;
