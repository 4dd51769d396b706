-- Part of an erasure: deletes the words of a person by identities that no contact of the workspace has any more.
-- Those that a contact of another instance has stay with that contact. See person_words.
create or replace function messaging.erase_words(instance_id uuid, identity_keys text[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  of_workspace constant uuid := (
    select i.workspace_id from messaging.instances i where i.id = erase_words.instance_id
  );
begin
  delete from messaging.person_words w
  where w.workspace_id = of_workspace
    and w.identity_key = any (array(
      select known.identity_key from unnest(identity_keys) as known(identity_key)
      where not exists (
        select
        from messaging.instances i
        cross join lateral messaging.address_owners(i.id, array[known.identity_key]) as o
        where i.workspace_id = of_workspace
      )
    ));
end;
$$;
