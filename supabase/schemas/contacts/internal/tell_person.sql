-- Makes the newest word of a contact's person the consent of all contacts of that person in the workspace, with
-- an event for each that it changes. An own word of a contact that is newer stays: it is no word of the
-- person yet, or none any more (see change_people_scopes).
-- Returns whether all have it; false where another transaction holds one of them. Older words of the person
-- are deleted where `cleans`.
-- Lock order over instances: a transaction waits for no contact, address or row of an instance while it holds
-- what is another's. So the contacts of other instances are locked here alone, as the last but the rows of
-- contact_activity, and only those that are free; nothing is waited for but those rows, and their
-- holders wait for nothing.
create or replace function messaging.tell_person(contact_id uuid, cleans boolean default false)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  of_workspace uuid;
  speaker messaging.contacts;
  person record;
  word messaging.person_words;
  follower messaging.contacts;
begin
  select c.* into speaker from messaging.contacts c
  where c.id = coalesce(
    (select a.merged_into from messaging.contact_activity a where a.contact_id = tell_person.contact_id),
    tell_person.contact_id
  ) and c.merged_into is null;
  if not found then
    return true;
  end if;
  select i.workspace_id into of_workspace
  from messaging.instances i where i.id = speaker.instance_id;
  person := messaging.person_contacts(
    of_workspace, array(select p.identity_key from messaging.person_identities(speaker.id) as p)
  );
  word := messaging.newest_word(of_workspace, person.identities);
  if word.id is null then
    return true;
  end if;
  for follower in
    select c.* from messaging.contacts c
    where c.id = any (person.contact_ids) and messaging.is_untold(c, word)
    order by c.id
    for no key update skip locked
  loop
    perform messaging.follow_word(follower, word);
  end loop;
  if cleans then
    delete from messaging.person_words w
    where w.id = any (array(
      select older.id from messaging.person_words older
      where older.workspace_id = of_workspace and older.identity_key = any (person.identities)
        and (older.said_at, older.id) < (word.said_at, word.id)
        and exists (
          select from messaging.person_words newer
          where newer.workspace_id = older.workspace_id and newer.identity_key = older.identity_key
            and (newer.said_at, newer.id) > (older.said_at, older.id)
        )
      order by older.id
      for update skip locked
    ));
  end if;
  return not exists (
    select from messaging.contacts c
    where c.id = any (person.contact_ids) and messaging.is_untold(c, word)
  );
end;
$$;
