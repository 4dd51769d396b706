-- batches-api: the record of one batch, with what it sends: `template` {templateId, name, language} or `message`,
-- as they were when it was created. `request`: instanceId, batchId. Errors: MI027.
create or replace function public.get_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  batch messaging.batches;
  template jsonb;
begin
  -- For what the batch has cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  batch := messaging.find_batch(request);
  template := batch.source->'template';
  -- The batch and its messages in one statement: between two an erasure may take a message from one to the other.
  return messaging.describe_batch(messaging.find_batch(request)) || jsonb_build_object(
    'template', case when template is not null then jsonb_build_object(
      'templateId', template->'templateId',
      'name', template->'name',
      'language', template->'language'
    ) end,
    'message', batch.source->'message'
  );
end;
$$;
