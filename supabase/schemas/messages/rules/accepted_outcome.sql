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
