-- Built after the functions that they execute.
create trigger contacts_recall_denial
before insert on messaging.contacts
for each row
execute function messaging.recall_denial();
create trigger contacts_add_activity
after insert on messaging.contacts
referencing new table as new_contacts
for each statement
execute function messaging.add_contact_activity();
create trigger contacts_follow_search
after update on messaging.contacts
for each row
when
  (
    (old.name, old.email, old.company, old.phone) is distinct from (
      new.name,
      new.email,
      new.company,
      new.phone
    )
  )
execute function messaging.follow_contact_search();
create trigger messages_follow_merge
before update on messaging.messages
for each row
when
  -- What waits or is being sent has moved with the merge itself.
  (old.status not in ('queued', 'sending'))
execute function messaging.follow_merge();

-- Trigger: a new contact of a person that had denied marketing before an erasure starts `denied`, whatever
-- creates it. record_new_contacts records it. Where the workspace's peopleScope is `workspace`, one of a person
-- that has said something at another instance starts with that: the newest word or denial counts.
-- Errors: see known_denials.
create or replace function messaging.recall_denial()
returns trigger language plpgsql set search_path = '' as $$
declare
  instance record;
  word messaging.person_words;
  kept_at timestamptz;
begin
  if new.consent_marketing <> 'unknown' then
    return new;
  end if;
  kept_at := messaging.kept_denial_at(new.instance_id, new.identity_key);
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = new.instance_id;
  if instance.people_scope = 'workspace' then
    word := messaging.newest_word(instance.workspace_id, array[new.identity_key]);
    if kept_at is not null and (word.id is null or word.said_at < kept_at) then
      insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
      values (instance.workspace_id, new.identity_key, 'denied', kept_at, 'erasure')
      returning * into word;
    end if;
    insert into messaging.person_updates (workspace_id, contact_id)
    values (instance.workspace_id, new.id);
    if word.marketing <> 'unknown' then
      new.consent_marketing := word.marketing;
      new.consent_at := date_trunc('milliseconds', word.said_at);
      new.consent_source := word.source;
    end if;
  elsif kept_at is not null then
    new.consent_marketing := 'denied';
    new.consent_at := date_trunc('milliseconds', clock_timestamp());
    new.consent_source := 'erasure';
  end if;
  return new;
end;
$$;

-- Trigger: gives new contacts their rows of contact_activity and contact_search. Once for each statement,
-- for all of them.
create or replace function messaging.add_contact_activity()
returns trigger language plpgsql set search_path = '' as $$
begin
  insert into messaging.contact_activity (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, changed.at
  from (select distinct n.instance_id from new_contacts n) as instances
  cross join lateral (select messaging.change_instant(instances.instance_id) offset 0) as changed(at)
  join new_contacts c on c.instance_id = instances.instance_id
  order by c.id
  on conflict do nothing;
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from new_contacts n
  join messaging.contacts c on c.id = any (array[n.id]);
  return null;
end;
$$;

-- Trigger: a contact is found by its new name, e-mail, company or phone once one has changed.
create or replace function messaging.follow_contact_search()
returns trigger language plpgsql set search_path = '' as $$
begin
  perform messaging.refresh_contact_search(new.id);
  return null;
end;
$$;

-- Trigger: a message that changes is of the contact that its contact is now, before move_merged_messages
-- comes to it: what follows from the change is recorded of that one.
create or replace function messaging.follow_merge()
returns trigger language plpgsql set search_path = '' as $$
begin
  return messaging.message_after_merge(new);
end;
$$;
