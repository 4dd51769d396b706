-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId, or NULL for the instance's only active one;
-- collectedData or NULL. Returns the agent's id. Errors: MI003 (none, or the named one is not active here),
-- MI009 (several, and none named), MI021 (collected_data would exceed 64 KiB).
create or replace function messaging.begin_agent_session(
  instance_id uuid, conversation_id uuid, agent jsonb
) returns uuid language plpgsql set search_path = '' as $$
declare
  agent_ids constant uuid[] := array(
    select a.id from messaging.ai_agents a
    where a.instance_id = begin_agent_session.instance_id and a.is_active
      and (agent->>'agentId' is null or a.id = (agent->>'agentId')::uuid)
  );
begin
  if agent_ids = '{}' then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  if cardinality(agent_ids) > 1 then
    raise exception using errcode = 'MI009', message = 'agent_id_required';
  end if;
  update messaging.conversations c
  set agent_id = agent_ids[1], updated_at = now()
  where c.id = begin_agent_session.conversation_id;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, agent_ids[1],
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = messaging.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return agent_ids[1];
end;
$$;
