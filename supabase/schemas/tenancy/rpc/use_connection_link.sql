-- connect: the phone of a link's instance is connected, so the link ends: see enter_connection_link. Records
-- instance.connection_link_used the first time. `request`: linkId. Returns {used}: whether this was it.
create or replace function public.use_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  link messaging.connection_links;
begin
  update messaging.connection_links l
  set used_at = clock_timestamp()
  where l.id = (request->>'linkId')::uuid and l.used_at is null and l.revoked_at is null
  returning l.* into link;
  if not found then
    return jsonb_build_object('used', false);
  end if;
  perform messaging.record_event(
    link.instance_id, null, 'instance.connection_link_used', jsonb_build_object('linkId', link.id)
  );
  return jsonb_build_object('used', true);
end;
$$;
