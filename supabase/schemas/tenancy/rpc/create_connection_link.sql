-- admin-api: a new link to connect the phone of an instance. `request`: linkId, instanceId, tokenHash, language
-- (NULL for the browser's), expiresInMinutes, sealedToken (kept with the outcome alone, so that a repeated call
-- can be given the address again), idempotency (see begin_idempotent). Deletes what has ended a month ago.
-- Returns {linkId, expiresAt}, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance messaging.instances;
  link messaging.connection_links;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  delete from messaging.connection_links l
  where l.instance_id = instance.id and l.expires_at < clock - interval '30 days';
  insert into messaging.connection_links (id, instance_id, token_hash, language, expires_at)
  values (
    (request->>'linkId')::uuid, instance.id, request->>'tokenHash', request->>'language',
    clock + make_interval(mins => (request->>'expiresInMinutes')::integer)
  )
  returning * into link;
  outcome := messaging.describe_connection_link(link);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedToken', request->>'sealedToken')
  );
  return outcome;
end;
$$;
