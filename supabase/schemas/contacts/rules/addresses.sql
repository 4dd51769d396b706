-- The contacts that have one of these addresses, as their own or as one that was proven.
create or replace function messaging.address_owners(instance_id uuid, identity_keys text[])
returns table (contact_id uuid) language sql stable
begin atomic
  select owner.id
  from
    unnest(identity_keys) as seen (identity_key)
    cross join lateral (
      select c.id
      from messaging.contacts as c
      where c.instance_id = address_owners.instance_id and c.identity_key = seen.identity_key
      union all
      select a.contact_id
      from messaging.contact_addresses as a
      where a.instance_id = address_owners.instance_id and a.identity_key = seen.identity_key
    ) as owner;
end;

-- The advisory lock of an address: the addresses of an instance share 256 locks, because a delivery of
-- thousands must not exhaust the server's lock table. See lock_addresses.
create or replace function messaging.address_lock_key(instance_id uuid, identity_key text)
returns bigint language sql immutable
return hashtextextended('addresses ' || instance_id::text, 0) # (hashtext(identity_key) & 255);

-- Whether an address is a phone; else it is a hidden identity (LID, BSUID).
create or replace function messaging.is_phone(address text)
returns boolean language sql immutable
return address ~ '^[0-9]{8,15}$';

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
