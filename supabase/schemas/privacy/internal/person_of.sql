-- The living contacts of a contact's person at all instances of its workspace, the contact first.
-- Errors: MI071 where the workspace's peopleScope is `instance`.
create or replace function messaging.person_of(contact messaging.contacts)
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  instance record;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = contact.instance_id;
  if instance.people_scope <> 'workspace' then
    raise exception using errcode = 'MI071', message = 'people_scope';
  end if;
  return contact.id || array(
    select found.id
    from unnest((
      messaging.person_contacts(
        instance.workspace_id,
        array(select p.identity_key from messaging.person_identities(contact.id) as p)
      )
    ).contact_ids) as found(id)
    join messaging.contact_activity a on a.contact_id = found.id
    where found.id <> contact.id and a.erased_at is null and a.merged_into is null
    order by found.id
  );
end;
$$;
