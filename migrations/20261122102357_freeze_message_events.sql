set local check_function_bodies = off;

drop function messaging.message_event_data(text,jsonb,jsonb,text,text);

-- What an event keeps of a message: its row as it was then, as far as message_record shows it, and its
-- contact's name and phone. Freezing it costs a send a tenth of what it costs to write the record out,
-- so that is left to whoever reads the event: see message_event_data.
-- A type of its own, not that of the table: no column with a default could be added to the table then.
-- The attributes of the table are named as there.
create type messaging.message_snapshot as (
  id uuid,
  direction text,
  status text,
  message_type text,
  message text,
  content jsonb,
  card_id text,
  metadata jsonb,
  contact_id uuid,
  conversation_id uuid,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  created_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  attempts smallint,
  last_error jsonb,
  contact_name text,
  contact_phone text
);
comment on column messaging.message_snapshot.content is 'Of a received message; else NULL.';
comment on column messaging.message_snapshot.contact_phone is 'As contact_display_phone.';

-- An event as the feed and the webhooks give it. Instants of a message are told in the time zone that
-- its instance has now; in UTC, where the instance is gone.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', coalesce(
      event.data,
      messaging.message_event_data(
        event.type,
        event.message,
        coalesce(
          (select i.time_zone from messaging.instances i where i.id = event.instance_id), 'UTC'
        )
      )
    )
  );
end;
$$;
revoke all on function messaging.describe_event(messaging.events) from public, anon, authenticated;
grant execute on function messaging.describe_event(messaging.events) to service_role;

-- The data of a message's event: the message's record (see message_record) as it was then, its contact,
-- and of a received message what its content refers to. Reads no table.
create or replace function messaging.message_event_data(
  type text,
  message messaging.message_snapshot,
  time_zone text
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  data jsonb := messaging.message_record(
    jsonb_populate_record(null::messaging.messages, to_jsonb(message)), time_zone, false
  ) || jsonb_build_object('contact', jsonb_build_object(
    'contactId', message.contact_id,
    'phone', message.contact_phone,
    'name', message.contact_name
  ));
begin
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  elsif type = 'message.received' then
    data := data || jsonb_build_object(
      'choice', message.content->'choice',
      'mediaId', null,
      'mediaStatus', null,
      'quotedMessageId', null
    );
  end if;
  return messaging.fit_event_data(data);
end;
$$;
revoke all
on function messaging.message_event_data(text, messaging.message_snapshot, text)
from public, anon, authenticated;
grant execute
on function messaging.message_event_data(text, messaging.message_snapshot, text)
to service_role;

-- Records an event for each of these messages, in the order given, with the state of the message now (see
-- message_snapshot). `types`: the event of the message at the same place, or the one type of all; a
-- message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent: see message_event_data.
-- `is_claimed`: whether the messages are still in a worker's hands.
-- Call it when the messages are changed, and so locked. None of them waits in the queue.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.record_message_events(
  message_ids uuid[],
  types text[],
  is_claimed boolean default false
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(message_ids), 0) = 0 then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select m.instance_id from messaging.messages m where m.id = any (message_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, message)
  select m.instance_id, m.contact_id, told.type, row(
      m.id, m.direction,
      case when is_claimed and m.status = 'queued' then 'sending' else m.status end,
      m.message_type, m.message, case when told.type = 'message.received' then m.content end,
      m.card_id, m.metadata, m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for,
      m.held_by, m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at,
      m.attempts + is_claimed::integer, m.last_error, c.name, c.phone
    )::messaging.message_snapshot
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select r.* from messaging.messages r where r.id = named.message_id offset 0
  ) as m
  cross join lateral (
    select p.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = p.id
          order by a.proven_at desc
          limit 1
        ),
        p.phone
      ) as phone
    from messaging.contacts p
    where p.id = m.contact_id
    offset 0
  ) as c
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[], boolean)
from public, anon, authenticated;
grant execute
on function messaging.record_message_events(uuid[], text[], boolean)
to service_role;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: the start of statements is most of what a settlement costs,
-- and these are plainer than those for several. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  -- The floor of the message's event, as hold_event_floor takes it, without a statement of its own.
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id),
    pg_advisory_xact_lock_shared(
      uuid_hash(q.instance_id),
      coalesce(pg_sequence_last_value('messaging.event_sequence'), 0)::bit(32)::integer
    )::text
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      -- As lock_provider_messages.
      or pg_advisory_xact_lock(
        hashtextextended(q.instance_id::text, 0) # (hashtext(provider_id) & 255)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  delete from messaging.message_queue q where q.message_id = settled;
  with sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(provider_id, m.provider_message_id),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = settled and c.id = addressee
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      )
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s;
  -- What came under the provider's id before the id was known.
  perform from messaging.unmatched_statuses u
  where u.instance_id = tenant and u.provider_message_id = provider_id
  union all
  select from messaging.messages e
  where e.instance_id = tenant and e.provider_message_id = provider_id and e.id <> settled
    and (e.is_typed_on_phone or e.confirmed_by_echo);
  if found then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
    perform messaging.note_contact(addressee);
  else
    perform messaging.touch_addressees(array[addressee], clock);
  end if;
  return array[settled];
