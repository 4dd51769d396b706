-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs, but a username goes to whom
-- it is told of last, and replaces the person's former one. A contact that has changed
-- its number and writes from an earlier one is shown with that one again: that is recorded as an event.
-- The caller holds the contact locked.
create or replace function messaging.prove_addresses(
  instance_id uuid, contact_id uuid, addresses text[]
) returns void language plpgsql set search_path = '' as $$
declare
  has_moved constant boolean := exists (
    select from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.changed_by is not null
  );
  before jsonb;
begin
  if has_moved then
    before := messaging.contact_state(contact_id);
  end if;
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (messaging.phone_identity_key(seen.address))
    prove_addresses.instance_id, seen.address, prove_addresses.contact_id,
    case when seen.place = 1 then clock_timestamp() else '-infinity' end
  from unnest(addresses) with ordinality as seen(address, place)
  order by messaging.phone_identity_key(seen.address), seen.place
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id and excluded.proven_at > '-infinity'
    and (
      a.address <> excluded.address
      or a.proven_at < clock_timestamp() - interval '1 hour'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  perform messaging.recall_denials(
    prove_addresses.instance_id, prove_addresses.contact_id, addresses
  );
  perform messaging.note_contact(prove_addresses.contact_id);
  if exists (select from unnest(addresses) as seen(address) where seen.address like 'username:%') then
    update messaging.contact_addresses a
    set contact_id = prove_addresses.contact_id
    where a.instance_id = prove_addresses.instance_id and a.identity_key = any (addresses)
      and a.address like 'username:%' and a.contact_id <> prove_addresses.contact_id;
    delete from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.address like 'username:%'
      and a.address <> all (addresses);
  end if;
  if has_moved then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
end;
$$;
