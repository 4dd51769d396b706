-- Records what a person wrote where no shorter way does: a message that comes with others or has to wait
-- for its sender (see add_inbound_message), an edit, and what somebody wrote on the business's own phone.
-- Such an echo pauses the agent, as any operator's message does, but not in groups, nor a reaction, nor what
-- another program has sent through the same channel (isOfOtherApp).
-- An edit (isEdit) is of the message with its id: it replaces the words of a stored one, and is stored as a
-- message where there is none.
-- Returns false for a message that is stored already, unless the event edits its words, and for a vote that
-- another event has told (mayRepeat, see repeats_vote and complete_vote).
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_edit constant boolean := coalesce((event->>'isEdit')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
  vote messaging.messages;
  file constant jsonb := messaging.read_event_file(event);
  media_id constant uuid := messaging.event_media_id(file);
  sent_by constant text := case when (event->>'isOfOtherApp')::boolean then 'other_app' else 'phone' end;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    perform messaging.attach_embedded_file(instance.id, event);
    return is_edit and messaging.record_message_edit(instance.id, event);
  end if;
  if (event->>'mayRepeat')::boolean then
    vote := messaging.newest_vote(instance.id, event);
    if messaging.repeats_vote(vote, event, clock_timestamp()) then
      return false;
    elsif messaging.complete_vote(instance, vote, event) then
      return true;
    end if;
  end if;
  if event->>'origin' = 'inbound' then
    perform messaging.add_inbound_message(r.messages[1], event)
    from messaging.read_plain_events(jsonb_build_array(jsonb_build_object(
      'instanceId', instance.id, 'events', jsonb_build_array(event - '{isEdit,mayRepeat}'::text[])
    ))) as r;
    return true;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false) and not is_edit
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id, 'outbound', event->>'messageType', event->>'message',
    nullif(event->'content', 'null'), sent_by, true, 'sent', event->>'providerMessageId', written_at,
    is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event), media_id, event->>'quotedProviderMessageId',
    nullif(event->'author', 'null')
  )
  returning id into message_id;
  perform messaging.apply_unmatched_statuses(array[message_id]);
  if not is_group and (event->>'isReaction')::boolean is not true
    and (event->>'isOfOtherApp')::boolean is not true then
    perform messaging.pause_agent(instance.id, contact.id, written_at);
  end if;
  return true;
end;
$$;
