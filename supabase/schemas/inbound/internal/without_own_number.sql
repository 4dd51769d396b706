-- An event of a channel without the business's own number among a person's addresses: gateways tell it beside
-- a contact's, and it is never a contact's. NULL for an event that concerns the own number as if it were a
-- person: a note to self, its profile, its entry in the address book, its change.
create or replace function messaging.without_own_number(instance messaging.instances, event jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
declare
  own_key constant text := instance.connected_phone_key;
  others constant jsonb := event->'otherAddresses';
begin
  if messaging.phone_identity_key(event->>'address') = own_key
    or messaging.phone_identity_key(event->>'oldAddress') = own_key
    or messaging.phone_identity_key(event->>'newAddress') = own_key then
    return null;
  end if;
  if coalesce(jsonb_array_length(others), 0) = 0 then
    return event;
  end if;
  return event || jsonb_build_object('otherAddresses', (
    select coalesce(jsonb_agg(o.address order by o.place), '[]')
    from jsonb_array_elements_text(others) with ordinality as o(address, place)
    where messaging.phone_identity_key(o.address) <> own_key
  ));
end;
$$;
