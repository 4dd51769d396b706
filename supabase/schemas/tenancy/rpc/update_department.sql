-- admin-api: changes a department. `request`: departmentId, changes {name, optional}. Error: MI002.
create or replace function public.update_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
