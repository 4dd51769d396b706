-- messages-api: the waiting messages of an instance, in order. `request`: instanceId, limit, and
-- `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next, protection (see describe_day)}. An item's `position` is its place in the
-- queue, from 1; for `scheduledFor`, `heldBy`, `holdReason`, `holdCode` and `heldUntil` see
-- expected_departure. Each lane is read by its own index and the two are merged, so that other tenants'
-- queues are not read.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.list_message_queue(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  budget_ends_at constant timestamptz := messaging.reached_budget_ends_at(
    instance, clock_timestamp()
  );
  dispatch messaging.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select d.* into strict dispatch from messaging.dispatch_of(instance.id) as d;
  select count(*), count(*) filter (
    where (q.scheduled_at, q.position) <= (after_at, after_position)
  )
  into total, passed
  from (
    select p.scheduled_at, p.position from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    union all
    select u.scheduled_at, u.position from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
  ) as q;
  with next_paced as (
    select p as queued
    from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
      and (p.scheduled_at, p.position) > (after_at, after_position)
    order by p.scheduled_at, p.position
    limit page_size + 1
  ),
  next_unpaced as (
    select u as queued
    from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
      and (u.scheduled_at, u.position) > (after_at, after_position)
    order by u.scheduled_at, u.position
    limit page_size + 1
  ),
  page as (
    select q.queued, (q.queued).message_id, (q.queued).scheduled_at, (q.queued).position,
      row_number() over (
        order by (q.queued).scheduled_at, (q.queued).position
      ) as row_number
    from (table next_paced union all table next_unpaced) as q
    order by (q.queued).scheduled_at, (q.queued).position
    limit page_size + 1
  )
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', m.id,
          'phone', coalesce(m.phone_given, c.phone),
          'messageType', m.message_type,
          'scheduledFor', messaging.iso_in_zone(expected.leaves_at, instance.time_zone),
          'heldBy', expected.held_by,
          'position', passed + page.row_number
        ) || messaging.shown_hold(
          expected.hold_reason, expected.hold_code, expected.held_until, instance.time_zone
        )
        order by page.row_number
      ) filter (where page.row_number <= page_size),
      '[]'
    ),
    case when count(*) > page_size then (
      select jsonb_build_object('scheduledAt', last.scheduled_at, 'position', last.position)
      from page last where last.row_number = page_size
    ) end
  into items, next
  from page
  join messaging.messages m on m.id = page.message_id
  join messaging.contacts c on c.id = m.contact_id
  cross join lateral messaging.expected_departure(
    page.queued, m, instance, dispatch, budget_ends_at
  ) as expected;
  return jsonb_build_object(
    'items', items,
    'total', total,
    'next', next,
    'protection', messaging.describe_day(instance, clock_timestamp())
  );
end;
$$;
