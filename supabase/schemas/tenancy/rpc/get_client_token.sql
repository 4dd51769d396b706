-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_client_token(r) from messaging.client_tokens r
    where r.id = (request->>'tokenId')::uuid and r.instance_id = i.id
  ), 'MI015', 'token_not_found')
  from messaging.find_instance((request->>'instanceId')::uuid) as i;
$$;
