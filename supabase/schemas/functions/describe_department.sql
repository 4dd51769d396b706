-- admin-api: a department as a response shows it.
create or replace function public.describe_department(department public.departments)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'departmentId', department.id,
    'workspaceId', department.workspace_id,
    'name', department.name,
    'createdAt', public.iso_in_zone(department.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_department(public.departments) from public, anon, authenticated;
grant execute on function public.describe_department(public.departments) to service_role;
