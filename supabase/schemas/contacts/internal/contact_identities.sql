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
