-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  department messaging.departments;
begin
  select r.* into department from messaging.departments r where r.id = (request->>'departmentId')::uuid;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return messaging.describe_department(department);
end;
$$;
