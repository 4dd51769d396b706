-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId or NULL, collectedData or NULL.
-- Returns the agent's id. Errors: MI003, MI009, MI021 (collected_data would exceed 64 KiB).
create or replace function messaging.begin_agent_session(
  instance_id uuid,
  conversation_id uuid,
  agent jsonb
)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  resolved_id constant uuid := messaging.resolve_agent(instance_id, (agent->>'agentId')::uuid);
begin
  update messaging.conversations c
  set agent_id = linked.agent_id, updated_at = now()
  from (select resolved_id as agent_id) as linked
  where c.id = begin_agent_session.conversation_id;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, resolved_id,
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = messaging.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return resolved_id;
end;
$$;

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
