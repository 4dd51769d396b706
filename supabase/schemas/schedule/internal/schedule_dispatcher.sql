-- Schedules dispatch-queue through pg_cron, under one name, so that it may be called again at any
-- time: every 20 seconds for 22 seconds, so that the queue is polled without a gap, and a run stays
-- well below the two seconds of processor time that the platform allows; once a minute for 62 seconds where
-- pg_cron is older than seconds (1.5). The history of runs is kept for a week. Installs pg_cron and pg_net
-- where the server has them.
-- Returns check_dispatcher_schedule(); says in a NOTICE what is missing, and is no error without it.
create or replace function messaging.schedule_dispatcher()
returns jsonb language plpgsql set search_path = '' as $$
declare
  wanted text;
  state jsonb;
begin
  foreach wanted in array array['pg_cron', 'pg_net'] loop
    if exists (
      select from pg_catalog.pg_available_extensions e
      where e.name = wanted and e.installed_version is null
    ) then
      begin
        execute format(
          'create extension %I with schema %I',
          wanted, case wanted when 'pg_cron' then 'pg_catalog' else 'extensions' end
        );
      exception when others then
        raise notice '% cannot be installed: %', wanted, sqlerrm;
      end;
    end if;
  end loop;

  state := messaging.check_dispatcher_schedule();
  if jsonb_array_length(state->'missingExtensions') > 0 then
    raise notice 'dispatch-queue is not scheduled: this database has no %.',
      (select string_agg(e, ', ') from jsonb_array_elements_text(state->'missingExtensions') as e);
    return state;
  end if;
  begin
    execute 'select cron.schedule($1, $2, $3)'
    using 'dispatch-queue', '20 seconds', 'select messaging.call_dispatcher(22)';
  exception when others then
    execute 'select cron.schedule($1, $2, $3)'
    using 'dispatch-queue', '* * * * *', 'select messaging.call_dispatcher(62)';
  end;
  execute 'select cron.schedule($1, $2, $3)'
  using 'dispatch-queue-history', '7 3 * * *',
    $history$delete from cron.job_run_details where end_time < now() - interval '7 days'$history$;
  state := messaging.check_dispatcher_schedule();
  if jsonb_array_length(state->'missingSecrets') > 0 then
    raise notice 'dispatch-queue is scheduled and cannot be called yet: Vault has no %.',
      (select string_agg(s, ', ') from jsonb_array_elements_text(state->'missingSecrets') as s);
  end if;
  if jsonb_array_length(state->'unreadableSecrets') > 0 then
    raise notice 'dispatch-queue is scheduled and cannot be called yet: Vault cannot decrypt %.',
      (select string_agg(s, ', ') from jsonb_array_elements_text(state->'unreadableSecrets') as s);
  end if;
  return state;
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.schedule_dispatcher() from service_role;

-- How the schedule of dispatch-queue stands: {missingExtensions, missingSecrets, unreadableSecrets, job
-- {schedule, command, isActive}, lastRuns [{status, message, startedAt}], lastAnswers [{statusCode,
-- error, calledAt}]}, the latest five of each. No secret is shown, only the names of those that Vault does
-- not have, and of those that it cannot decrypt.
create or replace function messaging.check_dispatcher_schedule()
returns jsonb language plpgsql set search_path = '' as $$
declare
  missing_extensions constant text[] := array_remove(
    array[
      case when to_regprocedure('cron.schedule(text,text,text)') is null then 'pg_cron' end,
      case when to_regproc('net.http_post') is null then 'pg_net' end,
      case when to_regclass('vault.decrypted_secrets') is null then 'supabase_vault' end
    ],
    null
  );
  wanted_secrets constant text[] := array['project_url', 'dispatcher_secret_key'];
  missing_secrets text[] := wanted_secrets;
  unreadable_secrets text[] := '{}';
  secret_name text;
  job jsonb;
  last_runs jsonb;
  last_answers jsonb;
begin
  if not missing_extensions @> '{supabase_vault}' then
    missing_secrets := '{}';
    foreach secret_name in array wanted_secrets loop
      begin
        if coalesce(messaging.read_schedule_secret(secret_name), '') = '' then
          missing_secrets := missing_secrets || secret_name;
        end if;
      exception when data_exception then
        unreadable_secrets := unreadable_secrets || secret_name;
      end;
    end loop;
  end if;
  if not missing_extensions @> '{pg_cron}' then
    execute $query$
      select jsonb_build_object('schedule', j.schedule, 'command', j.command, 'isActive', j.active)
      from cron.job j where j.jobname = 'dispatch-queue'
    $query$ into job;
    execute $query$
      select jsonb_agg(
        jsonb_build_object('status', r.status, 'message', r.return_message, 'startedAt', r.start_time)
        order by r.start_time desc
      )
      from (
        select d.status, d.return_message, d.start_time
        from cron.job_run_details d join cron.job j using (jobid)
        where j.jobname = 'dispatch-queue' order by d.start_time desc nulls last limit 5
      ) as r
    $query$ into last_runs;
  end if;
  if to_regclass('net._http_response') is not null then
    -- pg_net writes when it began the batch of a call, the same instant for all calls of the batch.
    execute $query$
      select jsonb_agg(
        jsonb_build_object('statusCode', r.status_code, 'error', r.error_msg, 'calledAt', r.created)
        order by r.created desc
      )
      from (
        select a.status_code, a.error_msg, a.created
        from net._http_response a order by a.created desc limit 5
      ) as r
    $query$ into last_answers;
  end if;
  return jsonb_build_object(
    'missingExtensions', to_jsonb(missing_extensions),
    'missingSecrets', to_jsonb(missing_secrets),
    'unreadableSecrets', to_jsonb(unreadable_secrets),
    'job', job,
    'lastRuns', coalesce(last_runs, '[]'),
    'lastAnswers', coalesce(last_answers, '[]')
  );
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.check_dispatcher_schedule() from service_role;

-- What the schedule runs: asks dispatch-queue, through pg_net, to work for `max_seconds`. Where the
-- project is and the key that opens the function are secrets of Vault, read at every call, so that
-- changing one there is all it takes. A secret that is missing or cannot be decrypted is an error, which
-- the job's log keeps: a NULL header would be sent in silence and refused. Returns pg_net's request id.
-- The names are written as text: a database without Vault or pg_net can hold this function too.
create or replace function messaging.call_dispatcher(max_seconds integer)
returns bigint language plpgsql set search_path = '' as $$
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

-- A secret of Vault that the schedule needs; NULL where Vault has none of that name.
-- Raises what Vault raises where it cannot decrypt the secret, as after a restore into another project,
-- which has another root key (22000): in words that name the secret.
-- Vault is named in a text: a database without it can hold this function too.
create or replace function messaging.read_schedule_secret(secret_name text)
returns text language plpgsql set search_path = '' as $$
declare
  secret text;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
  into secret using secret_name;
  return secret;
exception when data_exception then
  raise exception using
    errcode = sqlstate,
    message = format('Vault cannot decrypt the secret named %s: %s', secret_name, sqlerrm);
end;
$$;
