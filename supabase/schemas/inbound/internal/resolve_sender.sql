-- Finds the contact of a message event by any of its addresses, or creates it with origin `inbound`,
-- without a phone where the provider shows none. All addresses find the contact from now on. The first
-- one is where messages go, and becomes the phone of a contact without one.
-- Contacts without a phone that turn out to be this person are merged: see find_shown_contact.
-- Errors: MI055 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_sender(instance_id uuid, event jsonb)
returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  address constant text := event->>'address';
  addresses constant text[] := array[address] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  profile_name constant text := case
    when event->>'origin' = 'inbound' then event->>'contactName'
  end;
  is_new boolean := false;
begin
  -- The contact is locked before its addresses, whether it is known or new: two deliveries of one
  -- contact wait for each other here and nowhere else.
  contact := messaging.find_shown_contact(instance_id, addresses);
  if contact.id is null then
    insert into messaging.contacts (
      instance_id, phone, identity_key, origin, name, is_profile_name
    )
    values (
      resolve_sender.instance_id,
      case when messaging.is_phone(address) then address end,
      messaging.phone_identity_key(address),
      'inbound', profile_name, profile_name is not null
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := found;
    if not is_new then
      contact := messaging.find_contact(instance_id, address);
    end if;
  end if;
  if is_new then
    perform messaging.record_new_contacts(
      array[contact.id],
      case
        when contact.phone is null or cardinality(addresses) > 1
        then messaging.told_identities(addresses)
      end
    );
  else
    select c.* into contact from messaging.contacts c
    where c.id = contact.id and c.merged_into is null
    for no key update;
    if not found then
      raise exception using errcode = 'MI055', message = 'merged meanwhile';
    end if;
  end if;
  contact := messaging.assign_contact_phone(contact, address);
  perform messaging.prove_addresses(resolve_sender.instance_id, contact.id, addresses);
  return contact;
end;
$$;
