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
    samples = snapshot.samples, health = snapshot.health
  where s.is_only;
  return snapshot;
end;
$$;
