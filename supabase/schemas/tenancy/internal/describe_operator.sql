-- admin-api: an operator as a response shows it.
create or replace function messaging.describe_operator(operator messaging.operators)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'operatorId', operator.id,
    'workspaceId', operator.workspace_id,
    'name', operator.name,
    'email', operator.email,
    'createdAt', messaging.iso_in_zone(operator.created_at, 'UTC')
  );
$$;
