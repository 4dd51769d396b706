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
