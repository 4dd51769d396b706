-- The consent of a contact's person: the newest word of any of its identities at any instance of the
-- workspace, or the contact's own where that is newer. `contact_id` is NULL for a person of whom no
-- contact exists here.
create or replace function messaging.person_consent(
  workspace_id uuid,
  contact_id uuid,
  identity_key text,
  consent_marketing text,
  consent_at timestamptz
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
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
