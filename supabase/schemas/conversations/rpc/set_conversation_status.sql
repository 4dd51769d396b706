-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone | contactId | userId, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_conversation_status(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  perform from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
  update messaging.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  perform messaging.record_conversation_changes(conversation, before);
  if request->>'internalNote' is not null then
    perform messaging.add_internal_note(conversation.instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', conversation.contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
