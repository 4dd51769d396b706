-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_ai_agent(r) from messaging.ai_agents r
    where r.id = (request->>'agentId')::uuid
  ), 'MI003', 'agent_not_found');
$$;
