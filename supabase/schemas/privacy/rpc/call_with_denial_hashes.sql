-- Calls another RPC, `request`.name with `request`.request, and gives it the hashes of the identities that
-- its request names: `request`.hashes {identity: HMAC}. For a call that was refused with MI037.
-- Returns what that RPC returns. Errors: that RPC's.
create or replace function public.call_with_denial_hashes(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
begin
  perform set_config('messaging.denial_hashes', request->>'hashes', true);
  execute format('select public.%I($1)', request->>'name') into result using request->'request';
  perform set_config('messaging.denial_hashes', '', true);
  return result;
end;
$$;
revoke all on function public.call_with_denial_hashes(jsonb) from public, anon, authenticated;
grant execute on function public.call_with_denial_hashes(jsonb) to service_role;
