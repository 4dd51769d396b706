-- Takes tags off a contact by name. Returns those really taken off, as first written; the tags
-- themselves stay with the instance.
create or replace function messaging.remove_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with removed as (
    delete from messaging.contact_tags c
    using messaging.tags t
    where t.instance_id = remove_tags.instance_id
      and c.tag_id = t.id
      and c.contact_id = remove_tags.contact_id
      and lower(t.name) in (
        select lower(w.name)
        from jsonb_array_elements_text(coalesce(nullif(names, 'null'), '[]')) as w(name)
      )
    returning t.name
  )
  select coalesce(jsonb_agg(r.name order by r.name), '[]') from removed r;
$$;
