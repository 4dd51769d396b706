-- Serialises transactions that record messages under the same addresses, until they commit. An event
-- may show several addresses of one person: look-ups by each must not miss each other and must not
-- deadlock.
-- All callers lock in one order. The addresses of an instance share 256 locks.
create or replace function messaging.lock_addresses(instance_id uuid, addresses text[])
returns void language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct messaging.address_lock_key(
      lock_addresses.instance_id, messaging.phone_identity_key(seen.address)
    ) as lock_key
    from unnest(addresses) as seen(address)
    order by lock_key
  ) as wanted;
end;
$$;
