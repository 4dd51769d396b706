-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/privileges.sql
-- What is created from here on belongs to nobody until it is granted: the platform's defaults would
-- let anon and authenticated execute every new function and touch every new table.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

-- source: supabase/schemas/tables/workspaces.sql
-- A workspace owns instances, operators, departments, templates and agents (decisions, section 2).
create table public.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  constraint workspaces_name_length check (char_length(name) between 1 and 200)
);
create index workspaces_age on public.workspaces (created_at, id);
alter table public.workspaces enable row level security;
revoke all on table public.workspaces from public, anon, authenticated;
grant select, insert, update, delete on table public.workspaces to service_role;
comment on table public.workspaces is 'Tenants.';

-- source: supabase/schemas/tables/instances.sql
-- One channel connection: a number at a provider, its send window and its credentials.
create table public.instances (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id),
  name text not null,
  provider text not null,
  sealed_provider_config text not null,
  gateway_instance_id text,
  business_instance_id text,
  embed_key text not null,
  connected_phone text not null,
  connected_phone_key text not null,
  time_zone text not null,
  window_start time not null default '08:00',
  window_end time not null default '20:00',
  window_days smallint[] not null default '{1,2,3,4,5}',
  on_unconfirmed text not null default 'hold',
  requests_per_minute integer default 18000,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint instances_provider_known check (provider in ('whatsapp_cloud', 'zapi', 'evolution')),
  constraint instances_embed_key_prefixed check (embed_key like 'emb\_%'),
  constraint instances_connected_phone_digits check (connected_phone ~ '^[0-9]{8,15}$'),
  constraint instances_window_end_after_start check (window_end > window_start),
  constraint instances_window_days_iso check (
    cardinality(window_days) between 1 and 7 and window_days <@ '{1,2,3,4,5,6,7}'::smallint[]
  ),
  constraint instances_requests_per_minute_positive check (requests_per_minute > 0),
  constraint instances_on_unconfirmed_known check (on_unconfirmed in ('hold', 'retry'))
);
create unique index instances_embed_key on public.instances (embed_key);
create unique index instances_gateway_id on public.instances (provider, gateway_instance_id);
create index instances_named_outside on public.instances (
  (coalesce(business_instance_id, gateway_instance_id))
);
-- What an instance is called outside is unique at its provider, and a business instance id in the
-- whole project: it stands in the index of every provider, beside that provider's own ids.
create unique index instances_name_at_zapi
  on public.instances ((coalesce(business_instance_id, gateway_instance_id)))
  where business_instance_id is not null or provider = 'zapi';
create unique index instances_name_at_evolution
  on public.instances ((coalesce(business_instance_id, gateway_instance_id)))
  where business_instance_id is not null or provider = 'evolution';
create unique index instances_name_at_whatsapp_cloud
  on public.instances ((coalesce(business_instance_id, gateway_instance_id)))
  where business_instance_id is not null or provider = 'whatsapp_cloud';
create index instances_retrying on public.instances (id) where on_unconfirmed = 'retry';
create index instances_age on public.instances (created_at, id);
create index instances_workspace on public.instances (workspace_id, created_at, id);
alter table public.instances enable row level security;
revoke all on table public.instances from public, anon, authenticated;
grant select, insert, update, delete on table public.instances to service_role;
comment on column public.instances.sealed_provider_config is
  'Credentials, AES-256-GCM sealed by the API; the database never sees them open.';
comment on column public.instances.requests_per_minute is
  'What each client token may ask of each function, see count_request; NULL is no limit.';
comment on column public.instances.gateway_instance_id is 'The provider''s own id of the instance.';

-- source: supabase/schemas/tables/holidays.sql
-- Days on which an instance's queue does not send, whatever the weekday.
create table public.holidays (
  instance_id uuid not null references public.instances (id) on delete cascade,
  day date not null,
  primary key (instance_id, day)
);
alter table public.holidays enable row level security;
revoke all on table public.holidays from public, anon, authenticated;
grant select, insert, update, delete on table public.holidays to service_role;

-- source: supabase/schemas/tables/client_tokens.sql
-- Tokens of `X-Client-Token`. Only the SHA-256 is kept; each opens exactly one instance.
create table public.client_tokens (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references public.instances (id) on delete cascade,
  token_hash text not null,
  label text,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint client_tokens_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$')
);
create unique index client_tokens_hash on public.client_tokens (token_hash);
create index client_tokens_instance on public.client_tokens (instance_id, created_at, id);
alter table public.client_tokens enable row level security;
revoke all on table public.client_tokens from public, anon, authenticated;
grant select, insert, update, delete on table public.client_tokens to service_role;

-- source: supabase/schemas/tables/operators.sql
-- People who answer conversations. E-mail identifies one within the workspace, whatever its case.
create table public.operators (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id),
  name text not null,
  email text not null,
  created_at timestamptz not null default now(),
  constraint operators_name_length check (char_length(name) between 1 and 200)
);
create unique index operators_email on public.operators (workspace_id, lower(email));
alter table public.operators enable row level security;
revoke all on table public.operators from public, anon, authenticated;
grant select, insert, update, delete on table public.operators to service_role;

