-- admin-api: one instance. `request`: instanceId. Error: MI014.
create or replace function public.get_instance(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select public.describe_instance(public.find_instance((request->>'instanceId')::uuid));
$$;
revoke all on function public.get_instance(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance(jsonb) to service_role;
