-- How a contact is shown: the phone first given, unless it has announced another number (see
-- announced_phone), NULL where it never showed a phone; and its other identities, NULL where it has none.
create or replace function messaging.shown_contact(contact messaging.contacts)
returns table (phone text, identities jsonb)
language sql
stable
begin atomic
  select
    coalesce((select a.phone from messaging.announced_phone(contact.id) as a), contact.phone),
    (select h.identities from messaging.hidden_identities(contact.id) as h);
end;
