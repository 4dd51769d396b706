-- admin-api: what a call about a template came to, see begin_template_call. `request`: templateId, token (NULL
-- for a template that the provider does not have), isKnown (false: the outcome is to be looked up before
-- anything is repeated), isEdit (it counts among the edits of an approved template), isDeleted, and what is
-- known now, each optional: providerTemplateId, providerStatus, category, statusReason, quality, components,
-- parameterFormat. A call that has lost its claim to another one changes nothing. Records an event where the
-- status is another one now. Returns the template. Errors: MI016.
create or replace function public.settle_template_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  is_known constant boolean := (request->>'isKnown')::boolean;
  is_deleted constant boolean := coalesce((request->>'isDeleted')::boolean, false);
  former messaging.message_templates;
  template messaging.message_templates;
begin
  select t.* into former
  from messaging.message_templates t
  where t.id = (request->>'templateId')::uuid
  for no key update;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  if former.call_token is distinct from (request->>'token')::uuid then
    return messaging.describe_message_template(former);
  end if;
  update messaging.message_templates t
  set call_token = null, call_ends_at = null, has_open_call = t.has_open_call and not is_known,
    provider_template_id = coalesce(request->>'providerTemplateId', t.provider_template_id),
    provider_status = coalesce(
      request->>'providerStatus', case when is_deleted then 'DELETED' else t.provider_status end
    ),
    category = coalesce(request->>'category', t.category),
    category_changes_to = nullif(t.category_changes_to, request->>'category'),
    category_changes_at = case
      when t.category_changes_to is distinct from request->>'category' then t.category_changes_at
    end,
    status_reason = case
      when request->>'providerStatus' is null then t.status_reason else request->>'statusReason'
    end,
    quality = coalesce(request->>'quality', t.quality),
    components = coalesce(request->'components', t.components),
    parameter_format = coalesce(request->>'parameterFormat', t.parameter_format),
    edited_at = case
      when (request->>'isEdit')::boolean and t.provider_status = 'APPROVED'
      then array(
        select e from unnest(t.edited_at) as e where e > clock - interval '30 days' order by e
      ) || clock
      else t.edited_at
    end,
    deleted_at = case
      when is_deleted then clock when request->>'providerTemplateId' is null then t.deleted_at
    end,
    updated_at = clock,
    defined_at = case when request->'components' is null then t.defined_at else clock end
  where t.id = former.id
  returning t.* into template;
  if template.provider_status is distinct from former.provider_status then
    perform messaging.record_template_changes(array[template.id]);
  end if;
  return messaging.describe_message_template(template);
end;
$$;
