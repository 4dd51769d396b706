-- Records that a person has edited a message, the contact or somebody on the business's own phone:
-- replaces its words, those of a caption also by none. No agent is asked again; an agent that has yet to
-- answer reads the new words. Typed words that chose an option are a text from then on. The echo of an edit
-- that a call asked for is none of a person's (see is_echo_of_edit). Returns whether words changed.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_edit(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  words constant text := event->>'message';
  has_words constant boolean := words is not null
    or messaging.media_kind(event->>'messageType') in ('image', 'video', 'document');
  message messaging.messages;
  edited text;
  is_edited boolean := false;
begin
  if words is not null
    and messaging.is_echo_of_edit(instance_id, event->>'providerMessageId', words) then
    return false;
  end if;
  for message in
    select m.*
    from messaging.messages m
    where m.instance_id = record_message_edit.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      -- One that waits to be sent once more is not what the provider knows by this id.
      and m.status not in ('queued', 'sending') and has_words
    for no key update
  loop
    -- In a group the words stand after their author's name, which the edit does not contain.
    edited := case
      when message.is_group and message.direction = 'inbound' and event->>'kind' = 'message_edit'
        then coalesce(substring(message.message from '^[^:\n]{1,200}: '), '') || words
      else words
    end;
    continue when message.message is not distinct from edited;
    message.message := edited;
    message.edited_at := messaging.event_instant(event);
    if message.message_type = 'choice' then
      message.message_type := 'text';
      message.content := nullif(message.content - 'choice', '{}');
    end if;
    perform messaging.write_content(message);
    is_edited := true;
  end loop;
  return is_edited;
end;
$$;

-- Whether an edit that a provider tells is the echo of one that a call asked for, by its words. Takes note of
-- it: each edit has one echo, so the same words once more are a person's. The newest edit is proved by its
-- echo, whatever the provider's answer was; that of an earlier one changes nothing.
-- Locks the message. The caller holds lock_provider_messages for it.
create or replace function messaging.is_echo_of_edit(
  instance_id uuid, provider_message_id text, words text
) returns boolean language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  place integer;
begin
  select m.* into message
  from messaging.messages m
  where m.instance_id = is_echo_of_edit.instance_id
    and m.provider_message_id = is_echo_of_edit.provider_message_id
    and m.change is not null
  limit 1
  for no key update;
  select a.place - 1 into place
  from jsonb_array_elements_text(message.change->'awaited') with ordinality as a(digest, place)
  where a.digest = md5(words)
  order by a.place
  limit 1;
  if place is null then
    return false;
  end if;
  message.change := jsonb_set(message.change, '{awaited}', (message.change->'awaited') - place);
  if message.change->>'kind' = 'edit' and message.change->>'message' = words
    and message.change->>'status' <> 'done' then
    perform messaging.end_message_change(message, 'done', null);
  else
    perform messaging.write_content(message);
  end if;
  return true;
end;
$$;
