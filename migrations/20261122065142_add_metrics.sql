set local check_function_bodies = off;

-- Whether one instance's messages go out: see instance_states. refresh_metrics passes arrays of it.
create type messaging.instance_state as (
  instance_id uuid,
  provider text,
  status text,
  hold_until timestamptz,
  oldest_due timestamptz,
  waiting bigint,
  in_flight bigint,
  unconfirmed bigint
);

-- Totals of what happened, for Prometheus: they only grow, also while rows are purged. Sends and
-- webhooks never write here: refresh_metrics counts the rows that were settled since it last looked.
create table messaging.metric_counters (
  name text not null,
  labels jsonb not null default '{}',
  counted numeric not null default 0,
  reported numeric not null default 0,
  changed_at timestamptz not null default now(),
  constraint metric_counters_pkey primary key (name, labels)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.metric_counters enable row level security;
revoke all on table messaging.metric_counters from public, anon, authenticated;
grant select, insert, update, delete on table messaging.metric_counters to service_role;
comment on column messaging.metric_counters.counted is
  'What has certainly been counted once: everything until metric_snapshots.counted_until.';
comment on column messaging.metric_counters.reported is
  'The total as last reported, with what has happened since. Never lowered.';

-- What the last refresh_metrics has found. One row, so that simultaneous scrapes share it.
create table messaging.metric_snapshots (
  is_only boolean primary key default true,
  counted_until timestamptz not null default '-infinity',
  taken_at timestamptz not null default '-infinity',
  fresh_until timestamptz not null default '-infinity',
  refresh_seconds double precision not null default 0,
  samples jsonb,
  health jsonb,
  constraint metric_snapshots_one_row check (is_only)
)
with (fillfactor = 50);
alter table messaging.metric_snapshots enable row level security;
revoke all on table messaging.metric_snapshots from public, anon, authenticated;
grant select, insert, update, delete on table messaging.metric_snapshots to service_role;
comment on column messaging.metric_snapshots.samples is
  'The samples as [name, labels, value], in the order in which they are reported.';
comment on column messaging.metric_snapshots.health is 'The answer of get_service_health.';

-- Brings the counters up to `clock`, so that each total only grows.
-- A row is counted for good when it was settled over 30 seconds ago: a transaction that settles takes
-- 8 seconds at most, so none can still add an older one. What came since is counted anew each time and
-- only reported; `reported` is kept where a row has changed its state meanwhile.
-- Looks back one hour at most, to bound its cost: where nobody asks for longer, nothing of the time
-- before is counted. Returns until when all is counted.
create or replace function messaging.count_changes(counted_until timestamptz, clock timestamptz)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  since constant timestamptz := greatest(counted_until, clock - interval '1 hour');
  until constant timestamptz := greatest(since, clock - interval '30 seconds');
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, coalesce(sum(s.amount) filter (where s.is_final), 0), sum(s.amount)
  from (
    select f.name, f.labels, f.amount, true as is_final
    from messaging.count_settled(since, until) f
    union all
    select r.name, r.labels, r.amount, false
    from messaging.count_settled(until, clock) r
  ) as s
  group by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.reported),
    changed_at = clock;
  return until;
