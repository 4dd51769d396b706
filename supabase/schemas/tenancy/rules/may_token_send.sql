-- Whether a client token opens the sending calls of its instance.
create or replace function messaging.may_token_send(
  token messaging.client_tokens,
  clock timestamptz
)
returns boolean
language sql
immutable
return messaging.is_token_valid(token, clock) and coalesce('send' = any (token.scopes), true);
