-- admin-api: changes a template. `request`: templateId, changes {name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, each optional; null clears the last three}.
-- Errors: MI016.
create or replace function public.update_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
