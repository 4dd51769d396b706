-- The queue rows of an instance. Each lane is read by its own index, so that other tenants' queues are not
-- read.
create or replace function messaging.queue_of_instance(of_instance uuid)
returns setof messaging.message_queue language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
  select p.* from messaging.message_queue p
  where p.instance_id = of_instance and p.lane = 'paced'
  union all
  select u.* from messaging.message_queue u
  where u.instance_id = of_instance and u.lane = 'unpaced';
end;
$$;
