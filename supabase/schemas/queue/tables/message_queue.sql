-- Messages that still have to leave, and messages in flight (with a claim). Settling deletes the row;
-- the outcome stays in messages.
-- A row is in one of two lanes. A paced row has a slot: a claim finds it through its instance's row of
-- dispatch, as the head of (instance_id, scheduled_at, position). An unpaced row is found by its own
-- visible_at, the visibility time-out: when it may be claimed, and while it is claimed the end of the
-- lease.
-- The foreign key is checked at commit: the slot is taken first, and the message is written with it.
-- The constraint is short, because Postgres parses it again for each statement that writes a row.
-- No index contains a claim column, so that the claim of a paced row is a heap-only update.
create table messaging.message_queue (
  message_id uuid primary key references messaging.messages (id)
    on delete cascade
    deferrable initially deferred,
  instance_id uuid not null,
  position bigint generated always as identity,
  lane text not null,
  scheduled_at timestamptz not null,
  visible_at timestamptz,
  interval_seconds integer not null default 0,
  max_attempts smallint not null default 6,
  attempts smallint not null default 0,
  claim_token uuid,
  lease_until timestamptz,
  echo jsonb,
  is_new boolean,
  counted_on date,
  goes_after uuid,
  departs_at timestamptz,
  follows_pace boolean not null default false,
  constraint message_queue_state
    check (
      (claim_token is null) = (lease_until is null)
      and lane = case
        when visible_at is null then 'paced'
        else 'unpaced'
      end
    )
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index message_queue_head on messaging.message_queue (instance_id, scheduled_at, position)
where lane = 'paced';
-- Not `where lane = 'unpaced'`, which means the same: a look-up of an instance's unpaced rows must not
-- find this index, which it would read from end to end.
create index message_queue_visible on messaging.message_queue (visible_at)
where visible_at is not null;
create index message_queue_scheduled on messaging.message_queue (
  instance_id,
  scheduled_at,
  position
)
where lane = 'unpaced';
-- Usually empty: what a group has in flight (see claim_instance_group), to be read from due_floor on.
create index message_queue_in_flight on messaging.message_queue (instance_id, visible_at)
where departs_at is not null;
alter table messaging.message_queue enable row level security;
-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.message_queue_position_seq to service_role;
comment on column messaging.message_queue.visible_at is
  'Of an unpaced row: no claim takes it before. NULL for a paced row, which its instance makes due.';
comment on column messaging.message_queue.echo is
  'A message event that came while this message was in flight and may be its echo: see match_echo.';
comment on column messaging.message_queue.is_new is
  'Whether it takes one of a day''s places for new contacts: see paced_days.';
comment on column messaging.message_queue.counted_on is
  'The day on which paced_days counts it as sent. NULL while it waits for its slot, or is not counted.';
comment on column messaging.message_queue.departs_at is
  'Of a message that was claimed in a group: when its call is to begin. Until it is settled it is in the unpaced lane. NULL for all others.';
comment on column messaging.message_queue.follows_pace is
  'Whether it was queued without an interval of its own: interval_seconds counts only where its instance has no pace.';
comment on column messaging.message_queue.max_attempts is
  '1 for an immediate send, which is tried once; 6 for all others: the first try and 5 more.';
comment on column messaging.message_queue.goes_after is
  'The message of the same answer before it: not claimed while that one still has to leave.';
