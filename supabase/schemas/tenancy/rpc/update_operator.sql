-- admin-api: changes an operator. `request`: operatorId, changes {name, email, each optional}.
-- Errors: MI001, MI017 (another operator of the workspace has the e-mail).
create or replace function public.update_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  operator messaging.operators;
begin
  update messaging.operators r
  set name = coalesce(changes->>'name', r.name),
    email = coalesce(changes->>'email', r.email)
  where r.id = (request->>'operatorId')::uuid
  returning r.* into operator;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return messaging.describe_operator(operator);
exception when unique_violation then
  raise exception using errcode = 'MI017', message = 'already_exists';
end;
$$;
