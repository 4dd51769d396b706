-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses. A contact that is known by
-- the new number only since yesterday, by a message it wrote, is the same person; any other contact
-- may be the number's former owner and keeps it. Returns whether a contact was found.
-- Errors: 40001 where another call has merged it.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts := messaging.find_contact(instance_id, event->>'oldAddress');
  other messaging.contacts := messaging.find_contact(instance_id, event->>'newAddress');
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
begin
  if contact.id is null or exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  if other.id <> contact.id then
    -- A user id is never given to another person: its contact is this person.
    if (
      is_user_id and contact.phone is not null and other.phone is not null
    ) or (
      not is_user_id
      and (other.origin <> 'inbound' or other.created_at < clock_timestamp() - interval '1 day')
    ) then
      return false;
    end if;
    contact := case
      when is_user_id and contact.phone is null then messaging.merge_contacts(other, contact)
      else messaging.merge_contacts(contact, other)
    end;
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  insert into messaging.contact_addresses as a (
    instance_id, address, contact_id, proven_at, changed_by
  )
  values (
    record_number_change.instance_id, event->>'newAddress', contact.id,
    case
      when not is_user_id then clock_timestamp()
      when contact.phone is null then greatest(moved_proven_at, clock_timestamp())
      else coalesce(moved_proven_at, '-infinity')
    end,
    event->>'eventId'
  )
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address, changed_by = excluded.changed_by
  where a.contact_id = excluded.contact_id;
  is_recorded := found;
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  if is_recorded then
    perform messaging.note_contact(contact.id);
  end if;
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;
