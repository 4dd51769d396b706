-- The entries of a list that is not stored, as add_recipients would store them and judge_recipient judges
-- them. `entries` as in add_recipients. Writes nothing: whom no contact stands for is new.
create or replace function messaging.judged_entries(
  instance messaging.instances, purpose text, entries jsonb
) returns setof messaging.batch_candidate language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  contact_ids constant uuid[] := messaging.entry_contacts(instance.id, entries);
  listed record;
  contact messaging.contacts;
  candidate messaging.batch_candidate;
begin
  for listed in
    with named as (
      select e.place::integer as place, e.entry, contact_ids[e.place::integer] as contact_id,
        messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId')) as identity_key
      from jsonb_array_elements(entries) with ordinality as e(entry, place)
    )
    select n.*, row_number() over (
        partition by n.entry->>'reason' is null, coalesce(n.contact_id::text, n.identity_key)
        order by n.place
      ) as occurrence
    from named n
    order by n.place
  loop
    contact := null;
    select c.* into contact from messaging.contacts c where c.id = listed.contact_id;
    if contact.id is null then
      contact.identity_key := listed.identity_key;
    end if;
    candidate := null;
    candidate.index := listed.place - 1;
    candidate.contact_id := listed.contact_id;
    candidate.reason := case
      when listed.entry->>'reason' is not null then listed.entry->>'reason'
      when contact.id is null and listed.entry->>'contactId' is not null then 'contact_not_found'
      when listed.occurrence > 1 then 'duplicate_contact'
    end;
    return next messaging.judge_recipient(
      instance, purpose, contact, listed.entry->>'phone', listed.entry->'draft', candidate
    );
  end loop;
end;
$$;
