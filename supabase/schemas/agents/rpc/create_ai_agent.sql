-- admin-api: a new agent. `request`: instanceId, name, instructions, model, isActive,
-- maxMessagesPerAnswer (absent for 1), answersWithin (absent for six hours), idempotency (see begin_idempotent).
-- Returns the agent, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  agent messaging.ai_agents;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.ai_agents (
    instance_id, name, instructions, model, is_active, max_messages_per_answer,
    answers_within_seconds
  )
  values (
    instance.id, request->>'name', request->>'instructions', request->>'model',
    (request->>'isActive')::boolean, coalesce((request->>'maxMessagesPerAnswer')::integer, 1),
    coalesce((request->>'answersWithin')::integer, 21600)
  )
  returning * into agent;
  return messaging.keep_outcome(request, messaging.describe_ai_agent(agent));
end;
$$;
