set local lock_timeout = '3s';
set local check_function_bodies = off;

-- Widens what the former release writes.
alter table messaging.outbox
drop constraint outbox_kind_known,
add constraint outbox_kind_known check (
  kind in ('assignment_email', 'endpoint_disabled_email', 'agent_reply')
) not valid;

-- Where an instance's events are sent to: webhooks. At most 10 live ones an instance (see
-- create_event_endpoint).
-- A deleted endpoint stays until purge_expired has deleted its deliveries, which may be a million.
create table messaging.event_endpoints (
  id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  url text not null,
  types text[],
  description text,
  is_active boolean not null default true,
  disabled_reason text,
  disabled_at timestamptz,
  sealed_secret text not null,
  sealed_previous_secret text,
  previous_secret_until timestamptz,
  told_through bigint not null,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint event_endpoints_url_length check (char_length(url) between 1 and 2048),
  constraint event_endpoints_description_length check (char_length(description) <= 200),
  constraint event_endpoints_disabled_reason_known check (disabled_reason in ('gone', 'failing')),
  constraint event_endpoints_deleted_is_inactive check (deleted_at is null or not is_active)
)
with (fillfactor = 70);
create index event_endpoints_of_instance on messaging.event_endpoints (instance_id, created_at, id);
create index event_endpoints_active on messaging.event_endpoints (id) where is_active;
create index event_endpoints_deleted on messaging.event_endpoints (deleted_at)
where deleted_at is not null;
alter table messaging.event_endpoints enable row level security;
revoke all on table messaging.event_endpoints from public, anon, authenticated;
grant select, insert, update, delete on table messaging.event_endpoints to service_role;
comment on column messaging.event_endpoints.types is 'Which events it takes; NULL for all.';
comment on column messaging.event_endpoints.sealed_secret is
  'Signs the deliveries. AES-256-GCM sealed by the API; the database never sees it open.';
comment on column messaging.event_endpoints.told_through is
  'The last event that fan_out_events has looked at for it.';
comment on column messaging.event_endpoints.failing_since is
  'The first failure after the last success; NULL where the last attempt succeeded.';

-- What is sent to an endpoint: at most one row for an event and an endpoint, however often it is sent.
-- Rows are written by the dispatcher (fan_out_events), never by what records an event.
-- A pending row is due at next_attempt_at. Claiming it moves that to the end of the lease, so that the
-- delivery of a worker that died is due again: at least once, never lost.
-- A row that failed while a worker was calling, because its endpoint was disabled, keeps its claim, and
-- the worker still records what came of the call.
create table messaging.event_deliveries (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references messaging.event_endpoints (id)
    on delete cascade,
  sequence bigint not null,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending',
  tries smallint not null default 0,
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  claim_token uuid,
  created_at timestamptz not null default now(),
  constraint event_deliveries_once unique (endpoint_id, sequence),
  constraint event_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint event_deliveries_due_when_pending
    check ((status = 'pending') = (next_attempt_at is not null))
)
with (fillfactor = 80);
create index event_deliveries_due on messaging.event_deliveries (endpoint_id, next_attempt_at)
where next_attempt_at is not null;
create index event_deliveries_age on messaging.event_deliveries (created_at);
alter table messaging.event_deliveries enable row level security;
revoke all on table messaging.event_deliveries from public, anon, authenticated;
grant select, insert, update, delete on table messaging.event_deliveries to service_role;
comment on column messaging.event_deliveries.sequence is
  'Of the event, which may be purged before.';
comment on column messaging.event_deliveries.tries is
  'Attempts since it became pending: its place in the schedule, see delivery_pause.';
comment on column messaging.event_deliveries.attempts is
  'The last 20 attempts: [{at, status, error, durationMs, answer}].';

-- Events that an endpoint shall be sent once more: fan_out_events works through them in batches, as it
-- does with new events, and deletes the row at the end.
create table messaging.event_replays (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references messaging.event_endpoints (id)
    on delete cascade,
  told_through bigint not null,
  through bigint not null,
  since timestamptz not null,
  until timestamptz not null,
  types text[],
  created_at timestamptz not null default now()
);
create index event_replays_of_endpoint on messaging.event_replays (endpoint_id, created_at);
alter table messaging.event_replays enable row level security;
revoke all on table messaging.event_replays from public, anon, authenticated;
grant select, insert, update, delete on table messaging.event_replays to service_role;
comment on column messaging.event_replays.told_through is
  'The last event that was looked at; `through` is the last one to look at.';

-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with providers as (
    select distinct i.provider from messaging.instances i
  ), series(name, labels) as (
    select k.name, jsonb_build_object('provider', p.provider)
    from providers p
    cross join (values
      ('messaging_messages_sent_total'),
      ('messaging_messages_failed_total'),
      ('messaging_messages_unconfirmed_total'),
      ('messaging_dispatch_lateness_seconds_sum')
    ) as k(name)
    union all
    select 'messaging_outbox_settled_total', jsonb_build_object('kind', k.kind, 'status', s.status)
    from (values ('assignment_email'), ('endpoint_disabled_email'), ('agent_reply')) as k(kind)
    cross join (values ('done'), ('dead')) as s(status)
    union all
    select k.name, '{}'::jsonb
    from (values
      ('messaging_claim_expiries_total'), ('messaging_maintenance_runs_total')
    ) as k(name)
  ), buckets as (
    select p.provider, b.bound, coalesce(c.reported, 0) as amount
    from providers p
    cross join unnest(messaging.lateness_bounds() || 'infinity'::numeric) as b(bound)
    left join messaging.metric_counters c
      on c.name = 'messaging_dispatch_lateness_seconds_bucket'
        and c.labels = jsonb_build_object(
          'provider', p.provider,
          'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
        )
  )
  select s.name, s.labels, coalesce(c.reported, 0)
  from series s
  left join messaging.metric_counters c on c.name = s.name and c.labels = s.labels
  union all
  (
    select 'messaging_dispatch_lateness_seconds_bucket',
      jsonb_build_object(
        'provider', b.provider,
        'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
      ),
      sum(b.amount) over (partition by b.provider order by b.bound)
    from buckets b
    order by b.provider, b.bound
  )
  union all
  select 'messaging_dispatch_lateness_seconds_count', jsonb_build_object('provider', b.provider),
    sum(b.amount)
  from buckets b
  group by b.provider
  union all
  select 'messaging_queue_entries_total', '{}'::jsonb,
    case when q.is_called then q.last_value else 0 end
  from messaging.message_queue_position_seq q
  union all
  select 'messaging_provider_events_total', '{}'::jsonb,
    case when e.is_called then e.last_value else 0 end
  from messaging.provider_events_id_seq e
  union all
  select 'messaging_last_maintenance_timestamp_seconds', '{}'::jsonb,
    round(extract(epoch from c.changed_at), 3)
  from messaging.metric_counters c
  where c.name = 'messaging_maintenance_runs_total';
