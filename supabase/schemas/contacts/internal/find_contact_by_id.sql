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
