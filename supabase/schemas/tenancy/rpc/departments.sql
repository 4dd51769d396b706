-- admin-api: a new department. `request`: workspaceId, name, idempotency (see begin_idempotent).
-- Returns the department, or {replayed}. Errors: MI007, MI008, MI013.
create or replace function public.create_department(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_department(r) from messaging.departments r
    where r.id = (request->>'departmentId')::uuid
  ), 'MI002', 'department_not_found');
$$;

-- admin-api: departments, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_departments(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_department(r))
    from messaging.departments r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes a department. `request`: departmentId, changes {name, optional}. Error: MI002.
create or replace function public.update_department(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  department messaging.departments;
begin
  update messaging.departments r
  set name = coalesce(changes->>'name', r.name)
  where r.id = (request->>'departmentId')::uuid
  returning r.* into department;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return messaging.describe_department(department);
end;
$$;

-- admin-api: a department as a response shows it.
create or replace function messaging.describe_department(department messaging.departments)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'departmentId', department.id,
    'workspaceId', department.workspace_id,
    'name', department.name,
    'createdAt', messaging.iso_in_zone(department.created_at, 'UTC')
  );
$$;