$$;
revoke all on function messaging.counter_samples() from public, anon, authenticated;
grant execute on function messaging.counter_samples() to service_role;

-- How long a delivery waits after its `tries`th failure; NULL after the last one, the eighth. Jitter of
-- a tenth spreads the attempts of many deliveries that failed at once. What a receiver asks for by
-- `Retry-After` counts up to a day, where it is longer.
create or replace function messaging.delivery_pause(tries integer, retry_after_ms bigint)
returns interval
language sql
volatile
set search_path = ''
as $$
select greatest(
    (array[
      interval '5 seconds', interval '5 minutes', interval '30 minutes', interval '2 hours',
      interval '5 hours', interval '10 hours', interval '10 hours'
    ])[tries] * (0.9 + 0.2 * random()),
    interval '1 millisecond' * least(coalesce(retry_after_ms, 0), 86400000)
  )
  where tries <= 7;
$$;
revoke all on function messaging.delivery_pause(integer, bigint) from public, anon, authenticated;
grant execute on function messaging.delivery_pause(integer, bigint) to service_role;

-- An attempt as a delivery keeps it. `result`: status, error, durationMs, answer.
create or replace function messaging.describe_attempt(result jsonb, ended_at timestamptz)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'at', messaging.iso_in_zone(
      ended_at - interval '1 millisecond' * (result->>'durationMs')::integer, 'UTC'
    ),
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs',
    'answer', result->'answer'
  );
