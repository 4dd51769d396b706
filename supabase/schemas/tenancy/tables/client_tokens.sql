-- Tokens of `X-Client-Token`. Only the SHA-256 is kept; each opens exactly one instance.
create table messaging.client_tokens (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  token_hash text not null,
  label text,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  scopes text[],
  constraint client_tokens_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$')
);
create unique index client_tokens_hash on messaging.client_tokens (token_hash);
create index client_tokens_instance on messaging.client_tokens (instance_id, created_at, id);
alter table messaging.client_tokens enable row level security;
comment on column messaging.client_tokens.scopes is
  'What it may be used for, see shared/model/token_scope.ts; NULL for everything.';
