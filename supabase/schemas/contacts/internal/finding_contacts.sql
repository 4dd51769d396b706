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

-- Finds the contact of a phone by identity key: first by the contact's own, then by a proven address.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact(instance_id uuid, phone text)
returns messaging.contacts language plpgsql stable set search_path = '' as $$
declare
  wanted_key constant text := messaging.phone_identity_key(phone);
  contact messaging.contacts;
begin
  select c.* into contact
  from messaging.contacts c
  where c.instance_id = find_contact.instance_id
    and c.identity_key = wanted_key;
  if not found then
    select c.* into contact
    from messaging.contacts c
    -- Not a join, which would have a plan without either key while the tables seem to be empty.
    where c.id = (
      select a.contact_id from messaging.contact_addresses a
      where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key
    );
  end if;
  return contact;
end;
$$;

-- Finds a contact of the instance by its id; the id of a merged contact finds the survivor.
-- Returns a row of NULLs when there is none. Writes nothing.
-- Errors: MI035 where the person was erased, or is being erased.
create or replace function messaging.find_contact_by_id(instance_id uuid, contact_id uuid)
returns messaging.contacts language plpgsql stable set search_path = '' as $$
declare
  living_id uuid;
  is_erased boolean;
  contact messaging.contacts;
begin
  select coalesce(a.merged_into, a.contact_id), coalesce(a.erased_at, s.erased_at) is not null
  into living_id, is_erased
  from messaging.contact_activity a
  left join messaging.contact_activity s on s.contact_id = a.merged_into
  where a.contact_id = find_contact_by_id.contact_id
    and a.instance_id = find_contact_by_id.instance_id;
  if is_erased then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
  select c.* into contact from messaging.contacts c
  where c.id = coalesce(living_id, find_contact_by_id.contact_id)
    and c.instance_id = find_contact_by_id.instance_id;
  return contact;
end;
$$;
