-- release_instances: feeds the batches of instances (see feed_instance) without endangering what has been
-- settled: where the send window never opens, nothing is queued until it is changed. The caller holds the
-- pacing rows.
create or replace function messaging.feed_after_settling(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  instance_id uuid;
begin
  foreach instance_id in array instance_ids loop
    begin
      perform messaging.feed_instance(instance_id);
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
end;
$$;
