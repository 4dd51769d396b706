-- Stores a message that a person wrote: the contact, or somebody on the business's own phone.
-- An inbound message opens a closed conversation and requests the agent's answer. An echo pauses the
-- agent, as any operator's message does. Groups and reactions do neither, and a message that the
-- channel does not show (isUnreadable) requests no answer. An inbound message that is a keyword of the
-- instance decides about marketing instead: see apply_keyword.
-- An edit (isEdit) is of the message with its id: it replaces the words of a stored one, and is stored as a
-- message where there is none.
-- Returns false for a message that is stored already, unless the event edits its words.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  is_reaction constant boolean := coalesce((event->>'isReaction')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  is_edit constant boolean := coalesce((event->>'isEdit')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
  file constant jsonb := messaging.read_event_file(event);
  media_id constant uuid := messaging.event_media_id(file);
  keyword_said text;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    perform messaging.attach_embedded_file(instance.id, event);
    return is_edit and messaging.record_message_edit(instance.id, event);
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false) and not is_edit
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end,
    event->>'messageType', event->>'message', nullif(event->'content', 'null'),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', written_at, is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event),
    media_id, event->>'quotedProviderMessageId', nullif(event->'author', 'null')
  )
  returning id into message_id;
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  perform messaging.note_contact(contact.id);
  if not is_inbound then
    perform messaging.record_message_events(array[message_id], array['message.sent']);
    perform messaging.apply_unmatched_statuses(array[message_id]);
    if not is_group and not is_reaction then
      perform messaging.pause_agent(instance.id, contact.id, written_at);
    end if;
    return true;
  end if;
  update messaging.contacts c
  set name = coalesce(c.name, event->>'contactName'),
    is_profile_name = c.is_profile_name or c.name is null and event->>'contactName' is not null,
    last_inbound_at = greatest(c.last_inbound_at, written_at)
  where c.id = contact.id
    -- Each update leaves a row version that the rest of the delivery reads past.
    and (
      c.name is null and event->>'contactName' is not null
      or c.last_inbound_at is null or c.last_inbound_at < written_at
    );
  if contact.name is null and event->>'contactName' is not null then
    perform messaging.record_contact_changes(instance.id, contact.id, jsonb '{"name": null}');
  end if;
  perform messaging.record_message_events(array[message_id], array['message.received']);
  perform messaging.reopen_conversation(conversation.id);
  if not is_group and not is_reaction and messaging.may_hold_keyword(event->>'messageType') then
    keyword_said := messaging.read_keyword(
      instance.opt_out_keywords, instance.opt_out_resume_keywords, event->>'message'
    );
  end if;
  if keyword_said is not null then
    perform messaging.apply_keyword(
      instance.id, contact.id, conversation.id, message_id, keyword_said, written_at
    );
  elsif not is_group and not is_reaction and (event->>'isUnreadable')::boolean is not true then
    perform messaging.request_agent_reply(instance, contact.id, conversation.id);
    perform messaging.await_transcript(media_id, conversation.id);
  end if;
  return true;
end;
$$;
