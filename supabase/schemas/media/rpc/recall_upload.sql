-- media-api: the first answer to an upload with this `Idempotency-Key`, before anything is fetched.
-- `request`: idempotency (see recall_idempotent). Returns {replayed}, or {} for a new key.
-- Errors: MI007, MI008.
create or replace function public.recall_upload(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return coalesce(messaging.recall_idempotent(request), '{}');
end;
$$;
