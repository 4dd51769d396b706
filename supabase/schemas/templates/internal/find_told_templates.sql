-- The templates that the official channel means by its id: those of an instance, and of its workspace alone.
-- Locks them in the order of their ids.
create or replace function messaging.find_told_templates(
  instance_id uuid, provider_template_id text
) returns setof messaging.message_templates language sql volatile set search_path = '' as $$
  select t.*
  from messaging.message_templates t
  join messaging.instances i on i.id = find_told_templates.instance_id
  where (t.instance_id = i.id or (t.instance_id is null and t.workspace_id = i.workspace_id))
    and t.provider_template_id = find_told_templates.provider_template_id
  order by t.id
  for no key update of t;
$$;
