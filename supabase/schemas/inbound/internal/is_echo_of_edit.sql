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
