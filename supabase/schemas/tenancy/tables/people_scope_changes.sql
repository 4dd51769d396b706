-- Changes of a workspace's peopleScope that are under way: see change_people_scopes. What is said from the
-- change on follows it at once; this brings what was said before.
create table messaging.people_scope_changes (
  workspace_id uuid primary key references messaging.workspaces (id)
    on delete cascade,
  phase text not null default 'waiting',
  waits_for text[],
  instance_id uuid,
  after_at timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  done bigint not null default 0,
  total bigint,
  started_at timestamptz not null default clock_timestamp(),
  constraint people_scope_changes_phase_known
    check (phase in ('waiting', 'collecting', 'telling', 'forgetting'))
);
create index people_scope_changes_age on messaging.people_scope_changes (started_at);
alter table messaging.people_scope_changes enable row level security;
comment on column messaging.people_scope_changes.waits_for is
  'The transactions that may have read the former scope: the walk begins when they have ended. See hold_event_floor.';
comment on column messaging.people_scope_changes.instance_id is
  'Where the walk over contact_search is; after_at and after_id are its last row.';
comment on column messaging.people_scope_changes.done is
  'Rows of the phase so far: contacts, or words while it forgets; total is NULL where nobody has counted.';
