set local check_function_bodies = off;

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is given back: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  instance_ids uuid[];
  canceled uuid[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q.message_id
  )
  select array_agg(gone.message_id) into canceled from gone;
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = any (canceled);
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;
revoke all
on function messaging.cancel_restored_messages(uuid[])
from public, anon, authenticated;
grant execute on function messaging.cancel_restored_messages(uuid[]) to service_role;

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds until
-- the hold does.
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
begin
  with due as (
    select q.message_id, q.instance_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, d.operator_hold_until > clock as is_held
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
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held)
  into claimed_ids, held_ids;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
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
    'status', case when i.late > 0 then 'late' when i.held > 0 then 'held' else 'ok' end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'late', i.late, 'unconfirmed', i.with_unconfirmed
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
          order by s.status = 'late' desc, s.status = 'held' desc, s.oldest_due nulls last,
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

-- settle_may_have_left: makes messages `unconfirmed`, with `may_have_left` as their last error: those that
-- wait, and those whose claim is over. They are settled like a call whose outcome is unknown, so that a
-- delivery event or an echo that comes later finds them. Messages whose claim is still open stay.
-- Returns how many.
create or replace function messaging.doubt_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance_ids uuid[];
  results jsonb;
begin
  perform from messaging.message_queue q
  where q.message_id = any (doubt_restored_messages.message_ids)
  order by q.message_id
  for no key update;
  update messaging.message_queue q
  set claim_token = gen_random_uuid(), lease_until = clock
  where q.message_id = any (doubt_restored_messages.message_ids) and q.claim_token is null;
  select array_agg(distinct q.instance_id), jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
  ))
  into instance_ids, results
  from messaging.message_queue q
  where q.message_id = any (doubt_restored_messages.message_ids) and q.lease_until <= clock;
  if results is null then
    return 0;
  end if;
  perform public.settle_messages(jsonb_build_object('results', results));
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(instance_ids);
  return jsonb_array_length(results);
end;
$$;
revoke all
on function messaging.doubt_restored_messages(uuid[])
from public, anon, authenticated;
grant execute on function messaging.doubt_restored_messages(uuid[]) to service_role;

-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time. Messages before it in the queue are not
-- counted. While an operator's hold keeps it, that is the reason; `leaves_at` is NULL where the hold has
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
  is_held_by_operator boolean;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  if queued.lane = 'paced' then
    if after_last > leaves_at then
      leaves_at := after_last;
      held_by := 'interval';
    end if;
    leaves_at := greatest(leaves_at, dispatch.hold_until);
  end if;
  is_held_by_operator := dispatch.operator_hold_until > greatest(leaves_at, clock_timestamp());
  if is_held_by_operator then
    held_by := 'operator_hold';
    leaves_at := case
      when isfinite(dispatch.operator_hold_until) then dispatch.operator_hold_until
    end;
  end if;
  if queued.lane = 'unpaced' or leaves_at is null then
    return;
  end if;
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if not is_held_by_operator then
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

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `late` or `ok`; `oldest_due` is of what should have left by `clock`.
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
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case when q.first_unpaced <= clock and d.operator_hold_until <= clock then q.first_unpaced end,
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
      when s.hold_until is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.hold_until, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed
  from states s;
$$;
revoke all on function messaging.instance_states(timestamptz) from public, anon, authenticated;
grant execute on function messaging.instance_states(timestamptz) to service_role;

