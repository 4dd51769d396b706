-- What an instance with protection has sent and promised, by its own (local) day. Changed only under the
-- instance's row of pacing, so that no two enqueues count past each other. Instances without protection
-- have no rows.
-- A waiting message counts on the day of its slot, also when that day is over: what is overdue takes the
-- next places, see begin_walk. A claim makes it sent on the day of the claim.
create table messaging.paced_days (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  day date not null,
  sent integer not null default 0,
  sent_new integer not null default 0,
  waiting integer not null default 0,
  waiting_new integer not null default 0,
  last_left_at timestamptz,
  starts_at timestamptz,
  is_over boolean not null default false,
  constraint paced_days_pkey primary key (instance_id, day)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.paced_days enable row level security;
comment on column messaging.paced_days.sent_new is
  'How many of them went to a contact to whom nothing had been sent and who had never written.';
comment on column messaging.paced_days.last_left_at is
  'When the message of the day''s last slot will have left.';
comment on column messaging.paced_days.starts_at is
  'Until when a message of the day before must have left, by the interval of the day''s first slot.';
comment on column messaging.paced_days.is_over is
  'A message found no time left on this day: the next ones go behind it, on a later day.';
-- A walk over an instance's slots, in order: see next_slot. The arrays are about its days, from
-- `first_day`; an instance without protection has none, and `last_left_at` says all.
create type messaging.slot_walk as (
  clock timestamptz,
  last_left_at timestamptz,
  opens_at timestamptz,
  closes_at timestamptz,
  jitter_seconds integer,
  daily_limit integer,
  new_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  first_day date,
  taken integer[],
  taken_new integer[],
  left_at timestamptz[],
  starts_at timestamptz[],
  is_over boolean[],
  opened_at timestamptz[],
  closed_at timestamptz[],
  known_from integer,
  known_reason text,
  new_from integer,
  new_reason text,
  slot timestamptz,
  day date,
  interval_seconds integer,
  held_by text
);
comment on column messaging.slot_walk.clock is
  'No slot lies before. A forecast moves it forward, never back.';
comment on column messaging.slot_walk.opens_at is
  'From here until closes_at the send window is known to be open; opened_at and closed_at say so of a day.';
comment on column messaging.slot_walk.known_from is
  'The first day, counted from 1, that may have a place for a known contact; new_from for a new one. The reasons say what closed the days before.';
