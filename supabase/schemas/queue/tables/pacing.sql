-- The last slot given out per instance. Simultaneous enqueues of an instance wait for this row. A
-- table of its own, so that an enqueue's lock does not hide a due instance from a claim.
create table messaging.pacing (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  last_slot_at timestamptz not null default '-infinity',
  is_protected boolean not null default false
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index pacing_protected on messaging.pacing (instance_id) where is_protected;
alter table messaging.pacing enable row level security;
comment on column messaging.pacing.is_protected is
  'Whether the instance has protection, so that paced_days holds the last slot of each day.';
