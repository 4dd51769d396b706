-- batches-api: adds recipients to a draft. `request`: instanceId, batchId, entries (see add_recipients),
-- errors, idempotency. Returns {batchId, status, added, duplicates, errors}.
-- Errors: MI007, MI008, MI027, MI028 (no draft), MI029 (more than 100,000), MI051 to MI054 (see take_batch_files),
-- MI055, MI094.
create or replace function public.extend_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  return messaging.add_recipients((messaging.find_batch(request)).id, request);
end;
$$;
