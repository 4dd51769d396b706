-- What the schedule runs: asks dispatch-queue, through pg_net, to work for `max_seconds`. Where the
-- project is and the key that opens the function are secrets of Vault, read at every call, so that
-- changing one there is all it takes. A secret that is missing or cannot be decrypted is an error, which
-- the job's log keeps: a NULL header would be sent in silence and refused. Returns pg_net's request id.
-- The names are written as text: a database without Vault or pg_net can hold this function too.
create or replace function messaging.call_dispatcher(max_seconds integer)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  project_url text;
  secret_key text;
  request_id bigint;
  -- A message takes about 0.6 ms of the processor, of which the platform gives a run 2 s.
  max_messages constant integer := 1000;
begin
  project_url := messaging.read_schedule_secret('project_url');
  secret_key := messaging.read_schedule_secret('dispatcher_secret_key');
  if coalesce(project_url, '') = '' then
    raise exception 'Vault has no secret named project_url: dispatch-queue cannot be called.';
  end if;
  if coalesce(secret_key, '') = '' then
    raise exception 'Vault has no secret named dispatcher_secret_key: dispatch-queue cannot be called.';
  end if;
  -- The answer comes with the run's first poll: after 2 s of maintenance and 10 s of a database call at
  -- most, and the start of an isolate. While pg_net waits for it, it makes no other call of the project.
  execute 'select net.http_post(url := $1, body := $2, headers := $3, timeout_milliseconds := $4)'
  into request_id
  using
    format(
      '%s/functions/v1/dispatch-queue?maxSeconds=%s&maxMessages=%s',
      rtrim(project_url, '/'), max_seconds, max_messages
    ),
    '{}'::jsonb,
    jsonb_build_object('apikey', secret_key, 'Content-Type', 'application/json'),
    15000;
  return request_id;
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.call_dispatcher(integer) from service_role;
