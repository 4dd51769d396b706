-- Adds the rows of contact_search of the contacts that are older than the table.
create or replace function messaging.fill_contact_search()
returns void
language sql
set search_path = ''
as $$
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from messaging.contacts c
  where not exists (select from messaging.contact_search s where s.contact_id = c.id)
  order by c.instance_id, c.created_at
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_search() from public, anon, authenticated;
grant execute on function messaging.fill_contact_search() to service_role;
