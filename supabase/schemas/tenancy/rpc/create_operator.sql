-- admin-api: a new operator. `request`: workspaceId, name, email, idempotency (see
-- begin_idempotent). Returns the operator, or {replayed}.
-- Errors: MI007, MI008, MI013, MI017 (the workspace has the e-mail already, in whatever case).
create or replace function public.create_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  operator messaging.operators;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
  insert into messaging.operators (workspace_id, name, email)
  values (workspace.id, request->>'name', request->>'email')
  on conflict (workspace_id, lower(email)) do nothing
  returning * into operator;
  if not found then
    raise exception using errcode = 'MI017', message = 'already_exists';
  end if;
  return messaging.keep_outcome(request, messaging.describe_operator(operator));
end;
$$;