-- After a restore: the messages of the dump that may have left since, from the database that was dumped.
-- `state`: `waiting` (in the queue, due by `due_by`), `in_flight` (claimed when the dump was made),
-- `unconfirmed` (in doubt: by a claim that ended since, or sent again by itself where onUnconfirmed is
-- `retry`). `since`: the instant of the dump; what was accepted after it was accepted here. Messages that
-- an operator has settled (see settle_may_have_left) are not listed again.
-- `of_instance`: NULL for all instances. Instance by instance, so that other tenants' rows are not read.
create or replace function messaging.messages_that_may_have_left(
  since timestamptz,
  due_by timestamptz,
  of_instance uuid
)
returns table (
  message_id uuid,
  instance_id uuid,
  created_at timestamptz,
  due_at timestamptz,
  state text
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  clock constant timestamptz := clock_timestamp();
  wanted uuid[] := array[of_instance];
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  return query
  select q.message_id, q.instance_id, m.created_at, q.scheduled_at,
    case when q.claim_token is null then 'waiting' else 'in_flight' end
  from unnest(wanted) as i(id)
  cross join lateral messaging.queue_of_instance(i.id) as q
  join messaging.messages m on m.id = q.message_id
  where (q.claim_token is not null or q.scheduled_at <= due_by) and m.created_at <= since
  union all
  select m.id, m.instance_id, m.created_at, m.unconfirmed_at, 'unconfirmed'
  from unnest(wanted) as w(id)
  join messaging.instances i on i.id = w.id
  join messaging.messages m on m.instance_id = i.id and m.status = 'unconfirmed'
  where m.created_at <= since
    and (
      m.unconfirmed_at > since
      or i.on_unconfirmed = 'retry' and m.unconfirmed_at > clock - interval '1 day'
        and m.attempts < 6
    )
    and m.last_error->>'code' is distinct from 'may_have_left';
end;
$$;
revoke all
on function messaging.messages_that_may_have_left(timestamptz, timestamptz, uuid)
from public, anon, authenticated;
grant execute
on function messaging.messages_that_may_have_left(timestamptz, timestamptz, uuid)
to service_role;

-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator. NULL slot (an empty queue) is never.
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
    dispatch.operator_hold_until
  );
end;
$$;
revoke all
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
from public, anon, authenticated;
grant execute
on function messaging.next_due_at(messaging.dispatch, timestamptz, integer)
to service_role;

-- After a restore: e-mails and agents' replies that were promised before the dump and may have gone out
-- since, from the database that was dumped (see messages_that_may_have_left).
-- Those of one instance are found through its workspace.
create or replace function messaging.outbox_that_may_have_left(since timestamptz, of_instance uuid)
returns table (outbox_id uuid, instance_id uuid, kind text)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  if of_instance is null then
    return query
    select o.id, (o.payload->>'instanceId')::uuid, o.kind
    from messaging.outbox o
    where o.settled_at is null and o.created_at <= since;
  else
    return query
    select o.id, of_instance, o.kind
    from messaging.outbox o
    where o.workspace_id = (
        select i.workspace_id from messaging.instances i where i.id = of_instance
      )
      and o.status = 'pending' and o.created_at <= since
      and o.payload->>'instanceId' = of_instance::text;
  end if;
end;
$$;
revoke all
on function messaging.outbox_that_may_have_left(timestamptz, uuid)
from public, anon, authenticated;
grant execute on function messaging.outbox_that_may_have_left(timestamptz, uuid) to service_role;

-- Makes unpaced messages of instances that an operator holds invisible until the hold ends, so that a
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
    select d.instance_id, d.operator_hold_until
    from messaging.dispatch d
    where d.operator_hold_until > clock and d.instance_id in (
      select q.instance_id
      from unnest(postpone_held_messages.message_ids) as late(message_id)
      join messaging.message_queue q on q.message_id = any (array[late.message_id])
    )
    order by d.instance_id
    for share skip locked
  )
  update messaging.message_queue q
  set visible_at = held.operator_hold_until
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

-- The queue rows of an instance. Each lane is read by its own index, so that other tenants' queues are not
-- read.
create or replace function messaging.queue_of_instance(of_instance uuid)
returns setof messaging.message_queue
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return query
  select p.* from messaging.message_queue p
  where p.instance_id = of_instance and p.lane = 'paced'
  union all
  select u.* from messaging.message_queue u
  where u.instance_id = of_instance and u.lane = 'unpaced';
end;
$$;
revoke all on function messaging.queue_of_instance(uuid) from public, anon, authenticated;
grant execute on function messaging.queue_of_instance(uuid) to service_role;

-- Records any sending call: contact, conversation, assignment, message, slot, agent pause, idempotency
-- key. `request`, the result, the order of the locks and the errors are accept_message's.
create or replace function messaging.record_sending_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  replayed constant jsonb := messaging.begin_idempotent(request);
  assignment jsonb;
  agent_id uuid;
  outcome jsonb;
  mode text;
  message_id constant uuid := gen_random_uuid();
  claim_token uuid;
  slot timestamptz;
  held_by text;
  placed record;
  departure record;
  paused_until timestamptz;
  is_pausing boolean := false;
