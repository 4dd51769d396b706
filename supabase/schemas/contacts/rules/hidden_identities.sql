-- The identities of a contact beside its phones, as shown_identities; none where it has only phones.
create or replace function messaging.hidden_identities(contact_id uuid)
returns table (identities jsonb) language sql stable
begin atomic
  select messaging.shown_identities(a.contact_id)
  from messaging.contact_addresses as a
  where a.contact_id = hidden_identities.contact_id and a.address !~ '^[0-9]+$'
  limit 1;
end;
