-- Reads the result of the first call with this `Idempotency-Key`, in the form of begin_idempotent.
-- Returns NULL for an unused key, and does not take it. For calls that read before they execute: a
-- repeated call gets the first answer, whatever has changed since. Errors: MI007, MI008.
create or replace function messaging.recall_idempotent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