begin
  if (replayed->'replayed'->>'isAttemptDue')::boolean then
    return messaging.attempt_again(request, replayed->'replayed');
  elsif replayed is not null then
    return replayed;
  end if;

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_contact(instance.id, request->>'phone') r;
  if draft is not null then
    perform messaging.refuse_unreachable_contact(instance, contact, draft->>'messageType');
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;

  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    perform messaging.take_agent_turn(
      conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
      (request->'agent'->>'answersThrough')::bigint
    );
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;

  if draft is null then
    mode := 'assign_only';
  else
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent' then
      paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
      is_pausing := true;
    end if;
    placed := messaging.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
    claim_token := placed.claim_token;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given
    ) values (
      message_id, instance.id, contact.id, conversation.id, 'outbound', draft->>'messageType',
      draft->>'message', nullif(draft->'content', 'null'), draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then
        coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to)
      end,
      agent_id, (draft->>'delayTypingMs')::integer, mode,
      (delivery->>'intervalSeconds')::integer,
      case mode when 'sent' then 'sending' else 'queued' end, slot, held_by,
      case when request->>'phone' is distinct from contact.phone then request->>'phone' end
    );
  end if;

  if mode in ('queued', 'scheduled') and exists (
    select from messaging.dispatch d
    where d.instance_id = instance.id and greatest(d.hold_until, d.operator_hold_until) > slot
  ) then
    -- An instance's hold may end after the slot.
    select e.* into departure
    from (select message_id as id, slot as at) as own
    join messaging.dispatch d on d.instance_id = instance.id
      and greatest(d.hold_until, d.operator_hold_until) > own.at
    join messaging.message_queue q on q.message_id = own.id
    join messaging.messages m on m.id = own.id
    cross join lateral messaging.expected_departure(q, m, instance, d) as e;
    if found then
      slot := departure.leaves_at;
      held_by := departure.held_by;
    end if;
  end if;
  if not is_pausing then
    select p.paused_until into paused_until from messaging.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock_timestamp();
  end if;

  outcome := jsonb_build_object(
    'mode', mode,
    'contactId', contact.id,
    'conversationId', conversation.id,
    'agentId', agent_id,
    'assignment', assignment,
    'messageId', case when draft is not null then message_id end,
    'status', case mode when 'assign_only' then null when 'sent' then 'sending' else 'queued' end,
    'scheduledFor', messaging.iso_in_zone(slot, instance.time_zone),
    'heldBy', held_by,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
  );
  return messaging.keep_outcome(
    request, outcome, case when draft is not null then message_id end
  ) || jsonb_build_object(
    'claimToken', claim_token,
    'to', case when mode = 'sent' then messaging.contact_send_address(contact, request->>'phone') end
  );
end;
$$;
revoke all on function messaging.record_sending_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_sending_call(jsonb) to service_role;

-- Holds instances for an operator until `hold_until` (infinity: until they are released), or releases
-- them (-infinity). What the dispatcher would send for them waits: paced messages by their due time (see
-- next_due_at), unpaced ones and outbox rows when a claim comes upon them. What a former hold has
-- postponed is due at its own time again.
-- A message that was claimed before may still leave: this ends no claim.
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
  update messaging.dispatch d
  set operator_hold_until = set_operator_hold.hold_until,
    operator_hold_reason = set_operator_hold.reason,
    operator_held_at = case
      when set_operator_hold.hold_until > clock then
        case when d.operator_hold_until > clock then d.operator_held_at else clock end
    end
  where d.instance_id = any (set_operator_hold.instance_ids);
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

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with due as (
    select o.id, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from messaging.outbox o
    where o.settled_at is null and o.run_at <= (select clock_timestamp())
      and o.kind in (select jsonb_array_elements_text(request->'kinds'))
    order by o.run_at
    limit (request->>'maxRows')::integer
    for no key update skip locked
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, exists (
      select from messaging.dispatch d
      where d.instance_id = any (array[due.instance_id])
        and d.operator_hold_until > (select clock_timestamp())
    ) as is_held
    from due
  ),
  postponed as (
    update messaging.outbox o
    set run_at = held.operator_hold_until
    from checked
    join (
      select d.instance_id, d.operator_hold_until
      from messaging.dispatch d
      where d.operator_hold_until > (select clock_timestamp())
        and d.instance_id in (select c.instance_id from checked c where c.is_held)
      order by d.instance_id
      for share skip locked
    ) as held on held.instance_id = checked.instance_id
    where o.id = any (array[checked.id]) and checked.is_held
  ),
  given_up as (
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'worker_lost',
      settled_at = clock_timestamp()
    from checked
    where o.id = any (array[checked.id]) and checked.is_over and not checked.is_held
  ),
  claimed as (
    update messaging.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from checked
    where o.id = any (array[checked.id]) and not checked.is_over and not checked.is_held
    returning o.id, o.claim_token, o.kind, o.payload
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload
    )),
    '[]'
  ))
  from claimed c;
