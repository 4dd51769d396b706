-- Imports a message from before the number was connected: it stands in the history at the instant at which it
-- was written, as the phone has it. Nothing follows from it: no event, agent, pause, keyword or reopened
-- conversation. An inbound one counts for the window and as the newest message by its own instant.
-- `event`: as of a message, with status of our own (sent, delivered, read, failed).
-- Returns false for a message that is stored already, imported or not, unless it completes one whose file the
-- channel had left out (unsupportedType media_placeholder).
-- The caller holds lock_provider_messages for the message and lock_addresses for its contact.
create or replace function messaging.import_message(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  written_at constant timestamptz := messaging.event_instant(event);
  is_inbound constant boolean := event->>'origin' = 'inbound';
  file constant jsonb := messaging.read_event_file(event);
  file_id constant uuid := messaging.event_media_id(file);
  quoted_id constant uuid := messaging.find_quoted_message(instance.id, event);
  shown constant jsonb := case
    when event->'content'->'reaction' is null then event->'content'
    else jsonb_set(event->'content', '{reaction,messageId}', coalesce(to_jsonb(quoted_id), 'null'))
  end;
  contact messaging.contacts;
  conversation messaging.conversations;
  former messaging.messages;
begin
  select m.* into former from messaging.messages m
  where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  for no key update
  limit 1;
  if found then
    if former.content->>'unsupportedType' is distinct from 'media_placeholder'
      or shown->>'unsupportedType' = 'media_placeholder'
    then
      return false;
    end if;
    former.message_type := event->>'messageType';
    former.message := event->>'message';
    former.content := shown;
    former.media_id := file_id;
    perform messaging.write_content(former);
    contact.id := former.contact_id;
  else
    contact := messaging.resolve_sender(instance.id, event);
    conversation := messaging.resolve_conversation(instance.id, contact.id);
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, content, sent_by,
      is_typed_on_phone, status, provider_message_id, sent_at, failed_at, is_group, created_at,
      quoted_message_id, media_id, quoted_provider_message_id
    )
    values (
      instance.id, contact.id, conversation.id,
      case when is_inbound then 'inbound' else 'outbound' end, event->>'messageType', event->>'message',
      shown, case when not is_inbound then 'phone' end, not is_inbound,
      case when is_inbound then 'received' else coalesce(event->>'status', 'sent') end,
      event->>'providerMessageId', written_at,
      case when event->>'status' = 'failed' then written_at end,
      -- In lists too it stands where it was written.
      false, written_at,
      quoted_id, file_id, event->>'quotedProviderMessageId'
    );
    update messaging.contacts c
    set last_inbound_at = greatest(c.last_inbound_at, written_at)
    where c.id = contact.id and is_inbound and event->>'messageType' <> 'reaction';
  end if;
  if file_id is not null then
    perform messaging.add_channel_media(
      file_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  return true;
end;
$$;
