-- admin-api: one instance. `request`: instanceId (UUID, business instance id or embed key).
-- Error: MI014, also where a business instance id stands for several.
create or replace function public.get_instance(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select i.id from public.instances_named(request->>'instanceId') i
  );
begin
  if cardinality(found_ids) > 1 then
    raise exception using errcode = 'MI014', message = 'Instance not found';
  end if;
  return public.describe_instance(public.find_instance(found_ids[1]));
end;
$$;
revoke all on function public.get_instance(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance(jsonb) to service_role;