$$;
revoke all on function public.claim_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.claim_outbox(jsonb) to service_role;

-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldUntil, lastSuccessAt, lastFailure
-- {at, status, code, message}.
-- `status`: `held` while the provider refuses the whole instance or an operator holds it (heldUntil is
-- NULL where that has no end), else `late` when something that may
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
        and not is_held_by_operator
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

-- admin-api: an operator holds the queue of an instance, or of every instance that exists: nothing that
-- the dispatcher sends leaves (paced, delayed and retried messages, agents' replies, e-mails), while
-- immediate sends go out and inbound messages are taken. A new hold replaces the former one.
-- `request`: instanceId or NULL for all, until (NULL: until it is released), reason, idempotency.
-- Returns {instances, inFlight, heldUntil, reason}: how many instances are held now by this call, and
-- how many of their messages had been claimed before, which may still leave; {issues} where `until` is
-- not ahead, or {replayed}. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.hold_queue(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  hold_until constant timestamptz := coalesce((request->>'until')::timestamptz, 'infinity');
  held uuid[];
  replayed jsonb;
begin
  if hold_until <= clock_timestamp() then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'until', 'message', 'must be in the future'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is null then
    select array_agg(i.id) into held from messaging.instances i;
  else
    held := array[(messaging.find_instance((request->>'instanceId')::uuid)).id];
  end if;
  perform messaging.set_operator_hold(held, hold_until, request->>'reason');
  return messaging.keep_outcome(request, jsonb_build_object(
    'instances', coalesce(cardinality(held), 0),
    'inFlight', (
      select count(q.claim_token)
      from unnest(held) as of_hold(instance_id)
      cross join lateral messaging.queue_of_instance(of_hold.instance_id) as q
    ),
    'heldUntil', messaging.iso_in_zone(
      case when isfinite(hold_until) then hold_until end, 'UTC'
    ),
    'reason', request->>'reason'
  ));
end;
$$;
revoke all on function public.hold_queue(jsonb) from public, anon, authenticated;
grant execute on function public.hold_queue(jsonb) to service_role;

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
      count(*) filter (where u.kind = 'assignment_email') as emails,
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
      join messaging.messages m on m.id = l.message_id
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
      join messaging.messages m on m.id = q.message_id
      where m.created_at > since
    ),
    'instances', instances
  );
end;
$$;
revoke all on function public.list_may_have_left(jsonb) from public, anon, authenticated;
grant execute on function public.list_may_have_left(jsonb) to service_role;

-- admin-api: the instances that an operator holds, in the order of their holds, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}. An item says how many messages
-- wait and how many were claimed before the hold and are not settled yet.
create or replace function public.list_queue_holds(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', d.operator_held_at, 'id', i.id,
        'record', jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'heldAt', messaging.iso_in_zone(d.operator_held_at, 'UTC'),
          'heldUntil', messaging.iso_in_zone(
            case when isfinite(d.operator_hold_until) then d.operator_hold_until end, 'UTC'
          ),
          'reason', d.operator_hold_reason,
          'waiting', queue.waiting,
          'inFlight', queue.in_flight
        )
      )
      from messaging.dispatch d
      join messaging.instances i on i.id = d.instance_id
      cross join lateral (
        select count(*) filter (where q.claim_token is null) as waiting,
          count(q.claim_token) as in_flight
        from messaging.queue_of_instance(i.id) as q
      ) as queue
      where d.operator_hold_until > clock
        and (d.operator_held_at, i.id) > (page.after_at, page.after_id)
      order by d.operator_held_at, i.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_queue_holds(jsonb) from public, anon, authenticated;
grant execute on function public.list_queue_holds(jsonb) to service_role;

