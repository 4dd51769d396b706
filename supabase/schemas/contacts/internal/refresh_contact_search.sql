-- Writes anew by which words a contact is found, where they have changed.
create or replace function messaging.refresh_contact_search(contact_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.contact_search as s (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from messaging.contacts c
  where c.id = refresh_contact_search.contact_id
  on conflict on constraint contact_search_pkey do update set words = excluded.words
  where s.words <> excluded.words;
end;
$$;
