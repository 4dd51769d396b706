-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- A changed user id is recorded once as contact.identity_changed, in however many places the provider reports it.
-- Returns whether anything changed.
-- Errors: MI055 where another call has created or merged the contact meanwhile.
-- Over 80 lines: each step decides by what the ones before it have found.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  other messaging.contacts;
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  seen text;
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
  was_told boolean;
begin
  if exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  contact := messaging.find_contact(instance_id, event->>'oldAddress');
  foreach seen in array array[event->>'newAddress'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    other := messaging.find_contact(instance_id, seen);
    continue when other.id is null or other.id = contact.id;
    if is_user_id and contact.phone is null then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(other, contact)
      end;
    elsif (is_user_id and other.phone is null) or (
      other.origin = 'inbound' and other.created_at >= clock_timestamp() - interval '1 day'
    ) then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(contact, other)
      end;
    elsif seen = event->>'newAddress' then
      return false;
    end if;
  end loop;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      record_number_change.instance_id,
      case when messaging.is_phone(event->>'newAddress') then event->>'newAddress' end,
      messaging.phone_identity_key(event->>'newAddress'), 'inbound'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    if contact.id is null then
      raise exception using errcode = 'MI055', message = 'created meanwhile';
    end if;
    perform messaging.record_new_contacts(
      array[contact.id],
      messaging.told_identities(array[event->>'newAddress'] || array(
        select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
      ))
    );
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  was_told := exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress')
      and a.replaced_by = event->>'newAddress'
  );
  if not is_user_id then
    contact := messaging.assign_contact_phone(contact, event->>'newAddress');
  end if;
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a
    set proven_at = '-infinity', replaced_by = event->>'newAddress'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  -- What was written before the change may come after it: it is of this person.
  insert into messaging.contact_addresses (
    instance_id, address, contact_id, proven_at, replaced_by
  )
  select record_number_change.instance_id, event->>'oldAddress', contact.id, '-infinity',
    case when is_user_id then event->>'newAddress' end
  where (messaging.find_contact(instance_id, event->>'oldAddress')).id is null
  on conflict do nothing;
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
  perform messaging.recall_denials(
    record_number_change.instance_id, contact.id,
    array[event->>'oldAddress', event->>'newAddress']
  );
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  if is_recorded and is_user_id and not was_told then
    perform messaging.record_event(
      contact.instance_id, contact.id, 'contact.identity_changed',
      messaging.event_person(contact) || jsonb_build_object(
        'reason', 'user_id_changed',
        'userId', event->'newAddress',
        'previousUserId', event->'oldAddress'
      )
    );
  end if;
  if is_recorded then
    perform messaging.note_contact(contact.id);
    perform messaging.refresh_contact_search(contact.id);
  end if;
  return is_recorded;
end;
$$;
