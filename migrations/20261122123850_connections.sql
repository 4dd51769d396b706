set local check_function_bodies = off;

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds or
-- that is disconnected until that ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  claimed_ids uuid[];
  held_ids uuid[];
  to_be_paced uuid[];
  due_ids uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      greatest(d.operator_hold_until, d.disconnected_until) > clock
        and not due.is_to_be_paced as is_held
    from due
    join messaging.dispatch d on d.instance_id = any (array[due.instance_id])
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from checked
    join messaging.messages m on m.id = any (array[checked.message_id])
    where q.message_id = any (array[checked.message_id]) and not checked.is_held
      and not checked.is_to_be_paced and coalesce(m.expires_at > clock, true)
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced
    )
  into claimed_ids, held_ids, to_be_paced, due_ids;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  -- What was due and not claimed has come to its expires_at.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
  end if;
  return claimed_ids;
end;
$$;
revoke all
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.claim_unpaced_messages(integer, interval, timestamptz)
to service_role;

-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with providers as (
    select distinct i.provider from messaging.instances i
  ), series(name, labels) as (
    select k.name, jsonb_build_object('provider', p.provider)
    from providers p
    cross join (values
      ('messaging_messages_sent_total'),
      ('messaging_messages_failed_total'),
      ('messaging_messages_unconfirmed_total'),
      ('messaging_dispatch_lateness_seconds_sum')
    ) as k(name)
    union all
    select 'messaging_outbox_settled_total', jsonb_build_object('kind', k.kind, 'status', s.status)
    from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('agent_reply')) as k(kind)
    cross join (values ('done'), ('dead')) as s(status)
    union all
    select k.name, '{}'::jsonb
    from (values
      ('messaging_claim_expiries_total'), ('messaging_maintenance_runs_total')
    ) as k(name)
  ), buckets as (
    select p.provider, b.bound, coalesce(c.reported, 0) as amount
    from providers p
    cross join unnest(messaging.lateness_bounds() || 'infinity'::numeric) as b(bound)
    left join messaging.metric_counters c
      on c.name = 'messaging_dispatch_lateness_seconds_bucket'
        and c.labels = jsonb_build_object(
          'provider', p.provider,
          'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
        )
  )
  select s.name, s.labels, coalesce(c.reported, 0)
  from series s
  left join messaging.metric_counters c on c.name = s.name and c.labels = s.labels
  union all
  (
    select 'messaging_dispatch_lateness_seconds_bucket',
      jsonb_build_object(
        'provider', b.provider,
        'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
      ),
      sum(b.amount) over (partition by b.provider order by b.bound)
    from buckets b
    order by b.provider, b.bound
  )
  union all
  select 'messaging_dispatch_lateness_seconds_count', jsonb_build_object('provider', b.provider),
    sum(b.amount)
  from buckets b
  group by b.provider
  union all
  select 'messaging_queue_entries_total', '{}'::jsonb,
    case when q.is_called then q.last_value else 0 end
  from messaging.message_queue_position_seq q
  union all
  select 'messaging_provider_events_total', '{}'::jsonb,
    case when e.is_called then e.last_value else 0 end
  from messaging.provider_events_id_seq e
  union all
  select 'messaging_last_maintenance_timestamp_seconds', '{}'::jsonb,
    round(extract(epoch from c.changed_at), 3)
  from messaging.metric_counters c
  where c.name = 'messaging_maintenance_runs_total';
$$;
revoke all on function messaging.counter_samples() from public, anon, authenticated;
grant execute on function messaging.counter_samples() to service_role;

-- What an instance's protection allows on its present day, and what of it is taken: {day, limit, limitedBy,
-- sent, waiting, newContacts {limit, sent, waiting}}; `waiting` has a slot today, or is overdue. `limit` is
-- NULL for none, newContacts where they are not limited. NULL without protection.
create or replace function messaging.describe_day(instance messaging.instances, clock timestamptz)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  walk constant messaging.slot_walk := messaging.begin_walk(instance, clock);
  allowed integer;
  today messaging.paced_days;
begin
  if instance.protection is null then
    return null;
  end if;
  allowed := messaging.day_limit(
    walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from, walk.first_day
  );
  select d.* into today
  from messaging.paced_days d where d.instance_id = instance.id and d.day = walk.first_day;
  return jsonb_build_object(
    'day', walk.first_day,
    'limit', allowed,
    'limitedBy', case
      when allowed is distinct from walk.daily_limit then 'warm_up'
      when allowed is not null then 'daily_limit'
    end,
    'sent', coalesce(today.sent, 0),
    'waiting', coalesce(walk.taken[1], 0) - coalesce(today.sent, 0),
    'newContacts', case
      when walk.new_limit is not null then jsonb_build_object(
        'limit', walk.new_limit,
        'sent', coalesce(today.sent_new, 0),
        'waiting', coalesce(walk.taken_new[1], 0) - coalesce(today.sent_new, 0)
      )
    end
  );