-- source: supabase/schemas/tables/departments.sql
create table public.departments (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id),
  name text not null,
  created_at timestamptz not null default now(),
  constraint departments_name_length check (char_length(name) between 1 and 200)
);
create index departments_workspace on public.departments (workspace_id, created_at, id);
alter table public.departments enable row level security;
revoke all on table public.departments from public, anon, authenticated;
grant select, insert, update, delete on table public.departments to service_role;

-- source: supabase/schemas/tables/rate_limits.sql
-- How much of its allowance a token has used, per function: one row each, as the instant at which
-- the allowance is whole again (generic cell rate algorithm). Unlogged: a crash of the server gives
-- everybody a whole allowance, and a request's count costs no wait for the disk.
create unlogged table public.rate_limits (
  token_id uuid not null references public.client_tokens (id) on delete cascade,
  function_name text not null,
  whole_at timestamptz not null,
  constraint rate_limits_pkey primary key (token_id, function_name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table public.rate_limits enable row level security;
revoke all on table public.rate_limits from public, anon, authenticated;
grant select, insert, update, delete on table public.rate_limits to service_role;

-- source: supabase/schemas/functions/count_request.sql
-- Counts a request against its token's allowance of `requests_per_minute` for the function; NULL is
-- no limit. A whole allowance may be used at once; it comes back evenly over a minute.
-- Returns {limit, remaining, wholeInSeconds, retryAfterSeconds}, seconds rounded up; the last is NULL
-- where the request is allowed. A refused request uses nothing. NULL where there is no limit.
create or replace function public.count_request(
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute;
  whole_at timestamptz;
  seconds_left double precision;
  is_allowed boolean;
begin
  if requests_per_minute is null then
    return null;
  end if;
  -- The clock is read with the row's lock: simultaneous requests are counted one after the other.
  insert into public.rate_limits as r (token_id, function_name, whole_at)
  values (count_request.token_id, count_request.function_name, clock_timestamp() + share)
  on conflict on constraint rate_limits_pkey do update
  set whole_at = greatest(r.whole_at, clock_timestamp()) + share
  where r.whole_at + share <= clock_timestamp() + interval '1 minute'
  returning r.whole_at into whole_at;
  is_allowed := found;
  if not is_allowed then
    select r.whole_at into whole_at
    from public.rate_limits r
    where r.token_id = count_request.token_id and r.function_name = count_request.function_name;
  end if;
  seconds_left := greatest(extract(epoch from whole_at - clock_timestamp()), 0);
  return jsonb_build_object(
    'limit', requests_per_minute,
    'remaining', case
      when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)
      else 0
    end,
    'wholeInSeconds', ceil(seconds_left),
    'retryAfterSeconds', case
      when not is_allowed
      then greatest(ceil(seconds_left + extract(epoch from share) - 60), 1)
    end
  );
end;
$$;
revoke all on function public.count_request(uuid, text, integer) from public, anon, authenticated;
grant execute on function public.count_request(uuid, text, integer) to service_role;

-- source: supabase/schemas/functions/instances_named.sql
-- The instances that a reference stands for: UUID, embed key, or business instance id (the provider's
-- own id where there is none; decisions, section 1), in this order: a name that looks like another
-- instance's UUID does not hide that one. Several only where instances of different providers, neither
-- with a business instance id, have one own id.
create or replace function public.instances_named(reference text)
returns setof public.instances
language plpgsql
stable
rows 1
set search_path = ''
as $$
begin
  if reference ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return query select i.* from public.instances i where i.id = reference::uuid;
  end if;
  if not found then
    return query select i.* from public.instances i where i.embed_key = reference;
  end if;
  if not found then
    return query
    select i.* from public.instances i
    where coalesce(i.business_instance_id, i.gateway_instance_id) = reference;
  end if;
end;
$$;
revoke all on function public.instances_named(text) from public, anon, authenticated;
grant execute on function public.instances_named(text) to service_role;

-- source: supabase/schemas/functions/authenticate_client.sql
-- Who a client token is and which instance it opens. `request`: tokenHash, functionName: the request
-- is counted against the token's allowance for it.
-- Returns {tokenId, instance, rateLimit (see count_request)}: NULL tokenId for an unknown, expired or
-- revoked token. The instance's `references` are all that a request may call it by (UUID, embed key,
-- business instance id): the caller compares, so that no body is read before a token has been found
-- good. Notes the token's use at most once a minute.
create or replace function public.authenticate_client(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  token public.client_tokens;
  instance public.instances;
begin
  select t.* into token
  from public.client_tokens t
  where t.token_hash = request->>'tokenHash'
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp());
  if not found then
    return jsonb_build_object('tokenId', null, 'instance', null, 'rateLimit', null);
  end if;
  if token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute' then
    update public.client_tokens t set last_used_at = clock_timestamp()
    where t.id = (
      select u.id from public.client_tokens u where u.id = token.id for no key update skip locked
    );
  end if;
  select i.* into strict instance from public.instances i where i.id = token.instance_id;
  return jsonb_build_object(
    'tokenId', token.id,
    'rateLimit', public.count_request(
      token.id, request->>'functionName', instance.requests_per_minute
    ),
    'instance', jsonb_build_object(
      'instanceId', instance.id,
      'name', instance.name,
      'provider', instance.provider,
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
