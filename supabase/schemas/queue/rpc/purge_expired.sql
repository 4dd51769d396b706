-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table. What is
-- purged by age alone stands in the table below; the functions after it know what an instance says
-- (retention), what is still in use, and which files go with it.
-- Also counts anew what waits under limits (see recount_days).
-- Contacts, notes and logs belong to the user and stay, and so do messages and files by default.
-- Never waits for a lock, but see purge_messages. Rows are deleted by their place (ctid), which a lock holds:
-- after a burst, a join by key is planned with the statistics of the empty table, reads the table once per
-- row, and runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  purges constant text[] := array[
    'purge_provider_events', 'purge_events', 'purge_uploads', 'purge_event_deliveries',
    'purge_events_of_messages', 'purge_media', 'purge_messages', 'purge_batches'
  ];
  aged record;
  purge text;
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  for aged in
    select a.*
    from (
      values
        ('idempotency_keys', 'created_at', interval '24 hours', 'true'),
        ('unmatched_statuses', 'received_at', interval '7 days', 'true'),
        ('outbox', 'settled_at', interval '7 days', $condition$status = 'done'$condition$),
        -- A person should see them.
        ('outbox', 'settled_at', interval '90 days', $condition$status = 'dead'$condition$),
        ('erased_messages', 'erased_at', interval '30 days', 'true'),
        -- Deliveries of a past month that are told so late take no place from another.
        ('free_service_messages', 'delivered_at', interval '60 days', 'true'),
        -- The channel delivers nothing after 30 days.
        ('budget_under_way', 'sent_at', interval '30 days', 'true')
    ) as a (table_name, since, age, condition)
  loop
    execute format(
      'delete from messaging.%1$I d where d.ctid = any (array(
        select e.ctid from messaging.%1$I e where %3$s and e.%2$I <= $1
        order by e.%2$I limit $2 for update skip locked
      ))',
      aged.table_name, aged.since, aged.condition
    ) using clock - aged.age, max_rows;
    get diagnostics deleted = row_count;
    purged := purged + deleted;
    is_complete := is_complete and deleted < max_rows;
  end loop;
  perform messaging.recount_days(clock);
  foreach purge in array purges loop
    execute format('select messaging.%I($1, $2)', purge) into deleted using max_rows, clock;
    purged := purged + deleted;
    is_complete := is_complete and deleted < max_rows;
  end loop;
  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;

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
