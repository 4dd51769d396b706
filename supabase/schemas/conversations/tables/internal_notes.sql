-- Visible to operators only. Automatic ones are written by a transfer. A note is written while its conversation
-- is locked, and carries that instant, not its transaction's: notes stand in the order in which they became true.
create table messaging.internal_notes (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references messaging.conversations (id)
    on delete cascade,
  note text not null,
  is_automatic boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  constraint internal_notes_not_empty check (note != '')
);
create index internal_notes_conversation on messaging.internal_notes (conversation_id, created_at);
alter table messaging.internal_notes enable row level security;
