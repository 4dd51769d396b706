-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/tenancy/internal/begin_page.sql
-- admin-api: what a request for a page asks for. `request`: limit, `after` {createdAt, id} as returned
-- in `next` (NULL for the first page), workspaceId and instanceId where the page is narrowed to them.
-- Returns the size, and the place after which the page begins: a page is the rows whose
-- (created_at, id) is greater, in that order, one more than `size` of them (see build_page).
-- Errors: MI013, MI014.
create or replace function messaging.begin_page(
  request jsonb,
  out size integer,
  out after_at timestamptz,
  out after_id uuid
)
language plpgsql
stable
set search_path = ''
as $$
begin
  if request->>'workspaceId' is not null then
    perform messaging.find_workspace((request->>'workspaceId')::uuid);
  end if;
  if request->>'instanceId' is not null then
    perform messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  size := (request->>'limit')::integer;
  after_at := coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity');
  after_id := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
end;
$$;
revoke all on function messaging.begin_page(jsonb) from public, anon, authenticated;
grant execute on function messaging.begin_page(jsonb) to service_role;

-- source: supabase/schemas/tenancy/internal/build_page.sql
-- admin-api: a page out of its rows, which are one more than it may hold where there is a next page.
-- `records`: [{createdAt, id, record}] in order. Returns {items, next}: `next` {createdAt, id} is the
-- place after which the next page begins, NULL on the last page.
create or replace function messaging.build_page(records jsonb[], page_size integer)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'items', coalesce(
      jsonb_agg(r.entry->'record' order by r.place) filter (where r.place <= page_size), '[]'
    ),
    'next', case when cardinality(records) > page_size then records[page_size] - 'record' end
  )
  from unnest(records) with ordinality as r(entry, place);
$$;
revoke all on function messaging.build_page(jsonb[], integer) from public, anon, authenticated;
grant execute on function messaging.build_page(jsonb[], integer) to service_role;

