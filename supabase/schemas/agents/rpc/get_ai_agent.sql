-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  agent messaging.ai_agents;
begin
  select r.* into agent from messaging.ai_agents r where r.id = (request->>'agentId')::uuid;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;
