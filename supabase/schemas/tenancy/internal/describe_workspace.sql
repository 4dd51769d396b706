-- admin-api: a workspace as a response shows it.
create or replace function messaging.describe_workspace(workspace messaging.workspaces)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'alertEmail', workspace.alert_email,
    'peopleScope', workspace.people_scope,
    'peopleScopeChange', messaging.describe_people_scope_change(workspace),
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
