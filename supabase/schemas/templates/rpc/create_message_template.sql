-- admin-api: a new template, of a workspace or of one of its instances. `request`: workspaceId
-- (follows from the instance when NULL), instanceId or NULL, name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, idempotency (see begin_idempotent).
-- Returns the template, {replayed}, or {issues} when the instance is not the workspace's.
-- Errors: MI007, MI008, MI013, MI014.
create or replace function public.create_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
