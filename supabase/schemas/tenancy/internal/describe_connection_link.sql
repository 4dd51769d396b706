-- admin-api: a link to connect a phone as a response shows it: never its hash, nor its address.
create or replace function messaging.describe_connection_link(link messaging.connection_links)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'linkId', link.id,
    'expiresAt', messaging.iso_in_zone(link.expires_at, 'UTC'),
    'usedAt', messaging.iso_in_zone(link.used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(link.revoked_at, 'UTC')
  );
$$;
