-- Whether a client token opens its instance: neither revoked nor expired.
create or replace function messaging.is_token_valid(
  token messaging.client_tokens, clock timestamptz
) returns boolean language sql immutable
return token.revoked_at is null and coalesce(token.expires_at > clock, true);
