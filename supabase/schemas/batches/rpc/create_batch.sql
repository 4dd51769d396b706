-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see
-- begin_idempotent). Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, MI051 to
-- MI054 (see take_batch_files), MI055, MI094.
create or replace function public.create_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch constant messaging.batches := messaging.new_batch(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.batches select batch.*;
  return messaging.add_recipients(batch.id, request);
end;
$$;
