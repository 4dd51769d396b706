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
