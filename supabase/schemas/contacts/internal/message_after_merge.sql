-- A message as the one of the contact that its contact is now: as it is stored, but while it waits to be
-- moved after a merge (see move_merged_messages). What was not sent yet goes to the survivor's address, not
-- to the spelling of a number that it has left.
create or replace function messaging.message_after_merge(message messaging.messages)
returns messaging.messages language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  survivor record;
begin
  select v.contact_id, v.id into survivor
  from messaging.contacts c
  join messaging.conversations v on v.contact_id = any (array[c.merged_into])
  where c.id = message.contact_id and c.merged_into is not null;
  if found then
    message.contact_id := survivor.contact_id;
    message.conversation_id := survivor.id;
    if message.status = 'queued' then
      message.phone_given := null;
    end if;
  end if;
  return message;
end;
$$;
