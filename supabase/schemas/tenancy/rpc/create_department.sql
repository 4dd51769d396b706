-- admin-api: a new department. `request`: workspaceId, name, idempotency (see begin_idempotent).
-- Returns the department, or {replayed}. Errors: MI007, MI008, MI013.
create or replace function public.create_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  department messaging.departments;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
  insert into messaging.departments (workspace_id, name)
  values (workspace.id, request->>'name')
  returning * into department;
  return messaging.keep_outcome(request, messaging.describe_department(department));
end;
$$;
