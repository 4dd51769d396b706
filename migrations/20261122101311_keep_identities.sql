set local check_function_bodies = off;

-- Creates the contact of a person of whom nothing is known yet but the address that it went on under.
-- Errors: 40001 where another call has created it meanwhile.
create or replace function messaging.add_moved_contact(instance_id uuid, address text)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  insert into messaging.contacts (instance_id, phone, identity_key, origin)
  values (
    add_moved_contact.instance_id,
    case when address ~ '^[0-9]{8,15}$' then address end,
    messaging.phone_identity_key(address), 'inbound'
  )
  on conflict on constraint contacts_identity do nothing
  returning * into contact;
  if contact.id is null then
    raise exception using errcode = 'serialization_failure', message = 'created meanwhile';
  end if;
  perform messaging.record_new_contacts(array[contact.id]);
  return contact;
end;
$$;
revoke all on function messaging.add_moved_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.add_moved_contact(uuid, text) to service_role;

-- What kind of identity an address is, by its form: phone, lid, user_id, parent_user_id, username; NULL
-- for what is no person's (a group). Usernames are stored as `username:<name>`: see identity_value.
create or replace function messaging.address_kind(address text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case
    when address ~ '^[0-9]+$' then 'phone'
    when address ~ '@lid$' then 'lid'
    when address like 'username:%' then 'username'
    when address ~ '^[A-Z]{2}\.ENT\.[0-9A-Za-z]{1,128}$' then 'parent_user_id'
    when address ~ '^[A-Z]{2}\.[0-9A-Za-z]{1,128}$' then 'user_id'
  end;
end;
$$;
revoke all on function messaging.address_kind(text) from public, anon, authenticated;
grant execute on function messaging.address_kind(text) to service_role;

-- By what a contact is known: [{kind, value, provenAt}], the newest proof first. `provenAt` is NULL for
-- what nothing has proven by itself: a phone as the API gave it, an identity shown beside the address.
create or replace function messaging.contact_identities(contact messaging.contacts)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'kind', identity.kind,
          'value', case
            when identity.kind = 'username' then substr(known.address, length('username:') + 1)
            else known.address
          end,
          'provenAt', case
            when isfinite(known.proven_at) then messaging.iso_in_zone(known.proven_at, 'UTC')
          end
        )
        order by known.proven_at desc nulls last, known.address
      ),
      '[]'
    )
    from (
      select a.address, a.proven_at
      from messaging.contact_addresses a
      where a.contact_id = contact.id
      union all
      select contact.phone, null
      where contact.phone is not null and not exists (
        select from messaging.contact_addresses a
        where a.contact_id = contact.id
          and a.identity_key = messaging.phone_identity_key(contact.phone)
      )
    ) as known
    cross join lateral (select messaging.address_kind(known.address)) as identity(kind)
    where identity.kind is not null
  );