$$;
revoke all
on function messaging.describe_attempt(jsonb, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.describe_attempt(jsonb, timestamptz) to service_role;

-- events-api: a delivery as a response shows it.
create or replace function messaging.describe_event_delivery(delivery messaging.event_deliveries)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'deliveryId', delivery.id,
    'endpointId', delivery.endpoint_id,
    'eventId', 'evt_' || replace(delivery.event_id::text, '-', ''),
    'type', delivery.type,
    'status', delivery.status,
    'attempts', delivery.attempts,
    'nextAttemptAt', messaging.iso_in_zone(delivery.next_attempt_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(delivery.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_event_delivery(messaging.event_deliveries)
from public, anon, authenticated;
grant execute
on function messaging.describe_event_delivery(messaging.event_deliveries)
to service_role;

-- events-api: an endpoint as a response shows it, without its secrets.
create or replace function messaging.describe_event_endpoint(endpoint messaging.event_endpoints)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'instanceId', endpoint.instance_id,
    'url', endpoint.url,
    'types', to_jsonb(endpoint.types),
    'description', endpoint.description,
    'isActive', endpoint.is_active,
    'disabledReason', endpoint.disabled_reason,
    'disabledAt', messaging.iso_in_zone(endpoint.disabled_at, 'UTC'),
    'failingSince', messaging.iso_in_zone(endpoint.failing_since, 'UTC'),
    'previousSecretUntil', case
      when endpoint.previous_secret_until > clock_timestamp()
        then messaging.iso_in_zone(endpoint.previous_secret_until, 'UTC')
    end,
    'createdAt', messaging.iso_in_zone(endpoint.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(endpoint.updated_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_event_endpoint(messaging.event_endpoints)
from public, anon, authenticated;
grant execute
on function messaging.describe_event_endpoint(messaging.event_endpoints)
to service_role;

-- What a worker needs to call an endpoint: where it is, and the secrets that sign now.
create or replace function messaging.describe_event_target(endpoint messaging.event_endpoints)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'url', endpoint.url,
    'sealedSecrets', jsonb_build_array(endpoint.sealed_secret) || case
      when endpoint.previous_secret_until > clock_timestamp()
        then jsonb_build_array(endpoint.sealed_previous_secret)
      else '[]'
    end
  );
$$;
revoke all
on function messaging.describe_event_target(messaging.event_endpoints)
from public, anon, authenticated;
grant execute
on function messaging.describe_event_target(messaging.event_endpoints)
to service_role;

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
    'alertEmail', workspace.alert_email,
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_workspace(messaging.workspaces)
from public, anon, authenticated;
grant execute on function messaging.describe_workspace(messaging.workspaces) to service_role;

-- Disables an endpoint that the caller has locked: `gone` (it answered 410) or `failing` (nothing but
-- failures for 5 days). Tells it by an event, and by an e-mail to the workspace's alert address.
create or replace function messaging.disable_event_endpoint(
  endpoint messaging.event_endpoints,
  reason text
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.event_endpoints e
  set is_active = false, disabled_reason = reason, disabled_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where e.id = endpoint.id;
  perform messaging.fail_pending_deliveries(endpoint.id);
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'endpoint_disabled_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'endpointId', endpoint.id,
    'description', endpoint.description,
    'url', endpoint.url,
    'reason', reason,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = endpoint.instance_id and w.alert_email is not null;
  perform messaging.record_event(
    endpoint.instance_id, null, 'endpoint.disabled',
    jsonb_build_object('endpointId', endpoint.id, 'reason', reason)
  );
end;
$$;
revoke all
on function messaging.disable_event_endpoint(messaging.event_endpoints, text)
from public, anon, authenticated;
grant execute
on function messaging.disable_event_endpoint(messaging.event_endpoints, text)
to service_role;

-- The results of settle_event_deliveries, read: what the receiver said, and what it means.
create or replace function messaging.event_results(request jsonb)
returns table (
  delivery_id uuid,
  claim_token uuid,
  is_success boolean,
  is_gone boolean,
  retry_after_ms bigint,
  attempt jsonb
)
language sql
immutable
set search_path = ''
as $$
  select (r.result->>'deliveryId')::uuid, (r.result->>'claimToken')::uuid,
    coalesce((r.result->>'status')::integer between 200 and 299, false),
    coalesce((r.result->>'status')::integer = 410, false),
    (r.result->>'retryAfterMs')::bigint,
    r.result
  from jsonb_array_elements(request->'results') as r(result);
$$;
revoke all on function messaging.event_results(jsonb) from public, anon, authenticated;
grant execute on function messaging.event_results(jsonb) to service_role;

-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.event_work()
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  endpoint_id uuid;
  has_endpoints boolean := false;
begin
  for endpoint_id in
    select e.id from messaging.event_endpoints e where e.is_active
  loop
    has_endpoints := true;
    if exists (
      select from messaging.event_endpoints e
      where e.id = endpoint_id and (
        exists (
          select from messaging.events v
          where v.instance_id = e.instance_id and v.sequence > e.told_through
        )
        or exists (
          select from messaging.event_deliveries d
          where d.endpoint_id = e.id and d.next_attempt_at <= clock
        )
        or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
      )
    ) then
      return 'due';
    end if;
  end loop;
  return case when has_endpoints then 'idle' else 'none' end;
end;
$$;
revoke all on function messaging.event_work() from public, anon, authenticated;
grant execute on function messaging.event_work() to service_role;

-- Ends what an endpoint still waits for, because it is not active any more. A replay sends it again.
-- The caller has locked the endpoint.
create or replace function messaging.fail_pending_deliveries(endpoint_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.event_deliveries d
  set status = 'failed', next_attempt_at = null
  where d.endpoint_id = fail_pending_deliveries.endpoint_id and d.next_attempt_at is not null;
  delete from messaging.event_replays r
  where r.endpoint_id = fail_pending_deliveries.endpoint_id;
end;
$$;
revoke all on function messaging.fail_pending_deliveries(uuid) from public, anon, authenticated;
grant execute on function messaging.fail_pending_deliveries(uuid) to service_role;

-- Makes the deliveries of what was recorded since the last time, for every active endpoint that has
-- something, at most `max_events` looked at for each. An endpoint that another dispatcher is at is left
-- to it.
create or replace function messaging.fan_out_events(max_events integer)
returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  for endpoint in
    select e.*
    from messaging.event_endpoints e
    where e.is_active and (
      exists (
        select from messaging.events v
        where v.instance_id = e.instance_id and v.sequence > e.told_through
      )
      or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
    )
    for no key update of e skip locked
  loop
    perform messaging.fan_out_new_events(endpoint, max_events);
    perform messaging.fan_out_replay(endpoint, max_events);
  end loop;
end;
$$;
revoke all on function messaging.fan_out_events(integer) from public, anon, authenticated;
grant execute on function messaging.fan_out_events(integer) to service_role;

-- Makes deliveries of the next events of an endpoint that the caller has locked, at most `max_events`
-- looked at. The statements must stay in this order: see the head of tables/events.sql.
-- `endpoint.test` goes to the endpoint that was tested, by that call, and to no other.
create or replace function messaging.fan_out_new_events(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  horizon constant bigint := messaging.event_horizon(endpoint.instance_id);
  wanted bigint[];
  last_read bigint;
begin
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and (endpoint.types is null or page.type = any (endpoint.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type from messaging.events e
    where e.instance_id = endpoint.instance_id
      and e.sequence > endpoint.told_through and e.sequence <= horizon
    order by e.sequence
    limit max_events
  ) as page;
  if last_read is null then
    return;
  end if;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, null);
  end if;
  update messaging.event_endpoints e set told_through = last_read where e.id = endpoint.id;
end;
$$;
revoke all
on function messaging.fan_out_new_events(messaging.event_endpoints, integer)
from public, anon, authenticated;
grant execute
on function messaging.fan_out_new_events(messaging.event_endpoints, integer)
to service_role;

-- Makes deliveries of the next events that an endpoint, which the caller has locked, shall be sent once
-- more, at most `max_events` looked at. Waits while as many of its deliveries are due: what is replayed
-- must not stand before what is new.
create or replace function messaging.fan_out_replay(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  replay messaging.event_replays;
  wanted bigint[];
  last_read bigint;
begin
  select r.* into replay
  from messaging.event_replays r
  where r.endpoint_id = endpoint.id
  order by r.created_at
  limit 1
  for update;
  if not found or (
    select count(*) = max_events
    from (
      select from messaging.event_deliveries d
      where d.endpoint_id = endpoint.id and d.next_attempt_at <= clock_timestamp()
      limit max_events
    ) as due
  ) then
    return;
  end if;
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and page.recorded_at >= replay.since and page.recorded_at <= replay.until
        and (endpoint.types is null or page.type = any (endpoint.types))
        and (replay.types is null or page.type = any (replay.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type, e.recorded_at from messaging.events e
    where e.instance_id = endpoint.instance_id
      and e.sequence > replay.told_through and e.sequence <= replay.through
    order by e.sequence
    limit max_events
  ) as page;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, clock_timestamp());
  end if;
  if last_read is null or last_read >= replay.through then
    delete from messaging.event_replays r where r.id = replay.id;
  else
    update messaging.event_replays r set told_through = last_read where r.id = replay.id;
  end if;
end;
$$;
revoke all
on function messaging.fan_out_replay(messaging.event_endpoints, integer)
from public, anon, authenticated;
grant execute
on function messaging.fan_out_replay(messaging.event_endpoints, integer)
to service_role;

-- An instance's endpoint, locked against every change beside the caller's. `request`: instanceId,
-- endpointId. Error: MI024, for a deleted one and another instance's alike.
create or replace function messaging.find_event_endpoint(request jsonb)
returns messaging.event_endpoints
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return endpoint;
end;
$$;
revoke all on function messaging.find_event_endpoint(jsonb) from public, anon, authenticated;
grant execute on function messaging.find_event_endpoint(jsonb) to service_role;

-- The number of the instance's last event that is visible; 0 where it has none. What begins now begins
-- after it. Never a horizon: see read_events.
create or replace function messaging.last_event(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  horizon constant bigint := messaging.event_horizon(instance_id);
begin
  return coalesce((
    select e.sequence from messaging.events e
    where e.instance_id = last_event.instance_id and e.sequence <= horizon
    order by e.sequence desc
    limit 1
  ), 0);
end;
$$;
revoke all on function messaging.last_event(uuid) from public, anon, authenticated;
grant execute on function messaging.last_event(uuid) to service_role;

-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from (values ('assignment_email'), ('endpoint_disabled_email'), ('agent_reply')) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;
revoke all on function messaging.outbox_samples(timestamptz) from public, anon, authenticated;
grant execute on function messaging.outbox_samples(timestamptz) to service_role;

-- Part of purge_expired: deletes deliveries after 30 days, and those of deleted endpoints, then the
-- endpoints; at most `max_rows` of each. Returns how many rows of the larger kind: below `max_rows`,
-- nothing is left.
create or replace function messaging.purge_event_deliveries(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  old_rows integer;
  orphans integer;
begin
  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select e.ctid from messaging.event_deliveries e
    where e.created_at <= clock - interval '30 days'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics old_rows = row_count;

  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select x.ctid
    from messaging.event_endpoints e
    join messaging.event_deliveries x on x.endpoint_id = e.id
    where e.deleted_at <= clock
    limit max_rows for update of x skip locked
  ));
  get diagnostics orphans = row_count;

  delete from messaging.event_endpoints e
  where e.deleted_at <= clock
    and not exists (select from messaging.event_deliveries d where d.endpoint_id = e.id);
  return greatest(old_rows, orphans);
end;
$$;
revoke all
on function messaging.purge_event_deliveries(integer, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.purge_event_deliveries(integer, timestamptz)
to service_role;

-- Makes deliveries of these events to an endpoint that the caller has locked. A delivery that exists
-- and is over becomes pending again, from the beginning of the schedule; one that is pending stays, and
-- is due now where nobody calls. Null `due_at`: as old as its event, so that deliveries leave in the
-- events' order.
create or replace function messaging.queue_event_deliveries(
  of_endpoint uuid,
  sequences bigint[],
  due_at timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.event_deliveries as d (
    endpoint_id, sequence, event_id, type, next_attempt_at
  )
  select of_endpoint, e.sequence, e.id, e.type, coalesce(due_at, e.recorded_at)
  from unnest(sequences) as named(sequence)
  join messaging.events e on e.sequence = named.sequence
  order by e.sequence
  on conflict on constraint event_deliveries_once do update
  set status = 'pending',
    tries = case when d.status = 'pending' then d.tries else 0 end,
    claim_token = case when d.status = 'pending' then d.claim_token end,
    next_attempt_at = case
      when d.status = 'pending' and d.claim_token is not null then d.next_attempt_at
      else clock_timestamp()
    end;
end;
$$;
revoke all
on function messaging.queue_event_deliveries(uuid, bigint[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.queue_event_deliveries(uuid, bigint[], timestamptz)
to service_role;

-- events-api: records `endpoint.test`, which the caller sends to the endpoint at once, whether it is
-- active or not, and then tells finish_endpoint_test. `request`: instanceId, endpointId, idempotency.
-- Returns {sequence, eventId, body, target} (see claim_event_deliveries), or {replayed}: the outcome of
-- the first call with the key. Errors: MI007, MI008, MI024.
create or replace function public.begin_endpoint_test(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
  event messaging.events;
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  perform messaging.hold_event_floor(endpoint.instance_id);
  insert into messaging.events (instance_id, type, data)
  values (
    endpoint.instance_id, 'endpoint.test', jsonb_build_object('endpointId', endpoint.id)
  )
  returning * into event;
  return jsonb_build_object(
    'sequence', event.sequence,
    'eventId', messaging.describe_event(event)->>'id',
    'body', messaging.describe_event(event)::text,
    'target', messaging.describe_event_target(endpoint)
  );
end;
$$;
revoke all on function public.begin_endpoint_test(jsonb) from public, anon, authenticated;
grant execute on function public.begin_endpoint_test(jsonb) to service_role;

-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it).
-- Returns {messages, nextDueInMs, isOutboxDue, webhooks}: nextDueInMs says in how long something is due
-- that was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work, webhooks what event_work says. Never waits for a lock: what another session holds is left for later.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  wake_up_at constant timestamptz := messaging.next_wake_up();
  max_paced integer;
  paced uuid[];
  unpaced uuid[];
begin
  -- An idle poll ends here: with claims that find nothing it took four times as long.
  if wake_up_at is null or wake_up_at > clock then
    return jsonb_build_object(
      'messages', jsonb '[]',
      'nextDueInMs', extract(epoch from wake_up_at - clock) * 1000,
      'isOutboxDue', false,
      'webhooks', messaging.event_work()
    );
  end if;
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced), 0), lease, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() ignores NULL, which must stay NULL.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from messaging.next_wake_up() as due(at)
    ),
    'isOutboxDue', exists (
      select from messaging.outbox o
      where o.settled_at is null and o.run_at <= (select clock_timestamp())
    ),
    'webhooks', messaging.event_work()
  );
end;
$$;
revoke all on function public.claim_due_messages(jsonb) from public, anon, authenticated;
grant execute on function public.claim_due_messages(jsonb) to service_role;

-- Makes the deliveries of what was recorded (fan_out_events), then claims due ones for a worker until
-- their lease ends; settle_event_deliveries requires the claim. Never waits for a lock.
-- `request`: maxDeliveries; leaseSeconds; perEndpoint and perFailingEndpoint, how many of one endpoint
-- whose last attempt succeeded, or did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery whose event is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  due uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  due := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.event_endpoints e
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active
    ) as waiting
    order by waiting.turn
    limit (request->>'maxDeliveries')::integer
  );
  if due = '{}' then
    return jsonb '{"deliveries": [], "targets": []}';
  end if;
  with claimed as (
    update messaging.event_deliveries d
    set claim_token = gen_random_uuid(),
      next_attempt_at = clock
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from messaging.events v
    where d.id = any (due) and v.sequence = d.sequence
    returning d.id, d.claim_token, d.endpoint_id, v as event
  ),
  gone as (
    update messaging.event_deliveries d
    set status = 'failed', next_attempt_at = null, claim_token = null
    where d.id = any (due)
      and not exists (select from messaging.events v where v.sequence = d.sequence)
  )
  select jsonb_build_object(
    'deliveries', coalesce(jsonb_agg(
      jsonb_build_object(
        'deliveryId', c.id,
        'claimToken', c.claim_token,
        'endpointId', c.endpoint_id,
        'eventId', messaging.describe_event(c.event)->>'id',
        'body', messaging.describe_event(c.event)::text
      )
      order by (c.event).sequence
    ), '[]'),
    'targets', coalesce((
      select jsonb_agg(messaging.describe_event_target(e))
      from messaging.event_endpoints e
      where e.id in (select t.endpoint_id from claimed t)
    ), '[]')
  )
  into answer
  from claimed c;
  return answer;
end;
$$;
revoke all on function public.claim_event_deliveries(jsonb) from public, anon, authenticated;
grant execute on function public.claim_event_deliveries(jsonb) to service_role;

-- events-api: a new endpoint, which takes the events from now on. `request`: instanceId, endpointId, url,
-- types (NULL for all), description, sealedSecret (also kept with the outcome, so that a repeated call
-- can be given the secret again), idempotency (see begin_idempotent).
-- The instance's row is locked while its endpoints are counted.
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI023 (there are 10).
create or replace function public.create_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform from messaging.instances i where i.id = of_instance for no key update;
  if (
    select count(*) >= 10 from messaging.event_endpoints e
    where e.instance_id = of_instance and e.deleted_at is null
  ) then
    raise exception using errcode = 'MI023', message = 'too_many_endpoints';
  end if;
  insert into messaging.event_endpoints (
    id, instance_id, url, types, description, sealed_secret, told_through
  )
  values (
    (request->>'endpointId')::uuid, of_instance, request->>'url',
    case when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
    end,
    request->>'description', request->>'sealedSecret', messaging.last_event(of_instance)
  )
  returning * into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;
revoke all on function public.create_event_endpoint(jsonb) from public, anon, authenticated;
grant execute on function public.create_event_endpoint(jsonb) to service_role;

-- admin-api: a new workspace. `request`: name, alertEmail, idempotency (see begin_idempotent).
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
  insert into messaging.workspaces (name, alert_email)
  values (request->>'name', nullif(request->>'alertEmail', ''))
  returning * into workspace;
  return messaging.keep_outcome(request, messaging.describe_workspace(workspace));
end;
$$;
revoke all on function public.create_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.create_workspace(jsonb) to service_role;

-- events-api: deletes an endpoint, its secrets at once, its deliveries at the next purge_expired: no
-- call shows them any more. `request`: instanceId, endpointId. Returns the endpoint. Error: MI024.
create or replace function public.delete_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  endpoint := messaging.find_event_endpoint(request);
  delete from messaging.event_replays r where r.endpoint_id = endpoint.id;
  update messaging.event_endpoints e
  set deleted_at = clock_timestamp(), is_active = false, sealed_secret = '',
    sealed_previous_secret = null, previous_secret_until = null
  where e.id = endpoint.id
  returning e.* into endpoint;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;
revoke all on function public.delete_event_endpoint(jsonb) from public, anon, authenticated;
grant execute on function public.delete_event_endpoint(jsonb) to service_role;

-- events-api: stores what came of a test, as a delivery that is over: it is not tried again, and says
-- nothing about the endpoint's other deliveries. `request`: instanceId, endpointId, sequence, result (see
-- settle_event_deliveries), idempotency.
-- Returns {delivered, status, error, durationMs}, or {replayed}. Errors: MI007, MI008.
create or replace function public.finish_endpoint_test(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  result constant jsonb := request->'result';
  is_delivered constant boolean :=
    coalesce((result->>'status')::integer between 200 and 299, false);
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.event_deliveries (endpoint_id, sequence, event_id, type, status, attempts)
  select e.id, v.sequence, v.id, v.type,
    case when is_delivered then 'delivered' else 'failed' end,
    jsonb_build_array(messaging.describe_attempt(result, clock_timestamp()))
  from messaging.event_endpoints e
  join messaging.events v on v.sequence = (request->>'sequence')::bigint
  where e.id = (request->>'endpointId')::uuid and e.deleted_at is null;
  return messaging.keep_outcome(request, jsonb_build_object(
    'delivered', is_delivered,
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs'
  ));
end;
$$;
revoke all on function public.finish_endpoint_test(jsonb) from public, anon, authenticated;
grant execute on function public.finish_endpoint_test(jsonb) to service_role;

-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;
revoke all on function public.get_event_endpoint(jsonb) from public, anon, authenticated;
grant execute on function public.get_event_endpoint(jsonb) to service_role;

-- admin-api: webhook endpoints with a secret that is sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{endpointId, sealedSecret, sealedPreviousSecret}], total, unreadable: [endpointId]}: the
-- last have a secret that is sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_endpoint_secrets_under_old_keys(request jsonb)
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
          jsonb_build_object(
            'endpointId', f.id,
            'sealedSecret', f.sealed_secret,
            'sealedPreviousSecret', f.sealed_previous_secret
          )
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select e.id, e.sealed_secret, e.sealed_previous_secret, seals.used <@ key_ids as is_readable,
        row_number() over (
          partition by seals.used <@ key_ids order by e.created_at, e.id
        ) as place
      from messaging.event_endpoints e
      cross join lateral (
        select array[
          split_part(e.sealed_secret, '.', 2),
          split_part(coalesce(e.sealed_previous_secret, e.sealed_secret), '.', 2)
        ] as used
      ) as seals
      where e.deleted_at is null and seals.used <> array[key_ids[1], key_ids[1]]
    ) as f
  );
end;
$$;
revoke all
on function public.list_endpoint_secrets_under_old_keys(jsonb)
from public, anon, authenticated;
grant execute on function public.list_endpoint_secrets_under_old_keys(jsonb) to service_role;

-- events-api: the deliveries to an endpoint, the newest event first, a page at a time.
-- `request`: instanceId, endpointId, status (NULL for any), limit, `after` {sequence} as returned in
-- `next`. Returns {items, next}. Error: MI024.
create or replace function public.list_event_deliveries(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  below constant bigint := coalesce(
    (request->'after'->>'sequence')::bigint, 9223372036854775807
  );
  found_rows messaging.event_deliveries[];
begin
  perform public.get_event_endpoint(request);
  found_rows := array(
    select d
    from messaging.event_deliveries d
    where d.endpoint_id = (request->>'endpointId')::uuid and d.sequence < below
      and (request->>'status' is null or d.status = request->>'status')
    order by d.sequence desc
    limit page_size + 1
  );
  return jsonb_build_object(
    'items', coalesce((
      select jsonb_agg(messaging.describe_event_delivery(d) order by d.sequence desc)
      from unnest(found_rows[:page_size]) as d
    ), '[]'),
    'next', case when cardinality(found_rows) > page_size
      then jsonb_build_object('sequence', found_rows[page_size].sequence)
    end
  );
end;
$$;
revoke all on function public.list_event_deliveries(jsonb) from public, anon, authenticated;
grant execute on function public.list_event_deliveries(jsonb) to service_role;

-- events-api: the endpoints of an instance, oldest first, a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_event_endpoints(request jsonb)
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
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_event_endpoint(r)
      )
      from messaging.event_endpoints r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and r.instance_id = (request->>'instanceId')::uuid and r.deleted_at is null
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_event_endpoints(jsonb) from public, anon, authenticated;
grant execute on function public.list_event_endpoints(jsonb) to service_role;

-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted uuid[] := array[of_instance];
  instances jsonb;
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'instanceId', i.id, 'name', i.name, 'waiting', c.waiting, 'inFlight', c.in_flight,
      'unconfirmed', c.unconfirmed, 'emails', c.emails, 'agentReplies', c.agent_replies
    )
    order by i.created_at, i.id
  ), '[]') into instances
  from (
    select u.instance_id,
      count(*) filter (where u.kind = 'waiting') as waiting,
      count(*) filter (where u.kind = 'in_flight') as in_flight,
      count(*) filter (where u.kind = 'unconfirmed') as unconfirmed,
      count(*) filter (where u.kind in ('assignment_email', 'endpoint_disabled_email')) as emails,
      count(*) filter (where u.kind = 'agent_reply') as agent_replies
    from (
      select m.instance_id, m.state as kind
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      union all
      select o.instance_id, o.kind
      from messaging.outbox_that_may_have_left(since, of_instance) as o
    ) as u
    group by u.instance_id
  ) as c
  join messaging.instances i on i.id = c.instance_id;
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', l.created_at, 'id', l.message_id,
        'record', jsonb_build_object(
          'messageId', l.message_id,
          'instanceId', l.instance_id,
          'contactId', m.contact_id,
          'messageType', m.message_type,
          'state', l.state,
          'dueAt', messaging.iso_in_zone(l.due_at, 'UTC'),
          'createdAt', messaging.iso_in_zone(l.created_at, 'UTC')
        )
      )
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as l
      cross join lateral (
        select p.contact_id, p.message_type from messaging.messages p
        where p.id = l.message_id
        offset 0
      ) as m
      where (l.created_at, l.message_id) > (page.after_at, page.after_id)
      order by l.created_at, l.message_id
      limit page.size + 1
    ),
    page.size
  ) || jsonb_build_object(
    'since', messaging.iso_in_zone(since, 'UTC'),
    'until', messaging.iso_in_zone(due_by, 'UTC'),
    'total', (
      select coalesce(sum(
        (i->>'waiting')::bigint + (i->>'inFlight')::bigint + (i->>'unconfirmed')::bigint
      ), 0)
      from jsonb_array_elements(instances) as i
    ),
    'acceptedSince', (
      select count(*)
      from unnest(wanted) as w(id)
      cross join lateral messaging.queue_of_instance(w.id) as q
      -- OFFSET 0: a join might begin with the messages of all tenants, of which few are so new.
      cross join lateral (
        select a.created_at from messaging.messages a
        where a.id = q.message_id
        offset 0
      ) as m
      where m.created_at > since
    ),
    'instances', instances
  );