end;
$$;
revoke all
on function messaging.count_changes(timestamptz, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.count_changes(timestamptz, timestamptz) to service_role;

-- Adds to a counter that has no labels. Locks its row until commit, so call it last, and never for a
-- send: simultaneous calls wait for each other.
create or replace function messaging.count_metric(counter text, amount bigint)
returns void
language sql
set search_path = ''
as $$
  insert into messaging.metric_counters as c (name, counted, reported)
  values (counter, amount, amount)
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
$$;
revoke all on function messaging.count_metric(text, bigint) from public, anon, authenticated;
grant execute on function messaging.count_metric(text, bigint) to service_role;

-- What was settled after `since` and until `until`, as additions to counters: messages sent, failed and
-- unconfirmed by provider, how late queued ones left, outbox rows by kind.
-- Lateness is counted for first attempts: a retry waits on purpose. Buckets are counted singly here, by
-- their upper bound `le`; Prometheus has each include those below.
-- Steps from instance to instance through messages_sent and messages_gone_wrong, so older messages
-- cost nothing.
create or replace function messaging.count_settled(since timestamptz, until timestamptz)
returns table (name text, labels jsonb, amount numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with sent as materialized (
    select i.provider,
      case
        when m.mode in ('queued', 'scheduled') and m.attempts <= 1
          then greatest(extract(epoch from m.sent_at - m.scheduled_for), 0)
      end as late_seconds
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where m.direction = 'outbound' and m.sent_at is not null and m.status <> 'failed'
      and m.sent_at > since and m.sent_at <= until and not m.is_typed_on_phone
  ), gone_wrong as (
    select i.provider,
      case when m.failed_at is null then 'unconfirmed' else 'failed' end as status
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where coalesce(m.failed_at, m.unconfirmed_at) > since
      and coalesce(m.failed_at, m.unconfirmed_at) <= until
  )
  select 'messaging_messages_sent_total', jsonb_build_object('provider', s.provider), count(*)
  from sent s
  group by s.provider
  union all
  select format('messaging_messages_%s_total', g.status),
    jsonb_build_object('provider', g.provider), count(*)
  from gone_wrong g
  group by g.provider, g.status
  union all
  select 'messaging_dispatch_lateness_seconds_bucket',
    jsonb_build_object('provider', s.provider, 'le', coalesce(bucket.bound::text, '+Inf')), count(*)
  from sent s
  cross join lateral (
    select min(b.bound) from unnest(messaging.lateness_bounds()) as b(bound)
    where b.bound >= s.late_seconds
  ) as bucket(bound)
  where s.late_seconds is not null
  group by s.provider, bucket.bound
  union all
  select 'messaging_dispatch_lateness_seconds_sum',
    jsonb_build_object('provider', s.provider), round(sum(s.late_seconds), 3)
  from sent s
  where s.late_seconds is not null
  group by s.provider
  union all
  select 'messaging_outbox_settled_total',
    jsonb_build_object('kind', o.kind, 'status', o.status), count(*)
  from messaging.outbox o
  where o.status in ('done', 'dead') and o.settled_at > since and o.settled_at <= until
  group by o.kind, o.status;
$$;
revoke all
on function messaging.count_settled(timestamptz, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.count_settled(timestamptz, timestamptz) to service_role;

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
    from (values ('assignment_email'), ('agent_reply')) as k(kind)
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

-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[],
  clock timestamptz
)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with instances as (
    select count(*) as total, count(*) filter (where s.status = 'held') as held,
      count(*) filter (where s.status = 'late') as late,
      count(*) filter (where s.unconfirmed > 0) as with_unconfirmed,
      coalesce(sum(s.waiting), 0) as waiting, coalesce(sum(s.in_flight), 0) as in_flight,
      coalesce(sum(s.unconfirmed), 0) as unconfirmed, min(s.oldest_due) as oldest_due
    from unnest(states) as s
  ), outbox as (
    select
      (select count(*) from messaging.outbox o where o.settled_at is null) as pending,
      (select count(*) from messaging.outbox o where o.status = 'dead') as dead,
      (
        select min(o.run_at) from messaging.outbox o
        where o.settled_at is null and o.run_at <= clock
      ) as oldest_due
  )
  select jsonb_build_object(
    'status', case when i.late > 0 then 'late' when i.held > 0 then 'held' else 'ok' end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'late', i.late, 'unconfirmed', i.with_unconfirmed
    ),
    'messages', jsonb_build_object(
      'queueDepth', i.waiting,
      'inFlight', i.in_flight,
      'unconfirmed', i.unconfirmed,
      'oldestDueAt', messaging.iso_in_zone(i.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - i.oldest_due))
    ),
    'outbox', jsonb_build_object(
      'pending', o.pending,
      'dead', o.dead,
      'oldestDueAt', messaging.iso_in_zone(o.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - o.oldest_due))
    ),
    'database', jsonb_build_object('sizeBytes', pg_database_size(current_database())),
    'attention', coalesce((
      select jsonb_agg(jsonb_build_object(
        'instanceId', a.instance_id,
        'status', a.status,
        'heldUntil', messaging.iso_in_zone(a.hold_until, 'UTC'),
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) order by a.place)
      from (
        select s.*, row_number() over (
          order by s.status = 'late' desc, s.status = 'held' desc, s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        where s.status <> 'ok' or s.unconfirmed > 0
      ) as a
      where a.place <= 20
    ), '[]')
  )
  from instances i
  cross join outbox o;
