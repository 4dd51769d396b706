-- Records contact.consent_changed with the contact's consent as it is now, and notes the contact. The
-- caller holds the contact locked.
create or replace function messaging.record_consent_event(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.note_contact(contact.id);
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.consent_changed',
    jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'consent', messaging.describe_consent(contact, i.time_zone)
    )
  )
  from messaging.instances i
  where i.id = contact.instance_id;
end;
$$;
