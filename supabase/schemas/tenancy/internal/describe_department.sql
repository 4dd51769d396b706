-- admin-api: a department as a response shows it.
create or replace function messaging.describe_department(department messaging.departments)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'departmentId', department.id,
    'workspaceId', department.workspace_id,
    'name', department.name,
    'createdAt', messaging.iso_in_zone(department.created_at, 'UTC')
  );
$$;
