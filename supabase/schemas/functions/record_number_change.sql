-- A contact goes on under another number: the new one becomes its address, proven last. Somebody whom
-- we know by the new number only since yesterday, for having written, is the same person; anybody
-- else may be the number's former owner and keeps it. Returns whether a contact was concerned.
create or replace function public.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts := public.find_contact(instance_id, event->>'oldAddress');
  other public.contacts := public.find_contact(instance_id, event->>'newAddress');
begin
  if contact.id is null or exists (
    select from public.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = public.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  if other.id <> contact.id then
    if other.origin <> 'inbound' or other.created_at < clock_timestamp() - interval '1 day' then
      return false;
    end if;
    contact := public.merge_contacts(contact, other);
  end if;
  insert into public.contact_addresses as a (
    instance_id, address, contact_id, proven_at, changed_by
  )
  values (
    record_number_change.instance_id, event->>'newAddress', contact.id, clock_timestamp(),
    event->>'eventId'
  )
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address, changed_by = excluded.changed_by
  where a.contact_id = excluded.contact_id;
  return found;
end;
$$;
revoke all on function public.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_number_change(uuid, jsonb) to service_role;
