-- contacts-api: one contact. The id of a merged contact gives the contact that it was merged into.
-- `request`: instanceId, contactId. Errors: MI031.
create or replace function public.get_contact(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
  contact jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := messaging.describe_contacts(instance, array[coalesce(
    (
      select a.merged_into from messaging.contact_activity a
      where a.contact_id = (request->>'contactId')::uuid
    ),
    (request->>'contactId')::uuid
  )])->0;
  if contact is null or contact ? 'isDeleted' then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
revoke all on function public.get_contact(jsonb) from public, anon, authenticated;
grant execute on function public.get_contact(jsonb) to service_role;
