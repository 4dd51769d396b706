-- The batch `batchId` of an instance. `request`: instanceId, batchId. Locks nothing. Error: MI027.
create or replace function messaging.find_batch(request jsonb)
returns messaging.batches language plpgsql stable set search_path = '' as $$
declare
  batch messaging.batches;
begin
  select b.* into batch
  from messaging.batches b
  where b.id = (request->>'batchId')::uuid and b.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI027', message = 'batch_not_found';
  end if;
  return batch;
end;
$$;
