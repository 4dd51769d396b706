-- A contact without a phone shows one: from now on the phone is its identity, and a call that makes a
-- contact of it meets this one. Whoever has the phone already is the same person: both become one.
-- Returns what the contact is now. Errors: 40001 where another call has merged one of them.
create or replace function public.show_phone(contact public.contacts, phone text)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  other public.contacts;
  shown public.contacts;
begin
  if contact.phone is not null or phone !~ '^[0-9]{8,15}$' then
    return contact;
  end if;
  other := public.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return public.merge_contacts(other, contact);
  end if;
  update public.contacts c
  set phone = show_phone.phone, identity_key = public.phone_identity_key(show_phone.phone),
    updated_at = now()
  where c.id = contact.id and c.phone is null
  returning c.* into shown;
  return coalesce(shown, contact);
end;
$$;
revoke all on function public.show_phone(public.contacts, text) from public, anon, authenticated;
grant execute on function public.show_phone(public.contacts, text) to service_role;