-- admin-api: ends an operator's hold of an instance, or of all instances that are held. What has become
-- due meanwhile leaves at the instance's pace and inside its window. `request`: instanceId or NULL for
-- all, idempotency. Returns {instances}: how many were held; or {replayed}. A hold by the provider's
-- refusal goes on. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
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
        -- An operator has decided about these after a restore: see settle_may_have_left.
        and u.last_error->>'code' is distinct from 'may_have_left'
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
      and not exists (
        select from messaging.dispatch d
        where d.instance_id = i.id and d.operator_hold_until > clock
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

-- admin-api: after a restore, settles what may have left since the dump, a batch at a time: at most
-- maxMessages messages and as many outbox rows.
-- `request`: since, until, instanceId (as list_may_have_left), maxMessages, idempotency, and `action`:
--   unconfirmed: whether they left is unknown. They are not sent again by themselves.
--   cancel: waiting messages become `canceled`.
--   keep: waiting messages stay and leave once the queue is released; so do e-mails and replies.
-- Whatever was in flight when the dump was made becomes `unconfirmed` under each action, once its lease is
-- over. A message that was `unconfirmed` already stays so, and is not retried by itself, but for `keep`.
-- E-mails and agents' replies become `dead` with `may_have_left`, but for `keep`.
-- Returns {unconfirmed, canceled, outboxRows, remaining}: what this call has settled, and how many
-- messages and outbox rows the action has still to settle; or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.settle_may_have_left(request jsonb)
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
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  action constant text := request->>'action';
  max_rows constant integer := (request->>'maxMessages')::integer;
  to_doubt constant text[] := case action
    when 'unconfirmed' then '{waiting,in_flight}'::text[] else '{in_flight}' end;
  waiting uuid[];
  doubted uuid[];
  known uuid[];
  canceled integer := 0;
  unconfirmed integer := 0;
  outbox_rows integer := 0;
  replayed jsonb;
begin
  if of_instance is not null then
    perform messaging.find_instance(of_instance);
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;

  select
    array_agg(l.message_id) filter (where l.state = 'waiting' and action = 'cancel'),
    array_agg(l.message_id) filter (where l.state = any (to_doubt)),
    array_agg(l.message_id) filter (where l.state = 'unconfirmed' and action <> 'keep')
  into waiting, doubted, known
  from (
    select m.message_id, m.state
    from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
    left join messaging.message_queue q on q.message_id = m.message_id
    where (action <> 'keep' or m.state = 'in_flight')
      and (q.lease_until is null or q.lease_until <= clock)
    order by m.created_at, m.message_id
    limit max_rows
  ) as l;
  if waiting is not null then
    canceled := messaging.cancel_restored_messages(waiting);
  end if;
  if doubted is not null then
    unconfirmed := messaging.doubt_restored_messages(doubted);
  end if;
  with marked as (
    update messaging.messages m
    set last_error = jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
    where m.id = any (known) and m.status = 'unconfirmed'
    returning m.id
  )
  select unconfirmed + count(*) into unconfirmed from marked;
  if action <> 'keep' then
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'may_have_left', settled_at = clock
    where o.status = 'pending' and o.id = any (array(
      select r.outbox_id
      from messaging.outbox_that_may_have_left(since, of_instance) as r
      limit max_rows
    ));
    get diagnostics outbox_rows = row_count;
  end if;

  return messaging.keep_outcome(request, jsonb_build_object(
    'unconfirmed', unconfirmed,
    'canceled', canceled,
    'outboxRows', outbox_rows,
    'remaining', (
      select count(*)
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      where action <> 'keep' or m.state = 'in_flight'
    ) + case when action = 'keep' then 0 else (
      select count(*) from messaging.outbox_that_may_have_left(since, of_instance)
    ) end
  ));
end;
$$;
revoke all on function public.settle_may_have_left(jsonb) from public, anon, authenticated;
grant execute on function public.settle_may_have_left(jsonb) to service_role;

alter table messaging.dispatch add column operator_held_at timestamp with time zone;

alter table messaging.dispatch add column operator_hold_reason text;

alter table messaging.dispatch add column operator_hold_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

comment on column messaging.dispatch.operator_hold_until is
  'Set by an operator: nothing that the dispatcher sends leaves before; infinity until it is released.';
