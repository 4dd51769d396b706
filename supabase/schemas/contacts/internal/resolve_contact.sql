-- The contact of a phone on an instance, created with origin `api` when there is none
-- (specification, section 1, rule 1). Found by identity key, else by an address proven before.
-- Simultaneous calls get the same contact: the unique index decides, not the look-up. A new one waits
-- for events that show whose address the phone is by now. The contact stays until the caller commits.
-- Errors: 40001 where it has been merged with another one since it was found: to be called again.
create or replace function messaging.resolve_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      resolve_contact.instance_id, resolve_contact.phone,
      messaging.phone_identity_key(resolve_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Somebody who has been merged away meanwhile must not be written to: it would be lost.
  perform from messaging.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all on function messaging.resolve_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.resolve_contact(uuid, text) to service_role;
