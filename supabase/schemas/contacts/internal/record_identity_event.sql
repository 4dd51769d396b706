-- Records the key that a contact writes with. `event`: address, otherAddresses, identity, isNotice. Tells
-- contact.identity_changed where it is another one, or where the channel says so and none was known. A
-- person who is unknown is left unknown. Returns whether it was news. Locks the contact.
create or replace function messaging.record_identity_event(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  seen text;
begin
  foreach seen in array array[event->>'address'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    contact := messaging.find_contact(record_identity_event.instance_id, seen);
    exit when contact.id is not null;
  end loop;
  select c.* into contact from messaging.contacts c where c.id = contact.id for no key update;
  if not found or contact.channel_identity = event->>'identity' then
    return false;
  end if;
  update messaging.contacts c set channel_identity = event->>'identity' where c.id = contact.id;
  if contact.channel_identity is null and not (event->>'isNotice')::boolean then
    return false;
  end if;
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.identity_changed', jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'reason', 'device_changed',
      'identity', event->'identity',
      'previousIdentity', contact.channel_identity
    )
  );
  return true;
end;
$$;
