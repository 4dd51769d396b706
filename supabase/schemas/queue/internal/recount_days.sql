-- Counts anew what waits for instances with protection (see paced_days), where it is not as counted: a
-- message that was deleted with its person took its place along. Deletes days that are long over. Never
-- waits for a lock: an instance that another session holds, or whose slots are being moved, is left for
-- the next time.
create or replace function messaging.recount_days(clock timestamptz)
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  instance messaging.instances;
begin
  for instance in
    select i.*
    from messaging.pacing p
    join messaging.instances i on i.id = any (array[p.instance_id])
    where p.is_protected and i.protection is not null
      and not exists (select from messaging.slot_moves s where s.instance_id = p.instance_id)
    order by p.instance_id
    for no key update of p skip locked
  loop
    update messaging.paced_days d
    set waiting = coalesce(counted.waiting, 0), waiting_new = coalesce(counted.waiting_new, 0)
    from messaging.paced_days known
    left join (
      select (q.scheduled_at at time zone instance.time_zone)::date as day, count(*) as waiting,
        count(*) filter (where q.is_new) as waiting_new
      from messaging.message_queue q
      where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      group by 1
    ) as counted on counted.day = known.day
    where known.instance_id = instance.id and d.instance_id = instance.id and d.day = known.day
      and (d.waiting, d.waiting_new)
        is distinct from (coalesce(counted.waiting, 0), coalesce(counted.waiting_new, 0));
    delete from messaging.paced_days d
    where d.instance_id = instance.id and d.waiting = 0
      and d.day < (clock at time zone instance.time_zone)::date - 7;
  end loop;
end;
$$;
