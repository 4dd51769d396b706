-- A contact as its events show it: {contactId, phone, name}, and of userId, username and lid those that it has.
-- Plans must not depend on statistics: paths with and without such settings share it.
create or replace function messaging.event_person(contact messaging.contacts)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return (
    select jsonb_build_object('contactId', contact.id, 'phone', s.phone, 'name', contact.name)
      || jsonb_strip_nulls(coalesce(s.identities, '{}'))
    from messaging.shown_contact(contact) as s
  );
end;
$$;
