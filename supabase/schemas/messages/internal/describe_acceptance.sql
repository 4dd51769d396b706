-- The outcome of a plain call, as accept_message gives it and an `Idempotency-Key` keeps it.
create or replace function messaging.describe_acceptance(plain messaging.acceptance)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'mode', 'sent',
    'contactId', plain.contact_id,
    'conversationId', plain.conversation_id,
    'agentId', null,
    'assignment', null,
    'messageId', plain.message_id,
    'status', 'sending',
    'scheduledFor', null,
    'heldBy', null,
    'aiAgentPausedUntil', messaging.iso_in_zone(plain.paused_until, plain.time_zone)
  );
end;
$$;
revoke all
on function messaging.describe_acceptance(messaging.acceptance)
from public, anon, authenticated;
grant execute on function messaging.describe_acceptance(messaging.acceptance) to service_role;
