-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3), else its hidden identity.
create or replace function messaging.contact_send_address(
  contact messaging.contacts, phone_given text
) returns text language plpgsql stable set search_path = '' as $$
begin
  return coalesce(
    (select p.address from messaging.proven_address(contact.id, false) as p),
    phone_given,
    contact.phone,
    contact.identity_key
  );
end;
$$;
