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
