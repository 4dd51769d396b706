-- The contact that a call is about, found or created: see find_or_add_recipient. Records contact.created
-- of a new one.
-- Errors: MI031 for an unknown contactId; MI055 where the contact was merged since it was found; the call
-- must be repeated.
create or replace function messaging.resolve_recipient(
  instance_id uuid, target jsonb, out contact messaging.contacts, out is_new boolean
) language plpgsql set search_path = '' as $$
declare
  resolved constant record := messaging.find_or_add_recipient(instance_id, target);
begin
  contact := resolved.contact;
  is_new := resolved.is_new;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  end if;
end;
$$;
