-- The phone to show for a contact: see shown_contact.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text language plpgsql stable set search_path = '' as $$
begin
  return (select s.phone from messaging.shown_contact(contact) as s);
end;
$$;
