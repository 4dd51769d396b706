-- admin-api: a workspace as a response shows it. `peopleScopeChange` is how far a change of its peopleScope
-- is; NULL where none is under way.
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
    'peopleScopeChange', (
      select jsonb_build_object(
        'to', workspace.people_scope,
        'phase', c.phase,
        'done', c.done,
        'total', c.total,
        'startedAt', messaging.iso_in_zone(c.started_at, 'UTC')
      )
      from messaging.people_scope_changes c
      where c.workspace_id = workspace.id
    ),
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
