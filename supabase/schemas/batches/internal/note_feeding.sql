-- Keeps in dispatch whether an instance has a running batch, so that a settlement need not look for one.
-- The caller holds the pacing row.
create or replace function messaging.note_feeding(of_instance uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  is_feeding constant boolean := exists (
    select from messaging.batches b where b.instance_id = of_instance and b.status = 'running'
  );
begin
  update messaging.dispatch d
  set feeds_batches = is_feeding
  where d.instance_id = of_instance and d.feeds_batches <> is_feeding;
end;
$$;