end;
$$;
revoke all
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
to service_role;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends. The caller settles the other results,
-- whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb,
  clock timestamptz,
  out settled uuid[],
  out settlements messaging.settlement[]
)
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
  ids uuid[];
  tokens uuid[];
  provider_ids text[];
  instances uuid[];
begin
  for place in 0..jsonb_array_length(results) - 1 loop
    result := results->place;
    ids := ids || (result->>'messageId')::uuid;
    tokens := tokens || (result->>'claimToken')::uuid;
    provider_ids := provider_ids || (result->>'providerMessageId');
  end loop;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        null, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = tokens[array_position(ids, q.message_id)]
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if settled is null then
    return;
  end if;
  delete from messaging.message_queue q where q.message_id = any (settled);
  perform messaging.hold_event_floors(instances);
  with sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(
        provider_ids[array_position(ids, m.id)], m.provider_message_id
      ),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = any (settled) and c.id = any (array[m.contact_id])
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      )
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s
  order by (s.message).id;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

-- Makes the deliveries of what was recorded (fan_out_events), then claims due ones for a worker until
-- their lease ends; settle_event_deliveries requires the claim. Never waits for a lock.
-- `request`: maxDeliveries; leaseSeconds; perEndpoint and perFailingEndpoint, how many of one endpoint
-- whose last attempt succeeded, or did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery whose event is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  due uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  due := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.event_endpoints e
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active
    ) as waiting
    order by waiting.turn
    limit (request->>'maxDeliveries')::integer
  );
  if due = '{}' then
    return jsonb '{"deliveries": [], "targets": []}';
  end if;
  with claimed as (
    update messaging.event_deliveries d
    set claim_token = gen_random_uuid(),
      next_attempt_at = clock
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from messaging.events v
    where d.id = any (due) and v.sequence = d.sequence
    returning d.id, d.claim_token, d.endpoint_id, messaging.describe_event(v) as event
  ),
  gone as (
    update messaging.event_deliveries d
    set status = 'failed', next_attempt_at = null, claim_token = null
    where d.id = any (due)
      and not exists (select from messaging.events v where v.sequence = d.sequence)
  )
  select jsonb_build_object(
    'deliveries', coalesce(jsonb_agg(
      jsonb_build_object(
        'deliveryId', c.id,
        'claimToken', c.claim_token,
        'endpointId', c.endpoint_id,
        'eventId', c.event->>'id',
        'body', c.event::text
      )
      order by (c.event->>'sequence')::bigint
    ), '[]'),
    'targets', coalesce((
      select jsonb_agg(messaging.describe_event_target(e))
      from messaging.event_endpoints e
      where e.id in (select t.endpoint_id from claimed t)
    ), '[]')
  )
  into answer
  from claimed c;
  return answer;
end;
$$;
revoke all on function public.claim_event_deliveries(jsonb) from public, anon, authenticated;
grant execute on function public.claim_event_deliveries(jsonb) to service_role;

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

alter table messaging.events alter column data drop not null;
alter table messaging.events add column if not exists message messaging.message_snapshot;

comment on column messaging.events.data is
  'The state at that moment; never changed, whatever becomes of what it is about. See message.';

comment on column messaging.events.message is
  'Of message.* events, instead of data, which is made from it when it is read: see describe_event.';

alter table messaging.events add constraint events_are_about_something CHECK ((num_nonnulls(data, message) = 1)) not valid;

drop function messaging.event_floor();