$$;
revoke all
on function messaging.describe_service_health(messaging.instance_state[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.describe_service_health(messaging.instance_state[], timestamptz)
to service_role;

-- The samples about instances: sums by provider, and one sample each for the hundred instances that
-- need attention most (held, late the longest, most unconfirmed, longest queue). All others together
-- have the instance `other`, so the number of series does not grow with the number of instances.
create or replace function messaging.instance_samples(
  states messaging.instance_state[],
  clock timestamptz
)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with states as materialized (
    select s.*, extract(epoch from clock - s.oldest_due) as due_seconds
    from unnest(states) as s
  ), ranked as (
    select s.*, row_number() over (
      order by s.status = 'held' desc, s.oldest_due nulls last, s.unconfirmed desc, s.waiting desc,
        s.instance_id
    ) as place
    from states s
  ), named as (
    select case when r.place <= 100 then r.instance_id::text else 'other' end as instance,
      sum(r.waiting) as waiting, sum(r.unconfirmed) as unconfirmed,
      count(*) filter (where r.status = 'held') as held, max(r.due_seconds) as due_seconds
    from ranked r
    group by 1
  )
  select 'messaging_instances', jsonb_build_object('provider', p.provider, 'status', k.status),
    count(*) filter (where s.status = k.status)
  from (select distinct s.provider from states s) as p
  cross join (values ('ok'), ('late'), ('held')) as k(status)
  join states s on s.provider = p.provider
  group by p.provider, k.status
  union all
  select 'messaging_queue_messages', jsonb_build_object('provider', s.provider, 'state', k.state),
    sum(case k.state when 'waiting' then s.waiting else s.in_flight end)
  from states s
  cross join (values ('waiting'), ('in_flight')) as k(state)
  group by s.provider, k.state
  union all
  select 'messaging_unconfirmed_messages', jsonb_build_object('provider', s.provider),
    sum(s.unconfirmed)
  from states s
  group by s.provider
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "message"}'::jsonb,
    coalesce(max(s.due_seconds), 0)
  from states s
  union all
  select k.name, jsonb_build_object('instance_id', n.instance), k.value
  from named n
  cross join lateral (values
    ('messaging_instance_queue_messages', n.waiting),
    ('messaging_instance_unconfirmed_messages', n.unconfirmed),
    ('messaging_instance_oldest_due_seconds', coalesce(n.due_seconds, 0)),
    ('messaging_instance_held', n.held)
  ) as k(name, value);
$$;
revoke all
on function messaging.instance_samples(messaging.instance_state[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.instance_samples(messaging.instance_state[], timestamptz)
to service_role;

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state
language sql
stable
set search_path = ''
as $$
  with queues as materialized (
    select q.instance_id, count(*) filter (where q.claim_token is null) as waiting,
      count(q.claim_token) as in_flight, min(q.lease_until) as first_lease_end,
      min(q.scheduled_at) filter (where q.lane = 'unpaced' and q.claim_token is null)
        as first_unpaced
    from messaging.message_queue q
    group by q.instance_id
  ), unconfirmed as materialized (
    select m.instance_id, count(*) as messages
    from messaging.messages m
    where m.status = 'unconfirmed'
    group by m.instance_id
  ), states as (
    select i.id, i.provider, nullif(greatest(d.hold_until, clock), clock) as hold_until,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case when q.first_unpaced <= clock then q.first_unpaced end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.hold_until is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.hold_until, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed
  from states s;
$$;
revoke all on function messaging.instance_states(timestamptz) from public, anon, authenticated;
grant execute on function messaging.instance_states(timestamptz) to service_role;

-- The upper bounds of the buckets of messaging_dispatch_lateness_seconds, in seconds; beyond the last
-- one there is `+Inf`.
create or replace function messaging.lateness_bounds()
returns numeric[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select array[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200]
$$;
revoke all on function messaging.lateness_bounds() from public, anon, authenticated;
grant execute on function messaging.lateness_bounds() to service_role;

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
  from (values ('assignment_email'), ('agent_reply')) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;
revoke all on function messaging.outbox_samples(timestamptz) from public, anon, authenticated;
grant execute on function messaging.outbox_samples(timestamptz) to service_role;

-- How far the newest 20 messages that each instance has sent in the last hour have come: `sent`,
-- `delivered` or `read`. A sample, so that an hour of heavy traffic costs no more than a quiet one.
create or replace function messaging.recent_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with newest as materialized (
    select i.provider, m.status
    from messaging.instances i
    cross join lateral (
      select m.status from messaging.messages m
      where m.instance_id = i.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed' and m.sent_at > clock - interval '1 hour'
      order by m.sent_at desc
      limit 20
    ) as m
  )
  select 'messaging_recent_messages',
    jsonb_build_object('provider', p.provider, 'status', k.status),
    (select count(*) from newest n where n.provider = p.provider and n.status = k.status)
  from (select distinct i.provider from messaging.instances i) as p
  cross join (values ('sent'), ('delivered'), ('read')) as k(status);
$$;
revoke all on function messaging.recent_samples(timestamptz) from public, anon, authenticated;
grant execute on function messaging.recent_samples(timestamptz) to service_role;

-- Returns the snapshot, and takes a new one where it is no longer fresh.
-- A snapshot stays fresh for twenty times as long as it took, 15 seconds at most: scrapes take at most
-- a twentieth of one processor, however often they come, and a snapshot that took little is taken anew
-- each time.
-- One session takes a snapshot at a time, under the lock of its row. Others return the former one while
-- that is at most 15 seconds old, else they wait.
create or replace function messaging.refresh_metrics()
returns messaging.metric_snapshots
language plpgsql
set search_path = ''
as $$
declare
  clock timestamptz := clock_timestamp();
  snapshot messaging.metric_snapshots;
  states messaging.instance_state[];
begin
  select s.* into snapshot from messaging.metric_snapshots s;
  if clock between snapshot.taken_at and snapshot.fresh_until then
    return snapshot;
  end if;
  if snapshot is null then
    insert into messaging.metric_snapshots default values on conflict do nothing;
  end if;
  if clock < snapshot.taken_at + interval '15 seconds' then
    perform from messaging.metric_snapshots s for update skip locked;
    if not found then
      return snapshot;
    end if;
  end if;
  select s.* into strict snapshot from messaging.metric_snapshots s for update;
  -- Another session may have taken one while this one waited.
  clock := clock_timestamp();
  if clock between snapshot.taken_at and snapshot.fresh_until then
    return snapshot;
  end if;
  snapshot.counted_until := messaging.count_changes(snapshot.counted_until, clock);
  states := array(select s from messaging.instance_states(clock) as s);
  snapshot.health := messaging.describe_service_health(states, clock);
  select jsonb_agg(jsonb_build_array(s.name, s.labels, s.value)) into snapshot.samples
  from (
    select * from messaging.instance_samples(states, clock)
    union all
    select * from messaging.recent_samples(clock)
    union all
    select * from messaging.outbox_samples(clock)
    union all
    select * from messaging.counter_samples()
    union all
    select 'messaging_database_bytes', '{}', (snapshot.health->'database'->>'sizeBytes')::numeric
  ) as s;
  snapshot.taken_at := clock;
  snapshot.refresh_seconds := extract(epoch from clock_timestamp() - clock);
  snapshot.fresh_until := clock
    + make_interval(secs => least(20 * snapshot.refresh_seconds, 15));
  update messaging.metric_snapshots s
  set counted_until = snapshot.counted_until, taken_at = snapshot.taken_at,
    fresh_until = snapshot.fresh_until, refresh_seconds = snapshot.refresh_seconds,
    samples = snapshot.samples, health = snapshot.health;
  return snapshot;
end;
$$;
revoke all on function messaging.refresh_metrics() from public, anon, authenticated;
grant execute on function messaging.refresh_metrics() to service_role;

-- Ends claims whose lease is over. Their worker died before it recorded the outcome, so it is unknown
-- whether the provider was called: the message becomes `unconfirmed` and is not sent again by itself.
-- Ends at most `request`.maxMessages a call. Returns {expired}: how many. Every run of the dispatcher
-- calls this, so it also counts the runs: metrics shows when the last one was.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.expire_claims(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  expired jsonb;
  settled integer := 0;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is not null
      order by q.visible_at
      limit (request->>'maxMessages')::integer
    )
  )
  select jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was sending this message ended before it recorded the outcome.'
    )
  )) into expired
  from lapsed
  join messaging.message_queue q on q.message_id = any (array[lapsed.message_id])
  where q.claim_token is not null and q.lease_until <= clock;
  if expired is null then
    -- A message in flight that was deleted with its contact is never settled: release its instance.
    perform messaging.release_instances(array_agg(jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object('message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced')
    )))
    from messaging.dispatch d
    where d.in_flight is not null and d.lease_until <= clock
      and not exists (select from messaging.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
  else
    settled := jsonb_array_length(
      public.settle_messages(jsonb_build_object('results', expired))->'settled'
    );
    perform messaging.count_metric('messaging_claim_expiries_total', settled);
  end if;
  perform messaging.count_metric('messaging_maintenance_runs_total', 1);
  return jsonb_build_object('expired', settled);
end;
$$;
revoke all on function public.expire_claims(jsonb) from public, anon, authenticated;
grant execute on function public.expire_claims(jsonb) to service_role;

-- admin-api: whether the service's messages go out, over all instances, at most 15 seconds old.
-- `request` is empty. Returns, with instants in UTC: status, checkedAt, instances {total, held, late,
-- unconfirmed}, messages {queueDepth, inFlight, unconfirmed, oldestDueAt, oldestDueSeconds}, outbox
-- {pending, dead, oldestDueAt, oldestDueSeconds}, database {sizeBytes}, attention [{instanceId, status,
-- heldUntil, oldestDueSeconds, queueDepth, unconfirmed}].
-- `status`: `late` when an instance is, else `held` when one is, else `ok`: see get_instance_health.
create or replace function public.get_service_health(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  select s.health from messaging.refresh_metrics() as s;
$$;
revoke all on function public.get_service_health(jsonb) from public, anon, authenticated;
grant execute on function public.get_service_health(jsonb) to service_role;

-- metrics: the samples for Prometheus, at most 15 seconds old. `request` is empty. Returns {samples}:
-- [name, labels, value] each, those of one metric together.
create or replace function public.read_metrics(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  snapshot constant messaging.metric_snapshots := messaging.refresh_metrics();
begin
  return jsonb_build_object(
    'samples', snapshot.samples || jsonb_build_array(
      jsonb_build_array('messaging_snapshot_age_seconds', '{}'::jsonb, round(
        greatest(extract(epoch from clock_timestamp() - snapshot.taken_at), 0), 3
      )),
      jsonb_build_array(
        'messaging_snapshot_duration_seconds', '{}'::jsonb, snapshot.refresh_seconds
      )
    )
  );
end;
$$;
revoke all on function public.read_metrics(jsonb) from public, anon, authenticated;
grant execute on function public.read_metrics(jsonb) to service_role;

revoke all on sequence messaging.message_queue_position_seq from public, anon, authenticated, service_role;

-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.message_queue_position_seq to service_role;

revoke all on sequence messaging.provider_events_id_seq from public, anon, authenticated, service_role;

-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.provider_events_id_seq to service_role;
