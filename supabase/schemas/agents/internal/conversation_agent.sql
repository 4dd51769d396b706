-- Whose words an `ai_agent` message of a conversation are: its linked agent's, else those of the
-- instance's first active one; NULL where there is none.
create or replace function messaging.conversation_agent(conversation messaging.conversations)
returns uuid language plpgsql stable set search_path = '' as $$
begin
  return coalesce(
    conversation.agent_id,
    (
      select a.id from messaging.ai_agents a
      where a.instance_id = conversation.instance_id and a.is_active
      order by a.created_at, a.id
      limit 1
    )
  );
end;
$$;
