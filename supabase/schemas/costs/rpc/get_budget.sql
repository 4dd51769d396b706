-- messages-api: an instance's budget and what is spent of it this month. `request`: instanceId. Returns
-- describe_budget. What has just been noted is counted first: see settle_usage_notes.
create or replace function public.get_budget(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  perform messaging.settle_usage_notes(instance.id);
  return messaging.describe_budget(instance, clock_timestamp());
end;
$$;
