-- Every call reads the tokens: rather fail, and be run again, than keep them all waiting.
set local lock_timeout = '3s';
set local check_function_bodies = off;

-- admin-api: a token as a response shows it: never its hash. A token without scopes of its own has them
-- all.
create or replace function messaging.describe_client_token(token messaging.client_tokens)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'scopes', coalesce(
      to_jsonb(token.scopes),
      '["send", "contacts", "conversations", "history", "events", "media", "batches"]'
    ),
    'expiresAt', messaging.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', messaging.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(token.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_client_token(messaging.client_tokens)
from public, anon, authenticated;
grant execute on function messaging.describe_client_token(messaging.client_tokens) to service_role;

-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        exists (
          select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
        ),
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute',
        call.idempotency, call.message, call.delivery,
        coalesce(former.message_id, gen_random_uuid()),
        coalesce(former.claim_token, gen_random_uuid()),
        coalesce(own.id, shown.id), v.id,
        case when call.message->>'sentBy' = 'operator' then v.assigned_to end,
        nullif(call.phone, coalesce(own.phone, shown.phone)),
        (
          select a.address from messaging.contact_addresses a
          where a.contact_id = coalesce(own.id, shown.id)
          order by a.proven_at desc
          limit 1
        ),
        former.paused_until
      )::messaging.acceptance
      order by call.place
    )
    from rows from (
      jsonb_to_recordset(calls) as (
        "instanceId" uuid, phone text, idempotency jsonb, assignment jsonb, agent jsonb,
        message jsonb, delivery jsonb, authentication jsonb
      )
    ) with ordinality as call (
      instance_id, phone, idempotency, assignment, agent, message, delivery, authentication, place
    )
    left join unnest(known) as former on former.place = call.place
    -- "offset 0" keeps each look-up to itself: whatever the statistics, it has both columns of its key.
    cross join lateral (
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.id, k.last_used_at
      from messaging.client_tokens k
      where k.token_hash = call.authentication->>'tokenHash' and k.instance_id = i.id
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
        and (k.scopes is null or 'send' = any (k.scopes))
        and i.version = call.authentication->>'instanceVersion'
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.last_inbound_at
      from messaging.contacts c
      where own.id is null and c.id = (
        select a.contact_id from messaging.contact_addresses a
        where a.instance_id = i.id and a.identity_key = wanted.identity_key
      )
      offset 0
    ) as shown on true
    left join lateral (
      select c.id, c.assigned_to
      from messaging.conversations c
      where c.contact_id = coalesce(own.id, shown.id)
      offset 0
    ) as v on true
    where call.message is not null and call.assignment is null and call.agent is null
      and call.message->>'sentBy' is distinct from 'ai_agent'
      and not coalesce((call.delivery->>'queued')::boolean, false)
      and not coalesce((call.delivery->>'isDeferred')::boolean, false)
      and coalesce((call.delivery->>'delaySeconds')::double precision, 0) <= 0
      and not coalesce(own.is_blocked, shown.is_blocked, false)
      and not (
        i.provider_class = 'official' and call.message->>'messageType' <> 'template'
        and coalesce(own.last_inbound_at, shown.last_inbound_at, 'infinity')
          < clock_timestamp() - interval '24 hours'
      )
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;
revoke all
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
to service_role;

-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment and without an agent, to a contact that is found by its own phone, has a conversation and
-- may be written to, by a client that is authenticated (see require_client).
-- `request`, the result, the order of the locks and the errors are accept_message's. Each step does what
-- the step of the same name in record_sending_call does.
-- Returns NULL where the call is not plain: nothing is written or locked then, and nothing refused.
-- Plans must not depend on statistics: there may be ten contacts or a million.
-- Errors: 40001 where the contact was merged since it was read; the call must be repeated.
create or replace function messaging.record_plain_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft constant jsonb := request->'message';
  delivery constant jsonb := request->'delivery';
  given_hash constant text := request->'authentication'->>'tokenHash';
  given_phone constant text := request->>'phone';
  wanted_key constant text := messaging.phone_identity_key(given_phone);
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := clock_timestamp();
  is_immediate constant boolean := (delivery->>'queued')::boolean is not true
    and (delivery->>'isDeferred')::boolean is not true
    and coalesce((delivery->>'delaySeconds')::double precision, 0) <= 0;
  lease_ends_at timestamptz;
  message_id constant uuid := gen_random_uuid();
  claim_token constant uuid := gen_random_uuid();
  mode text := 'sent';
  status constant text := case when is_immediate then 'sending' else 'queued' end;
  known record;
  recorded jsonb;
  paused_until timestamptz;
  placed record;
  slot timestamptz;
  held_by text;
