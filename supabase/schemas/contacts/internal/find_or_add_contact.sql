-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). A user id of the official channel (BSUID) in place of the phone is an address of the new
-- contact from the beginning, though nothing has proven it. Looks by identity key, then by address.
-- Simultaneous calls get the same contact: the unique index decides. A new contact waits for events under
-- way that may show who has the phone as an address. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- Errors: MI045 for the instance's own number, which is nobody's; MI055 where the contact was merged since it was
-- found; the call must be repeated.
create or replace function messaging.find_or_add_contact(
  instance_id uuid, phone text, out contact messaging.contacts, out is_new boolean
) language plpgsql set search_path = '' as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    if exists (
      select from messaging.instances i
      where i.id = find_or_add_contact.instance_id
        and i.connected_phone_key = messaging.phone_identity_key(find_or_add_contact.phone)
    ) then
      raise exception using errcode = 'MI045', message = 'own_number';
    end if;
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      find_or_add_contact.instance_id,
      case when messaging.is_phone(find_or_add_contact.phone) then find_or_add_contact.phone end,
      messaging.phone_identity_key(find_or_add_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      if contact.phone is null then
        insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
        values (
          find_or_add_contact.instance_id, find_or_add_contact.phone, contact.id, '-infinity'
        );
      end if;
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Nothing may be written to a contact that was merged meanwhile: it would be lost.
  perform from messaging.contacts c where c.id = contact.id and c.merged_into is null for key share;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;
