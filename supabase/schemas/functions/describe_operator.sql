-- admin-api: an operator as a response shows it.
create or replace function public.describe_operator(operator public.operators)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'operatorId', operator.id,
    'workspaceId', operator.workspace_id,
    'name', operator.name,
    'email', operator.email,
    'createdAt', public.iso_in_zone(operator.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_operator(public.operators) from public, anon, authenticated;
grant execute on function public.describe_operator(public.operators) to service_role;
