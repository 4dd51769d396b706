-- merge_contacts: moves notes, transfers and the agent's knowledge from one conversation
-- into another, which keeps its own operator, department and agent. Open questions move too.
-- The caller holds both conversations locked.
create or replace function messaging.merge_conversations(
  kept messaging.conversations,
  gone messaging.conversations
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.internal_notes n set conversation_id = kept.id where n.conversation_id = gone.id;
  update messaging.chat_transfer_log l set conversation_id = kept.id where l.conversation_id = gone.id;
  insert into messaging.agent_sessions as session (
    conversation_id, instance_id, agent_id, collected_data, created_at, answered_count, answered_at
  )
  select kept.id, s.instance_id, s.agent_id, s.collected_data, s.created_at, s.answered_count,
    s.answered_at
  from messaging.agent_sessions s where s.conversation_id = gone.id
  on conflict on constraint agent_sessions_pkey do update
  set collected_data = case
      when messaging.object_bytes(excluded.collected_data || session.collected_data) <= 64 * 1024
      then excluded.collected_data || session.collected_data
      else session.collected_data
    end,
    answered_count = session.answered_count + excluded.answered_count,
    answered_at = array(
      select answer.at
      from (
        select both_of.at from unnest(session.answered_at || excluded.answered_at) as both_of(at)
        order by both_of.at desc
        limit 30
      ) as answer
      order by answer.at
    ),
    updated_at = now();
  update messaging.conversations c
  set status = case when 'open' in (c.status, gone.status) then 'open' else c.status end,
    assigned_to = coalesce(c.assigned_to, gone.assigned_to),
    department_id = coalesce(c.department_id, gone.department_id),
    agent_id = coalesce(c.agent_id, gone.agent_id),
    question_count = c.question_count + gone.question_count,
    created_at = least(c.created_at, gone.created_at),
    updated_at = now()
  where c.id = kept.id;
  -- A row that a worker has claimed already names the former conversation: the worker finds none.
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  select o.workspace_id, o.kind,
    o.payload || jsonb_build_object('conversationId', kept.id),
    least(o.run_at, clock_timestamp() + interval '3 seconds'), kept.id
  from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
  order by o.run_at
  limit 1;
  delete from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
    and o.claim_token is null;
  delete from messaging.agent_sessions s where s.conversation_id = gone.id;
  -- Holds the messages that still move, and is shown to nobody.
  update messaging.conversations c set is_merged = true where c.id = gone.id;
end;
$$;
