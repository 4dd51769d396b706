-- A contact goes on under another number: the new one becomes its proven address, unless it is
-- somebody's already. Returns whether a contact was concerned.
create or replace function public.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts := public.find_contact(instance_id, event->>'oldAddress');
begin
  if contact.id is null
    or (public.find_contact(instance_id, event->>'newAddress')).id is not null then
    return false;
  end if;
  insert into public.contact_addresses (instance_id, address, contact_id)
  values (record_number_change.instance_id, event->>'newAddress', contact.id)
  on conflict do nothing;
  return found;
end;
$$;
revoke all on function public.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_number_change(uuid, jsonb) to service_role;