end;
$$;
revoke all on function public.list_may_have_left(jsonb) from public, anon, authenticated;
grant execute on function public.list_may_have_left(jsonb) to service_role;

-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after 24 hours, provider events after 30 days, delivery events without a message
-- after 7 days, events after 30 days (see purge_events), webhook deliveries after 30 days and those of
-- deleted endpoints, done outbox rows after 7 days, dead outbox rows (a person should see them) after 90
-- days.
-- Messages, contacts, notes and logs belong to the user and stay.
-- Never waits for a lock. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from messaging.idempotency_keys k
  where k.ctid = any (array(
    select e.ctid from messaging.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select e.ctid from messaging.provider_events e
    where e.received_at <= clock - interval '30 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.unmatched_statuses s
  where s.ctid = any (array(
    select e.ctid from messaging.unmatched_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_event_deliveries(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;

-- admin-api: stores secrets of webhook endpoints that were sealed again. `request`: items [{endpointId,
-- formerSecret, formerPreviousSecret, sealedSecret, sealedPreviousSecret}]. Secrets that no longer equal
-- the former ones have been rotated meanwhile and stay.
-- Returns {replaced}: of how many endpoints.
create or replace function public.replace_endpoint_secrets(request jsonb)
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
  update messaging.event_endpoints e
  set sealed_secret = item."sealedSecret", sealed_previous_secret = item."sealedPreviousSecret"
  from jsonb_to_recordset(request->'items') as item(
    "endpointId" uuid, "formerSecret" text, "formerPreviousSecret" text, "sealedSecret" text,
    "sealedPreviousSecret" text
  )
  where e.id = item."endpointId" and e.sealed_secret = item."formerSecret"
    and e.sealed_previous_secret is not distinct from item."formerPreviousSecret";
  get diagnostics replaced = row_count;
  return jsonb_build_object('replaced', replaced);
end;
$$;
revoke all on function public.replace_endpoint_secrets(jsonb) from public, anon, authenticated;
grant execute on function public.replace_endpoint_secrets(jsonb) to service_role;

-- events-api: sends the events of a time to an endpoint once more, those of its types (and of `types`,
-- where given). The dispatcher makes the deliveries (fan_out_events). `request`: instanceId, endpointId,
-- since, until (NULL for now), types (NULL for all), idempotency (see begin_idempotent).
-- Returns {count}, or {replayed}. Errors: MI007, MI008, MI024, MI026 (not active).
create or replace function public.replay_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  since constant timestamptz := (request->>'since')::timestamptz;
  until constant timestamptz := coalesce((request->>'until')::timestamptz, clock_timestamp());
  types constant text[] := case
    when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
  end;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  horizon bigint;
  events record;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  horizon := messaging.event_horizon(endpoint.instance_id);
  select count(*) as amount, min(e.sequence) as first, max(e.sequence) as last
  into events
  from messaging.events e
  where e.instance_id = endpoint.instance_id and e.sequence <= horizon
    and e.recorded_at >= since and e.recorded_at <= until
    and e.type <> 'endpoint.test'
    and (endpoint.types is null or e.type = any (endpoint.types))
    and (types is null or e.type = any (types));
  if events.amount > 0 then
    insert into messaging.event_replays (endpoint_id, told_through, through, since, until, types)
    values (endpoint.id, events.first - 1, events.last, since, until, types);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object('count', events.amount));
end;
$$;
revoke all on function public.replay_events(jsonb) from public, anon, authenticated;
grant execute on function public.replay_events(jsonb) to service_role;

-- events-api: sends a delivery again, from the beginning of the schedule. One that is pending is due now.
-- `request`: instanceId, deliveryId, idempotency (see begin_idempotent).
-- Returns the delivery, or {replayed}. Errors: MI007, MI008, MI025 (no such delivery, or its event is
-- purged), MI026 (its endpoint is not active).
create or replace function public.resend_event_delivery(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  delivery messaging.event_deliveries;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select d.* into delivery
  from messaging.event_deliveries d
  where d.id = (request->>'deliveryId')::uuid;
  -- The endpoint is locked first, as everywhere.
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = delivery.endpoint_id and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found
    or not exists (select from messaging.events v where v.sequence = delivery.sequence) then
    raise exception using errcode = 'MI025', message = 'delivery_not_found';
  end if;
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  perform messaging.queue_event_deliveries(
    endpoint.id, array[delivery.sequence], clock_timestamp()
  );
  select d.* into delivery from messaging.event_deliveries d where d.id = delivery.id;
  return messaging.keep_outcome(request, messaging.describe_event_delivery(delivery));
end;
$$;
revoke all on function public.resend_event_delivery(jsonb) from public, anon, authenticated;
grant execute on function public.resend_event_delivery(jsonb) to service_role;

-- events-api: gives an endpoint a new secret; the former one signs too for gracePeriodSeconds. Of several
-- rotations within one period the last former secret counts. `request`: instanceId, endpointId,
-- sealedSecret (also kept with the outcome), gracePeriodSeconds, idempotency (see begin_idempotent).
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI024.
create or replace function public.rotate_endpoint_secret(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  grace constant interval := make_interval(secs => (request->>'gracePeriodSeconds')::integer);
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set sealed_secret = request->>'sealedSecret',
    sealed_previous_secret = case when grace > interval '0' then e.sealed_secret end,
    previous_secret_until = case when grace > interval '0' then clock_timestamp() + grace end,
    updated_at = clock_timestamp()
  where e.id = endpoint.id
  returning e.* into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;
revoke all on function public.rotate_endpoint_secret(jsonb) from public, anon, authenticated;
grant execute on function public.rotate_endpoint_secret(jsonb) to service_role;

-- Records what came of claimed deliveries. `request`: results [{deliveryId, claimToken, status (of HTTP,
-- NULL without an answer), error, durationMs, answer, retryAfterMs}].
-- 2xx is delivered. 410 disables the endpoint at once; so does a failure after 5 days of nothing but
-- failures. Else the delivery is tried again (see delivery_pause), and failed after the last time.
-- Results without a claim change nothing: another worker has taken the delivery over.
-- Locks the endpoints that change, by id, then the deliveries.
-- Returns {settled}: how many.
create or replace function public.settle_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  locked uuid[];
  outcomes jsonb;
  endpoint messaging.event_endpoints;
begin
  locked := array(
    select e.id
    from messaging.event_endpoints e
    where e.id in (
        select d.endpoint_id
        from messaging.event_results(request) r
        join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
        where r.is_gone or r.is_success = (e.failing_since is not null)
          or (not r.is_success and e.failing_since <= clock - interval '5 days')
      )
    order by e.id
    for no key update of e
  );
  with decided as (
    select d.id, r.is_success, r.is_gone, r.attempt,
      case
        when d.status = 'pending' and not r.is_success and not r.is_gone
          then messaging.delivery_pause(d.tries + 1, r.retry_after_ms)
      end as pause
    from messaging.event_results(request) r
    join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
    for no key update of d
  ),
  settled as (
    update messaging.event_deliveries d
    set status = case
        when x.is_success then 'delivered'
        when x.pause is null then 'failed'
        else 'pending'
      end,
      next_attempt_at = clock + x.pause,
      tries = d.tries + 1,
      attempts = case when jsonb_array_length(d.attempts) < 20 then d.attempts else d.attempts - 0 end
        || messaging.describe_attempt(x.attempt, clock),
      claim_token = null
    from decided x
    where d.id = x.id
    returning d.endpoint_id, x.is_success, x.is_gone
  )
  select jsonb_object_agg(o.endpoint_id, o.outcome) into outcomes
  from (
    select t.endpoint_id, jsonb_build_object(
      'settled', count(*), 'isSuccess', bool_or(t.is_success), 'isGone', bool_or(t.is_gone)
    ) as outcome
    from settled t
    group by t.endpoint_id
  ) as o;
  for endpoint in
    update messaging.event_endpoints e
    set failing_since = case
      when not (outcomes->e.id::text->>'isSuccess')::boolean then coalesce(e.failing_since, clock)
    end
    where e.id = any (locked) and outcomes ? e.id::text
    returning e.*
  loop
    if endpoint.is_active and (
      (outcomes->endpoint.id::text->>'isGone')::boolean
      or endpoint.failing_since <= clock - interval '5 days'
    ) then
      perform messaging.disable_event_endpoint(
        endpoint,
        case when (outcomes->endpoint.id::text->>'isGone')::boolean then 'gone' else 'failing' end
      );
    end if;
  end loop;
  return jsonb_build_object('settled', coalesce(
    (select sum((o.value->>'settled')::integer) from jsonb_each(outcomes) as o), 0
  ));
end;
$$;
revoke all on function public.settle_event_deliveries(jsonb) from public, anon, authenticated;
grant execute on function public.settle_event_deliveries(jsonb) to service_role;

-- events-api: changes an endpoint. `request`: instanceId, endpointId, changes {url, types, description,
-- isActive, each optional}. An endpoint that becomes active takes the events from now on; one that is no
-- longer active gives up what it waits for. Returns the endpoint. Error: MI024.
create or replace function public.update_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  former messaging.event_endpoints;
  endpoint messaging.event_endpoints;
begin
  former := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set url = coalesce(changes->>'url', e.url),
    types = case
      when changes ? 'types' then array(select jsonb_array_elements_text(changes->'types'))
      else e.types
    end,
    description = case
      when changes ? 'description' then nullif(changes->>'description', '') else e.description
    end,
    is_active = coalesce((changes->>'isActive')::boolean, e.is_active),
    -- Another address has not failed yet.
    failing_since = case
      when changes->>'url' <> e.url or (changes->>'isActive')::boolean and not e.is_active then null
      else e.failing_since
    end,
    updated_at = clock_timestamp()
  where e.id = former.id
  returning e.* into endpoint;
  if endpoint.is_active and not former.is_active then
    update messaging.event_endpoints e
    set disabled_reason = null, disabled_at = null,
      told_through = messaging.last_event(e.instance_id)
    where e.id = endpoint.id
    returning e.* into endpoint;
  elsif former.is_active and not endpoint.is_active then
    perform messaging.fail_pending_deliveries(endpoint.id);
    update messaging.event_endpoints e set disabled_at = clock_timestamp()
    where e.id = endpoint.id
    returning e.* into endpoint;
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;
revoke all on function public.update_event_endpoint(jsonb) from public, anon, authenticated;
grant execute on function public.update_event_endpoint(jsonb) to service_role;

-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, each optional; an
-- empty alertEmail removes it}. Returns the workspace. Error: MI013.
create or replace function public.update_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  workspace messaging.workspaces;
begin
  update messaging.workspaces w
  set name = coalesce(changes->>'name', w.name),
    alert_email = nullif(coalesce(changes->>'alertEmail', w.alert_email), '')
  where w.id = (request->>'workspaceId')::uuid
  returning w.* into workspace;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;
revoke all on function public.update_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.update_workspace(jsonb) to service_role;

alter table messaging.workspaces add column if not exists alert_email text;

comment on column messaging.workspaces.alert_email is
  'Who is told by e-mail what an operator must handle; NULL for nobody.';
