-- The contacts of a person at all instances of a workspace, and the identities by which they are known: of
-- what is known of one contact, others are found, until nothing is added. See person_identities
-- for what identifies a person. Locks nothing.
create or replace function messaging.person_contacts(
  workspace_id uuid, identity_keys text[], out contact_ids uuid[], out identities text[]
) language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  known text[] := identity_keys;
begin
  loop
    identities := known;
    contact_ids := array(
      select distinct o.contact_id
      from messaging.instances i
      cross join lateral messaging.address_owners(i.id, identities) as o
      where i.workspace_id = person_contacts.workspace_id
    );
    known := array(
      select unnest(identities)
      union
      select p.identity_key
      from unnest(contact_ids) as found(id)
      cross join lateral messaging.person_identities(found.id) as p
    );
    exit when cardinality(known) <= cardinality(identities);
  end loop;
end;
$$;
