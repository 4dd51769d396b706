-- How much of its allowance a token has used, per function: one row each, as the instant at which the
-- allowance is whole again (generic cell rate algorithm). Unlogged: counting a request then waits for
-- no disk, and after a crash of the server every token has its whole allowance.
create unlogged table messaging.rate_limits (
  token_id uuid not null references messaging.client_tokens (id)
    on delete cascade,
  function_name text not null,
  whole_at timestamptz not null,
  constraint rate_limits_pkey primary key (token_id, function_name)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.rate_limits enable row level security;
