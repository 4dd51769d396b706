-- admin-api: a token as a response shows it: never its hash.
create or replace function public.describe_client_token(token public.client_tokens)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'expiresAt', public.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', public.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', public.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', public.iso_in_zone(token.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_client_token(public.client_tokens) from public, anon, authenticated;
grant execute on function public.describe_client_token(public.client_tokens) to service_role;
