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
  mcp_recipients text not null default 'known',
  mcp_max_sends_per_hour integer not null default 30,
  constraint client_tokens_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint client_tokens_mcp_recipients_known check (mcp_recipients in ('known', 'any')),
  constraint client_tokens_mcp_sends_range check (mcp_max_sends_per_hour between 0 and 10000)
);
create unique index client_tokens_hash on messaging.client_tokens (token_hash);
create index client_tokens_instance on messaging.client_tokens (instance_id, created_at, id);
alter table messaging.client_tokens enable row level security;
comment on column messaging.client_tokens.scopes is
  'What it may be used for, see shared/model/token_scope.ts; NULL for everything.';
comment on column messaging.client_tokens.mcp_recipients is
  'Whom the function mcp may write to by this token: who has a contact that no call of mcp has made, or any.';
