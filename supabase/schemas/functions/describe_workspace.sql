-- admin-api: a workspace as a response shows it.
create or replace function public.describe_workspace(workspace public.workspaces)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'createdAt', public.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_workspace(public.workspaces) from public, anon, authenticated;
grant execute on function public.describe_workspace(public.workspaces) to service_role;
