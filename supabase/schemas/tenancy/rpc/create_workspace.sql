-- admin-api: a new workspace. `request`: name, alertEmail, peopleScope, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.workspaces (name, alert_email, people_scope)
  values (
    request->>'name', nullif(request->>'alertEmail', ''),
    coalesce(request->>'peopleScope', 'instance')
  )
  returning * into workspace;
  return messaging.keep_outcome(request, messaging.describe_workspace(workspace));
end;
$$;
