-- Finds the contact that a call is about. `target` names it by exactly one of phone, contactId and userId
-- (the official channel's id of a person who may hide the number). The id of a merged contact finds the
-- survivor. Returns a row of NULLs for an unknown phone or user id. Writes nothing.
-- Errors: MI031 for a contactId that the instance does not have; MI035 where its person was erased.
create or replace function messaging.find_recipient(instance_id uuid, target jsonb)
returns messaging.contacts language plpgsql stable set search_path = '' as $$
declare
  contact messaging.contacts;
begin
  if target->>'contactId' is null then
    return messaging.find_contact(instance_id, coalesce(target->>'phone', target->>'userId'));
  end if;
  contact := messaging.find_contact_by_id(instance_id, (target->>'contactId')::uuid);
  if contact.id is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
