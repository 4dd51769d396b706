-- When an instance's queue is due next, and its one paced message in flight. One row per instance:
-- that is what keeps two paced messages from leaving at once.
create table messaging.dispatch (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  next_due_at timestamptz not null default 'infinity',
  in_flight uuid,
  lease_until timestamptz,
  paced_from timestamptz not null default '-infinity',
  hold_until timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  operator_hold_until timestamptz not null default '-infinity',
  operator_held_at timestamptz,
  operator_hold_reason text,
  constraint dispatch_flight_has_a_lease check ((in_flight is null) = (lease_until is null))
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index dispatch_due on messaging.dispatch (next_due_at) where in_flight is null;
create index dispatch_leases on messaging.dispatch (lease_until) where in_flight is not null;
alter table messaging.dispatch enable row level security;
revoke all on table messaging.dispatch from public, anon, authenticated;
grant select, insert, update, delete on table messaging.dispatch to service_role;
comment on column messaging.dispatch.paced_from is
  'When the last paced message left; the next one leaves at least its interval later.';
comment on column messaging.dispatch.refused_at is
  'When the provider last refused the whole instance for good: see hold_for_refusal.';
comment on column messaging.dispatch.hold_until is
  'Set when the provider refuses the whole instance: nothing paced leaves before.';
comment on column messaging.dispatch.operator_hold_until is
  'Set by an operator: nothing that the dispatcher sends leaves before; infinity until it is released.';
