-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced ones that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it).
-- Returns {messages, nextDueInMs, isOutboxDue}: nextDueInMs says in how long something is due that
-- was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work. Never waits for a lock: what another session holds is left for later.
-- The queue may hold ten rows or a million: its plans must not depend on what the statistics last saw.
create or replace function public.claim_due_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_messages constant integer := (request->>'maxMessages')::integer;
  -- However many paced ones are due, a quarter of the places is the unpaced ones' if they need it.
  max_paced integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  paced uuid[];
  stalled uuid[];
  unpaced uuid[];
begin
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  with due as materialized (
    select d.instance_id, d.paced_from
    from messaging.dispatch d
    where d.in_flight is null and d.next_due_at <= clock
    order by d.next_due_at
    limit max_paced
    for no key update skip locked
  ),
  head as (
    select due.instance_id, leaving.message_id, leaving.typing
    from due
    join messaging.instances i on i.id = due.instance_id
    left join lateral (
      select q.message_id, q.interval_seconds
      from messaging.message_queue q
      where q.instance_id = due.instance_id and q.lane = 'paced' and q.claim_token is null
        and q.scheduled_at <= clock
      order by q.scheduled_at, q.position
      limit 1
      for no key update skip locked
    ) as h on true
    left join lateral (
      select m.id as message_id, shown.typing
      from messaging.messages m
      cross join lateral (
        select interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
      ) as shown
      where m.id = h.message_id
        -- The due time may have been another head's, with a shorter interval.
        and due.paced_from + make_interval(secs => h.interval_seconds) <= clock
        -- is_send_window_open, written out: called, it would cost as much as finding the message.
        and ((clock + shown.typing) at time zone i.time_zone)::time >= i.window_start
        and ((clock + shown.typing) at time zone i.time_zone)::time < i.window_end
        and extract(isodow from (clock + shown.typing) at time zone i.time_zone)::smallint
          = any (i.window_days)
        and not exists (
          select from messaging.holidays holiday
          where holiday.instance_id = i.id
            and holiday.day = ((clock + shown.typing) at time zone i.time_zone)::date
        )
        and (shown.typing = interval '0' or messaging.is_send_window_open(i, clock))
    ) as leaving on true
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing
    from head
    where q.message_id = head.message_id
    returning q.message_id, q.instance_id, q.lease_until, head.typing
  ),
  marked as (
    -- An instance that is on time keeps its slots' grid: what little a message left late is not
    -- added to the next one. Later than that, the interval counts from now.
    update messaging.dispatch d
    set in_flight = claimed.message_id,
      lease_until = claimed.lease_until,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + claimed.typing
    from claimed
    where d.instance_id = claimed.instance_id
    returning d.in_flight
  )
  select
    (select array_agg(marked.in_flight) from marked),
    (select array_agg(head.instance_id) from head where head.message_id is null)
  into paced, stalled;

  if stalled is not null then
    perform messaging.postpone_dispatch(stalled, clock);
  end if;

  with due as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages - coalesce(cardinality(paced), 0)
    for no key update skip locked
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from due
    join messaging.messages m on m.id = due.message_id
    where q.message_id = due.message_id
    returning q.message_id
  )
  select array_agg(claimed.message_id) into unpaced from claimed;

  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() passes over NULL, which is to stay what it is.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from messaging.next_wake_up() as due(at)
    ),
    'isOutboxDue', exists (
      select from messaging.outbox o
      where o.status = 'pending' and o.run_at <= (select clock_timestamp())
    )
  );
end;
$$;
revoke all on function public.claim_due_messages(jsonb) from public, anon, authenticated;
grant execute on function public.claim_due_messages(jsonb) to service_role;
