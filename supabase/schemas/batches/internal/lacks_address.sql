-- Whether a message to the contact would be refused because its channel cannot address it: see
-- channel_send_address. Only for contacts without a phone.
create or replace function messaging.lacks_address(
  instance messaging.instances, contact messaging.contacts, needs_phone boolean
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  perform messaging.channel_send_address(instance, contact, null, needs_phone);
  return false;
exception when sqlstate 'MI033' then
  return true;
end;
$$;
