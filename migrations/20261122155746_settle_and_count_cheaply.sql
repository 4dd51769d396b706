set local check_function_bodies = off;

-- accept_message: counts a recorded call against its token's allowance, last, since the row of the
-- allowance is then locked until commit. `token_id`: the client that the transaction has
-- authenticated; NULL where the caller did so before, and has counted the call.
-- Returns `recorded`, with rateLimit (see describe_rate_limit; NULL where there is no limit) if it was
-- counted here. Errors: MI022 where nothing is left of the allowance.
create or replace function messaging.count_recorded_call(
  recorded jsonb,
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute;
  whole_at timestamptz;
  seconds_left double precision;
begin
  if token_id is null then
    return recorded;
  elsif requests_per_minute is null then
    return recorded || '{"rateLimit": null}';
  end if;
  -- spend_requests, written out for a token that has called before: an update starts faster than an
  -- upsert, which stays for the first call.
  update messaging.rate_limits r
  set whole_at = greatest(r.whole_at, clock_timestamp()) + share
  where r.token_id = count_recorded_call.token_id
    and r.function_name = count_recorded_call.function_name
    and r.whole_at + share <= clock_timestamp() + interval '1 minute'
  returning r.whole_at into whole_at;
  if whole_at is null then
    whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  end if;
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  -- describe_rate_limit, written out, with date_part: extract calculates in exact numbers, which costs
  -- several times as much.
  seconds_left := greatest(date_part('epoch', whole_at - clock_timestamp()), 0);
  return recorded || jsonb_build_object('rateLimit', jsonb_build_object(
    'limit', requests_per_minute,
    'remaining', floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)::integer,
    'resetSeconds', ceil(seconds_left)::integer,
    'retryAfterSeconds', null
  ));
end;
$$;
revoke all
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
from public, anon, authenticated;
grant execute
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
to service_role;

-- hold_event_floor for several instances, in one statement for all that have none yet. For more than a
-- hundred one lock stands for all instances, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. NULL ids mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
  missing constant uuid[] := case
    when held = '*' then '{}'
    else array(
      select distinct i.instance_id from unnest(instance_ids) as i(instance_id)
      where strpos(held, i.instance_id::text) = 0
    )
  end;
