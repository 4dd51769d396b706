-- The identity keys by which a contact is known as a person: its own and those of its addresses. A username is
-- none, as denial_identities says.
create or replace function messaging.person_identities(contact_id uuid)
returns table (identity_key text) language sql stable
begin atomic
  select c.identity_key
  from messaging.contacts as c
  where c.id = person_identities.contact_id
  union
  select a.identity_key
  from messaging.contact_addresses as a
  where a.contact_id = person_identities.contact_id and a.identity_key not like 'username:%';
end;
