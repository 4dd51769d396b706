-- Whether a token's use is to be noted: once a minute is enough for finding unused tokens.
create or replace function messaging.is_token_use_due(last_used_at timestamptz, clock timestamptz)
returns boolean language sql stable
return coalesce(last_used_at < clock - interval '1 minute', true);