begin
  if draft->>'messageType' is null or draft->>'sentBy' = 'ai_agent'
    or request->>'assignment' is not null or request->>'agent' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, t.id as token_id,
    t.last_used_at is null or t.last_used_at < clock - interval '1 minute'
      as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = given_hash and t.instance_id = i.id
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock)
    and (t.scopes is null or 'send' = any (t.scopes))
    and i.xmin::text = request->'authentication'->>'instanceVersion'
  left join lateral (
    select a.address from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and not c.is_blocked
    and not (
      i.provider_class = 'official' and draft->>'messageType' <> 'template'
      and coalesce(c.last_inbound_at, 'infinity') < clock - interval '24 hours'
    )
    and (request->>'authentication' is null or t.id is not null);
  if not found then
    return null;
  end if;
  if known.token_id is not null and known.is_token_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;

  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is null then
    perform from messaging.contacts c where c.id = known.contact_id for key share;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
    if known.has_agent then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    end if;
    if is_immediate then
      -- place_message, written out. The lease begins after all waits.
      lease_ends_at := clock_timestamp()
        + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
      insert into messaging.message_queue (
        message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts,
        claim_token, lease_until
      ) values (
        message_id, known.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease_ends_at, 1,
        1, claim_token, lease_ends_at
      );
    else
      placed := messaging.place_message(
        message_id, known.instance, delivery,
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
      );
      mode := placed.mode;
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
      held_by, phone_given, metadata
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone), nullif(draft->'metadata', 'null')
    );
    if not is_immediate then
      placed := messaging.held_departure(message_id, known.instance, slot, held_by);
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    recorded := jsonb_build_object(
      'mode', mode,
      'contactId', known.contact_id,
      'conversationId', known.conversation_id,
      'agentId', null,
      'assignment', null,
      'messageId', message_id,
      'status', status,
      'scheduledFor', messaging.iso_in_zone(slot, known.time_zone),
      'heldBy', held_by,
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, known.time_zone),
      'claimToken', case when is_immediate then claim_token end,
      'to', case when is_immediate then coalesce(known.address, given_phone) end
    );
    if has_key then
      perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
    end if;
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, request->'authentication'->>'functionName', known.requests_per_minute
  );
end;
$$;
revoke all on function messaging.record_plain_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_call(jsonb) to service_role;

-- Authenticates a call in the transaction that records it. `authentication` {tokenHash, functionName,
-- instanceVersion}: the token must open this instance and be for sending, and the instance must still be what the caller
-- prepared the call with (see authenticate_client).
-- Returns the token and its instance's limit. Errors: MI022 where the caller must authenticate anew.
create or replace function messaging.require_client(
  authentication jsonb,
  instance_id uuid,
  out token_id uuid,
  out requests_per_minute integer
)
language plpgsql
set search_path = ''
as $$
declare
  last_used_at timestamptz;
begin
  select t.id, i.requests_per_minute, t.last_used_at
  into token_id, requests_per_minute, last_used_at
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.token_hash = authentication->>'tokenHash'
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp())
    and (t.scopes is null or 'send' = any (t.scopes))
    and i.id = require_client.instance_id
    and i.xmin::text = authentication->>'instanceVersion';
  if not found then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  if last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute' then
    perform messaging.note_token_use(array[token_id]);
  end if;
end;
$$;
revoke all on function messaging.require_client(jsonb, uuid) from public, anon, authenticated;
grant execute on function messaging.require_client(jsonb, uuid) to service_role;

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
  token messaging.client_tokens;
  instance messaging.instances;
  instance_version text;
begin
  select t.* into token
  from messaging.client_tokens t
  where t.token_hash = request->>'tokenHash'
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp());
  if not found then
    return jsonb_build_object(
      'tokenId', null, 'scopes', null, 'instance', null, 'instanceVersion', null, 'rateLimit', null
    );
  end if;
  if token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute' then
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
revoke all on function public.authenticate_client(jsonb) from public, anon, authenticated;
grant execute on function public.authenticate_client(jsonb) to service_role;

