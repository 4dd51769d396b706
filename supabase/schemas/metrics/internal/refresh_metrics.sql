-- Returns the snapshot, and takes a new one where it is no longer fresh.
-- A snapshot stays fresh for twenty times as long as it took, 15 seconds at most: scrapes take at most
-- a twentieth of one processor, however often they come, and a snapshot that took little is taken anew
-- each time.
-- One session takes a snapshot at a time, under the lock of its row. Others return the former one while
-- that is at most 15 seconds old, else they wait.
create or replace function messaging.refresh_metrics()
returns messaging.metric_snapshots language plpgsql set search_path = '' as $$
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
    select * from messaging.bloat_samples(clock)
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
    samples = snapshot.samples, health = snapshot.health
  where s.is_only;
  return snapshot;
end;
$$;

-- Brings the counters up to `clock`, so that each total only grows.
-- A row is counted for good when it was settled over 30 seconds ago: a transaction that settles takes
-- 8 seconds at most, so none can still add an older one. What came since is counted anew each time and
-- only reported; `reported` is kept where a row has changed its state meanwhile.
-- Looks back one hour at most, to bound its cost: where nobody asks for longer, nothing of the time
-- before is counted. Returns until when all is counted.
create or replace function messaging.count_changes(counted_until timestamptz, clock timestamptz)
returns timestamptz language plpgsql set search_path = '' as $$
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

