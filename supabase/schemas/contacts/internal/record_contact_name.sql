-- Records what a person is called and looks like, as the channel tells it. `event`: address, otherAddresses,
-- source, name, profilePictureUrl, at.
-- profile: what the person calls itself; it replaces only such a name, and makes no contact.
-- address_book: the entry on the business's phone. It replaces a profile's name and the entry's former one, and
-- makes the contact; a name that a call has given stays. An entry that is removed (no name) leaves the name,
-- until the person's profile tells another one. The newest entry by the phone's clock counts.
-- Returns whether anything changed. The caller holds lock_addresses.
-- Errors: MI055, as find_or_add_contact; the call must be repeated.
create or replace function messaging.record_contact_name(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_entry constant boolean := event->>'source' = 'address_book';
  told_name constant text := event->>'name';
  told_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts := messaging.find_contact(instance_id, event->>'address');
  named messaging.contacts;
  other text;
begin
  for other in select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]')) loop
    exit when contact.id is not null;
    contact := messaging.find_contact(instance_id, other);
  end loop;
  if contact.id is null then
    if not is_entry or told_name is null then
      return false;
    end if;
    select (f.contact).* into contact
    from messaging.find_or_add_contact(record_contact_name.instance_id, event->>'address') as f;
    update messaging.contacts c
    set origin = 'address_book', name = told_name, phone_book_name = told_name,
      phone_book_at = told_at
    where c.id = contact.id;
    perform messaging.record_new_contacts(array[contact.id]);
    perform messaging.note_contact(contact.id);
    return true;
  end if;
  select c.* into contact from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for no key update;
  if not found or is_entry and told_at < contact.phone_book_at then
    return false;
  end if;
  update messaging.contacts c
  set name = case
      when told_name is null then c.name
      when c.name is null or c.is_profile_name or is_entry and c.name = c.phone_book_name
        then told_name
      else c.name
    end,
    is_profile_name = case
      when is_entry and told_name is null
        then c.is_profile_name or coalesce(c.name = c.phone_book_name, false)
      when told_name is null then c.is_profile_name
      else not is_entry and (c.is_profile_name or c.name is null)
    end,
    phone_book_name = case when is_entry then told_name else c.phone_book_name end,
    phone_book_at = case when is_entry then told_at else c.phone_book_at end,
    profile_picture_url = picture.url,
    profile_picture_at = case
      when picture.is_new then clock_timestamp() else c.profile_picture_at
    end
  from (
    select shown.is_new, case when shown.is_new then event->>'profilePictureUrl'
      else contact.profile_picture_url end as url
    from (
      select coalesce(
        event->>'profilePictureUrl' <> coalesce(contact.profile_picture_url, '')
          and messaging.may_refresh_picture(contact.profile_picture_at, clock_timestamp()),
        false
      ) as is_new
    ) as shown
  ) as picture
  where c.id = contact.id
  returning c.* into named;
  perform messaging.record_contact_changes(
    record_contact_name.instance_id, contact.id, jsonb_build_object('name', contact.name)
  )
  where named.name is distinct from contact.name;
  perform messaging.note_contact(contact.id)
  where named.profile_picture_url is distinct from contact.profile_picture_url;
  return (named.name, named.is_profile_name, named.phone_book_name, named.profile_picture_url)
    is distinct from
    (contact.name, contact.is_profile_name, contact.phone_book_name, contact.profile_picture_url);
end;
$$;
