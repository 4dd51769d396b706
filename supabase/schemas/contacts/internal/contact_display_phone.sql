-- The phone to show for a contact: the one first given, unless the contact has announced another
-- number and has not written from an earlier one since. NULL for a contact that never showed a phone.
-- Only addresses of digits are phones: a changed user id is none, and who writes under a user id or LID
-- has taken no announced number back.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (select announced.phone from messaging.announced_phone(contact.id) as announced),
    contact.phone
  );
end;
$$;
