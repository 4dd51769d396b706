-- accept_messages: locks the contacts of the plain calls, in the order of their ids, against merges and
-- erasures. Returns the calls whose contact is locked now or unknown yet. Never waits: whose contact
-- another transaction holds, or has merged meanwhile, is left out.
create or replace function messaging.lock_free_contacts(plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
begin
  return (
    with locked as materialized (
      select c.id from messaging.contacts c
      where c.id = any (array(select p.contact_id from unnest(plain) as p))
        and c.merged_into is null
      order by c.id
      for key share skip locked
    )
    select array_agg(p order by p.place)
    from unnest(plain) as p
    where p.contact_id is null or p.contact_id = any (array(select l.id from locked l))
  );
end;
$$;
