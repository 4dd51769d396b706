-- The outcome of a plain call, as accept_message gives it and an `Idempotency-Key` keeps it.
-- Takes its few fields instead of an acceptance, which costs several times as much to pass.
create or replace function messaging.describe_acceptance(
  message_id uuid,
  contact_id uuid,
  conversation_id uuid,
  paused_until timestamptz,
  time_zone text
)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'mode', 'sent',
    'contactId', contact_id,
    'conversationId', conversation_id,
    'agentId', null,
    'assignment', null,
    'messageId', message_id,
    'status', 'sending',
    'scheduledFor', null,
    'heldBy', null,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, time_zone)
  );
end;
$$;
