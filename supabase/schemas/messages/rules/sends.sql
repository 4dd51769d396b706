-- The outcome of a sending call, as accept_message gives it. An `Idempotency-Key` keeps it without
-- claimToken and `to`.
create or replace function messaging.accepted_outcome(
  mode text, contact_id uuid, conversation_id uuid, agent_id uuid, assignment jsonb,
  message_id uuid, scheduled_for timestamptz, held_by text, paused_until timestamptz,
  time_zone text, claim_token uuid, send_address text
) returns jsonb language sql stable
return jsonb_build_object(
  'mode', mode,
  'contactId', contact_id,
  'conversationId', conversation_id,
  'agentId', agent_id,
  'assignment', assignment,
  'messageId', message_id,
  'status', case mode
    when 'assign_only' then null
    when 'sent' then 'sending'
    else 'queued'
  end,
  'scheduledFor', messaging.iso_in_zone(scheduled_for, time_zone),
  'heldBy', held_by,
  'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, time_zone),
  'claimToken', claim_token,
  'to', send_address
);

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

-- Whether a message with this delivery (see accept_message) is sent by its call, immediately.
create or replace function messaging.leaves_at_once(delivery jsonb, clock timestamptz)
returns boolean language sql stable
return (delivery ->> 'queued')::boolean is not true
and (delivery ->> 'isDeferred')::boolean is not true
and messaging.earliest_departure(delivery, clock) <= clock;

-- Before when a message never leaves: now, and what its delivery (see accept_message) asks for.
create or replace function messaging.earliest_departure(delivery jsonb, clock timestamptz)
returns timestamptz language sql stable
return greatest(
  clock + make_interval(secs => coalesce((delivery ->> 'delaySeconds')::double precision, 0)),
  date_trunc('milliseconds', (delivery -> 'timing' ->> 'sendAt')::timestamptz)
);

-- Whether a message pauses its contact's agent anew when it leaves later than its call: a person's or a
-- system's, of no batch and no answer to a keyword, and whose call did not say otherwise.
create or replace function messaging.restarts_pause(message messaging.messages)
returns boolean language sql immutable
return message.agent_id is null
and message.sent_by is distinct from 'ai_agent'
and message.purpose is distinct from 'opt_out_confirmation'
and message.batch_id is null
and message.pauses_agent;
