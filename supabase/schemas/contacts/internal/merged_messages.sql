-- Moves at most `max_rows` messages, and as many files, of a contact that was merged to the one that it is
-- now; with the last of them the contact goes, and its conversation.
-- Never waits: what another transaction holds moves with the next step.
-- Returns whether nothing is left. The caller holds the contact, so that nobody writes to it; its survivor
-- cannot be deleted.
create or replace function messaging.move_merged_messages(merged uuid, max_rows integer)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids uuid[] := array(
    select m.id from messaging.messages m
    where m.contact_id = merged
    limit max_rows
    for no key update skip locked
  );
begin
  perform messaging.move_messages(ids);
  ids := array(
    select f.id from messaging.media f
    where f.contact_id = merged
    limit max_rows
    for no key update skip locked
  );
  update messaging.media f
  set contact_id = (select c.merged_into from messaging.contacts c where c.id = merged)
  where f.id = any (ids);
  if exists (select from messaging.messages m where m.contact_id = merged)
    or exists (select from messaging.media f where f.contact_id = merged) then
    return false;
  end if;
  delete from messaging.contacts c where c.id = merged;
  return true;
end;
$$;

-- Moves messages of a contact that was merged to the one that it is now: see message_after_merge. The caller holds
-- them. Records no event: the merge has been recorded.
create or replace function messaging.move_messages(message_ids uuid[])
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set (contact_id, conversation_id, phone_given) = (
    select moved.contact_id, moved.conversation_id, moved.phone_given
    from messaging.message_after_merge(m) as moved
  )
  where m.id = any (message_ids);
end;
$$;

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
