-- Adds what a contact has said to the words of its person, where the workspace's peopleScope is `workspace`,
-- and notes the person. The caller holds the contact locked.
-- Returns the newest word of the person then; a row of NULLs where the instance stands for itself.
-- Locks nothing: see person_words.
create or replace function messaging.say_word(
  contact messaging.contacts, marketing text, said_at timestamptz, source text
) returns messaging.person_words language plpgsql set search_path = '' as $$
declare
  instance record;
  person record;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = contact.instance_id;
  if instance.people_scope <> 'workspace' then
    return null;
  end if;
  person := messaging.person_contacts(
    instance.workspace_id,
    array(select p.identity_key from messaging.person_identities(contact.id) as p)
  );
  insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
  select instance.workspace_id, known.identity_key, say_word.marketing, say_word.said_at,
    say_word.source
  from unnest(person.identities) as known(identity_key);
  perform messaging.note_person(contact);
  return messaging.newest_word(instance.workspace_id, person.identities);
end;
$$;
