-- The instances of a provider that one delivery may be about: those with one of the provider's own
-- ids, those that a template belongs to, itself or with its workspace, and where `accountOf` is given the
-- others of that instance's workspace, which may share its account. `request`: provider,
-- gatewayInstanceIds, providerTemplateIds, accountOf or NULL. Returns
-- {instances: [{instanceId, gatewayInstanceId, sealedProviderConfig}]}, at most 100. The caller
-- checks which of them have the credential that the delivery shows.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.find_webhook_targets(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  numbers constant text[] := array(select jsonb_array_elements_text(request->'gatewayInstanceIds'));
  templates constant text[] := array(
    select jsonb_array_elements_text(request->'providerTemplateIds')
  );
begin
  return jsonb_build_object('instances', coalesce(
    (
      select jsonb_agg(jsonb_build_object(
        'instanceId', target.id,
        'gatewayInstanceId', target.gateway_instance_id,
        'sealedProviderConfig', target.sealed_provider_config
      ) order by target.created_at, target.id)
      from (
        select i.* from messaging.instances i
        where i.provider = request->>'provider' and i.gateway_instance_id = any (numbers)
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.id = t.instance_id
        where t.provider_template_id = any (templates) and i.provider = request->>'provider'
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.workspace_id = t.workspace_id
        where t.provider_template_id = any (templates) and t.instance_id is null
          and i.provider = request->>'provider'
        union
        select i.* from messaging.instances own
        join messaging.instances i on i.workspace_id = own.workspace_id
        where own.id = (request->>'accountOf')::uuid and i.provider = request->>'provider'
        limit 100
      ) as target
    ),
    '[]'
  ));
end;
$$;
