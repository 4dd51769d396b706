-- One row per contact: when something that reading it or its conversation shows has changed last, and
-- what its last message was. `updatedSince` reads it in the order of (updated_at, contact_id).
-- A table of its own: a send writes this narrow row, and contacts keep their small updates.
-- Has no foreign key to contacts: the row of a merged or erased contact stays, as its tombstone.
-- A row is added with its contact, by a trigger, whatever creates the contact. It is the last row that
-- a transaction locks, in the order of contact_id: a transaction that holds one waits for nothing but a rate limit.
create table messaging.contact_activity (
  contact_id uuid primary key,
  instance_id uuid not null,
  updated_at timestamptz not null,
  last_message_at timestamptz,
  awaits_reply boolean not null default false,
  merged_into uuid,
  erased_at timestamptz
);
create index contact_activity_updated on messaging.contact_activity (
  instance_id,
  updated_at,
  contact_id
);
create index contact_activity_awaits_reply on messaging.contact_activity (instance_id, contact_id)
where awaits_reply;
create index contact_activity_merged on messaging.contact_activity (merged_into)
where merged_into is not null;
alter table messaging.contact_activity enable row level security;
comment on column messaging.contact_activity.updated_at is
  'In whole milliseconds, taken as change_instant says: readers rely on its order.';
comment on column messaging.contact_activity.last_message_at is
  'When the last message was sent or received; a message that waits or has failed does not count.';
comment on column messaging.contact_activity.awaits_reply is
  'Whether the last message is the contact''s.';
comment on column messaging.contact_activity.merged_into is
  'The contact that this one was merged into: always a living one, never another tombstone.';
