set local check_function_bodies = off;

-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.event_work()
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  endpoint_id uuid;
  has_endpoints boolean := false;
begin
  for endpoint_id in
    select e.id from messaging.event_endpoints e where e.is_active
  loop
    has_endpoints := true;
    if exists (
      select from messaging.event_endpoints e
      where e.id = endpoint_id and (
        exists (
          select from messaging.events v
          where v.instance_id = e.instance_id
            and (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
        )
        or exists (
          select from messaging.event_deliveries d
          where d.endpoint_id = e.id and d.next_attempt_at <= clock
        )
        or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
      )
    ) then
      return 'due';
    end if;
  end loop;
  return case when has_endpoints then 'idle' else 'none' end;
end;
$$;
revoke all on function messaging.event_work() from public, anon, authenticated;
grant execute on function messaging.event_work() to service_role;

-- Makes the deliveries of what was recorded since the last time, for every active endpoint that has
-- something, at most `max_events` looked at for each. An endpoint that another dispatcher is at is left
-- to it.
create or replace function messaging.fan_out_events(max_events integer)
returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  for endpoint in
    select e.*
    from messaging.event_endpoints e
    where e.is_active and (
      exists (
        select from messaging.events v
        where v.instance_id = e.instance_id
          and (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
      )
      or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
    )
    for no key update of e skip locked
  loop
    perform messaging.fan_out_new_events(endpoint, max_events);
    perform messaging.fan_out_replay(endpoint, max_events);
  end loop;
end;
$$;
revoke all on function messaging.fan_out_events(integer) from public, anon, authenticated;
grant execute on function messaging.fan_out_events(integer) to service_role;

-- Makes deliveries of the next events of an endpoint that the caller has locked, at most `max_events`
-- looked at. The statements must stay in this order: see the head of tables/events.sql.
-- Events are found by both columns of their index: see read_events.
-- `endpoint.test` goes to the endpoint that was tested, by that call, and to no other.
create or replace function messaging.fan_out_new_events(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(endpoint.instance_id);
  wanted bigint[];
  last_read bigint;
begin
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and (endpoint.types is null or page.type = any (endpoint.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, endpoint.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, horizon)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if last_read is null then
    return;
  end if;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, null);
  end if;
  update messaging.event_endpoints e set told_through = last_read where e.id = endpoint.id;
end;
$$;
revoke all
on function messaging.fan_out_new_events(messaging.event_endpoints, integer)
from public, anon, authenticated;
grant execute
on function messaging.fan_out_new_events(messaging.event_endpoints, integer)
to service_role;

-- Makes deliveries of the next events that an endpoint, which the caller has locked, shall be sent once
-- more, at most `max_events` looked at. Waits while as many of its deliveries are due: what is replayed
-- must not stand before what is new.
create or replace function messaging.fan_out_replay(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  replay messaging.event_replays;
  wanted bigint[];
  last_read bigint;
begin
  select r.* into replay
  from messaging.event_replays r
  where r.endpoint_id = endpoint.id
  order by r.created_at
  limit 1
  for update;
  if not found or (
    select count(*) = max_events
    from (
      select from messaging.event_deliveries d
      where d.endpoint_id = endpoint.id and d.next_attempt_at <= clock_timestamp()
      limit max_events
    ) as due
  ) then
    return;
  end if;
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and page.recorded_at >= replay.since and page.recorded_at <= replay.until
        and (endpoint.types is null or page.type = any (endpoint.types))
        and (replay.types is null or page.type = any (replay.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type, e.recorded_at from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, replay.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, replay.through)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, clock_timestamp());
  end if;
  if last_read is null or last_read >= replay.through then
    delete from messaging.event_replays r where r.id = replay.id;
  else
    update messaging.event_replays r set told_through = last_read where r.id = replay.id;
  end if;
end;
$$;
revoke all
on function messaging.fan_out_replay(messaging.event_endpoints, integer)
from public, anon, authenticated;
grant execute
on function messaging.fan_out_replay(messaging.event_endpoints, integer)
to service_role;

-- Adds the rows of contact_activity that contacts lack which are older than the table: all of them
-- (NULL, as the migration does), or those of `contact_ids`.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.fill_contact_activity(contact_ids uuid[])
returns void
language sql
set search_path = ''
set enable_seqscan = off
as $$
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select c.id, c.instance_id,
    date_trunc('milliseconds', greatest(c.updated_at, v.updated_at, last.sent_at)),
    last.sent_at, coalesce(last.direction = 'inbound', false)
  from unnest(coalesce(contact_ids, array(select all_of_them.id from messaging.contacts all_of_them)))
    as wanted(contact_id)
  cross join lateral (
    select k.id, k.instance_id, k.updated_at from messaging.contacts k
    where k.id = wanted.contact_id
    offset 0
  ) as c
  left join lateral (
    select k.updated_at from messaging.conversations k where k.contact_id = c.id offset 0
  ) as v on true
  left join lateral (
    select m.sent_at, m.direction from messaging.messages m
    where m.contact_id = c.id and m.sent_at is not null
    order by m.sent_at desc
    limit 1
  ) as last on true
  -- Not EXISTS: its plan may read all rows.
  where (
    select true from messaging.contact_activity a where a.contact_id = c.id
  ) is null
  order by c.id
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_activity(uuid[]) from public, anon, authenticated;
grant execute on function messaging.fill_contact_activity(uuid[]) to service_role;

-- The number of the instance's last event that is visible; 0 where it has none. What begins now begins
-- after it. Never a horizon, and found by both
-- columns of the index: see read_events.
create or replace function messaging.last_event(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(instance_id);
begin
  return coalesce((
    select e.sequence from messaging.events e
    where (e.instance_id, e.sequence) >= (last_event.instance_id, 0)
      and (e.instance_id, e.sequence) <= (last_event.instance_id, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1
  ), 0);
end;
$$;
revoke all on function messaging.last_event(uuid) from public, anon, authenticated;
grant execute on function messaging.last_event(uuid) to service_role;

-- events-api: one page of an instance's feed, oldest first. `request`: instanceId; after: a cursor, or
-- `oldest`, or NULL for now; types: NULL for all; limit.
-- Returns {state: `ok`, items (see describe_event), nextCursor, hasMore}; or {state: `unknown_cursor`};
-- or {state: `expired`, oldestCursor} where events after the cursor are gone.
-- A page has at most 2 MiB of data. At most 5,000 events are read per call, however few of them are of
-- the types: the next call goes on behind them. So hasMore says that there are events behind the page,
-- and where it is false, that none of the types is.
-- A cursor is always the number of an event that was read, never the horizon: numbers that no committed
-- transaction has used may be drawn again after a crash of the server.
-- Events are found by comparing both columns of their index: by the instance alone, a plan may go by
-- the primary key and read every other instance's events.
-- The statements must stay in this order: see the head of tables/events.sql.
create or replace function public.read_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  given_cursor constant text := request->>'after';
  wanted constant text[] := case
    when nullif(request->'types', 'null') is not null
      then array(select jsonb_array_elements_text(request->'types'))
  end;
  page_size constant integer := (request->>'limit')::integer;
  max_bytes constant integer := 2 * 1024 * 1024;
  max_reads constant integer := 5000;
  stream constant messaging.event_streams := messaging.event_stream(of_instance);
  position bigint;
  horizon bigint;
  event messaging.events;
  items jsonb[] := '{}';
  bytes integer := 0;
  reads integer := 0;
  has_more boolean := false;
begin
  if given_cursor = 'oldest' then
    position := stream.purged_through;
  elsif given_cursor is not null then
    position := messaging.open_event_cursor(given_cursor, stream.cursor_key);
    if position is null then
      return jsonb_build_object('state', 'unknown_cursor');
    elsif position < stream.purged_through then
      return jsonb_build_object(
        'state', 'expired',
        'oldestCursor', messaging.seal_event_cursor(stream.purged_through, stream.cursor_key)
      );
    end if;
  end if;
  horizon := messaging.event_horizon(of_instance);
  if position is null then
    select e.sequence into position from messaging.events e
    where (e.instance_id, e.sequence) >= (of_instance, 0)
      and (e.instance_id, e.sequence) <= (of_instance, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1;
    position := coalesce(position, stream.purged_through);
  else
    for event in
      select e.* from messaging.events e
      where (e.instance_id, e.sequence) > (of_instance, position)
        and (e.instance_id, e.sequence) <= (of_instance, horizon)
      order by e.instance_id, e.sequence
      limit max_reads + 1
    loop
      reads := reads + 1;
      if wanted is null or event.type = any (wanted) then
        bytes := bytes + octet_length(event.data::text);
        has_more := cardinality(items) = page_size or (bytes > max_bytes and items <> '{}');
        exit when has_more;
        items := items || messaging.describe_event(event);
      end if;
      has_more := reads > max_reads;
      exit when has_more;
      position := event.sequence;
    end loop;
  end if;
  return jsonb_build_object(
    'state', 'ok',
    'items', to_jsonb(items),
    'nextCursor', messaging.seal_event_cursor(position, stream.cursor_key),
    'hasMore', has_more
  );
end;
$$;
revoke all on function public.read_events(jsonb) from public, anon, authenticated;
grant execute on function public.read_events(jsonb) to service_role;