-- What was settled after `since` and until `until`, as additions to counters: messages sent, failed and
-- unconfirmed by provider, how late queued ones left, outbox rows by kind.
-- Lateness is counted for first attempts: a retry waits on purpose. Buckets are counted singly here, by
-- their upper bound `le`; Prometheus has each include those below.
-- Steps from instance to instance through messages_sent and messages_failures, so older messages
-- cost nothing.
create or replace function messaging.count_settled(since timestamptz, until timestamptz)
returns table (name text, labels jsonb, amount numeric) language sql stable set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
  ), failures as (
    select i.provider, m.status
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where m.status in ('failed', 'unconfirmed')
      and coalesce(m.failed_at, m.unconfirmed_at) > since
      and coalesce(m.failed_at, m.unconfirmed_at) <= until
  )
  select 'messaging_messages_sent_total', jsonb_build_object('provider', s.provider), count(*)
  from sent s
  group by s.provider
  union all
  select format('messaging_messages_%s_total', g.status),
    jsonb_build_object('provider', g.provider), count(*)
  from failures g
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

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `disconnected`, `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state language sql stable set search_path = '' as $$
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
    select i.id, i.provider, hold.held_by, hold.reason, hold.code, hold.ends_at,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case
          when q.first_unpaced <= clock
            and messaging.stopped_until(d) <= clock then q.first_unpaced
        end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join lateral messaging.instance_hold(d, clock, true) as hold on true
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.held_by = 'disconnected' then 'disconnected'
      when s.held_by is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.ends_at, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed, s.held_by, s.code, s.reason
  from states s;
$$;

-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[], clock timestamptz
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  with instances as (
    select count(*) as total, count(*) filter (where s.status = 'held') as held,
      count(*) filter (where s.status = 'disconnected') as disconnected,
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
    'status', case
      when i.late > 0 then 'late'
      when i.disconnected > 0 then 'disconnected'
      when i.held > 0 then 'held'
      else 'ok'
    end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'disconnected', i.disconnected, 'late', i.late, 'unconfirmed', i.with_unconfirmed
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
        'name', a.name,
        'status', a.status,
        'heldBy', a.held_by,
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) || messaging.shown_hold(a.hold_reason, a.hold_code, a.hold_until, 'UTC') order by a.place)
      from (
        select s.*, i.name, row_number() over (
          order by s.status = 'late' desc, s.status = 'disconnected' desc, s.status = 'held' desc,
            s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        join messaging.instances i on i.id = s.instance_id
        where s.status <> 'ok' or s.unconfirmed > 0
      ) as a
      where a.place <= 20
    ), '[]')
  )
  from instances i
  cross join outbox o;
$$;

-- The samples about instances: sums by provider, and one sample each for the hundred instances that
-- need attention most (held or disconnected, late the longest, most unconfirmed, longest queue). All others together
-- have the instance `other`, so the number of series does not grow with the number of instances. What a person
-- holds on purpose is apart from what its provider or this service holds: only the latter is a fault.
create or replace function messaging.instance_samples(
  states messaging.instance_state[], clock timestamptz
) returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
as $$
  with states as materialized (
    select s.*, extract(epoch from clock - s.oldest_due) as due_seconds,
      -- This service holds too, as an operator does, and says why: see hold_suspects and hold_promoted.
      coalesce(
        s.held_by = 'operator_hold'
          and coalesce(s.hold_reason, '') not in ('suspect', 'database_promoted'),
        false
      ) as is_held_by_person
    from unnest(states) as s
  ), ranked as (
    select s.*, row_number() over (
      order by s.status in ('held', 'disconnected') desc, s.oldest_due nulls last, s.unconfirmed desc, s.waiting desc,
        s.instance_id
    ) as place
    from states s
  ), named as (
    select case when r.place <= 100 then r.instance_id::text else 'other' end as instance,
      sum(r.waiting) as waiting, sum(r.unconfirmed) as unconfirmed,
      count(*) filter (where r.status = 'held' and not r.is_held_by_person) as held,
      count(*) filter (where r.is_held_by_person) as held_by_person,
      count(*) filter (where r.status = 'disconnected') as disconnected, max(r.due_seconds) as due_seconds
    from ranked r
    group by 1
  )
  select 'messaging_instances', jsonb_build_object('provider', p.provider, 'status', k.status),
    count(*) filter (where s.status = k.status)
  from (select distinct s.provider from states s) as p
  cross join (values ('ok'), ('late'), ('held'), ('disconnected')) as k(status)
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
    ('messaging_instance_held', n.held),
    ('messaging_instance_operator_hold', n.held_by_person),
    ('messaging_instance_disconnected', n.disconnected)
  ) as k(name, value);
$$;

-- How far the newest 20 messages that each instance has sent in the last hour have come: `sent`,
-- `delivered` or `read`. A sample, so that an hour of heavy traffic costs no more than a quiet one.
create or replace function messaging.recent_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
set enable_seqscan = off as $$
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

-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
set enable_seqscan = off as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from unnest(messaging.outbox_kinds()) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;

-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
-- Over 80 lines: one row for each counter.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
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
    from unnest(messaging.outbox_kinds()) as k(kind)
    cross join (values ('done'), ('dead')) as s(status)
    union all
    (
      select 'messaging_unknown_webhook_fields_total',
        jsonb_build_object('provider', p.provider, 'field', 'other')
      from providers p
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_unknown_webhook_fields_total'
    )
    union all
    (
      select 'messaging_deprecated_calls_total', '{"deprecated": "none", "token_id": "none"}'::jsonb
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_deprecated_calls_total'
    )
    union all
    (
      select 'messaging_estimated_cost_total',
        jsonb_build_object('currency', t.currency, 'category', k.category)
      from messaging.rate_tables t
      cross join unnest(messaging.priced_categories()) as k(category)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_estimated_cost_total'
    )
    union all
    (
      select 'messaging_delivered_messages_total',
        jsonb_build_object('category', k.category, 'billing', b.billing)
      from unnest(messaging.priced_categories()) as k(category)
      cross join (values ('charged'), ('free'), ('unknown')) as b(billing)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_delivered_messages_total'
    )
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

-- The upper bounds of the buckets of messaging_dispatch_lateness_seconds, in seconds; beyond the last
-- one there is `+Inf`.
create or replace function messaging.lateness_bounds()
returns numeric[] language sql immutable parallel safe set search_path = '' as $$
  select array[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200]
$$;

-- The samples about dead rows: how many the hot tables have, and what keeps VACUUM from removing them or
-- Postgres from removing its log. Reads the server's statistics and the sizes of files, never a table's rows.
create or replace function messaging.bloat_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
as $$
  with tables as materialized (
    select t.name as table_name, c.oid
    from unnest(messaging.hot_tables()) as t(name)
    join pg_catalog.pg_class c on c.relname = t.name
      and c.relnamespace = 'messaging'::regnamespace
  )
  select 'messaging_table_dead_rows', jsonb_build_object('table', t.table_name),
    pg_stat_get_dead_tuples(t.oid)
  from tables t
  union all
  select 'messaging_table_bytes', jsonb_build_object('table', t.table_name),
    pg_total_relation_size(t.oid)
  from tables t
  union all
  select k.name, k.labels, k.value
  from messaging.session_ages(clock) as a
  cross join lateral (values
    ('messaging_oldest_transaction_seconds', '{}'::jsonb, a.transaction_seconds),
    ('messaging_oldest_snapshot_seconds', '{}', a.snapshot_seconds),
    ('messaging_vacuum_held_transactions', '{"holder": "session"}', a.held_transactions)
  ) as k(name, labels, value)
  where k.value is not null
  union all
  select 'messaging_vacuum_held_transactions', '{"holder": "prepared_transaction"}',
    coalesce(max(age(p.transaction)), 0)
  from pg_catalog.pg_prepared_xacts p
  union all
  select 'messaging_vacuum_held_transactions', '{"holder": "replication_slot"}',
    coalesce(max(age(s.xmin)), 0)
  from pg_catalog.pg_replication_slots s
  union all
  select 'messaging_replication_slot_lag_bytes', '{}',
    coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)), 0)
  from pg_catalog.pg_replication_slots s;
$$;

-- Of all other sessions: how long the oldest transaction is open, how long the oldest that keeps VACUUM from
-- removing rows (it holds a snapshot, or has written), and how many transactions have begun since what such
-- sessions may still see. The last also counts standbys with hot_standby_feedback. 0 where there is none; NULL
-- where the owner may not see other roles' sessions (it lacks pg_read_all_stats).
-- Runs as its owner, because service_role sees no other role's sessions. It tells nothing but these ages.
create or replace function messaging.session_ages(clock timestamptz)
returns table (transaction_seconds numeric, snapshot_seconds numeric, held_transactions integer)
language sql stable security definer set search_path = '' as $$
  select coalesce(max(a.seconds), 0), coalesce(max(a.seconds) filter (where a.held is not null), 0),
    coalesce(max(a.held), 0)
  from (
    select extract(epoch from clock - s.xact_start) as seconds,
      greatest(age(s.backend_xmin), age(s.backend_xid)) as held
    from pg_catalog.pg_stat_activity s
    where s.pid <> pg_backend_pid() and s.backend_type in ('client backend', 'walsender')
  ) as a
  having pg_has_role(current_user, 'pg_read_all_stats', 'usage');
$$;
