-- Records that a person has reacted to a message, the contact or somebody on the business's own phone, or has
-- taken the reaction back (`emoji` NULL). It is a message of its own in the history, told as message.reaction.
-- It opens no window and no closed conversation, is never a conversation's newest message, pauses no agent
-- and asks for no answer. Returns false for one that is stored already.
-- The caller holds lock_provider_messages for the reaction.
create or replace function messaging.record_reaction(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  target_id constant uuid := messaging.find_quoted_message(instance.id, event);
  content constant jsonb := jsonb_build_object(
    'reaction', jsonb_build_object('messageId', target_id, 'emoji', event->'emoji')
  );
  contact messaging.contacts;
  conversation messaging.conversations;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return false;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  -- One that a call sends, told before its provider's answer is recorded, or whose answer was lost.
  if not is_inbound and messaging.match_echo(
    instance.id, contact.id,
    event || jsonb_build_object('message', null, 'messageType', 'reaction', 'content', content)
  ) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content, sent_by,
    is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end, 'reaction', event->>'message',
    content || jsonb_strip_nulls(jsonb_build_object('groupId', event->'groupId')),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', messaging.event_instant(event),
    coalesce((event->>'isGroup')::boolean, false), event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    target_id, event->>'quotedProviderMessageId', nullif(event->'author', 'null')
  );
  return true;
end;
$$;
