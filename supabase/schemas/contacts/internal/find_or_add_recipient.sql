-- The contact that a call is about: see find_recipient for `target`. A phone or a user id that no contact
-- has makes one: see find_or_add_contact. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- `target` may bring denialHashes: see take_denial_hashes.
-- Errors: MI031 for an unknown contactId; MI055 where the contact was merged since it was found; the call
-- must be repeated; MI037: see known_denials.
create or replace function messaging.find_or_add_recipient(
  instance_id uuid, target jsonb, out contact messaging.contacts, out is_new boolean
) language plpgsql set search_path = '' as $$
declare
  found_contact record;
begin
  if target->>'contactId' is null then
    perform messaging.take_denial_hashes(target);
    found_contact := messaging.find_or_add_contact(
      instance_id, coalesce(target->>'phone', target->>'userId')
    );
    contact := found_contact.contact;
    is_new := found_contact.is_new;
    return;
  end if;
  contact := messaging.find_recipient(instance_id, target);
  is_new := false;
  perform from messaging.contacts c where c.id = contact.id and c.merged_into is null for key share;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;
