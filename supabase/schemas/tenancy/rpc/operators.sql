-- admin-api: a new operator. `request`: workspaceId, name, email, idempotency (see
-- begin_idempotent). Returns the operator, or {replayed}.
-- Errors: MI007, MI008, MI013, MI017 (the workspace has the e-mail already, in whatever case).
create or replace function public.create_operator(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_operator(r) from messaging.operators r
    where r.id = (request->>'operatorId')::uuid
  ), 'MI001', 'operator_not_found');
$$;

-- admin-api: operators, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_operators(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_operator(r))
    from messaging.operators r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes an operator. `request`: operatorId, changes {name, email, each optional}.
-- Errors: MI001, MI017 (another operator of the workspace has the e-mail).
create or replace function public.update_operator(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

-- admin-api: an operator as a response shows it.
create or replace function messaging.describe_operator(operator messaging.operators)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'operatorId', operator.id,
    'workspaceId', operator.workspace_id,
    'name', operator.name,
    'email', operator.email,
    'createdAt', messaging.iso_in_zone(operator.created_at, 'UTC')
  );
$$;
