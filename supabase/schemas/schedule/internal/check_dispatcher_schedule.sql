-- How the schedule of dispatch-queue stands: {missingExtensions, missingSecrets, unreadableSecrets, job
-- {schedule, command, isActive}, lastRuns [{status, message, startedAt}], lastAnswers [{statusCode,
-- error, calledAt}]}, the latest five of each. No secret is shown, only the names of those that Vault does
-- not have, and of those that it cannot decrypt.
create or replace function messaging.check_dispatcher_schedule()
returns jsonb
language plpgsql
set search_path = ''
as $$
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
