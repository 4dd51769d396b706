-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, peopleScope, each optional;
-- an empty alertEmail removes it}. Returns the workspace. Locks the workspace, then as set_people_scope.
-- Error: MI013.
create or replace function public.update_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  workspace messaging.workspaces;
begin
  update messaging.workspaces w
  set name = coalesce(changes->>'name', w.name),
    alert_email = nullif(coalesce(changes->>'alertEmail', w.alert_email), '')
  where w.id = (request->>'workspaceId')::uuid
  returning w.* into workspace;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  if changes->>'peopleScope' is not null then
    perform messaging.set_people_scope(workspace, changes->>'peopleScope');
    workspace := messaging.find_workspace(workspace.id);
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;

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