end;
$$;
revoke all
on function messaging.describe_day(messaging.instances, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.describe_day(messaging.instances, timestamptz) to service_role;

-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[],
  clock timestamptz
)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with instances as (
    select count(*) as total, count(*) filter (where s.status = 'held') as held,
      count(*) filter (where s.status = 'disconnected') as disconnected,
      count(*) filter (where s.status = 'late') as late,
      count(*) filter (where s.unconfirmed > 0) as with_unconfirmed,
      coalesce(sum(s.waiting), 0) as waiting, coalesce(sum(s.in_flight), 0) as in_flight,
      coalesce(sum(s.unconfirmed), 0) as unconfirmed, min(s.oldest_due) as oldest_due
    from unnest(states) as s
  ), outbox as (
    select
      (select count(*) from messaging.outbox o where o.settled_at is null) as pending,
      (select count(*) from messaging.outbox o where o.status = 'dead') as dead,
      (
        select min(o.run_at) from messaging.outbox o
        where o.settled_at is null and o.run_at <= clock
      ) as oldest_due
  )
  select jsonb_build_object(
    'status', case
      when i.late > 0 then 'late'
      when i.disconnected > 0 then 'disconnected'
      when i.held > 0 then 'held'
      else 'ok'
    end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'disconnected', i.disconnected, 'late', i.late, 'unconfirmed', i.with_unconfirmed
    ),
    'messages', jsonb_build_object(
      'queueDepth', i.waiting,
      'inFlight', i.in_flight,
      'unconfirmed', i.unconfirmed,
      'oldestDueAt', messaging.iso_in_zone(i.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - i.oldest_due))
    ),
    'outbox', jsonb_build_object(
      'pending', o.pending,
      'dead', o.dead,
      'oldestDueAt', messaging.iso_in_zone(o.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - o.oldest_due))
    ),
    'database', jsonb_build_object('sizeBytes', pg_database_size(current_database())),
    'attention', coalesce((
      select jsonb_agg(jsonb_build_object(
        'instanceId', a.instance_id,
        'status', a.status,
        'heldUntil', messaging.iso_in_zone(
          case when isfinite(a.hold_until) then a.hold_until end, 'UTC'
        ),
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) order by a.place)
      from (
        select s.*, row_number() over (
          order by s.status = 'late' desc, s.status = 'disconnected' desc, s.status = 'held' desc,
            s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        where s.status <> 'ok' or s.unconfirmed > 0
      ) as a
      where a.place <= 20
    ), '[]')
  )
  from instances i
  cross join outbox o;
