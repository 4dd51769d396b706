-- Sends that the function mcp has admitted, for the hourly limit of a token. A call that is repeated has
-- the same key, and counts once. Kept for two days: see admit_mcp_send.
create table messaging.mcp_sends (
  token_id uuid not null references messaging.client_tokens (id)
    on delete cascade,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  call_key text not null,
  admitted_at timestamptz not null default now(),
  primary key (token_id, call_key)
);
create index mcp_sends_admitted on messaging.mcp_sends (token_id, admitted_at);
create index mcp_sends_instance on messaging.mcp_sends (instance_id);
alter table messaging.mcp_sends enable row level security;
