-- The instances that a reference stands for: UUID, embed key, or business instance id (the provider's
-- own id where there is none; decisions, section 1), in this order: a name that looks like another
-- instance's UUID does not hide that one. Several only where instances of different providers, neither
-- with a business instance id, have one own id.
create or replace function messaging.find_instances_by_reference(reference text)
returns setof messaging.instances language plpgsql stable rows 1 set search_path = '' as $$
begin
  if reference ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return query select i.* from messaging.instances i where i.id = reference::uuid;
  end if;
  if not found then
    return query select i.* from messaging.instances i where i.embed_key = reference;
  end if;
  if not found then
    return query
    select i.* from messaging.instances i
    where coalesce(i.business_instance_id, i.gateway_instance_id) = reference;
  end if;
end;
$$;
