-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, scopes (NULL or absent for all), mcp {recipients, maxSendsPerHour}
-- (absent for the defaults), sealedToken (kept with the outcome alone, so that a repeated call can be given
-- the token again), idempotency (see begin_idempotent).
-- Returns the token's record, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_client_token(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_client_token(r) from messaging.client_tokens r
    where r.id = (request->>'tokenId')::uuid and r.instance_id = i.id
  ), 'MI015', 'token_not_found')
  from messaging.find_instance((request->>'instanceId')::uuid) as i;
$$;

-- admin-api: the tokens of an instance, revoked and expired ones too, oldest first,
-- a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_client_tokens(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_client_token(r))
    from messaging.client_tokens r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and r.instance_id = (request->>'instanceId')::uuid
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: revokes a token from now on; a revoked token keeps its time. `request`: instanceId,
-- tokenId. Errors: MI014, MI015 (the instance has no such token).
create or replace function public.revoke_client_token(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  token messaging.client_tokens;
begin
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  update messaging.client_tokens t
  set revoked_at = coalesce(t.revoked_at, clock_timestamp())
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id
  returning t.* into token;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return messaging.describe_client_token(token);
end;
$$;

-- admin-api: a token as a response shows it: never its hash. A token without scopes of its own has them
-- all.
create or replace function messaging.describe_client_token(token messaging.client_tokens)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'scopes', coalesce(
      to_jsonb(token.scopes),
      '["send", "contacts", "conversations", "history", "events", "media", "batches", "erase"]'
    ),
    'mcp', jsonb_build_object(
      'recipients', token.mcp_recipients, 'maxSendsPerHour', token.mcp_max_sends_per_hour
    ),
    'expiresAt', messaging.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', messaging.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(token.created_at, 'UTC')
  );
$$;
