-- Lets the agent's waiting answer in a conversation wait for the words of a voice message, at most half a
-- minute: release_agent_reply lets it go as soon as they are there, or do not come. Changes nothing where
-- no transcript comes: see transcribes_voice.
create or replace function messaging.await_transcript(media_id uuid, conversation_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  if media_id is null or not exists (
    select from messaging.media m
    where m.id = await_transcript.media_id and messaging.transcribes_voice(m)
  ) then
    return;
  end if;
  update messaging.outbox o
  set run_at = greatest(o.run_at, clock_timestamp() + interval '30 seconds')
  where o.conversation_id = await_transcript.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null;
end;
$$;
