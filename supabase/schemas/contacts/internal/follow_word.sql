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
