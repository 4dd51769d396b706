-- events-api: one page of an instance's feed, oldest first. `request`: instanceId; after: a cursor, or
-- `oldest`, or NULL for now; types: NULL for all; limit; horizon: that of read_position on a standby, which sees
-- no writer's lock, else NULL.
-- Returns {state: `ok`, items (see describe_event), nextCursor, hasMore}; or {state: `unknown_cursor`};
-- or {state: `expired`, oldestCursor, the cursor to go on from} where events after the cursor are gone, or that
-- of the cursor itself: it was read from a server whose last commits were lost (see note_server).
-- A page has at most 2 MiB of data. At most 5,000 events are read per call, however few of them are of
-- the types: the next call goes on behind them. So hasMore says that there are events behind the page,
-- and where it is false, that none of the types is.
-- A cursor is always the number of an event that was read, never the horizon: numbers that no committed
-- transaction has used may be drawn again after a crash of the server. What is told is on a synchronous standby,
-- where there is one: see await_standby.
-- A sweep may delete events at any time, so how far the feed is gone is read again after the events: what
-- it deleted between the two statements is answered as `expired`, never passed over. A reader of `oldest`
-- has missed nothing, and reads again.
-- Events are found by comparing both columns of their index: by the instance alone, a plan may go by
-- the primary key and read every other instance's events.
-- The statements must stay in this order: see the head of tables/events.sql.
-- Over 80 lines: one page, whose parts must be read in this order.
create or replace function public.read_events(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
  began_at bigint;
  purged_through bigint;
  horizon bigint;
  kept_through bigint;
  event messaging.events;
  item jsonb;
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
    end if;
  end if;
  began_at := position;
  horizon := (request->>'horizon')::bigint;
  if horizon is null then
    horizon := messaging.event_horizon(of_instance);
  end if;
  kept_through := messaging.kept_events_through(began_at);
  if kept_through is not null then
    return jsonb_build_object(
      'state', 'expired',
      'oldestCursor', messaging.seal_event_cursor(kept_through, stream.cursor_key)
    );
  end if;
  if position is null then
    select e.sequence into position from messaging.events e
    where (e.instance_id, e.sequence) >= (of_instance, 0)
      and (e.instance_id, e.sequence) <= (of_instance, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1;
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
        item := messaging.describe_event(event);
        bytes := bytes + octet_length(item::text);
        has_more := cardinality(items) = page_size or (bytes > max_bytes and items <> '{}');
        exit when has_more;
        items := items || item;
      end if;
      has_more := reads > max_reads;
      exit when has_more;
      position := event.sequence;
    end loop;
  end if;
  purged_through := (messaging.event_stream(of_instance)).purged_through;
  if began_at < purged_through and given_cursor = 'oldest' then
    return public.read_events(request);
  elsif began_at < purged_through then
    return jsonb_build_object(
      'state', 'expired',
      'oldestCursor', messaging.seal_event_cursor(purged_through, stream.cursor_key)
    );
  end if;
  if position is distinct from began_at then
    perform messaging.await_standby();
  end if;
  return jsonb_build_object(
    'state', 'ok',
    'items', to_jsonb(items),
    'nextCursor', messaging.seal_event_cursor(coalesce(position, purged_through), stream.cursor_key),
    'hasMore', has_more
  );
end;
$$;

-- What the feed knows of an instance beside its events; made by the first reading.
create or replace function messaging.event_stream(instance_id uuid)
returns messaging.event_streams language plpgsql set search_path = '' as $$
declare
  stream messaging.event_streams;
begin
  select s.* into stream from messaging.event_streams s
  where s.instance_id = event_stream.instance_id;
  if not found then
    insert into messaging.event_streams (instance_id) values (event_stream.instance_id)
    on conflict do nothing;
    select s.* into strict stream from messaging.event_streams s
    where s.instance_id = event_stream.instance_id;
  end if;
  return stream;
end;
$$;

-- The number that a cursor of the feed holds; NULL for what seal_event_cursor has not made with this
-- key.
create or replace function messaging.open_event_cursor(cursor text, cursor_key uuid)
returns bigint language plpgsql immutable parallel safe set search_path = '' as $$
declare
  number bigint;
begin
  if cursor !~ '^[0-9A-Za-z_-]{28}$' then
    return null;
  end if;
  number := ('x' || encode(
    substring(decode(translate(cursor, '-_', '+/'), 'base64') from 1 for 8), 'hex'
  ))::bit(64)::bigint;
  return case when messaging.seal_event_cursor(number, cursor_key) = cursor then number end;
end;
$$;

-- A cursor of the feed: the number after which to go on, sealed with the instance's key, so that no
-- number can be made up and no cursor of another instance is taken. 21 bytes in base64url.
create or replace function messaging.seal_event_cursor(sequence bigint, cursor_key uuid)
returns text language sql immutable parallel safe set search_path = '' as $$
  select translate(
    encode(
      int8send(sequence)
        || substring(sha256(uuid_send(cursor_key) || int8send(sequence)) from 1 for 13),
      'base64'
    ),
    '+/', '-_'
  );
$$;

-- Where a reader of the feed goes on whose cursor stands at an event that a promotion has lost, or beyond every
-- number that was drawn here, as after a restore; NULL for any other cursor, and none. No event was passed by: the
-- numbers of what came after are higher (see note_server).
create or replace function messaging.kept_events_through(cursor_number bigint)
returns bigint language sql stable set search_path = '' as $$
  select coalesce(
    (
      select s.events_through from messaging.database_servers s
      where s.lacks_commits
        and cursor_number > s.events_through and cursor_number <= s.events_before
      order by s.id
      limit 1
    ),
    (
      select d.last_drawn
      from (
        select coalesce(pg_sequence_last_value('messaging.event_sequence'), 0) as last_drawn
      ) as d
      where cursor_number > d.last_drawn
    )
  );
$$;
