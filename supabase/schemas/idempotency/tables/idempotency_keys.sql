-- Outcomes of executions by `Idempotency-Key`, written in the execution's own transaction, so that
-- a crash leaves either both or neither.
create table messaging.idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  outcome jsonb,
  response jsonb,
  message_id uuid,
  attempt smallint,
  created_at timestamptz not null default now(),
  primary key (scope, key),
  constraint idempotency_keys_key_length check (char_length(key) between 1 and 255)
);
create index idempotency_keys_age on messaging.idempotency_keys (created_at);
alter table messaging.idempotency_keys enable row level security;
comment on column messaging.idempotency_keys.scope is
  'The client token''s id, or "admin" for the secret key.';
comment on column messaging.idempotency_keys.outcome is
  'What the transaction decided; the response is a pure function of it.';
comment on column messaging.idempotency_keys.response is
  'Status and body (as text, whose members keep their order), where the provider''s answer is part of them.';
comment on column messaging.idempotency_keys.attempt is
  'Which attempt of the message the response tells of.';
