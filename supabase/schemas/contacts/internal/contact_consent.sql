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
