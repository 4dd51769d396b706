-- Whether a file is a received voice message that is to be written down: always, never, or where an agent
-- will answer it, by its instance's setting; never where the provider has sent its words. Asked again before
-- the recording leaves the house, because a pause may have begun meanwhile, or the agent may have answered
-- without the words.
create or replace function messaging.transcribes_voice(media messaging.media)
returns boolean language sql stable set search_path = '' as $$
  select transcribes_voice.media.kind = 'audio' and transcribes_voice.media.transcript is null
    and exists (
    select from messaging.instances i
    where i.id = transcribes_voice.media.instance_id
      and (
        i.transcribe_voice = 'always'
        or i.transcribe_voice = 'agent' and exists (
          select from messaging.messages m
          where m.media_id = transcribes_voice.media.id
            and messaging.expects_agent_reply(m.conversation_id)
        )
      )
  );
$$;

-- Whether an agent is about to answer in a conversation: its answer waits or is being made, and neither a
-- pause nor a block nor a switch keeps it from being sent, as read_agent_turn decides.
create or replace function messaging.expects_agent_reply(conversation_id uuid)
returns boolean language sql stable set search_path = '' as $$
  select exists (
    select from messaging.conversations c
    join messaging.contacts p on p.id = c.contact_id
    join messaging.ai_agents a on a.id = messaging.conversation_agent(c) and a.is_active
    where c.id = expects_agent_reply.conversation_id
      and exists (
        select from messaging.outbox o
        where o.conversation_id = any (array[c.id]) and o.kind = 'agent_reply' and o.status = 'pending'
      )
      and not messaging.keeps_agent_silent(p, clock_timestamp())
  );
$$;
