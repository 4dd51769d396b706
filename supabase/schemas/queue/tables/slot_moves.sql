-- Stretches of an instance's paced queue whose slots a changed send window has yet to move: see
-- plan_slot_moves. The stretch with the highest place is moved first. Place -1 is no stretch: the whole
-- queue is still to be planned, see request_slot_plan.
create table messaging.slot_moves (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  place integer not null,
  from_at timestamptz not null,
  from_position bigint not null,
  until_at timestamptz not null,
  until_position bigint not null,
  left_at timestamptz,
  planned_at timestamptz not null,
  walk messaging.slot_walk,
  constraint slot_moves_pkey primary key (instance_id, place)
);
alter table messaging.slot_moves enable row level security;
comment on column messaging.slot_moves.until_at is
  'With until_position the first row after the stretch, by its slot as it was planned.';
comment on column messaging.slot_moves.left_at is
  'When the message before the stretch will have left; NULL where nothing before it moves.';
comment on column messaging.slot_moves.walk is
  'Where the instance has protection: the state of its slots before the stretch, see next_slot.';
