-- Whether a message pauses its contact's agent anew when it leaves later than its call: a person's or a
-- system's, of no batch and no answer to a keyword, and whose call did not say otherwise.
create or replace function messaging.restarts_pause(message messaging.messages)
returns boolean language sql immutable
return message.agent_id is null
and message.sent_by is distinct from 'ai_agent'
and message.purpose is distinct from 'opt_out_confirmation'
and message.batch_id is null
and message.pauses_agent;