begin
  if cardinality(missing) = 0 then
    return;
  elsif cardinality(instance_ids) > 100 then
    perform
      pg_advisory_xact_lock_shared(
        0, (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      )
    from messaging.event_sequence s;
    perform set_config('messaging.event_floors', '*', true);
  else
    perform
      pg_advisory_xact_lock_shared(
        uuid_hash(m.instance_id),
        (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      )
    from messaging.event_sequence s
    cross join unnest(missing) as m(instance_id);
    perform set_config('messaging.event_floors', held || array_to_string(missing, ''), true);
  end if;
end;
$$;
revoke all on function messaging.hold_event_floors(uuid[]) from public, anon, authenticated;
grant execute on function messaging.hold_event_floors(uuid[]) to service_role;

-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment, without an agent, without a file of ours and without a time of its own (delivery.timing), to a contact that is found by its own phone, has a conversation and
-- may be written to, by a client that is authenticated (see require_client).
-- `request`, the result, the order of the locks and the errors are accept_message's. Each step does what
-- the step of the same name in record_sending_call does.
-- Returns NULL where the call is not plain: nothing is written or locked then, and nothing refused.
-- Plans must not depend on statistics: there may be ten contacts or a million.
-- Errors: 40001 where the contact was merged since it was read; the call must be repeated.
create or replace function messaging.record_plain_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft constant jsonb := request->'message';
  delivery constant jsonb := request->'delivery';
  given_hash constant text := request->'authentication'->>'tokenHash';
  given_phone constant text := request->>'phone';
  wanted_key constant text := messaging.phone_identity_key(given_phone);
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := clock_timestamp();
  is_immediate constant boolean := (delivery->>'queued')::boolean is not true
    and (delivery->>'isDeferred')::boolean is not true
    and coalesce((delivery->>'delaySeconds')::double precision, 0) <= 0;
  lease_ends_at timestamptz;
  message_id constant uuid := gen_random_uuid();
  claim_token constant uuid := gen_random_uuid();
  mode text := 'sent';
  status constant text := case when is_immediate then 'sending' else 'queued' end;
  known record;
  recorded jsonb;
  paused_until timestamptz;
  placed record;
  slot timestamptz;
  held_by text;
begin
  if draft->>'messageType' is null or given_phone is null or draft->>'sentBy' = 'ai_agent'
    or request->>'assignment' is not null or request->>'agent' is not null
    or delivery->>'timing' is not null or draft->>'mediaId' is not null
    or draft->>'needsPhone' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, i.protection is not null as is_protected, t.id as token_id,
    t.last_used_at is null or t.last_used_at < clock - interval '1 minute'
      as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = given_hash and t.instance_id = i.id
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock)
    and (t.scopes is null or 'send' = any (t.scopes))
    and i.xmin::text = request->'authentication'->>'instanceVersion'
  left join lateral (
    select a.address from messaging.contact_addresses a
    where a.contact_id = c.id and a.proven_at > '-infinity'
    order by a.proven_at desc
    limit 1
  ) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and not c.is_blocked
    and not (c.consent_marketing = 'denied' and draft->>'purpose' is not distinct from 'marketing')
    and not (
      i.provider_class = 'official' and draft->>'messageType' <> 'template'
      and coalesce(c.last_inbound_at, 'infinity') < clock - interval '24 hours'
    )
    and (request->>'authentication' is null or t.id is not null);
  if not found then
    return null;
  end if;
  if known.token_id is not null and known.is_token_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;

  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is null then
    perform from messaging.contacts c where c.id = known.contact_id for key share;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
    if known.has_agent then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    end if;
    if is_immediate then
      if known.is_protected then
        perform messaging.count_unpaced_send(known.instance_id, known.contact_id, clock);
      end if;
      -- place_message, written out. The lease begins after all waits.
      lease_ends_at := clock_timestamp()
        + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
      insert into messaging.message_queue (
        message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts,
        claim_token, lease_until
      ) values (
        message_id, known.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease_ends_at, 1,
        1, claim_token, lease_ends_at
      );
    elsif (delivery->>'queued')::boolean
      and coalesce((delivery->>'delaySeconds')::double precision, 0) <= 0 then
      -- place_message, written out.
      placed := messaging.enqueue_message(
        message_id, known.instance, (delivery->>'intervalSeconds')::integer,
        date_trunc('milliseconds', clock),
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0),
        known.contact_id
      );
      mode := 'queued';
      slot := placed.slot;
      held_by := placed.held_by;
    else
      placed := messaging.place_message(
        message_id, known.instance, delivery,
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0),
        known.contact_id
      );
      mode := placed.mode;
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
      held_by, phone_given, metadata, purpose
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone), nullif(draft->'metadata', 'null'), draft->>'purpose'
    );
    if not is_immediate then
      -- held_departure, whose first step is written out: most instances are not held.
      perform from messaging.dispatch d
      where d.instance_id = known.instance_id
        and greatest(d.hold_until, d.operator_hold_until, d.disconnected_until) > slot;
      if found then
        placed := messaging.held_departure(message_id, known.instance, slot, held_by);
        slot := placed.slot;
        held_by := placed.held_by;
      end if;
    end if;
    if paused_until is not null then
      perform messaging.touch_contacts(array[known.contact_id]);
    end if;
    recorded := jsonb_build_object(
      'mode', mode,
      'contactId', known.contact_id,
      'conversationId', known.conversation_id,
      'agentId', null,
      'assignment', null,
      'messageId', message_id,
      'status', status,
      'scheduledFor', messaging.iso_in_zone(slot, known.time_zone),
      'heldBy', held_by,
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, known.time_zone),
      'claimToken', case when is_immediate then claim_token end,
      'to', case when is_immediate then coalesce(known.address, given_phone) end
    );
    if has_key then
      perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
    end if;
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, request->'authentication'->>'functionName', known.requests_per_minute
  );
