-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_department(r) from messaging.departments r
    where r.id = (request->>'departmentId')::uuid
  ), 'MI002', 'department_not_found');
$$;
