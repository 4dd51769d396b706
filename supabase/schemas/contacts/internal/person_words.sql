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

-- The newest word of a person in a workspace; a row of NULLs for none. Of two of one instant the one that was
-- recorded later.
create or replace function messaging.newest_word(workspace_id uuid, identity_keys text[])
returns messaging.person_words language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  word messaging.person_words;
begin
  select newest.* into word
  from unnest(identity_keys) as known(identity_key)
  cross join lateral (
    select w.*
    from messaging.person_words w
    where w.workspace_id = newest_word.workspace_id and w.identity_key = known.identity_key
    order by w.said_at desc, w.id desc
    limit 1
  ) as newest
  order by newest.said_at desc, newest.id desc
  limit 1;
  return word;
end;
$$;

-- Makes a word of its person a contact's consent, with its event, unless the contact has said so already or
-- something newer: see is_untold. The log of a contact where it was not said has it without evidence.
-- Returns whether the consent has changed. The caller holds the contact locked.
create or replace function messaging.follow_word(
  contact messaging.contacts, word messaging.person_words
) returns boolean language plpgsql set search_path = '' as $$
declare
  changed messaging.contacts;
begin
  if not messaging.is_untold(contact, word) then
    return false;
  end if;
  insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
  select contact.instance_id, contact.id, word.marketing, word.said_at, word.source
  where not exists (
    select from messaging.consent_log l
    where l.contact_id = contact.id and l.said_at = word.said_at and l.marketing = word.marketing
  );
  update messaging.contacts c
  set consent_marketing = word.marketing, consent_at = word.said_at, consent_source = word.source,
    updated_at = now()
  where c.id = contact.id
  returning c.* into changed;
  perform messaging.record_consent_event(changed);
  return true;
end;
$$;

-- The contacts of a person at all instances of a workspace, and the identities by which they are known: of
-- what is known of one contact, others are found, until nothing is added. See person_identities
-- for what identifies a person. Locks nothing.
create or replace function messaging.person_contacts(
  workspace_id uuid, identity_keys text[], out contact_ids uuid[], out identities text[]
) language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  known text[] := identity_keys;
begin
  loop
    identities := known;
    contact_ids := array(
      select distinct o.contact_id
      from messaging.instances i
      cross join lateral messaging.address_owners(i.id, identities) as o
      where i.workspace_id = person_contacts.workspace_id
    );
    known := array(
      select unnest(identities)
      union
      select p.identity_key
      from unnest(contact_ids) as found(id)
      cross join lateral messaging.person_identities(found.id) as p
    );
    exit when cardinality(known) <= cardinality(identities);
  end loop;
end;
$$;

-- Notes that something was said of a contact's person, or that more of who it is was learned: where the
-- workspace's peopleScope is `workspace`, the person's contacts at its other instances follow. At the end of
-- the transaction (see touch_noted_contacts) as many as are free; the dispatcher looks again after it.
create or replace function messaging.note_person(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
declare
  noted constant text := coalesce(current_setting('messaging.noted_persons', true), '');
begin
  if strpos(noted, contact.id::text) > 0 then
    return;
  end if;
  insert into messaging.person_updates (workspace_id, contact_id)
  select i.workspace_id, contact.id
  from messaging.instances i
  where i.id = contact.instance_id and i.people_scope = 'workspace';
  if found then
    perform set_config('messaging.noted_persons', noted || contact.id || ' ', true);
  end if;
end;
$$;
