-- Whether a message must wait because its instance's budget is reached. See stopped_by_budget.
create or replace function messaging.waits_for_budget(message messaging.messages, clock timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance(message.instance_id);
begin
  return messaging.stopped_by_budget(instance.budget, message.purpose, message.batch_id)
    and (messaging.budget_state(instance, clock)).is_reached;
end;
$$;
