-- batches-api: the record of one batch. `request`: instanceId, batchId. Errors: MI027.
create or replace function public.get_batch(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return messaging.describe_batch(messaging.find_batch(request));
end;
$$;
