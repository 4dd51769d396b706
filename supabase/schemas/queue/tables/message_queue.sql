-- Messages that still have to leave, and those in flight (with a claim). Settled rows are gone:
-- their story is in messages.
-- Paced rows (due_at is null) are found through their instance's dispatch row, as the head of
-- (instance_id, scheduled_at, position); unpaced ones by due_at, which is the end of the lease
-- while they are claimed. The foreign key is checked at commit: the slot is taken first, and the
-- message is written with it. The claim columns stand in no index, so that a claim is a heap-only update.
create table messaging.message_queue (
  message_id uuid primary key references messaging.messages (id) on delete cascade
    deferrable initially deferred,
  instance_id uuid not null,
  position bigint generated always as identity,
  scheduled_at timestamptz not null,
  due_at timestamptz,
  interval_seconds integer not null default 0,
  max_attempts smallint not null default 6,
  attempts smallint not null default 0,
  claim_token uuid,
  lease_until timestamptz,
  echo jsonb,
  constraint message_queue_claim_has_a_lease check ((claim_token is null) = (lease_until is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index message_queue_head on messaging.message_queue (instance_id, scheduled_at, position)
  where due_at is null;
create index message_queue_due on messaging.message_queue (due_at) where due_at is not null;
create index message_queue_scheduled on messaging.message_queue (instance_id, scheduled_at, position)
  where due_at is not null;
alter table messaging.message_queue enable row level security;
revoke all on table messaging.message_queue from public, anon, authenticated;
grant select, insert, update, delete on table messaging.message_queue to service_role;
comment on column messaging.message_queue.echo is
  'A message event that came while this one was in flight and may be its echo: see match_echo.';
comment on column messaging.message_queue.max_attempts is
  '1 for an immediate send, which is tried once; 6 for all else: the first try and 5 more.';
