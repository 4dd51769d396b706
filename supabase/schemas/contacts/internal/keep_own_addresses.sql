-- merge_contacts: what the two contacts are known by of themselves, a phone as a call gave it or a hidden
-- identity, finds the surviving one from now on, though nothing has proven it. What is another
-- contact's proven address stays with that one.
create or replace function messaging.keep_own_addresses(kept_id uuid, gone_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select c.instance_id, own.address, kept_id, '-infinity'
  from messaging.contacts c
  cross join lateral (
    select c.phone as address
    union
    select c.identity_key
    -- A phone's own key is a spelling that nobody gave.
    where c.phone is null or c.identity_key <> messaging.phone_identity_key(c.phone)
  ) as own
  where c.id = gone_id and own.address is not null
    or c.id = kept_id and c.phone is null and own.address is not null
  on conflict do nothing;
end;
$$;
