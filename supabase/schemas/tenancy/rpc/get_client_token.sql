-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  token messaging.client_tokens;
begin
  select t.* into token from messaging.client_tokens t
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return messaging.describe_client_token(token);
end;
$$;
