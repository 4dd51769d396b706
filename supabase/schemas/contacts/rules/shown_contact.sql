-- How a contact is shown: the phone first given, unless it has announced another number (see
-- announced_phone), NULL where it never showed a phone; and its other identities, NULL where it has none.
create or replace function messaging.shown_contact(contact messaging.contacts)
returns table (phone text, identities jsonb) language sql stable
begin atomic
  select
    coalesce((select a.phone from messaging.announced_phone(contact.id) as a), contact.phone),
    (select h.identities from messaging.hidden_identities(contact.id) as h);
end;

-- The number that a contact has announced as its new one, unless it has written from an earlier one
-- since; none where it has announced none. Only addresses of digits are phones: a changed user id is
-- none, and who writes under a user id or LID has taken no announced number back.
create or replace function messaging.announced_phone(contact_id uuid)
returns table (phone text) language sql stable
begin atomic
  select
    case
      when a.changed_by is not null then a.address
    end
  from messaging.contact_addresses as a
  where a.contact_id = announced_phone.contact_id and a.address ~ '^[0-9]+$'
  order by a.proven_at desc
  limit 1;
end;
