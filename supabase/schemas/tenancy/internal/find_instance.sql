-- admin-api: an instance by its id, of any workspace. Error: MI014.
create or replace function messaging.find_instance(instance_id uuid)
returns messaging.instances language plpgsql stable set search_path = '' as $$
declare
  instance messaging.instances;
begin
  select i.* into instance from messaging.instances i where i.id = find_instance.instance_id;
  if not found then
    raise exception using errcode = 'MI014', message = 'Instance not found';
  end if;
  return instance;
end;
$$;
