-- What the first call with this `Idempotency-Key` has decided, for a call that does its work outside the
-- database. `request`: idempotency (see recall_idempotent). Returns {replayed}, or {} for a new key, which
-- is not taken. Errors: MI007, MI008, MI035.
create or replace function public.recall_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return coalesce(messaging.recall_idempotent(request), '{}');
end;
$$;
