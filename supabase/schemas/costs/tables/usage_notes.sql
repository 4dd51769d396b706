-- Messages that have just been sent or delivered and are not counted yet: noted in the transaction that makes
-- it true, as briefly as can be, because every send and delivery pays for it. fold_usage counts them within
-- seconds, and prices what the official channel has delivered.
-- No index and no foreign keys: the table is empty or holds the notes of some seconds. What else counts is noted
-- in usage_changes.
create table messaging.usage_notes (
  message_id uuid not null,
  instance_id uuid not null,
  counted_at timestamptz not null,
  is_delivery boolean not null
);
alter table messaging.usage_notes enable row level security;
comment on column messaging.usage_notes.counted_at is
  'When the message was sent, or delivered: it counts on that day.';
