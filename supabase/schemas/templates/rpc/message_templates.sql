-- admin-api: a new template, of a workspace or of one of its instances. `request`: workspaceId
-- (follows from the instance when NULL), instanceId or NULL, name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, idempotency (see begin_idempotent).
-- Returns the template, {replayed}, or {issues} when the instance is not the workspace's.
-- Errors: MI007, MI008, MI013, MI014.
create or replace function public.create_message_template(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  template messaging.message_templates;
  replayed jsonb;
begin
  if request->>'instanceId' is not null then
    instance := messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  workspace := messaging.find_workspace(
    coalesce((request->>'workspaceId')::uuid, instance.workspace_id)
  );
  if instance.workspace_id <> workspace.id then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId', 'message', 'belongs to another workspace'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.message_templates (
    workspace_id, instance_id, name, language, parameter_format, components, provider_status,
    provider_template_id, category
  )
  values (
    workspace.id, instance.id, request->>'name', request->>'language',
    request->>'parameterFormat', request->'components', request->>'providerStatus',
    request->>'providerTemplateId', request->>'category'
  )
  returning * into template;
  return messaging.keep_outcome(request, messaging.describe_message_template(template));
end;
$$;

-- admin-api: one template. `request`: templateId. Error: MI016.
create or replace function public.get_message_template(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_message_template(r) from messaging.message_templates r
    where r.id = (request->>'templateId')::uuid
  ), 'MI016', 'template_not_found');
$$;

-- admin-api, messages-api and mcp: templates, oldest first, a page at a time; none that the channel has made
-- itself. `request`: workspaceId or NULL for all, instanceId or NULL for all, sendableBy (an instance: its own,
-- and its workspace's that are no other instance's; none that was deleted) or NULL, q (part of the name or of
-- the body), language, status, each or NULL, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
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

-- admin-api: changes a template. `request`: templateId, changes {name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, each optional; null clears the last three}.
-- Errors: MI016.
create or replace function public.update_message_template(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  former messaging.message_templates;
  template messaging.message_templates;
begin
  select r.* into former
  from messaging.message_templates r
  where r.id = (request->>'templateId')::uuid
  for no key update;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  update messaging.message_templates r
  set name = coalesce(changes->>'name', r.name),
    language = coalesce(changes->>'language', r.language),
    parameter_format = coalesce(changes->>'parameterFormat', r.parameter_format),
    components = coalesce(changes->'components', r.components),
    category = case when changes ? 'category' then changes->>'category' else r.category end,
    provider_status = case
      when changes ? 'providerStatus' then changes->>'providerStatus' else r.provider_status
    end,
    provider_template_id = case
      when changes ? 'providerTemplateId' then changes->>'providerTemplateId'
      else r.provider_template_id
    end,
    updated_at = now(),
    defined_at = case
      when changes ?| array['name', 'language', 'parameterFormat', 'components', 'category']
      then clock_timestamp() else r.defined_at
    end
  where r.id = former.id
  returning r.* into template;
  if template.provider_status is distinct from former.provider_status then
    perform messaging.record_template_changes(array[template.id]);
  end if;
  return messaging.describe_message_template(template);
end;
$$;
