-- Serialises erasures of one person at several instances of a workspace with the peopleScope `workspace`: the
-- last of them finds that nobody has the person's words any more. Taken before anything of an instance is
-- locked, so that who waits for it holds nothing that others wait for. See erase_words.
create or replace function messaging.lock_person(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.lock_addresses(
    i.workspace_id, messaging.denial_identities(messaging.person_addresses(contact))
  )
  from messaging.instances i
  where i.id = contact.instance_id and i.people_scope = 'workspace';
end;
$$;
