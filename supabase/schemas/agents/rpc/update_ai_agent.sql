-- admin-api: changes an agent. `request`: agentId, changes {name, instructions, model, isActive,
-- maxMessagesPerAnswer, answersWithin, each optional}. Error: MI003.
create or replace function public.update_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  agent messaging.ai_agents;
begin
  update messaging.ai_agents r
  set name = coalesce(changes->>'name', r.name),
    instructions = coalesce(changes->>'instructions', r.instructions),
    model = coalesce(changes->>'model', r.model),
    is_active = coalesce((changes->>'isActive')::boolean, r.is_active),
    max_messages_per_answer = coalesce(
      (changes->>'maxMessagesPerAnswer')::integer, r.max_messages_per_answer
    ),
    answers_within_seconds = coalesce(
      (changes->>'answersWithin')::integer, r.answers_within_seconds
    ),
    updated_at = now()
  where r.id = (request->>'agentId')::uuid
  returning r.* into agent;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;
