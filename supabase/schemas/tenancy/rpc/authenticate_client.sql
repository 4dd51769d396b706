-- Authenticates a client token. `request`: tokenHash, functionName; counts the request against the
-- token's allowance for the function.
-- Returns {tokenId, scopes (NULL for all; the caller refuses what they do not include), instance,
-- instanceVersion, rateLimit (see count_request)}; tokenId is NULL for an unknown, expired or revoked token.
-- The version is another one after every change of the instance, its credentials among them: the row's xmin.
-- The instance's `references` are the names that a request may use for it (UUID, embed key, business instance
-- id): the caller compares them, so that no body is read before the token is accepted. Writes the token's
-- last use at most once a minute.
create or replace function public.authenticate_client(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  client record;
begin
  select t.id, t.scopes, messaging.is_token_use_due(t.last_used_at, clock) as is_use_due,
    i.requests_per_minute, i.xmin::text as version, messaging.authenticated_instance(i) as instance
  into client
  from messaging.client_tokens t
  join messaging.instances i on i.id = any (array[t.instance_id])
  where t.token_hash = request->>'tokenHash'
    and messaging.is_token_valid(t, clock);
  if not found then
    return jsonb_build_object(
      'tokenId', null, 'scopes', null, 'instance', null, 'instanceVersion', null, 'rateLimit', null
    );
  end if;
  if client.is_use_due then
    perform messaging.note_token_use(array[client.id]);
  end if;
  return jsonb_build_object(
    'tokenId', client.id,
    'scopes', client.scopes,
    'instanceVersion', client.version,
    'rateLimit', messaging.count_request(
      client.id, request->>'functionName', client.requests_per_minute
    ),
    'instance', client.instance
  );
end;
$$;
