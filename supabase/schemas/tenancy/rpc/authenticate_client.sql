-- Authenticates a client token. `request`: tokenHash, functionName; counts the request against the
-- token's allowance for the function.
-- Returns {tokenId, scopes (NULL for all; the caller refuses what they do not include), instance, instanceVersion, rateLimit (see count_request)}; tokenId is NULL for an
-- unknown, expired or revoked token. The version is another one after every change of the instance, its
-- credentials among them: the row's xmin. The instance's `references` are the names that a request may use for it (UUID,
-- embed key, business instance id): the caller compares them, so that no body is read before the token
-- is accepted. Writes the token's last use at most once a minute.
create or replace function public.authenticate_client(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  clock constant timestamptz := clock_timestamp();
  token messaging.client_tokens;
  instance messaging.instances;
  instance_version text;
begin
  select t.* into token
  from messaging.client_tokens t
  where t.token_hash = request->>'tokenHash'
    and messaging.is_token_valid(t, clock);
  if not found then
    return jsonb_build_object(
      'tokenId', null, 'scopes', null, 'instance', null, 'instanceVersion', null, 'rateLimit', null
    );
  end if;
  if messaging.is_token_use_due(token.last_used_at, clock) then
    perform messaging.note_token_use(array[token.id]);
  end if;
  select i.* into strict instance from messaging.instances i where i.id = token.instance_id;
  select i.xmin::text into instance_version from messaging.instances i where i.id = token.instance_id;
  return jsonb_build_object(
    'tokenId', token.id,
    'scopes', token.scopes,
    'instanceVersion', instance_version,
    'rateLimit', messaging.count_request(
      token.id, request->>'functionName', instance.requests_per_minute
    ),
    'instance', jsonb_build_object(
      'instanceId', instance.id,
      'name', instance.name,
      'provider', instance.provider,
      'providerClass', instance.provider_class,
      'sealedProviderConfig', instance.sealed_provider_config,
      'gatewayInstanceId', instance.gateway_instance_id,
      'connectedPhone', instance.connected_phone,
      'timeZone', instance.time_zone,
      'references', jsonb_build_array(
        instance.id,
        instance.embed_key,
        coalesce(instance.business_instance_id, instance.gateway_instance_id)
      )
    )
  );
end;
$$;
