-- contacts-api: how far an erasure is. `request`: instanceId, erasureId. Returns {erasureId, contactId,
-- status, counts}; of one that reports on a person at several instances, of all together. Errors: MI036.
create or replace function public.get_erasure(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  erasure messaging.erasures;
  led messaging.erasures;
begin
  select e.* into erasure from messaging.erasures e
  where e.id = (request->>'erasureId')::uuid and e.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI036', message = 'erasure_not_found';
  end if;
  -- One that reports on a person at several instances is done with the last of them.
  for led in select e.* from messaging.erasures e where e.leader_id = erasure.id loop
    erasure.counts := messaging.add_counts(erasure.counts, led.counts);
    if led.status = 'pending' then
      erasure.status := 'pending';
    end if;
  end loop;
  return messaging.describe_erasure(erasure);
end;
$$;
