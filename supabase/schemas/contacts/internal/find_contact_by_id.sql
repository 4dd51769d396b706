-- Finds a contact of the instance by its id; the id of a merged contact finds the survivor.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact_by_id(instance_id uuid, contact_id uuid)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  select c.* into contact from messaging.contacts c
  where c.id = find_contact_by_id.contact_id and c.instance_id = find_contact_by_id.instance_id;
  if not found then
    select c.* into contact
    from messaging.contact_activity a
    join messaging.contacts c on c.id = a.merged_into
    where a.contact_id = find_contact_by_id.contact_id
      and a.instance_id = find_contact_by_id.instance_id;
  end if;
  return contact;
end;
$$;
revoke all on function messaging.find_contact_by_id(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.find_contact_by_id(uuid, uuid) to service_role;
