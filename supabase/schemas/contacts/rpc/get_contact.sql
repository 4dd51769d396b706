-- contacts-api: one contact. The id of a merged contact gives the contact that it was merged into.
-- `request`: instanceId, contactId. Errors: MI031, MI035.
create or replace function public.get_contact(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  contact jsonb;
begin
  contact := messaging.describe_contacts(instance, array[
    (messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)).id
  ])->0;
  if contact is null or contact ? 'isDeleted' then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
