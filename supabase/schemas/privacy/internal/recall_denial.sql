-- Trigger: a new contact whose person had denied marketing before an erasure starts `denied`, whatever
-- creates it. record_new_contacts records it. Where the workspace's peopleScope is `workspace`, one whose person
-- has said something at another instance starts with that: the newest word or denial counts.
-- Errors: see known_denials.
create or replace function messaging.recall_denial()
returns trigger
language plpgsql
set search_path = ''
as $$
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
