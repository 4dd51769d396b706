-- The instances at which what a person says counts for the person at this one: itself, and, where the workspace's
-- peopleScope is `workspace`, its others.
create or replace function messaging.people_instances(instance_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  instance record;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = people_instances.instance_id;
  if instance.people_scope = 'workspace' then
    return array(select i.id from messaging.instances i where i.workspace_id = instance.workspace_id);
  end if;
  return array[people_instances.instance_id];
end;
$$;