-- Authenticates several client tokens at once, as authenticate_client does one. `request`: calls, the
-- requests of authenticate_client. Returns {results}, in the order of the calls.
-- The calls of one token for one function are one count of as many: each gets its own `remaining`.
-- Where the allowance does not suffice for all of them, they are counted one by one.
-- Locks tokens (skipping locked ones), then rate limits in the order of their keys: two groups never
-- wait for each other.
-- Plans must not depend on statistics: there may be ten tokens or a million. Joins by
-- `= any (array[...])`: see claim_due_messages.
create or replace function public.authenticate_clients(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  calls constant jsonb := request->'calls';
  start constant timestamptz := clock_timestamp();
  tokens messaging.client_tokens[];
  unused uuid[];
  counted messaging.rate_limits[];
begin
  select array_agg(t),
    array_agg(t.id) filter (
      where t.last_used_at is null or t.last_used_at < start - interval '1 minute'
    )
  into tokens, unused
  from messaging.client_tokens t
  where t.token_hash = any (array(select c->>'tokenHash' from jsonb_array_elements(calls) as c))
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > start);
  if unused is not null then
    perform messaging.note_token_use(unused);
  end if;

  -- As spend_requests, for all tokens in one statement.
  with asked as (
    select t.id as token_id, c."functionName" as function_name,
      interval '1 minute' / i.requests_per_minute
        * least(count(*), i.requests_per_minute) as share
    from jsonb_to_recordset(calls) as c("tokenHash" text, "functionName" text)
    join unnest(tokens) as t on t.token_hash = c."tokenHash"
    join messaging.instances i on i.id = any (array[t.instance_id])
    where i.requests_per_minute is not null
    group by t.id, c."functionName", i.requests_per_minute
  ), counting as (
    insert into messaging.rate_limits as r (token_id, function_name, whole_at)
    select a.token_id, a.function_name, start + a.share from asked a
    order by a.token_id, a.function_name
    on conflict on constraint rate_limits_pkey do update
    set whole_at = greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
    where greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
      <= clock_timestamp() + interval '1 minute'
    returning r.*
  )
  select array_agg(row(k.*)::messaging.rate_limits) into counted from counting k;

  return (
    with clients as materialized (
      select t.id as token_id, t.token_hash, t.scopes, i.requests_per_minute, i.xmin::text as instance_version,
        jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'provider', i.provider,
          'providerClass', i.provider_class,
          'sealedProviderConfig', i.sealed_provider_config,
          'gatewayInstanceId', i.gateway_instance_id,
          'connectedPhone', i.connected_phone,
          'timeZone', i.time_zone,
          'references', jsonb_build_array(
            i.id, i.embed_key, coalesce(i.business_instance_id, i.gateway_instance_id)
          )
        ) as instance
      from unnest(tokens) as t
      join messaging.instances i on i.id = any (array[t.instance_id])
    ), numbered as (
      select c.place, c.call->>'functionName' as function_name, client.*,
        row_number() over same_count as number,
        count(*) over (partition by client.token_id, c.call->>'functionName') as total
      from jsonb_array_elements(calls) with ordinality as c(call, place)
      left join clients client on client.token_hash = c.call->>'tokenHash'
      window same_count as (
        partition by client.token_id, c.call->>'functionName' order by c.place
      )
    )
    select jsonb_build_object('results', jsonb_agg(
      jsonb_build_object(
        'tokenId', n.token_id,
        'scopes', n.scopes,
        'instance', n.instance,
        'instanceVersion', n.instance_version,
        'rateLimit', case
          when n.requests_per_minute is null then null
          when k.token_id is null or n.number > n.requests_per_minute
            then messaging.count_request(n.token_id, n.function_name, n.requests_per_minute)
          else messaging.describe_rate_limit(
            n.requests_per_minute, k.whole_at, least(n.total, n.requests_per_minute) - n.number, true
          )
        end
      )
      order by n.place
    ))
    from numbered n
    left join unnest(counted) as k
      on k.token_id = n.token_id and k.function_name = n.function_name
  );
end;
$$;
revoke all on function public.authenticate_clients(jsonb) from public, anon, authenticated;
grant execute on function public.authenticate_clients(jsonb) to service_role;

-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, scopes (NULL or absent for all), sealedToken (kept with the outcome alone, so that a
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
  insert into messaging.client_tokens (id, instance_id, token_hash, label, expires_at, scopes)
  values (
    (request->>'tokenId')::uuid, instance.id, request->>'tokenHash', request->>'label',
    (request->>'expiresAt')::timestamptz,
    case when jsonb_typeof(request->'scopes') = 'array' then
      array(select jsonb_array_elements_text(request->'scopes'))
    end
  )
  returning * into token;
  outcome := messaging.describe_client_token(token);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedToken', request->>'sealedToken')
  );
  return outcome;
end;
$$;
revoke all on function public.create_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.create_client_token(jsonb) to service_role;

alter table messaging.client_tokens add column if not exists scopes text[];

comment on column messaging.client_tokens.scopes is
  'What it may be used for, see shared/model/token_scope.ts; NULL for everything.';
