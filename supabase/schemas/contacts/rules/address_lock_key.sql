-- The advisory lock of an address: the addresses of an instance share 256 locks, because a delivery of
-- thousands must not exhaust the server's lock table. See lock_addresses.
create or replace function messaging.address_lock_key(instance_id uuid, identity_key text)
returns bigint language sql immutable
return hashtextextended('addresses ' || instance_id::text, 0) # (hashtext(identity_key) & 255);
