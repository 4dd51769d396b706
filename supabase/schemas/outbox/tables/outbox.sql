-- Slow work that a request promised: e-mails, agent replies. Written in the request's transaction and
-- done after it at least once; the row's id is the receiver's idempotency key.
create table messaging.outbox (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null,
  kind text not null,
  payload jsonb not null,
  status text not null default 'pending',
  run_at timestamptz not null default now(),
  attempts smallint not null default 0,
  claim_token uuid,
  last_error text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  conversation_id uuid,
  constraint outbox_kind_known
    check (
      kind in (
        'assignment_email',
        'endpoint_disabled_email',
        'instance_disconnected_email',
        'instance_held_email',
        'batch_paused_email',
        'budget_email',
        'agent_reply',
        'media_fetch',
        'media_delete',
        'media_transcription',
        'read_receipt',
        'question_notification'
      )
    ),
  constraint outbox_status_known check (status in ('pending', 'done', 'dead')),
  constraint outbox_settled_when_over check ((status = 'pending') = (settled_at is null))
)
with (fillfactor = 70);
create index outbox_conversation on messaging.outbox (conversation_id)
where status = 'pending' and conversation_id is not null;
create index outbox_settled on messaging.outbox (status, settled_at) where status != 'pending';
create index outbox_workspace on messaging.outbox (workspace_id, created_at, id);
create index outbox_age on messaging.outbox (created_at, id);
-- Not `where status = 'pending'`, which means the same: a look-up of pending rows by another column must
-- not find this index, which it would read from end to end while statistics call the table empty.
create index outbox_due on messaging.outbox (run_at) where settled_at is null;
-- A thousand files that wait must not be read by each look for e-mails, nor one instance's by the look for
-- another's.
create index outbox_due_by_owner on messaging.outbox (
  kind,
  (messaging.outbox_owner(payload)),
  run_at
)
where settled_at is null;
alter table messaging.outbox enable row level security;
comment on column messaging.outbox.run_at is 'When due; while claimed, when the lease ends.';
