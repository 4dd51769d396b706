-- All addresses of a contact: its phone, its identity key and what has been proven, in each spelling stored.
create or replace function messaging.person_addresses(contact messaging.contacts)
returns text[] language sql stable set search_path = '' as $$
  select array_agg(distinct known.address)
  from (
    select unnest(array[contact.phone, contact.identity_key]) as address
    union all
    select unnest(array[a.address, a.identity_key]) from messaging.contact_addresses a
    where a.contact_id = contact.id
  ) as known
  where known.address is not null;
$$;
