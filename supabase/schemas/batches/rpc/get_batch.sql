-- batches-api: the record of one batch. `request`: instanceId, batchId. Errors: MI027.
create or replace function public.get_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  -- For what the batch has cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  return messaging.describe_batch(messaging.find_batch(request));
end;
$$;
