-- admin-api: takes a template for one call to its provider, so that no second one is made beside it.
-- `request`: templateId, instanceId (of a workspace's template: the instance that has the account) or NULL,
-- kind (submit, edit, delete), changesCategory, changesNothing (both of an edit),
-- leaseSeconds.
-- Returns {template} and with it one of
--   isDone: nothing is left to do, it is submitted or deleted already;
--   isLocal: the provider does not have it, so that there is nobody to ask;
--   refused, and `at` where it says when it would be taken: template_call_in_progress,
--     template_not_editable, template_category_fixed, template_edit_limit, template_exists,
--     instance_required, instance_differs;
--   instanceId, provider, sealedProviderConfig, token (for settle_template_call) and hasOpenCall: the outcome
--     of an earlier call is not known, and is to be looked up before anything is repeated.
-- Locks the template, and for a submission the instance before it. Errors: MI014, MI016.
-- Over 80 lines: every reason to refuse a call, in its order.
create or replace function public.begin_template_call(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  kind constant text := request->>'kind';
  own_id constant uuid := (request->>'templateId')::uuid;
  asked constant uuid := (request->>'instanceId')::uuid;
  instance messaging.instances;
  former messaging.message_templates;
  recent timestamptz[];
  refused text;
  refused_until timestamptz;
  token constant uuid := gen_random_uuid();
begin
  select t.* into former from messaging.message_templates t where t.id = own_id;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  if coalesce(former.instance_id, asked) is not null then
    instance := messaging.find_instance(coalesce(former.instance_id, asked));
    -- Two templates of the same name and language are submitted one after the other.
    perform from messaging.instances i where i.id = instance.id and kind = 'submit' for no key update;
  end if;
  select t.* into former from messaging.message_templates t where t.id = own_id for no key update;
  recent := array(select e from unnest(former.edited_at) as e where e > clock - interval '30 days' order by e);
  case
    when kind = 'submit' and former.provider_template_id is not null
      and former.provider_status is distinct from 'DELETED'
      or kind = 'delete' and former.deleted_at is not null
      or kind = 'edit' and (request->>'changesNothing')::boolean and not former.has_open_call
    then
      return jsonb_build_object('template', messaging.describe_message_template(former), 'isDone', true);
    when kind <> 'submit' and former.provider_template_id is null and not former.has_open_call then
      return jsonb_build_object('template', messaging.describe_message_template(former), 'isLocal', true);
    when instance.id is null then
      refused := 'instance_required';
    when instance.workspace_id <> former.workspace_id or asked <> instance.id then
      refused := 'instance_differs';
    when former.call_ends_at > clock then
      refused := 'template_call_in_progress';
    when former.is_auto_generated then
      refused := 'template_not_editable';
    when kind = 'edit' and former.provider_status not in ('APPROVED', 'REJECTED', 'PAUSED') then
      refused := 'template_not_editable';
    when kind = 'edit' and former.provider_status = 'APPROVED' then
      if (request->>'changesCategory')::boolean then
        refused := 'template_category_fixed';
      elsif recent[cardinality(recent)] > clock - interval '24 hours' then
        refused := 'template_edit_limit';
        refused_until := recent[cardinality(recent)] + interval '24 hours';
      elsif cardinality(recent) >= 10 then
        refused := 'template_edit_limit';
        refused_until := recent[cardinality(recent) - 9] + interval '30 days';
      end if;
    when kind = 'submit' then
      select case when t.call_ends_at > clock then 'template_call_in_progress' else 'template_exists' end
      into refused
      from messaging.message_templates t
      where t.workspace_id = instance.workspace_id
        and coalesce(t.instance_id, instance.id) = instance.id
        and t.name = former.name and t.language = former.language and t.id <> former.id
        and (
          t.call_ends_at > clock
          or t.provider_template_id is not null and t.provider_status is distinct from 'DELETED'
        )
      limit 1;
    else
      null;
  end case;
  if refused is null then
    update messaging.message_templates t
    set call_token = token, has_open_call = true,
      call_ends_at = clock + make_interval(secs => (request->>'leaseSeconds')::integer)
    where t.id = former.id;
  end if;
  return jsonb_build_object(
    'template', messaging.describe_message_template(former),
    'refused', refused,
    'at', messaging.iso_in_zone(refused_until, 'UTC')
  ) || case when refused is null then
    jsonb_build_object(
      'instanceId', instance.id,
      'provider', instance.provider,
      'sealedProviderConfig', instance.sealed_provider_config,
      'token', token,
      'hasOpenCall', former.has_open_call
    )
    else '{}'
  end;
end;
$$;
