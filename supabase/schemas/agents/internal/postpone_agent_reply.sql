-- Lets the agent's answer that waits in a conversation wait until its turn ends. Not one that is due
-- already, nor one that has failed: it is tried again at its own time.
create or replace function messaging.postpone_agent_reply(conversation_id uuid, due_at timestamptz)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.outbox o
  set run_at = postpone_agent_reply.due_at
  where o.conversation_id = postpone_agent_reply.conversation_id and o.kind = 'agent_reply'
    and o.status = 'pending' and o.claim_token is null and o.attempts = 0
    and o.run_at > clock_timestamp() and o.run_at < postpone_agent_reply.due_at;
end;
$$;
