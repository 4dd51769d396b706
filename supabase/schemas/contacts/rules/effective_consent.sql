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
