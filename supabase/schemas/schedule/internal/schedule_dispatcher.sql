-- Schedules dispatch-queue through pg_cron, under one name, so that it may be called again at any
-- time: every 20 seconds for 22 seconds, so that the queue is polled without a gap, and a run stays
-- well below the two seconds of processor time that the platform allows; once a minute for 62 seconds where
-- pg_cron is older than seconds (1.5). The history of runs is kept for a week. Installs pg_cron and pg_net
-- where the server has them.
-- Returns check_dispatcher_schedule(); says in a NOTICE what is missing, and is no error without it.
create or replace function messaging.schedule_dispatcher()
returns jsonb
language plpgsql
set search_path = ''
as $$
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
