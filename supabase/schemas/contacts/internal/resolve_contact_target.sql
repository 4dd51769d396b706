-- The contact that a call is about: `target` names it by exactly one of phone, contactId and userId (the
-- official channel's id of a person who may hide the number). A phone or a user id that no contact has
-- makes one, with origin `api`. The contact cannot be deleted until the caller commits.
-- Errors: MI031 for a contactId that the instance does not have; 40001 as resolve_contact.
create or replace function messaging.resolve_contact_target(instance_id uuid, target jsonb)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  user_id constant text := target->>'userId';
begin
  if target->>'contactId' is not null then
    select c.* into contact
    from messaging.contacts c
    where c.id = (target->>'contactId')::uuid and c.instance_id = resolve_contact_target.instance_id
    for key share;
    if not found then
      raise exception using errcode = 'MI031', message = 'contact_not_found';
    end if;
    return contact;
  end if;
  select (r.contact).* into contact
  from messaging.resolve_contact(instance_id, coalesce(user_id, target->>'phone')) r;
  return contact;
end;
$$;
revoke all
on function messaging.resolve_contact_target(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.resolve_contact_target(uuid, jsonb) to service_role;