-- source: supabase/schemas/tenancy/internal/count_request.sql
-- Counts a request against its token's allowance of `requests_per_minute` for the function (see
-- spend_requests); NULL is no limit. Returns what describe_rate_limit says; NULL where there is no limit.
create or replace function messaging.count_request(
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  whole_at timestamptz;
begin
  if requests_per_minute is null then
    return null;
  end if;
  whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  if whole_at is not null then
    return messaging.describe_rate_limit(requests_per_minute, whole_at, 0, true);
  end if;
  select r.whole_at into whole_at
  from messaging.rate_limits r
  where r.token_id = count_request.token_id and r.function_name = count_request.function_name;
  return messaging.describe_rate_limit(requests_per_minute, whole_at, 0, false);
end;
$$;
revoke all
on function messaging.count_request(uuid, text, integer)
from public, anon, authenticated;
grant execute on function messaging.count_request(uuid, text, integer) to service_role;

-- source: supabase/schemas/tenancy/internal/describe_client_token.sql
-- admin-api: a token as a response shows it: never its hash.
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

-- source: supabase/schemas/tenancy/internal/describe_department.sql
-- admin-api: a department as a response shows it.
create or replace function messaging.describe_department(department messaging.departments)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'departmentId', department.id,
    'workspaceId', department.workspace_id,
    'name', department.name,
    'createdAt', messaging.iso_in_zone(department.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_department(messaging.departments)
from public, anon, authenticated;
grant execute on function messaging.describe_department(messaging.departments) to service_role;

-- source: supabase/schemas/tenancy/internal/describe_instance.sql
-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'instanceId', instance.id,
    'workspaceId', instance.workspace_id,
    'name', instance.name,
    'provider', instance.provider,
    'gatewayInstanceId', instance.gateway_instance_id,
    'businessInstanceId', instance.business_instance_id,
    'embedKey', instance.embed_key,
    'connectedPhone', instance.connected_phone,
    'timeZone', instance.time_zone,
    'sendWindow', jsonb_build_object(
      'start', to_char(instance.window_start, 'HH24:MI'),
      'end', to_char(instance.window_end, 'HH24:MI'),
      'days', to_jsonb(instance.window_days),
      'holidays', (
        select coalesce(jsonb_agg(h.day order by h.day), '[]')
        from messaging.holidays h where h.instance_id = instance.id
      )
    ),
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_instance(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.describe_instance(messaging.instances) to service_role;

-- source: supabase/schemas/tenancy/internal/describe_operator.sql
-- admin-api: an operator as a response shows it.
create or replace function messaging.describe_operator(operator messaging.operators)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'operatorId', operator.id,
    'workspaceId', operator.workspace_id,
    'name', operator.name,
    'email', operator.email,
    'createdAt', messaging.iso_in_zone(operator.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_operator(messaging.operators)
from public, anon, authenticated;
grant execute on function messaging.describe_operator(messaging.operators) to service_role;

-- source: supabase/schemas/tenancy/internal/describe_rate_limit.sql
-- The state of a token's allowance that is whole at `whole_at`: {limit, remaining, resetSeconds,
-- retryAfterSeconds}, seconds rounded up; the last is NULL where the request is allowed. `later`: how
-- many requests were counted together with this one and after it.
create or replace function messaging.describe_rate_limit(
  requests_per_minute integer,
  whole_at timestamptz,
  later bigint,
  is_allowed boolean
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant double precision := extract(epoch from interval '1 minute' / requests_per_minute);
  seconds_left constant double precision := greatest(
    extract(epoch from whole_at - clock_timestamp()) - later * share, 0
  );
begin
  return jsonb_build_object(
    'limit', requests_per_minute,
    'remaining', case
      when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)
      else 0
    end,
    'resetSeconds', ceil(seconds_left),
    'retryAfterSeconds', case
      when not is_allowed then greatest(ceil(seconds_left + share - 60), 1)
    end
  );
end;
$$;
revoke all
on function messaging.describe_rate_limit(integer, timestamptz, bigint, boolean)
from public, anon, authenticated;
grant execute
on function messaging.describe_rate_limit(integer, timestamptz, bigint, boolean)
to service_role;

-- source: supabase/schemas/tenancy/internal/describe_workspace.sql
-- admin-api: a workspace as a response shows it.
create or replace function messaging.describe_workspace(workspace messaging.workspaces)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_workspace(messaging.workspaces)
from public, anon, authenticated;
grant execute on function messaging.describe_workspace(messaging.workspaces) to service_role;

-- source: supabase/schemas/tenancy/internal/find_instance.sql
-- admin-api: an instance by its id, of any workspace. Error: MI014.
create or replace function messaging.find_instance(instance_id uuid)
returns messaging.instances
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into instance from messaging.instances i where i.id = find_instance.instance_id;
  if not found then
    raise exception using errcode = 'MI014', message = 'Instance not found';
  end if;
  return instance;
end;
$$;
revoke all on function messaging.find_instance(uuid) from public, anon, authenticated;
grant execute on function messaging.find_instance(uuid) to service_role;

-- source: supabase/schemas/tenancy/internal/find_instances_by_reference.sql
-- The instances that a reference stands for: UUID, embed key, or business instance id (the provider's
-- own id where there is none; decisions, section 1), in this order: a name that looks like another
-- instance's UUID does not hide that one. Several only where instances of different providers, neither
-- with a business instance id, have one own id.
create or replace function messaging.find_instances_by_reference(reference text)
returns setof messaging.instances
language plpgsql
stable
rows 1
set search_path = ''
as $$
begin
  if reference ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return query select i.* from messaging.instances i where i.id = reference::uuid;
  end if;
  if not found then
    return query select i.* from messaging.instances i where i.embed_key = reference;
  end if;
  if not found then
    return query
    select i.* from messaging.instances i
    where coalesce(i.business_instance_id, i.gateway_instance_id) = reference;
  end if;
end;
$$;
revoke all on function messaging.find_instances_by_reference(text) from public, anon, authenticated;
grant execute on function messaging.find_instances_by_reference(text) to service_role;

-- source: supabase/schemas/tenancy/internal/find_operator.sql
-- The operator of a workspace named by UUID or by e-mail (in any case). Error: MI001.
create or replace function messaging.find_operator(workspace_id uuid, reference text)
returns messaging.operators
language plpgsql
stable
set search_path = ''
as $$
declare
  operator messaging.operators;
begin
  select o.* into operator
  from messaging.operators o
  where o.workspace_id = find_operator.workspace_id
    and (o.id::text = lower(btrim(reference)) or lower(o.email) = lower(btrim(reference)));
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return operator;
end;
$$;
revoke all on function messaging.find_operator(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_operator(uuid, text) to service_role;

-- source: supabase/schemas/tenancy/internal/find_workspace.sql
-- admin-api: a workspace by its id. Error: MI013.
create or replace function messaging.find_workspace(workspace_id uuid)
returns messaging.workspaces
language plpgsql
stable
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
begin
  select w.* into workspace from messaging.workspaces w where w.id = find_workspace.workspace_id;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return workspace;
end;
$$;
revoke all on function messaging.find_workspace(uuid) from public, anon, authenticated;
grant execute on function messaging.find_workspace(uuid) to service_role;

-- source: supabase/schemas/tenancy/internal/is_time_zone.sql
-- Whether the server knows a time zone by exactly this name.
create or replace function messaging.is_time_zone(name text)
returns boolean
language sql
stable
parallel safe
set search_path = ''
as $$
  select exists (
    select from pg_catalog.pg_timezone_names z where z.name = is_time_zone.name
  );
$$;
revoke all on function messaging.is_time_zone(text) from public, anon, authenticated;
grant execute on function messaging.is_time_zone(text) to service_role;

-- source: supabase/schemas/tenancy/internal/note_token_use.sql
-- Writes when tokens were last used. Waits for nobody: a row that is locked keeps its instant.
create or replace function messaging.note_token_use(token_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.client_tokens t set last_used_at = clock_timestamp()
  where t.id in (
    select u.id from messaging.client_tokens u
    where u.id = any (token_ids)
    for no key update skip locked
  );
end;
$$;
revoke all on function messaging.note_token_use(uuid[]) from public, anon, authenticated;
grant execute on function messaging.note_token_use(uuid[]) to service_role;

-- source: supabase/schemas/tenancy/internal/require_client.sql
-- Authenticates a call in the transaction that records it. `authentication` {tokenHash, functionName,
-- instanceVersion}: the token must open this instance, and the instance must still be what the caller
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

-- source: supabase/schemas/tenancy/internal/spend_requests.sql
-- Takes `requests` at once from a token's allowance of `requests_per_minute` for the function: all of
-- them, or none. A whole allowance may be used at once; it comes back evenly over a minute.
-- Returns when the allowance will be whole again, or NULL where fewer are left.
create or replace function messaging.spend_requests(
  token_id uuid,
  function_name text,
  requests_per_minute integer,
  requests integer
)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute * requests;
  whole_at timestamptz;
begin
  -- The clock is read under the row's lock, so that simultaneous requests are counted in order.
  insert into messaging.rate_limits as r (token_id, function_name, whole_at)
  select spend_requests.token_id, spend_requests.function_name, clock_timestamp() + share
  where requests <= requests_per_minute
  on conflict on constraint rate_limits_pkey do update
  set whole_at = greatest(r.whole_at, clock_timestamp()) + share
  where r.whole_at + share <= clock_timestamp() + interval '1 minute'
  returning r.whole_at into whole_at;
  return whole_at;
end;
$$;
revoke all
on function messaging.spend_requests(uuid, text, integer, integer)
from public, anon, authenticated;
grant execute
on function messaging.spend_requests(uuid, text, integer, integer)
to service_role;

-- source: supabase/schemas/tenancy/internal/taken_instance_field.sql
-- Which field of a request has another instance's value, given the unique index that refused it: the
-- business instance id where the call sets one, else the provider's own id. NULL for any other index.
create or replace function messaging.taken_instance_field(
  index_name text,
  changes_business_id boolean
)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when index_name = 'instances_gateway_id' then 'gatewayInstanceId'
    when index_name not like 'instances\_name\_at\_%' then null
    when changes_business_id then 'businessInstanceId'
    else 'gatewayInstanceId'
  end;
$$;
revoke all
on function messaging.taken_instance_field(text, boolean)
from public, anon, authenticated;
grant execute on function messaging.taken_instance_field(text, boolean) to service_role;

-- source: supabase/schemas/tenancy/internal/time_zone_issues.sql
-- admin-api: the issues to answer for a time zone that is_time_zone does not know.
create or replace function messaging.time_zone_issues()
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', 'timeZone', 'message', 'must be the name of an IANA time zone, such as America/Sao_Paulo'
  )));
$$;
revoke all on function messaging.time_zone_issues() from public, anon, authenticated;
grant execute on function messaging.time_zone_issues() to service_role;

-- source: supabase/schemas/tenancy/internal/write_instance_settings.sql
-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance
-- reads them back. Returns the instance. Locks the instance. Raises unique_violation where another
-- instance has one of its ids.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances
language plpgsql
set search_path = ''
as $$
declare
  send_window constant jsonb := settings->'sendWindow';
  instance messaging.instances;
begin
  update messaging.instances i
  set name = coalesce(settings->>'name', i.name),
    sealed_provider_config = coalesce(settings->>'sealedProviderConfig', i.sealed_provider_config),
    gateway_instance_id = case
      when settings ? 'sealedProviderConfig' then settings->>'gatewayInstanceId'
      else i.gateway_instance_id
    end,
    business_instance_id = case
      when settings ? 'businessInstanceId' then settings->>'businessInstanceId'
      else i.business_instance_id
    end,
    connected_phone = coalesce(settings->>'connectedPhone', i.connected_phone),
    connected_phone_key = messaging.phone_identity_key(
      coalesce(settings->>'connectedPhone', i.connected_phone)
    ),
    time_zone = coalesce(settings->>'timeZone', i.time_zone),
    window_start = coalesce((send_window->>'start')::time, i.window_start),
    window_end = coalesce((send_window->>'end')::time, i.window_end),
    window_days = case
      when send_window ? 'days'
      then array(select jsonb_array_elements_text(send_window->'days')::smallint)
      else i.window_days
    end,
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    requests_per_minute = case
      when settings ? 'requestsPerMinute' then (settings->>'requestsPerMinute')::integer
      else i.requests_per_minute
    end,
    updated_at = now()
  where i.id = write_instance_settings.instance_id
  returning i.* into strict instance;
  if send_window ? 'holidays' then
    delete from messaging.holidays h where h.instance_id = instance.id;
    insert into messaging.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;
  return instance;
end;
$$;
revoke all
on function messaging.write_instance_settings(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.write_instance_settings(uuid, jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/authenticate_client.sql
-- Authenticates a client token. `request`: tokenHash, functionName; counts the request against the
-- token's allowance for the function.
-- Returns {tokenId, instance, instanceVersion, rateLimit (see count_request)}; tokenId is NULL for an
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
      'tokenId', null, 'instance', null, 'instanceVersion', null, 'rateLimit', null
    );
  end if;
  if token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute' then
    perform messaging.note_token_use(array[token.id]);
  end if;
  select i.* into strict instance from messaging.instances i where i.id = token.instance_id;
  select i.xmin::text into instance_version from messaging.instances i where i.id = token.instance_id;
  return jsonb_build_object(
    'tokenId', token.id,
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

-- source: supabase/schemas/tenancy/rpc/authenticate_clients.sql
-- Authenticates several client tokens at once, as authenticate_client does one. `request`: calls, the
-- requests of authenticate_client. Returns {results}, in the order of the calls.
-- The calls of one token for one function are one count of as many: each gets its own `remaining`.
-- Where the allowance does not suffice for all of them, they are counted one by one.
-- Locks tokens (skipping locked ones), then rate limits in the order of their keys: two groups never
-- wait for each other.
-- Plans must not depend on statistics: there may be ten tokens or a million.
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
    join messaging.instances i on i.id = t.instance_id
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
      select t.id as token_id, t.token_hash, i.requests_per_minute, i.xmin::text as instance_version,
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
      join messaging.instances i on i.id = t.instance_id
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

-- source: supabase/schemas/tenancy/rpc/create_client_token.sql
-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, sealedToken (kept with the outcome alone, so that a
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
  insert into messaging.client_tokens (id, instance_id, token_hash, label, expires_at)
  values (
    (request->>'tokenId')::uuid, instance.id, request->>'tokenHash', request->>'label',
    (request->>'expiresAt')::timestamptz
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

-- source: supabase/schemas/tenancy/rpc/create_department.sql
-- admin-api: a new department. `request`: workspaceId, name, idempotency (see begin_idempotent).
-- Returns the department, or {replayed}. Errors: MI007, MI008, MI013.
create or replace function public.create_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  department messaging.departments;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
  insert into messaging.departments (workspace_id, name)
  values (workspace.id, request->>'name')
  returning * into department;
  return messaging.keep_outcome(request, messaging.describe_department(department));
end;
$$;
revoke all on function public.create_department(jsonb) from public, anon, authenticated;
grant execute on function public.create_department(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/create_instance.sql
-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, provider, embedKey, all
--   settings (see write_instance_settings), idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone, or {taken}:
--   the field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  replayed jsonb;
  violated text;
  taken text;
begin
  if not messaging.is_time_zone(request->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  begin
    replayed := messaging.begin_idempotent(request);
    if replayed is not null then
      return replayed;
    end if;
    workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      messaging.phone_identity_key(request->>'connectedPhone'), request->>'timeZone'
    )
    returning * into instance;
    instance := messaging.write_instance_settings(instance.id, request);
    insert into messaging.pacing (instance_id) values (instance.id);
    insert into messaging.dispatch (instance_id) values (instance.id);
    return messaging.keep_outcome(request, messaging.describe_instance(instance));
  exception when unique_violation then
    -- Leaving the block rolls the idempotency key back too: nothing was executed under it.
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, request->>'businessInstanceId' is not null);
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
end;
$$;
revoke all on function public.create_instance(jsonb) from public, anon, authenticated;
grant execute on function public.create_instance(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/create_operator.sql
-- admin-api: a new operator. `request`: workspaceId, name, email, idempotency (see
-- begin_idempotent). Returns the operator, or {replayed}.
-- Errors: MI007, MI008, MI013, MI017 (the workspace has the e-mail already, in whatever case).
create or replace function public.create_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  operator messaging.operators;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
  insert into messaging.operators (workspace_id, name, email)
  values (workspace.id, request->>'name', request->>'email')
  on conflict (workspace_id, lower(email)) do nothing
  returning * into operator;
  if not found then
    raise exception using errcode = 'MI017', message = 'already_exists';
  end if;
  return messaging.keep_outcome(request, messaging.describe_operator(operator));
end;
$$;
revoke all on function public.create_operator(jsonb) from public, anon, authenticated;
grant execute on function public.create_operator(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/create_workspace.sql
-- admin-api: a new workspace. `request`: name, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.workspaces (name) values (request->>'name') returning * into workspace;
  return messaging.keep_outcome(request, messaging.describe_workspace(workspace));
end;
$$;
revoke all on function public.create_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.create_workspace(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/get_client_token.sql
-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  token messaging.client_tokens;
begin
  select t.* into token from messaging.client_tokens t
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return messaging.describe_client_token(token);
end;
$$;
revoke all on function public.get_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.get_client_token(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/get_department.sql
-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  department messaging.departments;
begin
  select r.* into department from messaging.departments r where r.id = (request->>'departmentId')::uuid;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return messaging.describe_department(department);
end;
$$;
revoke all on function public.get_department(jsonb) from public, anon, authenticated;
grant execute on function public.get_department(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/get_instance.sql
-- admin-api: one instance. `request`: instanceId (UUID, business instance id or embed key). Returns the
-- instance, or {issues} where the provider's own id stands for instances of several providers.
-- Error: MI014.
create or replace function public.get_instance(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select i.id from messaging.find_instances_by_reference(request->>'instanceId') i
  );
begin
  if cardinality(found_ids) > 1 then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId',
      'message', 'is an id of instances at several providers: use the UUID or the embed key'
    )));
  end if;
  return messaging.describe_instance(messaging.find_instance(found_ids[1]));
end;
$$;
revoke all on function public.get_instance(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/get_operator.sql
-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  operator messaging.operators;
begin
  select r.* into operator from messaging.operators r where r.id = (request->>'operatorId')::uuid;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return messaging.describe_operator(operator);
end;
$$;
revoke all on function public.get_operator(jsonb) from public, anon, authenticated;
grant execute on function public.get_operator(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/get_workspace.sql
-- admin-api: one workspace. `request`: workspaceId. Error: MI013.
create or replace function public.get_workspace(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.describe_workspace(messaging.find_workspace((request->>'workspaceId')::uuid));
$$;
revoke all on function public.get_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.get_workspace(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_client_tokens.sql
-- admin-api: the tokens of an instance, revoked and expired ones too, oldest first,
-- a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_client_tokens(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_client_token(r)
      )
      from messaging.client_tokens r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and r.instance_id = (request->>'instanceId')::uuid
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_client_tokens(jsonb) from public, anon, authenticated;
grant execute on function public.list_client_tokens(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_credentials_under_old_keys.sql
-- admin-api: instances whose credentials are sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{instanceId, sealedProviderConfig}], total, unreadable: [instanceId]}: the last are
-- sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_credentials_under_old_keys(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_ids constant text[] := array(select jsonb_array_elements_text(request->'keyIds'));
  max_items constant integer := (request->>'limit')::integer;
begin
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object('instanceId', f.id, 'sealedProviderConfig', f.sealed_provider_config)
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select i.id, i.sealed_provider_config, seal.key_id = any (key_ids) as is_readable,
        row_number() over (
          partition by seal.key_id = any (key_ids) order by i.created_at, i.id
        ) as place
      from messaging.instances i
      cross join lateral (select split_part(i.sealed_provider_config, '.', 2) as key_id) as seal
      where seal.key_id <> key_ids[1]
    ) as f
  );
end;
$$;
revoke all
on function public.list_credentials_under_old_keys(jsonb)
from public, anon, authenticated;
grant execute on function public.list_credentials_under_old_keys(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_departments.sql
-- admin-api: departments, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_departments(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_department(r)
      )
      from messaging.departments r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_departments(jsonb) from public, anon, authenticated;
grant execute on function public.list_departments(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_instances.sql
-- admin-api: instances, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_instances(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_instance(r)
      )
      from messaging.instances r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_instances(jsonb) from public, anon, authenticated;
grant execute on function public.list_instances(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_operators.sql
-- admin-api: operators, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_operators(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_operator(r)
      )
      from messaging.operators r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_operators(jsonb) from public, anon, authenticated;
grant execute on function public.list_operators(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/list_workspaces.sql
-- admin-api: workspaces, oldest first, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_workspaces(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_workspace(r)
      )
      from messaging.workspaces r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_workspaces(jsonb) from public, anon, authenticated;
grant execute on function public.list_workspaces(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/replace_sealed_credentials.sql
-- admin-api: stores credentials that were sealed again. `request`: items [{instanceId, former,
-- sealedProviderConfig}]. Credentials that no longer equal `former` have been changed meanwhile and
-- stay.
-- Returns {replaced}: how many.
create or replace function public.replace_sealed_credentials(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  replaced integer;
begin
  update messaging.instances i
  set sealed_provider_config = item."sealedProviderConfig"
  from jsonb_to_recordset(request->'items') as item(
    "instanceId" uuid, former text, "sealedProviderConfig" text
  )
  where i.id = item."instanceId" and i.sealed_provider_config = item.former;
  get diagnostics replaced = row_count;
  return jsonb_build_object('replaced', replaced);
end;
$$;
revoke all on function public.replace_sealed_credentials(jsonb) from public, anon, authenticated;
grant execute on function public.replace_sealed_credentials(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/revoke_client_token.sql
-- admin-api: revokes a token from now on; a revoked token keeps its time. `request`: instanceId,
-- tokenId. Errors: MI014, MI015 (the instance has no such token).
create or replace function public.revoke_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
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
revoke all on function public.revoke_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.revoke_client_token(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/update_department.sql
-- admin-api: changes a department. `request`: departmentId, changes {name, optional}. Error: MI002.
create or replace function public.update_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  department messaging.departments;
begin
  update messaging.departments r
  set name = coalesce(changes->>'name', r.name)
  where r.id = (request->>'departmentId')::uuid
  returning r.* into department;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return messaging.describe_department(department);
end;
$$;
revoke all on function public.update_department(jsonb) from public, anon, authenticated;
grant execute on function public.update_department(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/update_instance.sql
-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then (see plan_slot_moves); a wider window moves no slot. The queue is checked again at once, so
-- that new credentials take effect without delay.
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window or the time zone would be invalid, or {taken}: the
-- field
--   whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['sendWindow', 'timeZone'] then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;
revoke all on function public.update_instance(jsonb) from public, anon, authenticated;
grant execute on function public.update_instance(jsonb) to service_role;

-- source: supabase/schemas/tenancy/rpc/update_operator.sql
-- admin-api: changes an operator. `request`: operatorId, changes {name, email, each optional}.
-- Errors: MI001, MI017 (another operator of the workspace has the e-mail).
create or replace function public.update_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  operator messaging.operators;
begin
  update messaging.operators r
  set name = coalesce(changes->>'name', r.name),
    email = coalesce(changes->>'email', r.email)
  where r.id = (request->>'operatorId')::uuid
  returning r.* into operator;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return messaging.describe_operator(operator);
exception when unique_violation then
  raise exception using errcode = 'MI017', message = 'already_exists';
end;
$$;
revoke all on function public.update_operator(jsonb) from public, anon, authenticated;
grant execute on function public.update_operator(jsonb) to service_role;
