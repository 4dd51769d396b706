-- admin-api: a template as a response shows it.
create or replace function messaging.describe_message_template(template messaging.message_templates)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'templateId', template.id,
    'workspaceId', template.workspace_id,
    'instanceId', template.instance_id,
    'name', template.name,
    'language', template.language,
    'parameterFormat', template.parameter_format,
    'components', template.components,
    'category', template.category,
    'categoryChange', case
      when template.category_changes_to is not null then jsonb_build_object(
        'to', template.category_changes_to,
        'at', messaging.iso_in_zone(template.category_changes_at, 'UTC')
      )
    end,
    'quality', template.quality,
    'rejectedReason', template.status_reason,
    'disablesAt', messaging.iso_in_zone(template.disables_at, 'UTC'),
    'providerStatus', template.provider_status,
    'providerTemplateId', template.provider_template_id,
    'createdAt', messaging.iso_in_zone(template.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(template.updated_at, 'UTC')
  );
$$;
