-- Finds the contact of a phone by identity key: first by the contact's own, then by a proven address.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact(instance_id uuid, phone text)
returns messaging.contacts language plpgsql stable set search_path = '' as $$
declare
  wanted_key constant text := messaging.phone_identity_key(phone);
  contact messaging.contacts;
begin
  select c.* into contact
  from messaging.contacts c
  where c.instance_id = find_contact.instance_id
    and c.identity_key = wanted_key;
  if not found then
    select c.* into contact
    from messaging.contacts c
    -- Not a join, which would have a plan without either key while the tables seem to be empty.
    where c.id = (
      select a.contact_id from messaging.contact_addresses a
      where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key
    );
  end if;
  return contact;
end;
$$;
