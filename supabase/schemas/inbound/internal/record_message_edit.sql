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
begin
  if words is not null
    and messaging.is_echo_of_edit(instance_id, event->>'providerMessageId', words) then
    return false;
  end if;
  update messaging.messages m
  set message = edited.message, edited_at = messaging.event_instant(event),
    message_type = case m.message_type when 'choice' then 'text' else m.message_type end,
    content = case m.message_type
      when 'choice' then nullif(m.content - 'choice', '{}') else m.content
    end
  from (
    select own.id,
      -- In a group the words stand after their author's name, which the edit does not contain.
      case
        when own.is_group and own.direction = 'inbound' and event->>'kind' = 'message_edit'
          then coalesce(substring(own.message from '^[^:\n]{1,200}: '), '') || words
        else words
      end as message
    from messaging.messages own
    where own.instance_id = record_message_edit.instance_id
      and own.provider_message_id = event->>'providerMessageId'
      -- One that waits to be sent once more is not what the provider knows by this id.
      and own.status not in ('queued', 'sending')
  ) as edited
  where m.id = edited.id and has_words and m.message is distinct from edited.message;
  return found;
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
  update messaging.messages m
  set change = jsonb_set(m.change, '{awaited}', (m.change->'awaited') - place)
  where m.id = message.id;
  if message.change->>'kind' = 'edit' and message.change->>'message' = words
    and message.change->>'status' <> 'done' then
    select m.* into strict message from messaging.messages m where m.id = message.id;
    perform messaging.end_message_change(message, 'done', null);
  end if;
  return true;
end;
$$;
