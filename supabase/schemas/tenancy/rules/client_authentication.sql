-- What authenticating a client says about its instance: see authenticate_client.
create or replace function messaging.authenticated_instance(instance messaging.instances)
returns jsonb language sql stable
return jsonb_build_object(
  'instanceId', instance.id,
  'name', instance.name,
  'provider', instance.provider,
  'providerClass', instance.provider_class,
  'sealedProviderConfig', instance.sealed_provider_config,
  'gatewayInstanceId', instance.gateway_instance_id,
  'connectedPhone', instance.connected_phone,
  'readReceipts', instance.read_receipts,
  'timeZone', instance.time_zone,
  'interactiveRendering', instance.interactive_rendering,
  'references', jsonb_build_array(
    instance.id,
    instance.embed_key,
    coalesce(instance.business_instance_id, instance.gateway_instance_id)
  )
);

-- The client token of a sending call that was prepared with an earlier answer of authenticate_client
-- (`authentication` of accept_message), where it still opens the sending calls of the instance as it is now.
create or replace function messaging.sending_token(
  instance_id uuid, instance_version text, authentication jsonb, clock timestamptz
) returns table (id uuid, is_use_due boolean) language sql stable
begin atomic
  select t.id, messaging.is_token_use_due(t.last_used_at, clock)
  from messaging.client_tokens as t
  where
    t.token_hash = authentication ->> 'tokenHash'
    and t.instance_id = sending_token.instance_id
    and messaging.is_token_valid(t, clock)
    and coalesce('send' = any (t.scopes), true)
    and instance_version = authentication ->> 'instanceVersion';
end;

-- Whether a client token opens its instance: neither revoked nor expired.
create or replace function messaging.is_token_valid(
  token messaging.client_tokens, clock timestamptz
) returns boolean language sql immutable
return token.revoked_at is null and coalesce(token.expires_at > clock, true);

-- Whether a token's use is to be noted: once a minute is enough for finding unused tokens.
create or replace function messaging.is_token_use_due(last_used_at timestamptz, clock timestamptz)
returns boolean language sql stable
return coalesce(last_used_at < clock - interval '1 minute', true);
