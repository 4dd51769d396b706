-- Whether a sending call (`request` of accept_message) is a message and nothing else: of a person or a
-- system, to a phone, without an assignment, an agent, a file of ours, a message that it answers, a ladder or a
-- question.
create or replace function messaging.is_bare_message(request jsonb)
returns boolean language sql immutable
return coalesce(
  request ->> 'phone' is not null
  and request -> 'message' ->> 'messageType' is not null
  and request ->> 'assignment' is null
  and request ->> 'agent' is null
  and request -> 'message' ->> 'sentBy' is distinct from 'ai_agent'
  and request -> 'message' ->> 'mediaId' is null
  and request -> 'message' ->> 'needsPhone' is null
  and request -> 'message' ->> 'replyTo' is null
  and request -> 'message' -> 'ladder' is null
  and request -> 'message' -> 'ask' is null,
  false
);
