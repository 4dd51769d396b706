-- The contact of each entry of a list, in order (see entry_contact); NULL for entries that name nobody.
create or replace function messaging.entry_contacts(of_instance uuid, entries jsonb)
returns uuid[] language sql stable set search_path = '' as $$
  select array(
    select case
      when coalesce(e.entry->>'phone', e.entry->>'userId', e.entry->>'contactId') is not null
      then messaging.entry_contact(
        of_instance,
        (e.entry->>'contactId')::uuid,
        messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId'))
      )
    end
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    order by e.place
  );
$$;
