-- Gives each person of a list a contact and a conversation, as resolve_recipient and resolve_conversation
-- do for one, in a few statements for all. `entries`: [{phone | userId | contactId}]; those that name
-- nobody are passed over, and so are unknown contactIds. The contacts cannot be merged until the caller
-- commits: it holds their rows.
-- Locks: addresses of new contacts, contacts in the order of their ids, contact_activity.
-- Returns the contact of each entry, in order; NULL where it has none.
-- Errors: MI055 where a contact was merged meanwhile; the call must be repeated.
create or replace function messaging.add_entry_contacts(of_instance uuid, entries jsonb)
returns uuid[] language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  found_ids uuid[];
  new_ids uuid[];
  given text[];
  touched uuid[];
  locked integer;
begin
  found_ids := messaging.entry_contacts(of_instance, entries);
  given := array(
    select distinct coalesce(e.entry->>'phone', e.entry->>'userId')
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
      and found_ids[e.place::integer] is null
  );
  if cardinality(given) > 0 then
    perform messaging.lock_addresses(of_instance, given);
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (person.identity_key)
        of_instance, case when messaging.is_phone(g.given) then g.given end, person.identity_key, 'api'
      from unnest(given) as g(given)
      cross join lateral (select messaging.phone_identity_key(g.given)) as person(identity_key)
      -- An event that has just shown the address has made its contact.
      where messaging.entry_contact(of_instance, null, person.identity_key) is null
      order by person.identity_key, g.given
      on conflict on constraint contacts_identity do nothing
      returning id, phone, identity_key
    ), hidden as (
      insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
      select of_instance, c.identity_key, c.id, '-infinity' from created c where c.phone is null
    )
    select array_agg(c.id) into new_ids from created c;
    perform messaging.record_new_contacts(new_ids);
    found_ids := messaging.entry_contacts(of_instance, entries);
  end if;
  perform from messaging.contacts c
  where c.id = any (found_ids) and c.merged_into is null
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if locked <> (select count(distinct f.id) from unnest(found_ids) as f(id))
    or exists (
      select from jsonb_array_elements(entries) with ordinality as e(entry, place)
      where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
        and found_ids[e.place::integer] is null
    ) then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  with added as (
    insert into messaging.conversations (instance_id, contact_id)
    select of_instance, lacking.id
    from (select distinct f.id from unnest(found_ids) as f(id) where f.id is not null) as lacking
    where not exists (select from messaging.conversations v where v.contact_id = lacking.id)
    order by lacking.id
    on conflict do nothing
    returning contact_id
  )
  select array_agg(a.contact_id) into touched from added a;
  if touched is not null then
    perform messaging.touch_contacts(touched);
  end if;
  return found_ids;
end;
$$;
