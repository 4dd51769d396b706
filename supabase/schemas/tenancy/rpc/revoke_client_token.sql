-- admin-api: revokes a token from now on; a revoked token keeps its time. `request`: instanceId,
-- tokenId. Errors: MI014, MI015 (the instance has no such token).
create or replace function public.revoke_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  token messaging.client_tokens;
begin
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  update messaging.client_tokens t
  set revoked_at = coalesce(t.revoked_at, clock_timestamp())
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id
  returning t.* into token;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return messaging.describe_client_token(token);
end;
$$;
