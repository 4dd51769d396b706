-- One row per change from one operator to a different one, or to nobody (to_operator_id is NULL), written while
-- the conversation is locked: see internal_notes.
create table messaging.chat_transfer_log (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references messaging.conversations (id)
    on delete cascade,
  from_operator_id uuid not null references messaging.operators (id),
  to_operator_id uuid references messaging.operators (id),
  transferred_at timestamptz not null default clock_timestamp(),
  constraint chat_transfer_log_operators_differ check (from_operator_id != to_operator_id)
);
create index chat_transfer_log_conversation on messaging.chat_transfer_log (
  conversation_id,
  transferred_at
);
-- Deleting an operator looks for its transfers.
create index chat_transfer_log_from on messaging.chat_transfer_log (from_operator_id);
create index chat_transfer_log_to on messaging.chat_transfer_log (to_operator_id);
alter table messaging.chat_transfer_log enable row level security;
