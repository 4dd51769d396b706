-- The address of a contact that was last proven to work; none where none was. `is_phone_needed`: only
-- phones count. A row, so that it is looked up by its index wherever it is joined.
create or replace function messaging.proven_address(contact_id uuid, is_phone_needed boolean)
returns table (address text) language sql stable
begin atomic
  select a.address
  from messaging.contact_addresses as a
  where
    a.contact_id = proven_address.contact_id
    and a.proven_at > '-infinity'
    and (not is_phone_needed or a.address ~ '^[0-9]+$')
  order by a.proven_at desc
  limit 1;
end;
