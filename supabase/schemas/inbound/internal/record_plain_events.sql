-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[] language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  messages messaging.plain_event[];
  statuses messaging.plain_event[];
  changed integer[] := '{}';
  unchanged integer[] := '{}';
  recorded integer[] := array_fill(null::integer, array[jsonb_array_length(calls)]);
  sender record;
  told record;
  place integer;
begin
  select r.messages, r.statuses into messages, statuses from messaging.read_plain_events(calls) r;
  -- First of all: what is told again costs little, however often.
  if messages is not null and exists (
    select from unnest(messages) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id)
  ) then
    unchanged := messaging.keep_retold_messages(messages);
    messages := array(select e from unnest(messages) as e where e.place <> all (unchanged));
  end if;
  perform messaging.lock_plain_events(messages || statuses);
  if cardinality(messages) > 0 then
    changed := messaging.record_inbound_messages(messages);
    if cardinality(changed) < cardinality(messages) then
      for sender in
        select e as event, e.place from messaging.new_messages(messages) as e
        where e.place <> all (changed) and (
          select true from messaging.address_owners(e.instance_id, e.identity_keys) limit 1
        ) is null
        order by e.place
      loop
        perform messaging.add_inbound_message(sender.event, calls->(sender.place - 1)->'events'->0);
        changed := changed || sender.place;
      end loop;
    end if;
  end if;
  if statuses is not null then
    select s.changed, s.unchanged into told from messaging.record_plain_statuses(statuses) s;
    changed := changed || told.changed;
    unchanged := unchanged || told.unchanged;
  end if;
  perform messaging.touch_noted_contacts();
  foreach place in array changed loop
    recorded[place] := 1;
  end loop;
  foreach place in array unchanged loop
    recorded[place] := 0;
  end loop;
  return recorded;
end;
$$;

-- Takes the locks of lock_provider_messages and lock_addresses for all these events, in the order of
-- the two: every transaction that names messages and addresses locks in this order.
create or replace function messaging.lock_plain_events(events messaging.plain_event[])
returns void language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select 1 as turn, null::uuid as instance_id,
      messaging.provider_message_lock_key(e.instance_id, e.provider_message_id) as lock_key
    from unnest(events) as e
    union
    select 2, e.instance_id,
      messaging.address_lock_key(e.instance_id, key.value)
    from unnest(events) as e
    cross join lateral unnest(e.identity_keys) as key(value)
    order by turn, instance_id, lock_key
  ) as wanted;
end;
$$;

-- Stores the payloads of inbound messages that are stored already: a channel delivers until it is answered,
-- and delivers again what was recorded all the same. Returns their places. Leaves the others untouched, and
-- one that brings its file with it: see attach_embedded_file.
-- Holds the messages, so that an erasure, which deletes them before the payloads of their person, waits and
-- finds the payloads. Waits for nobody: one that is being deleted is left untouched.
create or replace function messaging.keep_retold_messages(events messaging.plain_event[])
returns integer[] language plpgsql set search_path = '' as $$
declare
  retold integer[];
begin
  retold := array(
    select e.place from unnest(events) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id) as stored(id)
    cross join lateral (
      select from messaging.messages m where m.id = stored.id for key share skip locked
    ) as held
    where e.file->'stored' is null
  );
  if cardinality(retold) > 0 then
    retold := array(
      select e.place from unnest(events) as e
      cross join lateral messaging.present_credentials(e.instance_id, e.sealed_provider_config)
      where e.place = any (retold)
    );
    insert into messaging.provider_events (instance_id, payload)
    select e.instance_id, e.payload from unnest(events) as e
    where e.place = any (retold) and e.payload is not null
    order by e.place;
  end if;
  return retold;
end;
$$;

-- Applies delivery events of messages that the provider has accepted, and stores their payloads, as
-- record_status_event does: one statement for all of them. One that is late or repeated may still tell how
-- the message is billed, which is no event. `changed` and `unchanged` are the places of
-- the recorded events. Leaves the others untouched: those of messages that are unknown, have not been
-- accepted or have failed, of messages that another transaction holds, of messages that are queued
-- once more, and those that correct how a message is billed that has its price (see take_back_usage).
-- The caller holds lock_plain_events.
create or replace function messaging.record_plain_statuses(
  events messaging.plain_event[], out changed integer[], out unchanged integer[]
) language plpgsql set search_path = '' as $$
begin
  with known as (
    select distinct on (message.id) e.place, e.instance_id, e.payload, e.status, e.occurred_at,
      message.id as message_id,
      case messaging.message_transition(message.status, e.status)
        when 'always' then true else false
      end as is_forward,
      e.pricing, instance.is_official, e.status <> 'sent' and message.delivered_at is null as is_first,
      e.pricing is not null and message.pricing->>'source' is distinct from 'channel' as tells_pricing
    from unnest(events) as e
    cross join lateral (
      select i.provider_class = 'official' as is_official from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    cross join lateral (
      select m.id, m.status, m.pricing, m.delivered_at
      from messaging.messages m
      where m.id = coalesce(
        (
          select own.id from messaging.messages own
          where own.id = e.message_id and own.instance_id = e.instance_id
            and own.direction = 'outbound'
        ),
        (
          select own.id from messaging.messages own
          where own.instance_id = e.instance_id and own.direction = 'outbound'
            and own.provider_message_id = e.provider_message_id
          -- A duplicate stored from an echo may have the same id until it is merged.
          order by own.is_typed_on_phone, own.created_at desc
          limit 1
        )
      )
        and m.status in ('sent', 'delivered', 'read') and m.provider_message_id is not null
      for no key update of m skip locked
    ) as message
    where (
      select true from messaging.message_queue q where q.message_id = message.id limit 1
    ) is null
      and (
        e.pricing is null or message.pricing ? 'market' is not true
        or message.pricing->>'source' = 'channel'
      )
    order by message.id, e.place
  ),
  payloads as (
    insert into messaging.provider_events (instance_id, payload)
    select k.instance_id, k.payload from known k where k.payload is not null order by k.place
  ),
  messages as (
    update messaging.messages m
    set status = case when k.is_forward then k.status else m.status end,
      delivered_at = case
        when k.is_forward then coalesce(m.delivered_at, k.occurred_at) else m.delivered_at
      end,
      read_at = case when k.is_forward and k.status = 'read' then k.occurred_at else m.read_at end,
      pricing = messaging.known_pricing(
        m.pricing, k.pricing, k.status, k.is_official,
        messaging.sent_category(m.message_type, m.purpose, m.ladder)
      ) - case when k.is_first then 'market' else '' end,
      failed_at = null,
      canceled_at = null,
      unconfirmed_at = null,
      is_retryable = false,
      last_error = null
    -- Told in the order of the events.
    from (select * from known order by place) as k
    where m.id = any (array[k.message_id]) and (k.is_forward or k.tells_pricing)
  )
  select array_agg(k.place) filter (where k.is_forward or k.tells_pricing),
    array_agg(k.place) filter (where not k.is_forward and not k.tells_pricing)
  into changed, unchanged
  from known k;
end;
$$;