end;
$$;
revoke all
on function messaging.contact_identities(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.contact_identities(messaging.contacts) to service_role;

-- Whether `content` has the shape that its message type needs: none for words alone, an option list or
-- the choice of an option, a template, else a file. A received file may have neither URL nor id, where
-- the provider tells none. What a sent message needs is checked before it is stored
-- (shared/model/message_content.ts).
create or replace function messaging.is_message_content(message_type text, content jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return coalesce(
    case message_type
      when 'text' then content is null
      when 'contact_request' then content is null
      when 'other' then content is null
      when 'option_list' then jsonb_typeof(content->'optionList') = 'object'
        or jsonb_typeof(content->'choice'->'title') = 'string'
      when 'template' then jsonb_typeof(content->'template') = 'object'
      else content is null
        or jsonb_typeof(content->'mediaUrl') = 'string'
        or jsonb_typeof(content->'mediaId') = 'string'
        or jsonb_typeof(content->'mediaFilename') = 'string'
    end,
    false
  );
end;
$$;
revoke all on function messaging.is_message_content(text, jsonb) from public, anon, authenticated;
grant execute on function messaging.is_message_content(text, jsonb) to service_role;

-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs, but a username goes to whom
-- it is told of last, and replaces the person's former one. A contact that has changed
-- its number and writes from an earlier one is shown with that one again: that is recorded as an event.
-- The caller holds the contact locked.
create or replace function messaging.prove_addresses(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  has_moved constant boolean := exists (
    select from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.changed_by is not null
  );
  before jsonb;
begin
  if has_moved then
    before := messaging.contact_state(contact_id);
  end if;
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (messaging.phone_identity_key(seen.address))
    prove_addresses.instance_id, seen.address, prove_addresses.contact_id,
    case when seen.place = 1 then clock_timestamp() else '-infinity' end
  from unnest(addresses) with ordinality as seen(address, place)
  order by messaging.phone_identity_key(seen.address), seen.place
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id and excluded.proven_at > '-infinity'
    and (
      a.address <> excluded.address
      or a.proven_at < clock_timestamp() - interval '1 hour'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  perform messaging.note_contact(prove_addresses.contact_id);
  if exists (select from unnest(addresses) as seen(address) where seen.address like 'username:%') then
    update messaging.contact_addresses a
    set contact_id = prove_addresses.contact_id
    where a.instance_id = prove_addresses.instance_id and a.identity_key = any (addresses)
      and a.address like 'username:%' and a.contact_id <> prove_addresses.contact_id;
    delete from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.address like 'username:%'
      and a.address <> all (addresses);
  end if;
  if has_moved then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
end;
$$;
revoke all
on function messaging.prove_addresses(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.prove_addresses(uuid, uuid, text[]) to service_role;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- Returns whether anything changed. Errors: 40001 where another call has merged the contact.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  other messaging.contacts;
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  seen text;
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
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
    contact := messaging.add_moved_contact(instance_id, event->>'newAddress');
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if not is_user_id then
    contact := messaging.assign_contact_phone(contact, event->>'newAddress');
  end if;
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  -- What was written before the change may come after it: it is of this person.
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select record_number_change.instance_id, event->>'oldAddress', contact.id, '-infinity'
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
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  if is_recorded then
    perform messaging.note_contact(contact.id);
  end if;
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

-- Finds the contact of a message event by any of its addresses, or creates it with origin `inbound`,
-- without a phone where the provider shows none. All addresses find the contact from now on. The first
-- one is where messages go, and becomes the phone of a contact without one.
-- Addresses of several contacts prove that the contacts without a phone are this person. Two phones
-- prove nothing: a number can have had another owner.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_sender(instance_id uuid, event jsonb)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  found_contact messaging.contacts;
  address constant text := event->>'address';
  addresses constant text[] := array[address] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  profile_name constant text := case
    when event->>'origin' = 'inbound' then event->>'contactName'
  end;
  known text;
  is_new boolean := false;
begin
  -- The contact is locked before its addresses, whether it is known or new: two deliveries of one
  -- contact wait for each other here and nowhere else.
  foreach known in array addresses loop
    -- A username can pass to another person: it merges nobody.
    continue when known like 'username:%';
    found_contact := messaging.find_contact(instance_id, known);
    if contact.id is null then
      contact := found_contact;
    elsif found_contact.id = contact.id or found_contact.id is null then
      null;
    elsif found_contact.phone is null then
      contact := messaging.merge_contacts(contact, found_contact);
    elsif contact.phone is null then
      contact := messaging.merge_contacts(found_contact, contact);
    end if;
  end loop;
  if contact.id is null then
    insert into messaging.contacts (
      instance_id, phone, identity_key, origin, name, is_profile_name
    )
    values (
      resolve_sender.instance_id,
      case when address ~ '^[0-9]{8,15}$' then address end,
      messaging.phone_identity_key(address),
      'inbound', profile_name, profile_name is not null
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := found;
    if not is_new then
      contact := messaging.find_contact(instance_id, address);
    end if;
  end if;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  else
    select c.* into contact from messaging.contacts c where c.id = contact.id for no key update;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
  end if;
  contact := messaging.assign_contact_phone(contact, address);
  perform messaging.prove_addresses(resolve_sender.instance_id, contact.id, addresses);
  return contact;
end;
$$;
revoke all on function messaging.resolve_sender(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.resolve_sender(uuid, jsonb) to service_role;
