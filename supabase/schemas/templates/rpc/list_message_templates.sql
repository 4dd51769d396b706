-- admin-api, messages-api and mcp: templates, oldest first, a page at a time; none that the channel has made
-- itself. `request`: workspaceId or NULL for all, instanceId or NULL for all, sendableBy (an instance: its own,
-- and its workspace's that are no other instance's; none that was deleted) or NULL, q (part of the name or of
-- the body), language, status, each or NULL, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
  sender constant uuid := (request->>'sendableBy')::uuid;
  of_workspace constant uuid := coalesce(
    (select i.workspace_id from messaging.instances i where i.id = sender),
    (request->>'workspaceId')::uuid
  );
  words constant text := lower(request->>'q');
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_message_template(r))
    from messaging.message_templates r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and not r.is_auto_generated
      and (sender is null or r.deleted_at is null and r.provider_status is distinct from 'DELETED')
      and (of_workspace is null or r.workspace_id = of_workspace)
      and (sender is null or coalesce(r.instance_id, sender) = sender)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
      and (request->>'language' is null or r.language = request->>'language')
      and (request->>'status' is null or r.provider_status = request->>'status')
      and (
        words is null
        or position(words in lower(r.name)) > 0
        or exists (
          select from jsonb_array_elements(r.components) as component
          where upper(component->>'type') = 'BODY' and position(words in lower(component->>'text')) > 0
        )
      )
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;