$$;
revoke all
on function messaging.describe_service_health(messaging.instance_state[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.describe_service_health(messaging.instance_state[], timestamptz)
to service_role;

-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time, unless it is to be paced (see enqueue_message_later). Messages before it in the queue are not
-- counted. While an operator's hold or a lost connection keeps it, that is the reason; `leaves_at` is NULL where the hold has
-- no end.
create or replace function messaging.expected_departure(
  queued messaging.message_queue,
  message messaging.messages,
  instance messaging.instances,
  dispatch messaging.dispatch,
  out leaves_at timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  after_last constant timestamptz :=
    dispatch.paced_from + make_interval(secs => queued.interval_seconds);
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  is_paced boolean;
  kept_until timestamptz;
  is_kept boolean;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  is_paced := queued.lane = 'paced' or queued.interval_seconds > 0;
  if is_paced then
    if after_last > leaves_at then
      leaves_at := after_last;
      held_by := 'interval';
    end if;
    leaves_at := greatest(leaves_at, dispatch.hold_until);
  end if;
  -- What lasts longer says the reason; of two without an end, the operator's hold.
  kept_until := greatest(dispatch.operator_hold_until, dispatch.disconnected_until);
  is_kept := kept_until > greatest(leaves_at, clock_timestamp());
  if is_kept then
    held_by := case
      when dispatch.operator_hold_until = kept_until then 'operator_hold' else 'disconnected'
    end;
    leaves_at := case when isfinite(kept_until) then kept_until end;
  end if;
  if not is_paced or leaves_at is null then
    return;
  end if;
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if not is_kept then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
  end if;
end;
$$;
revoke all
on function messaging.expected_departure(
  messaging.message_queue,
  messaging.messages,
  messaging.instances,
  messaging.dispatch
)
from public, anon, authenticated;
grant execute
on function messaging.expected_departure(
  messaging.message_queue,
  messaging.messages,
  messaging.instances,
  messaging.dispatch
)
to service_role;

-- What was told about the connections of instances holds no longer: their credentials are new, or an
-- operator releases them. The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_connection(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  perform messaging.resume_unpaced_messages(d.instance_id, d.disconnected_until, clock)
  from messaging.dispatch d
  where d.instance_id = any (instance_ids) and d.disconnected_until > clock;
  update messaging.dispatch d
  set connection = null, connection_told_at = '-infinity', disconnected_until = '-infinity',
    disconnected_at = null, disconnected_reason = null
  where d.instance_id = any (instance_ids);
end;
$$;
revoke all on function messaging.forget_connection(uuid[]) from public, anon, authenticated;
grant execute on function messaging.forget_connection(uuid[]) to service_role;

-- Whether an instance's channel has delivered anything since: a message received, or a confirmation. Of
-- the newest 500 events.
create or replace function messaging.has_confirmed_since(instance_id uuid, since timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return exists (
    select from (
      select e.type, e.recorded_at
      from messaging.events e
      where e.instance_id = has_confirmed_since.instance_id
      order by e.sequence desc
      limit 500
    ) as newest
    where newest.recorded_at > since
      and newest.type in ('message.received', 'message.delivered', 'message.read')
  );
end;
$$;
revoke all
on function messaging.has_confirmed_since(uuid, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.has_confirmed_since(uuid, timestamptz) to service_role;

-- When a message that has just been queued or scheduled may leave, where its instance is held, by a
-- refusal or an operator, or disconnected, for longer than until the message's slot: see expected_departure. Else the slot and what moved it, as they are.
create or replace function messaging.held_departure(
  message_id uuid,
  instance messaging.instances,
  inout slot timestamptz,
  inout held_by text
)
language plpgsql
set search_path = ''
as $$
begin
  perform from messaging.dispatch d
  where d.instance_id = instance.id and greatest(d.hold_until, d.operator_hold_until, d.disconnected_until) > slot;
  if not found then
    return;
  end if;
  select e.leaves_at, e.held_by into slot, held_by
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  join messaging.dispatch d on d.instance_id = q.instance_id
  cross join lateral messaging.expected_departure(q, m, instance, d) as e
  where q.message_id = held_departure.message_id;
end;
$$;
revoke all
on function messaging.held_departure(uuid, messaging.instances, timestamptz, text)
from public, anon, authenticated;
grant execute
on function messaging.held_departure(uuid, messaging.instances, timestamptz, text)
to service_role;

-- The samples about instances: sums by provider, and one sample each for the hundred instances that
-- need attention most (held or disconnected, late the longest, most unconfirmed, longest queue). All others together
-- have the instance `other`, so the number of series does not grow with the number of instances.
create or replace function messaging.instance_samples(
  states messaging.instance_state[],
  clock timestamptz
)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with states as materialized (
    select s.*, extract(epoch from clock - s.oldest_due) as due_seconds
    from unnest(states) as s
  ), ranked as (
    select s.*, row_number() over (
      order by s.status in ('held', 'disconnected') desc, s.oldest_due nulls last, s.unconfirmed desc, s.waiting desc,
        s.instance_id
    ) as place
    from states s
  ), named as (
    select case when r.place <= 100 then r.instance_id::text else 'other' end as instance,
      sum(r.waiting) as waiting, sum(r.unconfirmed) as unconfirmed,
      count(*) filter (where r.status = 'held') as held,
      count(*) filter (where r.status = 'disconnected') as disconnected, max(r.due_seconds) as due_seconds
    from ranked r
    group by 1
  )
  select 'messaging_instances', jsonb_build_object('provider', p.provider, 'status', k.status),
    count(*) filter (where s.status = k.status)
  from (select distinct s.provider from states s) as p
  cross join (values ('ok'), ('late'), ('held'), ('disconnected')) as k(status)
  join states s on s.provider = p.provider
  group by p.provider, k.status
  union all
  select 'messaging_queue_messages', jsonb_build_object('provider', s.provider, 'state', k.state),
    sum(case k.state when 'waiting' then s.waiting else s.in_flight end)
  from states s
  cross join (values ('waiting'), ('in_flight')) as k(state)
  group by s.provider, k.state
  union all
  select 'messaging_unconfirmed_messages', jsonb_build_object('provider', s.provider),
    sum(s.unconfirmed)
  from states s
  group by s.provider
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "message"}'::jsonb,
    coalesce(max(s.due_seconds), 0)
  from states s
  union all
  select k.name, jsonb_build_object('instance_id', n.instance), k.value
  from named n
  cross join lateral (values
    ('messaging_instance_queue_messages', n.waiting),
    ('messaging_instance_unconfirmed_messages', n.unconfirmed),
    ('messaging_instance_oldest_due_seconds', coalesce(n.due_seconds, 0)),
    ('messaging_instance_held', n.held),
    ('messaging_instance_disconnected', n.disconnected)
  ) as k(name, value);
$$;
revoke all
on function messaging.instance_samples(messaging.instance_state[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.instance_samples(messaging.instance_state[], timestamptz)
to service_role;

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `disconnected`, `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state
language sql
stable
set search_path = ''
as $$
  with queues as materialized (
    select q.instance_id, count(*) filter (where q.claim_token is null) as waiting,
      count(q.claim_token) as in_flight, min(q.lease_until) as first_lease_end,
      min(q.scheduled_at) filter (where q.lane = 'unpaced' and q.claim_token is null)
        as first_unpaced
    from messaging.message_queue q
    group by q.instance_id
  ), unconfirmed as materialized (
    select m.instance_id, count(*) as messages
    from messaging.messages m
    where m.status = 'unconfirmed'
    group by m.instance_id
  ), states as (
    select i.id, i.provider, nullif(greatest(d.hold_until, d.operator_hold_until, clock), clock) as hold_until,
      d.operator_hold_until > clock as is_held_by_operator,
      d.disconnected_until > clock as is_disconnected,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case
          when q.first_unpaced <= clock
            and greatest(d.operator_hold_until, d.disconnected_until) <= clock then q.first_unpaced
        end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.is_held_by_operator then 'held'
      when s.is_disconnected then 'disconnected'
      when s.hold_until is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.hold_until, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed
  from states s;
$$;
revoke all on function messaging.instance_states(timestamptz) from public, anon, authenticated;
grant execute on function messaging.instance_states(timestamptz) to service_role;

-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count.
-- Reads the newest messages and events, in their indexes.
create or replace function messaging.is_suspect(
  instance_id uuid,
  trusted_from timestamptz,
  clock timestamptz
)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  streak constant integer := 20;
  sent integer;
  has_confirmed boolean;
  first_at timestamptz;
begin
  select count(*), bool_or(newest.is_confirmed), min(newest.sent_at)
  into sent, has_confirmed, first_at
  from (
    select m.sent_at, m.status <> 'sent' as is_confirmed
    from messaging.messages m
    where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
      and m.sent_at is not null and m.status <> 'failed'
    order by m.sent_at desc
    limit streak
  ) as newest;
  if sent < streak or has_confirmed or first_at > clock - interval '10 minutes'
    or first_at <= trusted_from then
    return false;
  end if;
  return not messaging.has_confirmed_since(instance_id, first_at) and exists (
    select from (
      select m.status
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed' and m.sent_at < first_at
      order by m.sent_at desc
      limit 1000
    ) as earlier
    where earlier.status in ('delivered', 'read')
  );
end;
$$;
revoke all
on function messaging.is_suspect(uuid, timestamptz, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.is_suspect(uuid, timestamptz, timestamptz) to service_role;

-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator, or
-- disconnected. NULL slot (an empty queue) is never.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if slot is null then
    return timestamptz 'infinity';
  end if;
  return greatest(
    slot,
    dispatch.paced_from + make_interval(secs => interval_seconds),
    dispatch.hold_until,
    dispatch.operator_hold_until,
    dispatch.disconnected_until
  );
end;
$$;
revoke all
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
from public, anon, authenticated;
grant execute
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
to service_role;

-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('agent_reply')) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;
revoke all on function messaging.outbox_samples(timestamptz) from public, anon, authenticated;
grant execute on function messaging.outbox_samples(timestamptz) to service_role;

-- Makes unpaced messages of instances that an operator holds or that are disconnected invisible until that ends, so that a
-- claim reads each of them once. The caller has locked the queue rows. Tries the dispatch rows without
-- waiting; their locks keep a release from overlooking what is postponed here: it waits for them before
-- it looks (see set_operator_hold).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_held_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  with held as (
    select d.instance_id, greatest(d.operator_hold_until, d.disconnected_until) as ends_at
    from messaging.dispatch d
    where greatest(d.operator_hold_until, d.disconnected_until) > clock and d.instance_id in (
      select q.instance_id
      from unnest(postpone_held_messages.message_ids) as late(message_id)
      join messaging.message_queue q on q.message_id = any (array[late.message_id])
    )
    order by d.instance_id
    for share skip locked
  )
  update messaging.message_queue q
  set visible_at = held.ends_at
  from held
  where q.message_id = any (postpone_held_messages.message_ids)
    and q.instance_id = any (array[held.instance_id])
    and q.claim_token is null;
end;
$$;
revoke all
on function messaging.postpone_held_messages(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.postpone_held_messages(uuid[], timestamptz) to service_role;

-- Records what a provider says about an instance's connection. `event`: state (connected or
-- disconnected), reason, until (the end of a restriction, NULL for none), at. The newest by the
-- provider's own time wins: what is older than what was told last changes nothing.
-- While the connection is lost, nothing that the dispatcher sends leaves; immediate sends are tried. When
-- it is back, the paced queue goes on at its pace, and what has become due beside it leaves ten seconds
-- apart.
-- Records instance.connected or instance.disconnected, and tells the workspace's alert address, at most
-- every ten minutes. Returns whether the state has changed. Locks pacing, then dispatch.
create or replace function messaging.record_connection_event(
  instance messaging.instances,
  event jsonb
)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock);
  state constant text := event->>'state';
  former messaging.dispatch;
begin
  perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.connection_told_at then
    return false;
  end if;
  update messaging.dispatch d
  set connection = event->>'state',
    connection_told_at = told_at,
    disconnected_until = case state
      when 'disconnected' then coalesce((event->>'until')::timestamptz, 'infinity')
      else '-infinity'
    end,
    disconnected_at = case
      when state = 'connected' then null
      when former.connection = 'disconnected' then d.disconnected_at
      else least(told_at, clock)
    end,
    disconnected_reason = case when state = 'disconnected' then event->>'reason' end
  where d.instance_id = instance.id;
  perform messaging.refresh_dispatch(array[instance.id]);
  if former.connection is not distinct from state then
    return false;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.' || state, jsonb_build_object('reason', event->'reason')
  );
  if state = 'connected' then
    perform messaging.resume_unpaced_messages(instance.id, former.disconnected_until, clock);
  elsif coalesce(former.told_disconnected_at < clock - interval '10 minutes', true) then
    perform messaging.tell_disconnection(instance, event->>'reason', clock);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.record_connection_event(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_connection_event(messaging.instances, jsonb)
to service_role;

-- Records that the official channel has changed how much a number may send. `event`: change, limit (NULL
-- where it is not told), phone (as the channel displays it), at. It informs only. The newest by the
-- provider's own time wins, and what was told already is no event. News of a number that is another
-- instance's are not this one's: they come to all instances of an account.
-- Returns whether it was news. Locks dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  digits constant text := regexp_replace(event->>'phone', '[^0-9]', '', 'g');
  number_key constant text := messaging.phone_identity_key(nullif(digits, ''));
  former messaging.dispatch;
begin
  if number_key <> instance.connected_phone_key and exists (
    select from messaging.instances other
    where other.workspace_id = instance.workspace_id and other.provider = instance.provider
      and other.connected_phone_key = number_key
  ) then
    return false;
  end if;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.channel_limit_at
    or told_at = former.channel_limit_at
      and event->>'limit' is not distinct from former.channel_limit then
    return false;
  end if;
  update messaging.dispatch d
  set channel_limit = coalesce(event->>'limit', d.channel_limit), channel_limit_at = told_at
  where d.instance_id = instance.id;
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', event->'change',
      'limit', event->'limit',
      'previousLimit', former.channel_limit
    )
  );
  return true;
end;
$$;
revoke all
on function messaging.record_limit_event(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_limit_event(messaging.instances, jsonb) to service_role;

-- An instance is connected again: its unpaced messages that the lost connection has postponed to
-- `postponed_to` are due at their own time, and those whose time has passed leave ten seconds apart, so
-- that they are no burst. The caller holds dispatch.
create or replace function messaging.resume_unpaced_messages(
  instance_id uuid,
  postponed_to timestamptz,
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  update messaging.message_queue q
  set visible_at = case
    when late.scheduled_at > clock then late.scheduled_at
    else clock + (late.place - 1) * interval '10 seconds'
  end
  from (
    select u.message_id, u.scheduled_at,
      row_number() over (order by u.scheduled_at, u.position) as place
    from messaging.message_queue u
    where u.instance_id = resume_unpaced_messages.instance_id and u.lane = 'unpaced'
      and u.claim_token is null and u.interval_seconds = 0
      and (u.visible_at = postponed_to or u.scheduled_at <= clock and u.visible_at <= clock)
  ) as late
  where q.message_id = any (array[late.message_id]) and q.claim_token is null;
end;
$$;
revoke all
on function messaging.resume_unpaced_messages(uuid, timestamptz, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.resume_unpaced_messages(uuid, timestamptz, timestamptz)
to service_role;

-- Holds instances for an operator until `hold_until` (infinity: until they are released), or releases
-- them (-infinity). What the dispatcher would send for them waits: paced messages by their due time (see
-- next_due_at), unpaced ones and outbox rows when a claim comes upon them. What a former hold has
-- postponed is due at its own time again.
-- A message that was claimed before may still leave: this ends no claim.
-- A release also says that the instance is to be trusted: see hold_suspects.
-- Records instance.held for the instances whose hold is new, or has another end or reason now.
-- Locks pacing and dispatch before it looks for what was postponed, then queue rows without a claim.
create or replace function messaging.set_operator_hold(
  instance_ids uuid[],
  hold_until timestamptz,
  reason text
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  former_ids uuid[];
  former_ends timestamptz[];
  held_anew uuid[];
begin
  perform from messaging.pacing p
  where p.instance_id = any (set_operator_hold.instance_ids)
  order by p.instance_id
  for no key update;
  select array_agg(l.instance_id), array_agg(l.operator_hold_until) into former_ids, former_ends
  from (
    select d.instance_id, d.operator_hold_until
    from messaging.dispatch d
    where d.instance_id = any (set_operator_hold.instance_ids)
    order by d.instance_id
    for no key update
  ) as l
  where isfinite(l.operator_hold_until) or l.operator_hold_until = 'infinity';
  select array_agg(d.instance_id) into held_anew
  from messaging.dispatch d
  where d.instance_id = any (set_operator_hold.instance_ids)
    and set_operator_hold.hold_until > clock
    and (d.operator_hold_until, d.operator_hold_reason)
      is distinct from (set_operator_hold.hold_until, set_operator_hold.reason);
  update messaging.dispatch d
  set operator_hold_until = set_operator_hold.hold_until,
    operator_hold_reason = set_operator_hold.reason,
    trusted_from = case when d.suspected_at is not null then clock else d.trusted_from end,
    suspected_at = null,
    operator_held_at = case
      when set_operator_hold.hold_until > clock then
        case when d.operator_hold_until > clock then d.operator_held_at else clock end
    end
  where d.instance_id = any (set_operator_hold.instance_ids);
  if held_anew is not null then
    perform messaging.record_instance_holds(
      held_anew, array_fill(set_operator_hold.reason, array[cardinality(held_anew)])
    );
  end if;
  perform messaging.refresh_dispatch(set_operator_hold.instance_ids);

  update messaging.message_queue q
  set visible_at = q.scheduled_at
  where q.instance_id = any (former_ids) and q.lane = 'unpaced' and q.claim_token is null
    and q.visible_at > q.scheduled_at;
  -- An outbox row that was postponed is due exactly when the hold ends.
  update messaging.outbox o
  set run_at = clock
  from unnest(former_ids, former_ends) as former(instance_id, ends_at)
  where o.settled_at is null and o.run_at = former.ends_at
    and (o.payload->>'instanceId')::uuid = former.instance_id;
end;
$$;
revoke all
on function messaging.set_operator_hold(uuid[], timestamptz, text)
from public, anon, authenticated;
grant execute on function messaging.set_operator_hold(uuid[], timestamptz, text) to service_role;

-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances,
  reason text,
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', tell_disconnection.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  )
  from messaging.workspaces w
  where w.id = instance.workspace_id and w.alert_email is not null;
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;
revoke all
on function messaging.tell_disconnection(messaging.instances, text, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.tell_disconnection(messaging.instances, text, timestamptz)
to service_role;

-- Releases suspect instances (see hold_suspects) whose channel has confirmed or delivered something since.
-- Costs a look at an empty index where none is suspect. Never waits for a lock: what another session holds
-- is left to hold_suspects. Returns how many were released.
create or replace function messaging.trust_confirmed_instances()
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  released uuid[];
begin
  perform from messaging.dispatch d where d.suspected_at is not null limit 1;
  if not found then
    return 0;
  end if;
  select array_agg(l.instance_id) into released
  from (
    select d.instance_id
    from messaging.dispatch d
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where d.suspected_at is not null
      and messaging.has_confirmed_since(d.instance_id, d.suspected_at)
    order by d.instance_id
    for no key update of d, p skip locked
  ) as l;
  if released is not null then
    perform messaging.set_operator_hold(released, '-infinity', null);
  end if;
  return coalesce(cardinality(released), 0);
end;
$$;
revoke all on function messaging.trust_confirmed_instances() from public, anon, authenticated;
grant execute on function messaging.trust_confirmed_instances() to service_role;

-- The instances of a provider that one delivery may be about: those with one of the provider's own
-- ids, those that a template belongs to, itself or with its workspace, and where `accountOf` is given the
-- others of that instance's workspace, which may share its account. `request`: provider,
-- gatewayInstanceIds, providerTemplateIds, accountOf or NULL. Returns
-- {instances: [{instanceId, gatewayInstanceId, sealedProviderConfig}]}, at most 100. The caller
-- checks which of them have the credential that the delivery shows.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.find_webhook_targets(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  numbers constant text[] := array(select jsonb_array_elements_text(request->'gatewayInstanceIds'));
  templates constant text[] := array(
    select jsonb_array_elements_text(request->'providerTemplateIds')
  );
begin
  return jsonb_build_object('instances', coalesce(
    (
      select jsonb_agg(jsonb_build_object(
        'instanceId', target.id,
        'gatewayInstanceId', target.gateway_instance_id,
        'sealedProviderConfig', target.sealed_provider_config
      ) order by target.created_at, target.id)
      from (
        select i.* from messaging.instances i
        where i.provider = request->>'provider' and i.gateway_instance_id = any (numbers)
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.id = t.instance_id
        where t.provider_template_id = any (templates) and i.provider = request->>'provider'
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.workspace_id = t.workspace_id
        where t.provider_template_id = any (templates) and t.instance_id is null
          and i.provider = request->>'provider'
        union
        select i.* from messaging.instances own
        join messaging.instances i on i.workspace_id = own.workspace_id
        where own.id = (request->>'accountOf')::uuid and i.provider = request->>'provider'
        limit 100
      ) as target
    ),
    '[]'
  ));
end;
$$;
revoke all on function public.find_webhook_targets(jsonb) from public, anon, authenticated;
grant execute on function public.find_webhook_targets(jsonb) to service_role;

-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldUntil, holdReason,
-- connection, channelLimit, protection (see describe_day), lastSuccessAt, lastFailure
-- {at, status, code, message}.
-- `status`: `held` while the provider refuses the whole instance or an operator holds it (heldUntil is
-- NULL where that has no end), `disconnected` while its connection is lost, else `late` when something that may
-- leave is over a minute late (no dispatcher runs, or the provider is slow), else `ok`.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.get_instance_health(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  instance messaging.instances;
  dispatch messaging.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  is_held_by_operator boolean;
  is_disconnected boolean;
  held_until timestamptz;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  is_window_open := messaging.is_send_window_open(instance, clock);
  is_held_by_operator := dispatch.operator_hold_until > clock;
  is_disconnected := dispatch.disconnected_until > clock;
  held_until := greatest(dispatch.hold_until, dispatch.operator_hold_until);
  -- Each lane is read by its own index, so that other tenants' queues are not read.
  select count(*) filter (where q.claim_token is null), count(q.claim_token), min(q.lease_until)
  into queue_depth, in_flight, first_lease_end
  from (
    select p.claim_token, p.lease_until from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced'
    union all
    select u.claim_token, u.lease_until from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced'
  ) as q;
  -- A paced message is late only when neither its turn, its window nor a hold keeps it. A claim whose
  -- lease is over is late too: its worker died.
  select min(due.since) into oldest_due
  from (
    select dispatch.next_due_at as since
    where dispatch.in_flight is null and is_window_open
    union all
    (
      select q.scheduled_at from messaging.message_queue q
      where q.instance_id = instance.id and q.lane = 'unpaced' and q.claim_token is null
        and not is_held_by_operator and not is_disconnected
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at into failure
  from messaging.messages m
  where m.instance_id = instance.id and coalesce(m.failed_at, m.unconfirmed_at) is not null
  order by coalesce(m.failed_at, m.unconfirmed_at) desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when is_held_by_operator then 'held'
      when is_disconnected then 'disconnected'
      when held_until > clock then 'held'
      when oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    'oldestDueAt', messaging.iso_in_zone(oldest_due, instance.time_zone),
    'oldestDueSeconds', floor(extract(epoch from clock - oldest_due)),
    'nextDueAt', messaging.iso_in_zone(
      case when isfinite(dispatch.next_due_at) then dispatch.next_due_at end, instance.time_zone
    ),
    'queueDepth', queue_depth,
    'inFlight', in_flight,
    'unconfirmed', (
      select count(*) from messaging.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
    ),
    'isWindowOpen', is_window_open,
    'heldUntil', messaging.iso_in_zone(
      case when held_until > clock and isfinite(held_until) then held_until end,
      instance.time_zone
    ),
    'holdReason', case
      when is_held_by_operator then dispatch.operator_hold_reason
      when dispatch.hold_until > clock then 'provider_refused'
    end,
    'connection', jsonb_build_object(
      'state', case
        when is_disconnected then 'disconnected'
        else coalesce(nullif(dispatch.connection, 'disconnected'), 'unknown')
      end,
      'since', case
        when is_disconnected then messaging.iso_in_zone(dispatch.disconnected_at, instance.time_zone)
      end,
      'until', case
        when is_disconnected and isfinite(dispatch.disconnected_until)
          then messaging.iso_in_zone(dispatch.disconnected_until, instance.time_zone)
      end,
      'reason', case when is_disconnected then dispatch.disconnected_reason end
    ),
    'channelLimit', dispatch.channel_limit,
    'protection', messaging.describe_day(instance, clock),
    'lastSuccessAt', (
      select messaging.iso_in_zone(m.sent_at, instance.time_zone)
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ),
    'lastFailure', case when failure.at is not null then jsonb_build_object(
      'at', messaging.iso_in_zone(failure.at, instance.time_zone),
      'status', failure.status,
      'code', failure.last_error->>'code',
      'message', failure.last_error->>'message'
    ) end
  );
end;
$$;
revoke all on function public.get_instance_health(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance_health(jsonb) to service_role;

-- Holds instances that accept messages and confirm none any more (see is_suspect), until something is
-- confirmed or received, or an operator releases them; and releases those that have confirmed. An
-- instance that is held or disconnected already is left alone. `request`: maxInstances.
-- Returns {held, released}: how many. Looks at the newest messages of each instance, in their index.
-- Locks as set_operator_hold; never waits for pacing.
create or replace function public.hold_suspects(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  released constant integer := messaging.trust_confirmed_instances();
  held uuid[];
begin
  select array_agg(l.instance_id) into held
  from (
    select p.instance_id
    from messaging.dispatch d
    cross join lateral (
      -- Most instances have sent nothing lately, or their last message is confirmed.
      select m.status, m.sent_at
      from messaging.messages m
      where m.instance_id = d.instance_id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ) as last
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where d.operator_hold_until <= clock and d.disconnected_until <= clock
      and last.status = 'sent' and last.sent_at > clock - interval '1 day'
      and messaging.is_suspect(d.instance_id, d.trusted_from, clock)
    order by p.instance_id
    limit (request->>'maxInstances')::integer
    for no key update of p skip locked
  ) as l;
  if held is not null then
    perform messaging.set_operator_hold(held, 'infinity', 'suspect');
    update messaging.dispatch d
    set suspected_at = clock
    where d.instance_id = any (held);
  end if;
  return jsonb_build_object('held', coalesce(cardinality(held), 0), 'released', released);
end;
$$;
revoke all on function public.hold_suspects(jsonb) from public, anon, authenticated;
grant execute on function public.hold_suspects(jsonb) to service_role;

-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted uuid[] := array[of_instance];
  instances jsonb;
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'instanceId', i.id, 'name', i.name, 'waiting', c.waiting, 'inFlight', c.in_flight,
      'unconfirmed', c.unconfirmed, 'emails', c.emails, 'agentReplies', c.agent_replies
    )
    order by i.created_at, i.id
  ), '[]') into instances
  from (
    select u.instance_id,
      count(*) filter (where u.kind = 'waiting') as waiting,
      count(*) filter (where u.kind = 'in_flight') as in_flight,
      count(*) filter (where u.kind = 'unconfirmed') as unconfirmed,
      count(*) filter (where u.kind in (
        'assignment_email', 'endpoint_disabled_email', 'instance_disconnected_email'
      )) as emails,
      count(*) filter (where u.kind = 'agent_reply') as agent_replies
    from (
      select m.instance_id, m.state as kind
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      union all
      select o.instance_id, o.kind
      from messaging.outbox_that_may_have_left(since, of_instance) as o
    ) as u
    group by u.instance_id
  ) as c
  join messaging.instances i on i.id = c.instance_id;
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', l.created_at, 'id', l.message_id,
        'record', jsonb_build_object(
          'messageId', l.message_id,
          'instanceId', l.instance_id,
          'contactId', m.contact_id,
          'messageType', m.message_type,
          'state', l.state,
          'dueAt', messaging.iso_in_zone(l.due_at, 'UTC'),
          'createdAt', messaging.iso_in_zone(l.created_at, 'UTC')
        )
      )
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as l
      cross join lateral (
        select p.contact_id, p.message_type from messaging.messages p
        where p.id = l.message_id
        offset 0
      ) as m
      where (l.created_at, l.message_id) > (page.after_at, page.after_id)
      order by l.created_at, l.message_id
      limit page.size + 1
    ),
    page.size
  ) || jsonb_build_object(
    'since', messaging.iso_in_zone(since, 'UTC'),
    'until', messaging.iso_in_zone(due_by, 'UTC'),
    'total', (
      select coalesce(sum(
        (i->>'waiting')::bigint + (i->>'inFlight')::bigint + (i->>'unconfirmed')::bigint
      ), 0)
      from jsonb_array_elements(instances) as i
    ),
    'acceptedSince', (
      select count(*)
      from unnest(wanted) as w(id)
      cross join lateral messaging.queue_of_instance(w.id) as q
      -- OFFSET 0: a join might begin with the messages of all tenants, of which few are so new.
      cross join lateral (
        select a.created_at from messaging.messages a
        where a.id = q.message_id
        offset 0
      ) as m
      where m.created_at > since
    ),
    'instances', instances
  );
end;
$$;
revoke all on function public.list_may_have_left(jsonb) from public, anon, authenticated;
grant execute on function public.list_may_have_left(jsonb) to service_role;

-- messages-api: the waiting messages of an instance, in order. `request`: instanceId, limit, and
-- `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next, protection (see describe_day)}. An item's `position` is its place in the queue, from 1; for
-- `scheduledFor` and `heldBy` see expected_departure.
-- Each lane is read by its own index and the two are merged, so that other tenants' queues are not
-- read.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.list_message_queue(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  instance messaging.instances;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  dispatch messaging.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
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
    page.queued, m, instance, dispatch
  ) as expected;
  return jsonb_build_object(
    'items', items,
    'total', total,
    'next', next,
    'protection', messaging.describe_day(instance, clock_timestamp())
  );
end;
$$;
revoke all on function public.list_message_queue(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_queue(jsonb) to service_role;

-- Several calls of record_provider_events in one transaction: those that messaging.record_plain_events
-- takes. `request`: calls, the requests. Returns {results}, one per call in the same order: the call's
-- result; NULL where nothing was done for it, and record_provider_events itself must be called.
create or replace function public.record_provider_event_calls(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
begin
  results := (
    select jsonb_build_object('results', jsonb_agg(
      case when r.changes is not null then jsonb_build_object('recorded', r.changes) end
      order by r.place
    ))
    from unnest(messaging.record_plain_events(request->'calls')) with ordinality
      as r(changes, place)
  );
  perform messaging.trust_confirmed_instances();
  return results;
end;
$$;
revoke all on function public.record_provider_event_calls(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_event_calls(jsonb) to service_role;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers, preferences,
-- connections, limits.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages).
-- The same event twice, or at the same time in two calls, counts once. Events of messages of erased persons
-- count nothing, and are not stored. Returns {recorded}: how many
-- events changed something; NULL, with nothing stored, where the credentials have been replaced.
-- Most webhooks have one plain event, which a shorter path records: see record_plain_events.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
create or replace function public.record_provider_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  event jsonb;
  erased jsonb;
  recorded integer := 0;
begin
  if jsonb_array_length(request->'events') = 1 then
    recorded := (messaging.record_plain_events(jsonb_build_array(request)))[1];
    if recorded is not null then
      perform messaging.trust_confirmed_instances();
      return jsonb_build_object('recorded', recorded);
    end if;
    recorded := 0;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  end if;
  perform messaging.lock_provider_messages(
    array_agg(instance.id), array_agg(e.value->>'providerMessageId')
  )
  from jsonb_array_elements(request->'events') as e;
  perform messaging.lock_addresses(
    instance.id,
    array(
      select seen.address
      from jsonb_array_elements(request->'events') as e
      cross join lateral (
        select e.value->>'address'
        union all
        select jsonb_array_elements_text(coalesce(e.value->'otherAddresses', '[]'))
        union all
        select e.value->>'oldAddress'
        union all
        select e.value->>'newAddress'
      ) as seen(address)
      where seen.address is not null
    )
  );
  erased := messaging.erased_events(instance.id, request->'events');
  for event in
    select e.value from jsonb_array_elements(request->'events') with ordinality as e(value, place)
    where (erased @> jsonb_build_array(e.value)) is not true
    order by e.place
  loop
    recorded := recorded + case
      when case event->>'kind'
        when 'message' then messaging.record_message_event(instance, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'preference' then messaging.record_preference_event(instance.id, event)
        when 'connection' then messaging.record_connection_event(instance, event)
        when 'limit' then messaging.record_limit_event(instance, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  -- Last: a message may have been erased while this waited for it.
  perform messaging.keep_payload(instance.id, request->>'payload', request->'events')
  where request->>'payload' is not null;
  perform messaging.touch_noted_contacts();
  perform messaging.trust_confirmed_instances();
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;

-- admin-api: ends an operator's hold of an instance, or of all instances that are held. What has become
-- due meanwhile leaves at the instance's pace and inside its window. `request`: instanceId or NULL for
-- all, idempotency. Returns {instances}: how many were held; or {replayed}. A hold by the provider's
-- refusal goes on. An instance that is named is also taken as connected again: its provider's word
-- that it is may have been lost. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.release_queue(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  wanted_id uuid;
  held uuid[];
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is not null then
    wanted_id := (messaging.find_instance((request->>'instanceId')::uuid)).id;
  end if;
  select array_agg(d.instance_id) into held
  from messaging.dispatch d
  where d.operator_hold_until > clock
    and (wanted_id is null or d.instance_id = wanted_id);
  if exists (
    select from messaging.dispatch d
    where d.instance_id = wanted_id and d.disconnected_until > clock
  ) then
    perform from messaging.pacing p where p.instance_id = wanted_id for no key update;
    perform messaging.forget_connection(array[wanted_id]);
    held := array[wanted_id];
  end if;
  perform messaging.set_operator_hold(held, '-infinity', null);
  return messaging.keep_outcome(
    request, jsonb_build_object('instances', coalesce(cardinality(held), 0))
  );
end;
$$;
revoke all on function public.release_queue(jsonb) from public, anon, authenticated;
grant execute on function public.release_queue(jsonb) to service_role;

-- Finds stalled instances, which have waiting messages and no due time, and makes them due again. A
-- safety net for lost wake-ups: none is ever expected, and the dispatcher logs each.
-- Handles at most `request`.maxInstances a call. Returns {woken}: how many.
-- Steps from instance to instance through message_queue_head, so that neither long queues nor
-- instances with an empty queue cost anything.
create or replace function public.rescue_stalled_instances(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  stalled uuid[];
begin
  select array_agg(s.instance_id order by s.instance_id) into stalled
  from (
    with recursive queued as (
      (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced'
        order by q.instance_id
        limit 1
      )
      union all
      select (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced' and q.instance_id > before.instance_id
        order by q.instance_id
        limit 1
      )
      from queued before
      where before.instance_id is not null
    )
    select d.instance_id
    from queued
    join messaging.dispatch d on d.instance_id = queued.instance_id
    cross join lateral messaging.head_of_queue(d.instance_id) as head
    -- A hold without an end is no lost wake-up.
    where d.in_flight is null and d.next_due_at = 'infinity' and d.operator_hold_until < 'infinity'
      and d.disconnected_until < 'infinity'
    limit (request->>'maxInstances')::integer
  ) as s;
  if stalled is null then
    return jsonb_build_object('woken', 0);
  end if;
  perform from messaging.pacing p
  where p.instance_id = any (stalled) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(stalled);
  return jsonb_build_object('woken', cardinality(stalled));
end;
$$;
revoke all on function public.rescue_stalled_instances(jsonb) from public, anon, authenticated;
grant execute on function public.rescue_stalled_instances(jsonb) to service_role;

-- Sends messages again that stayed unconfirmed for 15 minutes, on instances with onUnconfirmed =
-- `retry` (decisions, section 5), while attempts are left. Not after a day: a person decides about
-- messages that were held back for so long. A message that cannot be queued now (its window never
-- opens) stays and stops no other. Handles at most `request`.maxMessages a call. Returns {requeued}:
-- how many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  max_messages constant integer := (request->>'maxMessages')::integer;
  message messaging.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from messaging.instances i
    -- Instance by instance: unconfirmed messages of instances that hold them are not read.
    cross join lateral (
      select u.* from messaging.messages u
      where u.instance_id = i.id
        and u.status = 'unconfirmed'
        and u.unconfirmed_at <= clock - interval '15 minutes'
        and u.unconfirmed_at > clock - interval '1 day'
        and u.attempts < 6
        and coalesce(u.expires_at > clock, true)
        -- An operator has decided about these after a restore: see settle_may_have_left.
        and u.last_error->>'code' is distinct from 'may_have_left'
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
      and not exists (
        select from messaging.dispatch d
        where d.instance_id = i.id
          and greatest(d.operator_hold_until, d.disconnected_until) > clock
      )
    -- Locks pacing rows in the order of the instances, as everywhere.
    order by i.id, m.unconfirmed_at
    limit max_messages
  loop
    begin
      perform messaging.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;
revoke all on function public.retry_unconfirmed(jsonb) from public, anon, authenticated;
grant execute on function public.retry_unconfirmed(jsonb) to service_role;

-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is checked again at once, so
-- that new credentials take effect without delay.
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid, or {taken}: the
-- field
--   whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
  refused jsonb;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  if changes ? 'protection' then
    refused := messaging.protection_issues(
      messaging.changed_protection(instance.protection, changes->'protection')
    );
    if refused is not null then
      return refused;
    end if;
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['protection', 'timeZone'] then
    perform messaging.begin_protection(instance);
  end if;
  if changes ?| array['sendWindow', 'timeZone'] or changes ? 'protection' and instance.protection is not null then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    -- Another session: what was told of the former one says nothing about it.
    perform messaging.forget_connection(array[instance.id]);
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;
revoke all on function public.update_instance(jsonb) from public, anon, authenticated;
grant execute on function public.update_instance(jsonb) to service_role;

alter table messaging.dispatch add column if not exists channel_limit text;

alter table messaging.dispatch add column if not exists channel_limit_at timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.dispatch add column if not exists connection text;

alter table messaging.dispatch add column if not exists connection_told_at timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.dispatch add column if not exists disconnected_at timestamp with time zone;

alter table messaging.dispatch add column if not exists disconnected_reason text;

alter table messaging.dispatch add column if not exists disconnected_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.dispatch add column if not exists suspected_at timestamp with time zone;

alter table messaging.dispatch add column if not exists told_disconnected_at timestamp with time zone;

alter table messaging.dispatch add column if not exists trusted_from timestamp with time zone default '-infinity'::timestamp with time zone not null;

comment on column messaging.dispatch.connection is
  'What the provider said last about the connection; NULL while it has said nothing.';

comment on column messaging.dispatch.connection_told_at is
  'The provider''s own instant of that: what is older comes too late.';

comment on column messaging.dispatch.disconnected_until is
  'While the connection is lost: nothing that the dispatcher sends leaves before; infinity until it is back.';

comment on column messaging.dispatch.suspected_at is
  'Since when the instance is held because nothing is confirmed any more: see hold_suspects.';

comment on column messaging.dispatch.told_disconnected_at is
  'When the workspace''s alert address was last told by e-mail.';

comment on column messaging.dispatch.trusted_from is
  'What was sent before does not make the instance suspect: it was released since, or has confirmed.';

alter table messaging.dispatch add constraint dispatch_connection_known CHECK ((connection = ANY (ARRAY['connected'::text, 'disconnected'::text]))) not valid;

-- Usually empty: whether anything is to be asked after a confirmation.
create index if not exists dispatch_suspects on messaging.dispatch (instance_id) where suspected_at is not null;

-- Widens what the former release writes.
alter table messaging.outbox
drop constraint outbox_kind_known,
add constraint outbox_kind_known check (
  kind in (
    'assignment_email',
    'endpoint_disabled_email',
    'instance_disconnected_email',
    'agent_reply',
    'media_fetch',
    'media_delete',
    'media_transcription'
  )
) not valid;