end;
$$;
revoke all on function messaging.record_plain_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_call(jsonb) to service_role;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, and to hold the
-- instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing. Records instance.held where a hold begins or is prolonged.
-- Gives the running batches of released instances their next message.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  released uuid[];
  held uuid[];
  held_longer uuid[];
  has_returned boolean;
  feeding uuid[];
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.return_places(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
  if held is not null then
    with former as (
      select d.instance_id, greatest(d.hold_until, d.operator_hold_until, clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until
    )
    select array_agg(r.instance_id) into held_longer
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(
        held_longer, array_fill(text 'provider_refused', array[cardinality(held_longer)])
      );
    end if;
  end if;

  with freed as (
  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    -- next_due_at, written out.
    next_due_at = case
      when head.scheduled_at is null then 'infinity'
      else greatest(
        head.scheduled_at, d.paced_from + make_interval(secs => head.interval_seconds), d.hold_until,
        d.operator_hold_until, d.disconnected_until
      )
    end
  from unnest(settlements) as s
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from messaging.message_queue q
    where q.instance_id = s.instance_id and q.lane = 'paced' and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of everything in flight.
  where s.lane = 'paced' and d.instance_id = any (array[s.instance_id]) and (d.in_flight = s.message_id) is true
  returning d.instance_id, d.feeds_batches
  )
  select array_agg(f.instance_id order by f.instance_id) into feeding from freed f where f.feeds_batches;

  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
  if feeding is not null then
    perform messaging.feed_after_settling(feeding);
  end if;
end;
$$;
revoke all
on function messaging.release_instances(messaging.settlement[])
from public, anon, authenticated;
grant execute on function messaging.release_instances(messaging.settlement[]) to service_role;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends; with the provider's id of the message.
-- The caller settles the other results, whose claims it has locked now.
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
  ids uuid[];
  told jsonb;
  instances uuid[];
begin
  select array_agg((r->>'messageId')::uuid), jsonb_object_agg((r->>'messageId')::uuid, r)
  into ids, told
  from jsonb_array_elements(results) as r;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        locked.provider_id, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      coalesce(told #>> array[q.message_id::text, 'providerMessageId'], m.provider_message_id)
        as provider_id,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = (told #>> array[q.message_id::text, 'claimToken'])::uuid
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
        told #>> array[m.id::text, 'providerMessageId'], m.provider_message_id
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
          where a.contact_id = c.id and a.address ~ '^[0-9]+$'
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
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

-- As touch_contacts, for contacts to whom a message has just been sent. A statement of its own: the
-- callers are the settlements, which are hot, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select c.id, c.instance_id,
    -- change_instant, written out: the condition is the floor, which comes first.
    case
      when pg_advisory_xact_lock_shared(
        uuid_hash(c.instance_id) # 1163284301,
        (
          (floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648
        )::integer
      )::text is not null
        then date_trunc('milliseconds', clock_timestamp())
    end,
    touch_addressees.sent_at
  from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > excluded.last_message_at, false);
end;
$$;
revoke all
on function messaging.touch_addressees(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.touch_addressees(uuid[], timestamptz) to service_role;

-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   isUnsent (the provider was not called), sealedProviderConfig (the credentials of the call; NULL for
--   not known)}], and for an immediate send `response` {status, body (as text)} with `idempotency`
--   {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider accepted the message is true however late it is reported, and so is that it was not called
-- (see take_back_unsent).
-- A status only moves forward, since a delivery event may have come before. A temporary refusal goes
-- back to the queue while attempts are left; a refusal of scope `instance` holds the whole instance.
-- An outage (session gone, credentials, account: not a rate limit) costs no attempt, so that it does
-- not use up the attempts of a backlog; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Acceptances that show no new address take a short way: one immediate send settle_plain_acceptance, all
-- others settle_plain_acceptances. All else, and whatever these leave, is decided one by one.
-- Locks, in this order: provider message ids, addresses that are new and the contacts that they are of,
-- queue rows, messages, agent pauses, pacing, dispatch, and where an address turns out to be another
-- contact's, that one. Rows of one table in the order of their ids, so that two calls about the same
-- messages never wait for each other.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The steps inherit the
-- settings below. A scan of an index by "= any (ids)" locks in the order of the ids; a bitmap would not.
create or replace function public.settle_messages(request jsonb)
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
  clock constant timestamptz := clock_timestamp();
  results jsonb := request->'results';
  shows_addresses constant boolean := results @? '$[*].waId ? (@ != null)'
    and messaging.shows_new_address(results, clock);
  short_way record;
  decided messaging.settlement[];
  settlements messaging.settlement[];
  plain uuid[];
  settled uuid[];
  late uuid[];
  addressees uuid[];
  has_news boolean;
begin
  if not shows_addresses and jsonb_array_length(results) = 1 then
    settled := messaging.settle_plain_acceptance(results->0, clock);
    if settled is not null then
      if nullif(request->'response', 'null') is not null then
        perform messaging.keep_response(request->'idempotency', request->'response', settled);
      end if;
      perform messaging.touch_noted_contacts();
      return jsonb_build_object('settled', to_jsonb(settled));
    end if;
  end if;
  perform messaging.lock_answers(results, shows_addresses);
  if not shows_addresses and not results @? '$[*] ? (@.outcome != "accepted")' then
    short_way := messaging.settle_plain_acceptances(results, clock);
    plain := short_way.settled;
    settled := plain;
    settlements := short_way.settlements;
  end if;

  -- The outcome of the others: queue rows, messages, the addresses that the answers prove.
  if coalesce(cardinality(settled), 0) < jsonb_array_length(results) then
    if settled is not null then
      select jsonb_agg(r) into results
      from jsonb_array_elements(results) as r
      where (r->>'messageId')::uuid <> all (settled);
    end if;
    decided := messaging.decide_settlements(results, clock);
    perform messaging.settle_queue_rows(decided);
    perform messaging.settle_message_rows(decided, clock);
    if results @? '$[*] ? (@.error.code == "131050")' then
      -- The contact has stopped marketing messages on the official channel.
      perform messaging.change_consent(
        s.contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
      )
      from unnest(decided) as s
      where s.error->>'code' = '131050'
      order by s.contact_id;
    end if;
    if shows_addresses then
      perform messaging.prove_answered_addresses(decided, clock);
    end if;
    settled := settled || array(select s.message_id from unnest(decided) as s);
    if coalesce(cardinality(decided), 0) < jsonb_array_length(results) then
      late := messaging.record_late_acceptances(results, settled, clock);
      settled := settled || messaging.take_back_unsent(results);
    end if;
    settlements := settlements || decided;
  end if;

  -- What follows for the agent, the message's own events, and its instance's queue. News is what came
  -- under a provider's id before the id was known.
  if cardinality(settlements) = jsonb_array_length(request->'results') and decided is null then
    -- All were plain and are known: no message needs to be read again.
    select exists (
      select from unnest(settlements) as s
      where exists (
        select from messaging.unmatched_statuses e
        where e.instance_id = any (array[s.instance_id])
          and e.provider_message_id = any (array[s.provider_message_id])
      )
      or exists (
        select from messaging.messages e
        where e.instance_id = any (array[s.instance_id])
          and e.provider_message_id = any (array[s.provider_message_id])
          and e.id <> s.message_id
          and (e.is_typed_on_phone or e.confirmed_by_echo)
      )
    ) into has_news;
    addressees := array(select s.contact_id from unnest(settlements) as s);
  else
    select exists (
      select from messaging.messages m
      where m.id = any (settled || late) and (
        exists (
          select from messaging.unmatched_statuses e
          where e.instance_id = any (array[m.instance_id])
            and e.provider_message_id = any (array[m.provider_message_id])
        )
        or exists (
          select from messaging.messages e
          where e.instance_id = any (array[m.instance_id])
            and e.provider_message_id = any (array[m.provider_message_id])
            and e.id <> m.id
            and (e.is_typed_on_phone or e.confirmed_by_echo)
        )
      )
    ) into has_news;
    addressees := array(select m.contact_id from messaging.messages m where m.id = any (plain));
  end if;
  if settlements is not null then
    perform messaging.restart_agent_pauses(settlements, clock);
  end if;
  if has_news then
    perform messaging.apply_unmatched_statuses(settled || late);
  end if;
  if settlements is not null then
    perform messaging.release_instances(settlements);
  end if;
  if nullif(request->'response', 'null') is not null then
    perform messaging.keep_response(request->'idempotency', request->'response', settled);
  end if;

  -- Whose words the echoes were, and who the contact is.
  if decided is not null then
    perform messaging.resolve_pending_echo(s.message_id, s.outcome, s.provider_message_id, s.echo)
    from unnest(decided) as s
    where s.echo is not null;
  end if;
  -- An echo may just have been recorded under another message's id.
  if has_news or decided is not null then
    perform messaging.merge_echo_duplicates(settled || late);
  end if;
  if shows_addresses then
    perform messaging.assign_contact_phone(c, s.wa_id)
    from unnest(decided) as s
    -- Not a join, whose plan may begin with all contacts without a phone.
    cross join lateral (
      select r.contact_id from messaging.messages r where r.id = s.message_id offset 0
    ) as m
    join messaging.contacts c on c.id = any (array[m.contact_id])
    where s.wa_id is not null and c.phone is null;
  end if;
  -- Last of all locks. Where something else has happened too, the last messages are read anew.
  if has_news or decided is not null then
    perform messaging.note_contact(s.contact_id) from unnest(decided) as s
    where s.outcome = 'accepted';
    perform messaging.note_contact(m.contact_id) from messaging.messages m
    where m.id = any (plain);
  elsif plain is not null then
    perform messaging.touch_addressees(addressees, clock);
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
