-- The active agent that an instance speaks as: the one named, else its only one.
-- Errors: MI003 (none, or the named one is not active here), MI009 (several, and none named).
create or replace function messaging.resolve_agent(instance_id uuid, agent_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  select array_agg(a.id) into agent_ids
  from messaging.ai_agents a
  where a.instance_id = resolve_agent.instance_id and a.is_active
    and (resolve_agent.agent_id is null or a.id = resolve_agent.agent_id);
  if agent_ids is null then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  if cardinality(agent_ids) > 1 then
    raise exception using errcode = 'MI009', message = 'agent_id_required';
  end if;
  return agent_ids[1];
end;
$$;
