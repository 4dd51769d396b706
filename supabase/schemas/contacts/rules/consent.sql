-- A contact's consent as it counts for a message of this purpose: its own, or, for marketing of an instance
-- of a workspace with the peopleScope `workspace`, that of the person, see person_consent.
create or replace function messaging.effective_consent(
  purpose text, people_scope text, workspace_id uuid, contact_id uuid, identity_key text,
  consent_marketing text, consent_at timestamptz
) returns text language sql stable
return case
  when people_scope = 'workspace'
  and purpose = 'marketing'
  and consent_marketing is distinct from 'denied' then messaging.person_consent(
    workspace_id,
    contact_id,
    identity_key,
    consent_marketing,
    consent_at
  )
  else consent_marketing
end;

-- The consent of a contact's person: the newest word of any of its identities at any instance of the
-- workspace, or the contact's own where that is newer. `contact_id` is NULL for a person of whom no
-- contact exists here.
create or replace function messaging.person_consent(
  workspace_id uuid, contact_id uuid, identity_key text, consent_marketing text,
  consent_at timestamptz
) returns text language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  word constant messaging.person_words := messaging.newest_word(
    person_consent.workspace_id,
    array[person_consent.identity_key] || array(
      select p.identity_key from messaging.person_identities(person_consent.contact_id) as p
    )
  );
begin
  return case
    when word.id is null or consent_at > word.said_at then consent_marketing
    else word.marketing
  end;
end;
$$;

-- Whether a word of its person is to become a living contact's consent: it says another thing, and the contact
-- has said nothing newer.
create or replace function messaging.is_untold(
  contact messaging.contacts, word messaging.person_words
) returns boolean language sql immutable
return contact.merged_into is null
and contact.consent_marketing != word.marketing
and (contact.consent_at is null or contact.consent_at <= word.said_at);

-- Why a message may not go to a contact now, as the error's code; NULL where it may. In the order of
-- refusals: blocked; a closed window, where the contact's last message is known; marketing denied.
create or replace function messaging.send_refusal(
  is_blocked boolean, consent_marketing text, last_inbound_at timestamptz, provider_class text,
  message_type text, purpose text, clock timestamptz
) returns text language sql stable
return case
  when is_blocked then 'contact_blocked'
  when messaging.needs_open_window(provider_class, message_type)
  and messaging.window_closes_at(last_inbound_at) < clock then 'outside_conversation_window'
  when messaging.denies_marketing(consent_marketing, purpose) then 'contact_opted_out'
end;

-- Whether a message of this purpose is marketing to a contact that has denied it.
create or replace function messaging.denies_marketing(consent_marketing text, purpose text)
returns boolean language sql immutable
return coalesce(purpose = 'marketing' and consent_marketing = 'denied', false);

-- Whether a message goes only while the conversation window is open: on the official channel, any but a
-- template.
create or replace function messaging.needs_open_window(provider_class text, message_type text)
returns boolean language sql immutable
return provider_class = 'official' and message_type != 'template';
