-- The instances that a reference stands for: UUID, embed key, or business instance id (the provider's
-- own id where there is none; decisions, section 1), which several may share.
create or replace function public.instances_named(reference text)
returns setof public.instances
language plpgsql
stable
rows 1
set search_path = ''
as $$
begin
  return query
  select i.*
  from public.instances i
  where i.id = case
      when reference ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then reference::uuid
    end
    or i.embed_key = reference
    or coalesce(i.business_instance_id, i.gateway_instance_id) = reference;
end;
$$;
revoke all on function public.instances_named(text) from public, anon, authenticated;
grant execute on function public.instances_named(text) to service_role;
