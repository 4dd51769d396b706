-- admin-api: one instance. `request`: instanceId (UUID, business instance id or embed key). Returns the
-- instance, or {issues} where the provider's own id stands for instances of several providers.
-- Error: MI014.
create or replace function public.get_instance(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select i.id from messaging.find_instances_by_reference(request->>'instanceId') i
  );
begin
  if cardinality(found_ids) > 1 then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId',
      'message', 'is an id of instances at several providers: use the UUID or the embed key'
    )));
  end if;
  return messaging.describe_instance(messaging.find_instance(found_ids[1]));
end;
$$;
