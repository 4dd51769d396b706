-- admin-api: an agent as a response shows it.
create or replace function messaging.describe_ai_agent(agent messaging.ai_agents)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'agentId', agent.id,
    'instanceId', agent.instance_id,
    'name', agent.name,
    'instructions', agent.instructions,
    'model', agent.model,
    'isActive', agent.is_active,
    'maxMessagesPerAnswer', agent.max_messages_per_answer,
    'answersWithin', agent.answers_within_seconds,
    'createdAt', messaging.iso_in_zone(agent.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(agent.updated_at, 'UTC')
  );
$$;
