-- The contact whom a channel shows these addresses of, of one person; NULL where none of them is known. Addresses of
-- several contacts prove that the contacts without a phone are this person: they are merged. Two phones
-- prove nothing: a number can have had another owner. The caller holds lock_addresses.
create or replace function messaging.find_shown_contact(instance_id uuid, addresses text[])
returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  found_contact messaging.contacts;
  known text;
begin
  foreach known in array addresses loop
    -- A username can pass to another person: it merges nobody.
    continue when known like 'username:%';
    found_contact := messaging.find_contact(instance_id, known);
    if contact.id is null then
      contact := found_contact;
    elsif found_contact.id = contact.id or found_contact.id is null then
      null;
    elsif found_contact.phone is null then
      contact := messaging.merge_contacts(contact, found_contact);
    elsif contact.phone is null then
      contact := messaging.merge_contacts(found_contact, contact);
    end if;
  end loop;
  return contact;
end;
$$;
