-- Records that a new contact is `denied` from the beginning: see recall_denial.
create or replace function messaging.record_recalled_denial(contact messaging.contacts)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
  values (
    contact.instance_id, contact.id, contact.consent_marketing, contact.consent_at,
    contact.consent_source
  );
  perform messaging.record_consent_event(contact);
end;
$$;
