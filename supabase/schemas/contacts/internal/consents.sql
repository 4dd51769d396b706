-- effective_consent of a contact, where the caller has not its instance at hand: only marketing looks for it.
create or replace function messaging.contact_consent(contact messaging.contacts, purpose text)
returns text language plpgsql stable set search_path = '' as $$
begin
  if purpose is distinct from 'marketing' then
    return contact.consent_marketing;
  end if;
  return (
    select messaging.effective_consent(
      contact_consent.purpose, i.people_scope, i.workspace_id, contact.id, contact.identity_key,
      contact.consent_marketing, contact.consent_at
    )
    from messaging.instances i
    where i.id = contact.instance_id
  );
end;
$$;

-- Records that contacts have stopped marketing messages on the channel, as the errors of messages to them
-- mean (see shared/model/refusal_meaning.ts). `errors` stand beside their contacts. Locks the contacts in the
-- order of their ids. Errors: as in change_consent.
create or replace function messaging.record_channel_denials(contact_ids uuid[], errors jsonb[])
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.change_consent(
    refused.contact_id,
    jsonb_build_object('marketing', 'denied', 'source', refused.error->>'code')
  )
  from unnest(contact_ids, errors) as refused(contact_id, error)
  where refused.error->>'meaning' = 'contact_opted_out'
  order by refused.contact_id;
end;
$$;

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

-- Records contact.consent_changed with the contact's consent as it is now, and notes the contact. The
-- caller holds the contact locked.
create or replace function messaging.record_consent_event(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.note_contact(contact.id);
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.consent_changed',
    messaging.event_person(contact)
      || jsonb_build_object('consent', messaging.describe_consent(contact, i.time_zone))
  )
  from messaging.instances i
  where i.id = contact.instance_id;
end;
$$;

-- A contact's consent to marketing as answers and events show it: {marketing, at, source}.
create or replace function messaging.describe_consent(contact messaging.contacts, time_zone text)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  return jsonb_build_object(
    'marketing', contact.consent_marketing,
    'at', messaging.iso_in_zone(contact.consent_at, time_zone),
    'source', contact.consent_source
  );
end;
$$;
