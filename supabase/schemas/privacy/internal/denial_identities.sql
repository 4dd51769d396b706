-- The identities of a person that kept_denials keeps hashes of: the keys by which an import, a call or an
-- event would find the person again. A username is none: it can pass to another person.
create or replace function messaging.denial_identities(addresses text[])
returns text[] language sql immutable parallel safe set search_path = '' as $$
  select coalesce(array_agg(distinct messaging.phone_identity_key(known.address)), '{}')
  from unnest(addresses) as known(address)
  where known.address not like 'username:%';
$$;
