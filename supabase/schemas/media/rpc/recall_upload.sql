-- media-api: the first answer to an upload with this `Idempotency-Key`, before anything is fetched: see
-- recall_call.
create or replace function public.recall_upload(request jsonb)
returns jsonb language sql set search_path = '' as $$
  select public.recall_call(request);
$$;
