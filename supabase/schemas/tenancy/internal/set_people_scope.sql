-- Changes a workspace's peopleScope, from the next transaction on; what was said before follows in steps, see
-- change_people_scopes. A change that is under way begins anew. The caller holds the workspace locked.
-- Locks the workspace's instances, in the order of their ids.
create or replace function messaging.set_people_scope(workspace messaging.workspaces, scope text)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if workspace.people_scope = scope then
    return;
  end if;
  update messaging.workspaces w set people_scope = scope where w.id = workspace.id;
  perform from messaging.instances i
  where i.workspace_id = workspace.id
  order by i.id
  for no key update;
  update messaging.instances i set people_scope = scope where i.workspace_id = workspace.id;
  delete from messaging.people_scope_changes c where c.workspace_id = workspace.id;
  insert into messaging.people_scope_changes (workspace_id) values (workspace.id);
end;
$$;
