-- Logs what was said about a contact's consent to marketing, and makes it the contact's consent.
-- `statement`: marketing, source, evidence, messageId, and saidAt where the channel reports it: when the
-- contact said it. Of two such statements the later one counts, however late its webhook comes; a
-- statement without saidAt was made now. A statement of what is known already is logged, and changes
-- nothing: the consent keeps its instant and its source. Where the workspace's peopleScope is `workspace`, it
-- is a word of the person, of which the newest counts at every instance: see say_word.
-- Returns whether the consent has changed, with its event recorded and the contact noted. Locks the
-- contact. Errors: MI055 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.change_consent(contact_id uuid, statement jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  said_at constant timestamptz := least((statement->>'saidAt')::timestamptz, clock);
  contact messaging.contacts;
  word messaging.person_words;
begin
  select c.* into contact from messaging.contacts c
  where c.id = change_consent.contact_id and c.merged_into is null for no key update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  insert into messaging.consent_log (
    instance_id, contact_id, marketing, said_at, source, evidence, message_id
  ) values (
    contact.instance_id, contact.id, statement->>'marketing', coalesce(said_at, clock),
    statement->>'source', nullif(statement->'evidence', 'null'), (statement->>'messageId')::uuid
  );
  -- Before the scope is read: a change of it waits for who has read the former one.
  perform messaging.hold_event_floor(contact.instance_id);
  word := messaging.say_word(
    contact, statement->>'marketing', coalesce(said_at, clock), statement->>'source'
  );
  if word.id is not null then
    return messaging.follow_word(contact, word);
  end if;
  if contact.consent_marketing = statement->>'marketing'
    or contact.consent_source in ('keyword', 'user_preferences') and said_at < contact.consent_at
  then
    return false;
  end if;
  update messaging.contacts c
  set consent_marketing = statement->>'marketing', consent_at = coalesce(said_at, clock),
    consent_source = statement->>'source', updated_at = now()
  where c.id = contact.id
  returning c.* into contact;
  perform messaging.record_consent_event(contact);
  return true;
end;
$$;
