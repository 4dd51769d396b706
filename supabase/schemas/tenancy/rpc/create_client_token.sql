-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, scopes (NULL or absent for all), mcp {recipients, maxSendsPerHour} (absent for the defaults), sealedToken (kept with the outcome alone, so that a
-- repeated call can be given the token again), idempotency (see begin_idempotent).
-- Returns the token's record, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  token messaging.client_tokens;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.client_tokens (
    id, instance_id, token_hash, label, expires_at, scopes, mcp_recipients, mcp_max_sends_per_hour
  )
  values (
    (request->>'tokenId')::uuid, instance.id, request->>'tokenHash', request->>'label',
    (request->>'expiresAt')::timestamptz,
    case when jsonb_typeof(request->'scopes') = 'array' then
      array(select jsonb_array_elements_text(request->'scopes'))
    end,
    coalesce(request#>>'{mcp,recipients}', 'known'),
    coalesce((request#>>'{mcp,maxSendsPerHour}')::integer, 30)
  )
  returning * into token;
  outcome := messaging.describe_client_token(token);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedToken', request->>'sealedToken')
  );
  return outcome;
end;
$$;
