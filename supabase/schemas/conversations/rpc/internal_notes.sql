-- conversations-api: the internal notes of a conversation, a page at a time: see list_conversation_log.
create or replace function public.list_conversation_notes(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.list_conversation_log(request, 'notes');
$$;

-- conversations-api note (specification 4.1): an internal note, never sent to the customer.
-- `request`: instanceId, phone | contactId | userId, note, idempotency.
-- Returns the outcome: contactId, conversationId, noteId; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.note_conversation(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  outcome := jsonb_build_object(
    'contactId', conversation.contact_id,
    'conversationId', conversation.id,
    'noteId', messaging.add_internal_note(conversation.instance_id, conversation.id, request->>'note')
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
