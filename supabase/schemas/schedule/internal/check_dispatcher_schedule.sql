-- How the schedule of dispatch-queue stands: {missingExtensions, missingSecrets, job {schedule,
-- command, isActive}, lastRuns [{status, message, startedAt}], lastAnswers [{statusCode, error, at}]},
-- the latest five of each. No secret is shown, only the names of those that Vault does not have.
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
  missing_secrets text[] := array['project_url', 'dispatcher_secret_key'];
  job jsonb;
  last_runs jsonb;
  last_answers jsonb;
begin
  if not missing_extensions @> '{supabase_vault}' then
    execute $query$
      select coalesce(array_agg(w.name order by w.place), '{}')
      from unnest($1) with ordinality as w(name, place)
      where not exists (
        select from vault.decrypted_secrets s
        where s.name = w.name and s.decrypted_secret <> ''
      )
    $query$ into missing_secrets using missing_secrets;
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
    execute $query$
      select jsonb_agg(
        jsonb_build_object('statusCode', r.status_code, 'error', r.error_msg, 'at', r.created)
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
    'job', job,
    'lastRuns', coalesce(last_runs, '[]'),
    'lastAnswers', coalesce(last_answers, '[]')
  );
end;
$$;
revoke all on function messaging.check_dispatcher_schedule() from public, anon, authenticated;
