-- By what a contact is known beside a phone, as messages and events show it: {userId, username, lid}, of
-- each the newest, NULL for none. A user id that another has replaced is shown no more.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.shown_identities(contact_id uuid)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return (
    select jsonb_build_object(
      'userId', (array_agg(own.address order by own.proven_at desc, own.address)
        filter (where own.kind = 'user_id' and own.replaced_by is null))[1],
      'username', substr(
        (array_agg(own.address order by own.proven_at desc, own.address)
          filter (where own.kind = 'username'))[1],
        length('username:') + 1
      ),
      'lid', (array_agg(own.address order by own.proven_at desc, own.address)
        filter (where own.kind = 'lid'))[1]
    )
    from (
      select a.address, a.proven_at, a.replaced_by, messaging.address_kind(a.address) as kind
      from messaging.contact_addresses a
      where a.contact_id = shown_identities.contact_id
    ) as own
  );
end;
$$;
