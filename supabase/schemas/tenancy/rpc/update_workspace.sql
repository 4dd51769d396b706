-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, peopleScope, each optional;
-- an empty alertEmail removes it}. Returns the workspace. Another peopleScope holds from the next transaction
-- on; what was said before follows in steps, see change_people_scopes. A change that is under way begins anew.
-- Locks the workspace, then, for another peopleScope, its instances in the order of their ids. Error: MI013.
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
  if changes->>'peopleScope' <> workspace.people_scope then
    workspace.people_scope := changes->>'peopleScope';
    update messaging.workspaces w set people_scope = workspace.people_scope where w.id = workspace.id;
    perform from messaging.instances i
    where i.workspace_id = workspace.id
    order by i.id
    for no key update;
    update messaging.instances i set people_scope = workspace.people_scope
    where i.workspace_id = workspace.id;
    delete from messaging.people_scope_changes c where c.workspace_id = workspace.id;
    insert into messaging.people_scope_changes (workspace_id) values (workspace.id);
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;
