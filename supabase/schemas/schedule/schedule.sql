-- On the platform the dispatcher runs from here on; elsewhere a NOTICE says why it does not, and
-- `deno task cron:check` tries again.
do $$
begin
  perform messaging.schedule_dispatcher();
end;
$$;
