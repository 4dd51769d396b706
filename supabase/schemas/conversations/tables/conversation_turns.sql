-- The turns that are under way (instances.turns): of each contact the messages of the one that is open, in the
-- order in which they were stored, and when it ends. Written with the message, see join_turn; end_turns deletes what
-- is due. The limits are those of the setting when the turn began: a changed one counts from the next turn on.
-- Has no foreign keys, as idle_watches. What has lost its instance is deleted when it is due.
create table messaging.conversation_turns (
  contact_id uuid primary key,
  instance_id uuid not null,
  conversation_id uuid not null,
  started_at timestamptz not null,
  due_at timestamptz not null,
  ends_by timestamptz not null,
  quiet_seconds integer not null,
  message_ids uuid[] not null,
  constraint conversation_turns_due_in_time check (due_at <= ends_by),
  constraint conversation_turns_bounded check (cardinality(message_ids) between 1 and 50)
);
create index conversation_turns_due on messaging.conversation_turns (due_at);
alter table messaging.conversation_turns enable row level security;
comment on column messaging.conversation_turns.due_at is
  'When the person will have been quiet long enough, at the latest ends_by.';
comment on column messaging.conversation_turns.message_ids is
  'At most 50: the next message begins a turn.';
