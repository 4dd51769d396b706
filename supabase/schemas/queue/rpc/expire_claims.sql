-- Ends claims whose lease is over. Their worker died before it recorded the outcome, so it is unknown
-- whether the provider was called: the message becomes `unconfirmed` and is not sent again by itself.
-- Ends at most `request`.maxMessages a call. Returns {expired}: how many. Every run of the dispatcher
-- calls this, so it also counts the runs: metrics shows when the last one was.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.expire_claims(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
  expired jsonb;
  settled integer := 0;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until >= due_from and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
        and q.claim_token is not null
      order by q.visible_at
      limit (request->>'maxMessages')::integer
    )
  )
  select jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was sending this message ended before it recorded the outcome.'
    )
  )) into expired
  from lapsed
  join messaging.message_queue q on q.message_id = any (array[lapsed.message_id])
  where q.claim_token is not null and q.lease_until <= clock;
  if expired is null then
    -- A message in flight that was deleted with its contact is never settled: release its instance.
    perform messaging.release_instances(array_agg(jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced',
        'outcome', 'unknown'
      )
    )))
    from messaging.dispatch d
    where d.in_flight is not null and d.lease_until >= due_from and d.lease_until <= clock
      and not exists (select from messaging.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
  else
    settled := jsonb_array_length(
      public.settle_messages(jsonb_build_object('results', expired))->'settled'
    );
    perform messaging.count_metric('messaging_claim_expiries_total', settled);
  end if;
  perform messaging.count_metric('messaging_maintenance_runs_total', 1);
  perform messaging.raise_due_floor();
  perform messaging.raise_delivery_floor();
  return jsonb_build_object('expired', settled);
end;
$$;

-- Adds to a counter that has no labels. Locks its row until commit, so call it last, and never for a
-- send: simultaneous calls wait for each other.
create or replace function messaging.count_metric(counter text, amount bigint)
returns void language sql set search_path = '' as $$
  insert into messaging.metric_counters as c (name, counted, reported)
  values (counter, amount, amount)
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
$$;

-- Raises the floors of what is due (see floor_of) to the first that waits, and lowers them there where a
-- transaction that lasted longer than half a minute, or a restored dump, has brought something below. Not while a
-- transaction is open that has lowered one. They come last: others wait for their locks until commit.
create or replace function messaging.raise_due_floor()
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  if not messaging.lock_floor('messaging.due_floor') then
    return;
  end if;
  perform messaging.set_floor('messaging.due_floor', least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select d.lease_until from messaging.dispatch d
      where d.in_flight is not null order by d.lease_until limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    )
  ));
end;
$$;

create or replace function messaging.raise_delivery_floor()
returns void language plpgsql set search_path = '' as $$
begin
  if messaging.lock_floor('messaging.delivery_floor') then
    perform messaging.set_floor('messaging.delivery_floor', (
      select min(f.due_at) from messaging.first_deliveries('-infinity') as f
    ));
  end if;
end;
$$;

-- Before a floor is raised, in an earlier statement than the look at what waits: see lower_floor.
create or replace function messaging.lock_floor(floor text)
returns boolean language sql set search_path = '' as $$
  select pg_try_advisory_xact_lock(hashtextextended(lock_floor.floor, 0));
$$;

create or replace function messaging.set_floor(floor text, first_due timestamptz)
returns void language sql set search_path = '' as $$
  select setval(
    set_floor.floor::regclass,
    messaging.floor_value(least(first_due, clock_timestamp() - messaging.floor_lag()))
  );
$$;
