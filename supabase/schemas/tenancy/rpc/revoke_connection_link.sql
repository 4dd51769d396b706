-- admin-api: ends a link to connect a phone from now on, its open pages too; a revoked link keeps its time.
-- `request`: instanceId, linkId. Returns the link. Errors: MI014, MI081 (the instance has no such link).
create or replace function public.revoke_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  link messaging.connection_links;
begin
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  update messaging.connection_links l
  set revoked_at = coalesce(l.revoked_at, clock_timestamp())
  where l.id = (request->>'linkId')::uuid and l.instance_id = instance.id
  returning l.* into link;
  if not found then
    raise exception using errcode = 'MI081', message = 'connection_link_not_found';
  end if;
  return messaging.describe_connection_link(link);
end;
$$;
