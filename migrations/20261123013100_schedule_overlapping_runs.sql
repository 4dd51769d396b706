-- Gives the job of a project that runs 1.0.0 the runs of this release: 22 s every 20 s.
do $$
begin
  perform messaging.schedule_dispatcher();
end;
$$;
