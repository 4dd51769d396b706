-- The contact of a message as it is now: see message_contact.
create or replace function messaging.read_message_contact(contact_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select messaging.message_contact(
      c.id, messaging.contact_display_phone(c), c.name, messaging.shown_identities(c.id)
    )
    from messaging.contacts c
    where c.id = read_message_contact.contact_id
  );
end;
$$;
