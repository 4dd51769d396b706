-- The words by which a contact is found: see contact_search.
create or replace function messaging.search_words(contact messaging.contacts)
returns text language plpgsql stable set search_path = '' as $$
begin
  return concat_ws(
    e'\n', contact.phone, nullif(messaging.contact_display_phone(contact), contact.phone),
    messaging.fold_text(contact.name), messaging.fold_text(contact.email),
    messaging.fold_text(contact.company)
  );
end;
$$;
