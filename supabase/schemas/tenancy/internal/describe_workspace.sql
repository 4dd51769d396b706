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

-- admin-api: how far a change of a workspace's peopleScope is; NULL where none is under way.
create or replace function messaging.describe_people_scope_change(workspace messaging.workspaces)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'to', workspace.people_scope,
    'phase', c.phase,
    'done', c.done,
    'total', c.total,
    'startedAt', messaging.iso_in_zone(c.started_at, 'UTC')
  )
  from messaging.people_scope_changes c
  where c.workspace_id = workspace.id;
$$;
