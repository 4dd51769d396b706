-- Trigger: gives new contacts their rows of contact_activity and contact_search. Once for each statement,
-- for all of them.
create or replace function messaging.add_contact_activity()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, changed.at
  from (select distinct n.instance_id from new_contacts n) as instances
  cross join lateral (select messaging.change_instant(instances.instance_id) offset 0) as changed(at)
  join new_contacts c on c.instance_id = instances.instance_id
  order by c.id
  on conflict do nothing;
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from new_contacts n
  join messaging.contacts c on c.id = any (array[n.id]);
  return null;
end;
$$;
