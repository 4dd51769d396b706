-- Whose words an `ai_agent` message of a conversation are: its linked agent's, else those of the
-- instance's first active one; NULL where there is none.
create or replace function public.speaking_agent(conversation public.conversations)
returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    conversation.agent_id,
    (
      select a.id from public.ai_agents a
      where a.instance_id = conversation.instance_id and a.is_active
      order by a.created_at, a.id
      limit 1
    )
  );
$$;
revoke all on function public.speaking_agent(public.conversations) from public, anon, authenticated;
grant execute on function public.speaking_agent(public.conversations) to service_role;
