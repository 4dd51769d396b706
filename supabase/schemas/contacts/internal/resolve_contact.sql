-- The contact of a phone, found or created: see find_or_add_contact. Records contact.created of a new
-- one.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  resolved constant record := messaging.find_or_add_contact(instance_id, phone);
begin
  contact := resolved.contact;
  is_new := resolved.is_new;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  end if;
end;
$$;
revoke all on function messaging.resolve_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.resolve_contact(uuid, text) to service_role;
