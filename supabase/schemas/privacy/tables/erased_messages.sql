-- Messages of erased persons, by a hash of an id that the provider or this service gave the message: a
-- webhook that comes late, or again, must not bring the person back. Kept for 30 days.
-- The ids are random, so their hash tells nothing.
create table messaging.erased_messages (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  id_hash bytea not null,
  erased_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id_hash)
);
create index erased_messages_age on messaging.erased_messages (erased_at);
alter table messaging.erased_messages enable row level security;
