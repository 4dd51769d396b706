-- admin-api: a new workspace. `request`: name, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  replayed jsonb := messaging.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  insert into messaging.workspaces (name) values (request->>'name') returning * into workspace;
  outcome := messaging.describe_workspace(workspace);
  perform messaging.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.create_workspace(jsonb) to service_role;
