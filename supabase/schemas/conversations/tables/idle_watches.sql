-- The silences that instances are told of (instances.idle): of each conversation the newest message, whom it
-- awaits, and when the next of the instance's entries is due. No row where none is: a closing, and the last entry
-- that was told, delete it. Written with the message, see record_message_change and watch_idle_conversations.
-- Has no foreign keys: it would lock the contact after the message. What has lost its conversation goes when it is
-- due.
create table messaging.idle_watches (
  contact_id uuid primary key,
  instance_id uuid not null,
  conversation_id uuid not null,
  awaiting text not null,
  since timestamptz not null,
  last_message_id uuid not null,
  due_at timestamptz not null,
  constraint idle_watches_awaiting_known check (awaiting in ('customer', 'us'))
);
create index idle_watches_due on messaging.idle_watches (due_at);
alter table messaging.idle_watches enable row level security;
comment on column messaging.idle_watches.awaiting is
  'Who is to write next: customer after a message of ours, us after one of the contact.';
comment on column messaging.idle_watches.since is
  'When the newest message was stored, or had left.';
comment on column messaging.idle_watches.due_at is
  'When the next entry is due. Entries of a changed setting that lie before are not told.';
