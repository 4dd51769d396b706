set local check_function_bodies = off;

-- What became true of an instance's messages, contacts, conversations and connection, written in the
-- transaction that made it true. Read by the feed (read_events) and by the webhooks' dispatcher.
--
-- Reading misses nothing, although transactions commit in another order than that of their numbers, and
-- no writer waits for another one:
--   A writer calls hold_event_floor before it draws its first number. That reads the number that was
--   drawn last, its floor, and holds it as a shared advisory lock until its rows are visible: Postgres
--   releases locks after it has made the transaction's rows visible.
--   A reader calls event_horizon, then reads the rows up to the horizon, in this order: the number that
--   was drawn last; the smallest floor of the instance's writers; the rows.
--   A writer that took its lock after the reader looked at the locks draws numbers above the first. A
--   writer whose lock the reader saw draws numbers above its floor. A writer that had released its lock
--   before is visible. So nothing up to the smaller of the two can still appear.
-- A gap in the numbers (a transaction that rolled back, another instance's event) is never waited for. A
-- slow transaction delays only the events of its own instance.
-- The events of one message carry its order: their numbers are drawn under the lock of its row.
create sequence messaging.event_sequence as bigint;
revoke all on sequence messaging.event_sequence from public, anon, authenticated;
grant usage, select on sequence messaging.event_sequence to service_role;

-- No foreign keys: each would cost every send a look-up. Events of an instance or a contact that is gone
-- stay until their retention is over, or until the person's data are erased.
create table messaging.events (
  sequence bigint primary key default nextval('messaging.event_sequence'),
  id uuid not null default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid,
  type text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  data jsonb not null
);
create index events_of_instance on messaging.events (instance_id, sequence);
-- To find what is stored about a person.
create index events_of_contact on messaging.events (contact_id)
where contact_id is not null;
alter table messaging.events enable row level security;
revoke all on table messaging.events from public, anon, authenticated;
grant select, insert, update, delete on table messaging.events to service_role;
comment on column messaging.events.type is 'See shared/model/event_types.ts.';
comment on column messaging.events.recorded_at is 'When it became true; `timestamp` of the event.';
comment on column messaging.events.data is
  'The state at that moment; never changed, whatever becomes of what it is about.';

-- What the feed knows of an instance beside its events. The row is made by the first reading.
create table messaging.event_streams (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  cursor_key uuid not null default gen_random_uuid(),
  purged_through bigint not null default 0
);
alter table messaging.event_streams enable row level security;
revoke all on table messaging.event_streams from public, anon, authenticated;
grant select, insert, update, delete on table messaging.event_streams to service_role;
comment on column messaging.event_streams.cursor_key is
  'Seals the instance''s cursors: see seal_event_cursor. It never leaves the database.';
comment on column messaging.event_streams.purged_through is
  'The last event whose retention is over. A cursor before it has missed something.';

-- An event as the feed and the webhooks give it.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', event.data
  );
$$;
revoke all on function messaging.describe_event(messaging.events) from public, anon, authenticated;
grant execute on function messaging.describe_event(messaging.events) to service_role;

