-- Visible to operators only. Automatic ones are written by a transfer.
create table messaging.internal_notes (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references messaging.conversations (id)
    on delete cascade,
  note text not null,
  is_automatic boolean not null default false,
  created_at timestamptz not null default now(),
  constraint internal_notes_not_empty check (note != '')
);
create index internal_notes_conversation on messaging.internal_notes (conversation_id, created_at);
alter table messaging.internal_notes enable row level security;
