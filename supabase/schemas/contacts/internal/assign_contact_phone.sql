-- Gives a contact without a phone the phone that it has shown. From now on the phone is its identity.
-- A contact that has the phone already is the same person: the two are merged.
-- Returns the contact as it is now. Errors: MI055 where another call has merged one of them.
create or replace function messaging.assign_contact_phone(contact messaging.contacts, phone text)
returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  other messaging.contacts;
  shown messaging.contacts;
  before jsonb;
begin
  if contact.phone is not null or not messaging.is_phone(phone) then
    return contact;
  end if;
  other := messaging.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return messaging.merge_contacts(other, contact);
  end if;
  perform from messaging.contacts c where c.id = contact.id and c.phone is null for update;
  if not found then
    return contact;
  end if;
  before := messaging.contact_state(contact.id);
  update messaging.contacts c
  set phone = assign_contact_phone.phone, identity_key = messaging.phone_identity_key(assign_contact_phone.phone),
    updated_at = now()
  where c.id = contact.id
  returning c.* into shown;
  perform messaging.record_contact_changes(contact.instance_id, contact.id, before);
  perform messaging.note_contact(contact.id);
  return shown;
end;
$$;
