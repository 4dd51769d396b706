-- Creates the contact of a person of whom nothing is known yet but the address that it went on under.
-- Errors: MI055 where another call has created it meanwhile.
create or replace function messaging.add_moved_contact(instance_id uuid, address text)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  insert into messaging.contacts (instance_id, phone, identity_key, origin)
  values (
    add_moved_contact.instance_id,
    case when messaging.is_phone(address) then address end,
    messaging.phone_identity_key(address), 'inbound'
  )
  on conflict on constraint contacts_identity do nothing
  returning * into contact;
  if contact.id is null then
    raise exception using errcode = 'MI055', message = 'created meanwhile';
  end if;
  perform messaging.record_new_contacts(array[contact.id]);
  return contact;
end;
$$;
