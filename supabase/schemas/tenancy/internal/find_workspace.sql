-- admin-api: a workspace by its id. Error: MI013.
create or replace function messaging.find_workspace(workspace_id uuid)
returns messaging.workspaces language plpgsql stable set search_path = '' as $$
declare
  workspace messaging.workspaces;
begin
  select w.* into workspace from messaging.workspaces w where w.id = find_workspace.workspace_id;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return workspace;
end;
$$;
