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
comment on column messaging.event_deliveries.sequence is
  'Of the event, which may be purged before.';
comment on column messaging.event_deliveries.tries is
  'Attempts since it became pending: its place in the schedule, see delivery_pause.';
comment on column messaging.event_deliveries.attempts is
  'The last 20 attempts: [{at, status, error, durationMs, answer}].';
