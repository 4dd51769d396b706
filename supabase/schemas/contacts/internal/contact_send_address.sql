-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3), else its hidden identity.
create or replace function messaging.contact_send_address(
  contact messaging.contacts,
  phone_given text
)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select a.address from messaging.contact_addresses a
      where a.contact_id = contact.id and a.proven_at > '-infinity'
      order by a.proven_at desc
      limit 1
    ),
    phone_given,
    contact.phone,
    contact.identity_key
  );
end;
$$;
revoke all
on function messaging.contact_send_address(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.contact_send_address(messaging.contacts, text) to service_role;
