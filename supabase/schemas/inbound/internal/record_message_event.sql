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
  is_standby constant boolean := coalesce((event->>'isStandby')::boolean, false);
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
  if is_standby and conversation.handled_by = 'us' and not is_group then
    perform messaging.change_control(conversation.id, 'other', 'standby', written_at);
  end if;
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id, quoted_provider_message_id, author, handled_by
  )
  values (
    instance.id, contact.id, conversation.id, 'outbound', event->>'messageType', event->>'message',
    nullif(event->'content', 'null'), sent_by, true, 'sent', event->>'providerMessageId', written_at,
    is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event), media_id, event->>'quotedProviderMessageId',
    nullif(event->'author', 'null'),
    case when is_standby then messaging.standby_holder(conversation.handled_by) end
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

-- Whether an inbound vote in a poll (`event`) says what the person's newest recorded vote in it says (see
-- newest_vote). Evolution tells a vote as a message and as an update of the poll, each with an id of its own:
-- it is one vote. Somebody who votes anew chooses something else. A message whose vote Evolution could not
-- decrypt (isUnreadable) says nothing beside an update of the last ten minutes.
create or replace function messaging.repeats_vote(
  vote messaging.messages, event jsonb, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  if vote.id is null then
    return false;
  elsif coalesce((event->>'isUnreadable')::boolean, false) then
    return vote.created_at > clock - interval '10 minutes';
  end if;
  return vote.content->'pollVote'->'options' = event->'content'->'pollVote'->'options';
end;
$$;

-- Writes what was chosen into a vote (see newest_vote) that Evolution could not decrypt, where an update of the poll
-- (`event`) tells it within ten minutes: it is one vote, told as edited, and asks the agent now. Returns
-- whether it is. A vote that was taken back has no options either, but its update has none then.
create or replace function messaging.complete_vote(
  instance messaging.instances, vote messaging.messages, event jsonb
) returns boolean language plpgsql set search_path = '' as $$
declare
  chosen constant jsonb := event->'content'->'pollVote'->'options';
begin
  if (
    vote.content->'pollVote'->'options' = '[]' and jsonb_array_length(chosen) > 0
    and vote.provider_message_id not like 'vote:%' and event->>'providerMessageId' like 'vote:%'
    and vote.created_at > clock_timestamp() - interval '10 minutes'
  ) is not true then
    return false;
  end if;
  select m.* into vote from messaging.messages m where m.id = vote.id for no key update;
  if not found then
    return false;
  end if;
  vote.message := event->>'message';
  vote.content := vote.content || (event->'content');
  perform messaging.write_content(vote);
  perform messaging.request_agent_reply(
    instance, vote.contact_id, vote.conversation_id, messaging.event_instant(event)
  )
  where not vote.is_group;
  return true;
end;
$$;

-- Gives a message that is stored already its file, where that is not there and now came with the event: the
-- delivery is made again where the storage had failed. The caller holds lock_provider_messages.
create or replace function messaging.attach_embedded_file(instance_id uuid, event jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  file constant jsonb := messaging.read_event_file(event);
  message messaging.messages;
  former_file uuid;
begin
  if file->'stored' is null then
    return;
  end if;
  select m.* into message
  from messaging.messages m
  join messaging.media f on f.id = any (array[m.media_id])
  where m.instance_id = attach_embedded_file.instance_id
    and m.provider_message_id = event->>'providerMessageId'
    and f.origin = 'channel' and f.status in ('pending', 'failed')
  limit 1
  for no key update of m;
  if not found then
    return;
  end if;
  perform messaging.add_channel_media(
    messaging.event_media_id(file), message.instance_id, message.contact_id,
    message.message_type, file
  );
  former_file := message.media_id;
  message.media_id := messaging.event_media_id(file);
  perform messaging.write_content(message);
  perform messaging.forget_media(array[former_file]);
end;
$$;

-- The newest recorded vote of the last day of the person of an inbound vote in a poll (`event`), in the same
-- poll; NULL for none. The caller holds lock_addresses for the event's addresses, so that of two tellings the
-- later one sees the earlier.
create or replace function messaging.newest_vote(instance_id uuid, event jsonb)
returns messaging.messages language plpgsql stable set search_path = '' as $$
declare
  voter constant jsonb := coalesce(nullif(event->'author', 'null'), '{}');
  person_id uuid;
  vote messaging.messages;
begin
  person_id := (messaging.find_contact(instance_id, event->>'address')).id;
  select m.* into vote
  from (
    select v.* from messaging.messages v
    where v.contact_id = person_id
      and v.sent_at > messaging.event_instant(event) - interval '1 day'
    offset 0
  ) as m
  where m.message_type = 'poll_vote'
    and m.direction = 'inbound'
    and m.quoted_provider_message_id = event->>'quotedProviderMessageId'
    and (
      not coalesce((event->>'isGroup')::boolean, false)
      or m.author->>'phone' = voter->>'phone'
      or m.author->>'lid' = voter->>'lid'
      or m.author->>'userId' = voter->>'userId'
    )
  -- An update has no instant of its own, a message one of whole seconds.
  order by m.created_at desc
  limit 1;
  return vote;
end;
$$;