-- The number up to which no event of the instance can appear any more. The caller reads the events in a
-- later statement, in a transaction of isolation level read committed: see the head of
-- tables/events.sql.
-- A floor is rebuilt from its low 32 bits as the number nearest to the one that was drawn last. Another
-- instance's lock with the same hash only makes the horizon lower.
create or replace function messaging.event_horizon(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  last_drawn bigint;
  lowest_floor bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  select min(last_drawn + ((l.objid::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648)
  into lowest_floor
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid = (uuid_hash(event_horizon.instance_id)::bigint & 4294967295)::oid
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  return least(last_drawn, lowest_floor);
end;
$$;
revoke all on function messaging.event_horizon(uuid) from public, anon, authenticated;
grant execute on function messaging.event_horizon(uuid) to service_role;

-- What the feed knows of an instance beside its events; made by the first reading.
create or replace function messaging.event_stream(instance_id uuid)
returns messaging.event_streams
language plpgsql
set search_path = ''
as $$
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
revoke all on function messaging.event_stream(uuid) from public, anon, authenticated;
grant execute on function messaging.event_stream(uuid) to service_role;

-- Cuts an event's data so that the whole event stays below 20,000 bytes, and says so in `isTruncated`:
-- first the longest text of its members, and of the objects among them, then the next one.
-- An event has at most 500 bytes beside its data.
create or replace function messaging.fit_event_data(data jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  max_bytes constant integer := 19500;
  fitted jsonb := data;
  excess integer;
  longest record;
begin
  -- A text takes at most six times its size as JSON. Most data are small: spares writing them out.
  if pg_column_size(data) <= 3000 then
    return data;
  end if;
  loop
    excess := octet_length(fitted::text) - max_bytes;
    exit when excess <= 0;
    fitted := fitted || '{"isTruncated": true}';
    select leaf.path, leaf.value into longest
    from (
      select array[own.key] as path, own.value #>> '{}' as value
      from jsonb_each(fitted) as own
      where jsonb_typeof(own.value) = 'string'
      union all
      select array[own.key, inner_one.key], inner_one.value #>> '{}'
      from jsonb_each(fitted) as own
      cross join lateral jsonb_each(
        case when jsonb_typeof(own.value) = 'object' then own.value else '{}' end
      ) as inner_one
      where jsonb_typeof(inner_one.value) = 'string'
    ) as leaf
    order by octet_length(to_jsonb(leaf.value)::text) desc
    limit 1;
    exit when longest.path is null or longest.value = '';
    -- A character may take six bytes: cuts too little rather than too much, and looks again.
    fitted := jsonb_set(fitted, longest.path, to_jsonb(
      left(longest.value, greatest(char_length(longest.value) - greatest(excess / 6, 1), 0))
    ));
  end loop;
  return fitted;
end;
$$;
revoke all on function messaging.fit_event_data(jsonb) from public, anon, authenticated;
grant execute on function messaging.fit_event_data(jsonb) to service_role;

-- Must be called before the transaction draws its first event number for the instance, in a statement
-- of its own: see the head of tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back.
-- Takes a shared advisory lock of two numbers: the instance's hash and the low 32 bits of the floor. No
-- one takes it exclusively, so nothing waits. (Advisory locks of one number are taken elsewhere.)
create or replace function messaging.hold_event_floor(instance_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
begin
  if strpos(held, instance_id::text) > 0 then
    return;
  end if;
  perform
    pg_advisory_xact_lock_shared(
      uuid_hash(instance_id),
      (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
    ),
    set_config('messaging.event_floors', held || instance_id::text, true)
  from messaging.event_sequence s;
end;
$$;
revoke all on function messaging.hold_event_floor(uuid) from public, anon, authenticated;
grant execute on function messaging.hold_event_floor(uuid) to service_role;

-- The number that a cursor of the feed holds; NULL for what seal_event_cursor has not made with this
-- key.
create or replace function messaging.open_event_cursor(cursor text, cursor_key uuid)
returns bigint
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
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
revoke all on function messaging.open_event_cursor(text, uuid) from public, anon, authenticated;
grant execute on function messaging.open_event_cursor(text, uuid) to service_role;

-- Records one event in the transaction that makes it true. `data`: the event's data, complete; it is
-- cut to what an event may hold (see fit_event_data). `contact_id`: the person it is about, if any.
-- Call it when the rows it is about are locked and changed, so that events stand in the order in which
-- they became true. For message.* use record_message_events.
create or replace function messaging.record_event(
  instance_id uuid,
  contact_id uuid,
  type text,
  data jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.hold_event_floor(record_event.instance_id);
  insert into messaging.events (instance_id, contact_id, type, data)
  values (
    record_event.instance_id, record_event.contact_id, record_event.type,
    messaging.fit_event_data(record_event.data)
  );
end;
$$;
revoke all
on function messaging.record_event(uuid, uuid, text, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_event(uuid, uuid, text, jsonb) to service_role;

-- Records one event for each of these messages, in the order given, with the state of the message now:
-- what describe_message says of it, and its contact. `types`: the event of the message at the same place;
-- a message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent.
-- Call it when the messages are changed, and so locked.
create or replace function messaging.record_message_events(message_ids uuid[], types text[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if message_ids is null then
    return;
  end if;
  perform messaging.hold_event_floor(m.instance_id)
  from messaging.messages m
  where m.id = any (message_ids);
  insert into messaging.events (instance_id, contact_id, type, data)
  select m.instance_id, m.contact_id, named.type,
    messaging.fit_event_data(
      messaging.describe_message(m)
        || case
          when named.type = 'message.sent'
            then '{"status": "sent", "deliveredAt": null, "readAt": null}'
          else '{}'
        end::jsonb
        || jsonb_build_object('contact', jsonb_build_object(
          'contactId', c.id, 'phone', messaging.contact_display_phone(c), 'name', c.name
        ))
    )
  from unnest(message_ids, types) with ordinality as named(message_id, type, place)
  join messaging.messages m on m.id = named.message_id
  join messaging.contacts c on c.id = m.contact_id
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.record_message_events(uuid[], text[]) to service_role;

-- A cursor of the feed: the number after which to go on, sealed with the instance's key, so that no
-- number can be made up and no cursor of another instance is taken. 21 bytes in base64url.
create or replace function messaging.seal_event_cursor(sequence bigint, cursor_key uuid)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select translate(
    encode(
      int8send(sequence)
        || substring(sha256(uuid_send(cursor_key) || int8send(sequence)) from 1 for 13),
      'base64'
    ),
    '+/', '-_'
  );
$$;
revoke all on function messaging.seal_event_cursor(bigint, uuid) from public, anon, authenticated;
grant execute on function messaging.seal_event_cursor(bigint, uuid) to service_role;

-- events-api: one page of an instance's feed, oldest first. `request`: instanceId; after: a cursor, or
-- `oldest`, or NULL for now; types: NULL for all; limit.
-- Returns {state: `ok`, items (see describe_event), nextCursor, hasMore}; or {state: `unknown_cursor`};
-- or {state: `expired`, oldestCursor} where events after the cursor are gone.
-- A page has at most 2 MiB of data. At most 5,000 events are read per call, however few of them are of
-- the types: the next call goes on behind them. So hasMore says that there are events behind the page,
-- and where it is false, that none of the types is.
-- A cursor is always the number of an event that was read, never the horizon: numbers that no committed
-- transaction has used may be drawn again after a crash of the server.
-- The statements must stay in this order: see the head of tables/events.sql.
create or replace function public.read_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
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
    where e.instance_id = of_instance and e.sequence <= horizon
    order by e.sequence desc
    limit 1;
    position := coalesce(position, stream.purged_through);
  else
    for event in
      select e.* from messaging.events e
      where e.instance_id = of_instance and e.sequence > position and e.sequence <= horizon
      order by e.sequence
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
