-- A contact's consent as it counts for a message of this purpose: its own, or, for marketing of an instance
-- whose workspace has the peopleScope `workspace`, that of the person, see person_consent.
create or replace function messaging.effective_consent(
  purpose text,
  people_scope text,
  workspace_id uuid,
  contact_id uuid,
  identity_key text,
  consent_marketing text,
  consent_at timestamptz
)
returns text
language sql
stable
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
