-- admin-api: templates, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, instanceId or NULL for all, limit,
-- `after` as returned in `next`. Returns {items, next}. Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform messaging.find_workspace((request->>'workspaceId')::uuid);
  end if;
  if request->>'instanceId' is not null then
    perform messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, messaging.describe_message_template(r) as record
    from messaging.message_templates r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return messaging.build_page(records, page_size);
end;
$$;
revoke all on function public.list_message_templates(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_templates(jsonb) to service_role;
