-- Notes that something was said of a contact's person, or that more of who it is was learned: where the
-- workspace's peopleScope is `workspace`, the person's contacts at its other instances follow. At the end of
-- the transaction (see touch_noted_contacts) as many as are free; the dispatcher looks again after it.
create or replace function messaging.note_person(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
declare
  noted constant text := coalesce(current_setting('messaging.noted_persons', true), '');
begin
  if strpos(noted, contact.id::text) > 0 then
    return;
  end if;
  insert into messaging.person_updates (workspace_id, contact_id)
  select i.workspace_id, contact.id
  from messaging.instances i
  where i.id = contact.instance_id and i.people_scope = 'workspace';
  if found then
    perform set_config('messaging.noted_persons', noted || contact.id || ' ', true);
  end if;
end;
$$;
