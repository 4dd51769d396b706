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
