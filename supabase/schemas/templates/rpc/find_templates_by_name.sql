-- admin-api: what is known here of the templates of an instance's account with one name, in every language.
-- `request`: instanceId, name. Returns {items [{language, status, deletedAt}]}: those that the provider has
-- taken; deletedAt is NULL where the deletion was not made here. Writes nothing. Error: MI014.
create or replace function public.find_templates_by_name(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return jsonb_build_object('items', coalesce(
    (
      select jsonb_agg(
        jsonb_build_object(
          'language', t.language,
          'status', t.provider_status,
          'deletedAt', messaging.iso_in_zone(t.deleted_at, 'UTC')
        )
        order by t.created_at, t.id
      )
      from messaging.message_templates t
      where t.workspace_id = instance.workspace_id
        and coalesce(t.instance_id, instance.id) = instance.id
        and t.name = request->>'name'
        and t.provider_template_id is not null
        and t.provider_status is not null
    ),
    '[]'
  ));
end;
$$;
