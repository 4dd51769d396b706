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
comment on column messaging.metric_counters.counted is
  'What has certainly been counted once: everything until metric_snapshots.counted_until.';
comment on column messaging.metric_counters.reported is
  'The total as last reported, with what has happened since. Never lowered.';
