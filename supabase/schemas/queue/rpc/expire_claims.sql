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
  expired jsonb;
  settled integer := 0;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is not null
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
    where d.in_flight is not null and d.lease_until <= clock
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

-- Raises the floor of what is due (see due_floor) to the first that waits, and lowers it there where a
-- transaction that lasted longer than half a minute, or a restored dump, has brought something below it.
-- Not while a transaction is open that has lowered it. Comes last: others wait for its lock until commit.
create or replace function messaging.raise_due_floor()
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  first_due timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('due floor', 0)) then
    return;
  end if;
  -- By a snapshot that is taken under the lock, and from the start.
  first_due := least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    ),
    clock - interval '30 seconds'
  );
  perform setval('messaging.due_floor', floor(extract(epoch from first_due))::bigint);
end;
$$;
