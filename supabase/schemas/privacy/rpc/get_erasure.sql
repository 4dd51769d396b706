-- contacts-api: how far an erasure is. `request`: instanceId, erasureId. Returns {erasureId, contactId,
-- status, counts}. Errors: MI036.
create or replace function public.get_erasure(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  erasure messaging.erasures;
begin
  select e.* into erasure from messaging.erasures e
  where e.id = (request->>'erasureId')::uuid and e.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI036', message = 'erasure_not_found';
  end if;
  return messaging.describe_erasure(erasure);
end;
$$;
