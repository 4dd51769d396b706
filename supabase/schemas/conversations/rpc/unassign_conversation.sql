-- conversations-api unassign: takes a contact's conversation from its operator. That is a transfer to
-- nobody: it is logged, noted, and takes the contact out of the operator's portfolio. Without an operator
-- nothing changes. `request`: instanceId, one of phone, contactId and userId, idempotency. Locks the
-- conversation. Returns the outcome: contactId, assignedTo (NULL), previousAssignedTo; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.unassign_conversation(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  before jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  select c.* into conversation
  from messaging.conversations c where c.id = conversation.id for no key update;
  if conversation.assigned_to is not null then
    before := messaging.conversation_state(conversation.id);
    update messaging.conversations c
    set assigned_to = null, updated_at = now()
    where c.id = conversation.id;
    insert into messaging.chat_transfer_log
      (instance_id, conversation_id, from_operator_id, to_operator_id)
    values (conversation.instance_id, conversation.id, conversation.assigned_to, null);
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    select conversation.instance_id, conversation.id,
      format('Conversa retirada de %s: agora está sem operador.', o.name), true
    from messaging.operators o
    where o.id = conversation.assigned_to;
    -- It would hide the contact from the other operators.
    delete from messaging.portfolios p where p.contact_id = conversation.contact_id;
    perform messaging.record_conversation_changes(conversation, before);
    perform messaging.touch_contacts(array[conversation.contact_id]);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object(
    'contactId', conversation.contact_id,
    'assignedTo', null,
    'previousAssignedTo', conversation.assigned_to
  ));
end;
$$;
