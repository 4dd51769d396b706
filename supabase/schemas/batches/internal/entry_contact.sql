-- The contact that an entry of a list names, as find_recipient finds it; NULL for a phone or a user id that
-- no contact has, and for a contactId that is unknown or of somebody erased: one bad entry does not refuse
-- the others. One look-up by each key, whatever the statistics.
create or replace function messaging.entry_contact(
  of_instance uuid, contact_id uuid, identity_key text
) returns uuid language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  found_id uuid;
begin
  if contact_id is not null then
    begin
      return (messaging.find_contact_by_id(of_instance, entry_contact.contact_id)).id;
    exception when sqlstate 'MI035' then
      return null;
    end;
  end if;
  select c.id into found_id
  from messaging.contacts c
  where c.instance_id = of_instance and c.identity_key = entry_contact.identity_key;
  if not found then
    select a.contact_id into found_id
    from messaging.contact_addresses a
    where a.instance_id = of_instance and a.identity_key = entry_contact.identity_key;
  end if;
  return found_id;
end;
$$;
