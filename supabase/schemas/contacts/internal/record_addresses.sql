-- Records further addresses of a person that the channel names beside a message of ours: from now on each of them
-- finds the contact. Where messages go stays as it is. Addresses of other contacts stay theirs, and a person
-- without a contact gets none; contacts that turn out to be one person are merged: see find_shown_contact.
-- `event`: address, otherAddresses; a username among them is left out. Returns whether one was new. The
-- caller holds lock_addresses.
create or replace function messaging.record_addresses(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  addresses constant text[] := array[event->>'address'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  contact messaging.contacts;
  added text[];
begin
  contact := messaging.find_shown_contact(instance_id, addresses);
  perform from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for no key update;
  if not found then
    return false;
  end if;
  with stored as (
    insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
    select distinct on (messaging.phone_identity_key(seen.address))
      record_addresses.instance_id, seen.address, contact.id, '-infinity'
    from unnest(addresses) with ordinality as seen(address, place)
    -- What its own key finds needs no address.
    where messaging.phone_identity_key(seen.address) <> contact.identity_key
    order by messaging.phone_identity_key(seen.address), seen.place
    on conflict do nothing
    returning address
  )
  select array_agg(stored.address) into added from stored;
  if added is null then
    return false;
  end if;
  perform messaging.recall_denials(record_addresses.instance_id, contact.id, added);
  perform messaging.note_contact(contact.id);
  return true;
end;
$$;
