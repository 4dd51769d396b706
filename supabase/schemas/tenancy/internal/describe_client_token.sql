-- admin-api: a token as a response shows it: never its hash. A token without scopes of its own has them
-- all.
create or replace function messaging.describe_client_token(token messaging.client_tokens)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'scopes', coalesce(
      to_jsonb(token.scopes),
      '["send", "contacts", "conversations", "history", "events", "media", "batches", "erase"]'
    ),
    'mcp', jsonb_build_object(
      'recipients', token.mcp_recipients, 'maxSendsPerHour', token.mcp_max_sends_per_hour
    ),
    'expiresAt', messaging.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', messaging.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(token.created_at, 'UTC')
  );
$$;
