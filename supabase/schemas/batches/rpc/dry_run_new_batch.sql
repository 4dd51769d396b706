-- batches-api: what creating a batch and starting it now would do. `request` as in create_batch. Returns as
-- dry_run_batch, for all entries. Writes and locks nothing. Errors: MI010.
create or replace function public.dry_run_new_batch(request jsonb)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  batch constant messaging.batches := messaging.new_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  steps messaging.batch_step[];
begin
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, request->'entries', batch.id,
      null, null
    ) as w
  );
  return messaging.describe_dry_run(
    instance, batch, request->'entries', steps, null, messaging.batch_warnings(batch)
  ) || messaging.describe_estimates(
    instance, batch, messaging.planned_steps(instance, batch, steps, request->'entries', 0)
  );
end;
$$;
