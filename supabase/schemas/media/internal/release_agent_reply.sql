-- Lets the agent answer that waits for a file's words, at the end of the contact's turn where there is one: nothing
-- more will come of the file. See await_transcript.
create or replace function messaging.release_agent_reply(media_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.outbox o
  set run_at = greatest(clock_timestamp(), (
    select max(t.due_at) from messaging.conversation_turns t
    where t.contact_id = any (array(
      select m.contact_id from messaging.messages m
      where m.media_id = release_agent_reply.media_id
    ))
  ))
  where o.conversation_id = any (array(
      select m.conversation_id from messaging.messages m
      where m.media_id = release_agent_reply.media_id
    ))
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
    and o.run_at > clock_timestamp();
end;
$$;
