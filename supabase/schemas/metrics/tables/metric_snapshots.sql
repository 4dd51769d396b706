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
comment on column messaging.metric_snapshots.samples is
  'The samples as [name, labels, value], in the order in which they are reported.';
comment on column messaging.metric_snapshots.health is 'The answer of get_service_health.';
