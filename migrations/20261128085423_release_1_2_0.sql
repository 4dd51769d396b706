-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.

set local lock_timeout = '3s';

set local check_function_bodies = off;

drop function messaging.take_media_fetches(integer,integer);

-- Whose work an outbox row is: its instance's, '' for nobody's. Owners of one kind take turns: see
-- claim_outbox. The row itself holds the id, which outlives the instance. Indexed (outbox_due_by_owner).
create or replace function messaging.outbox_owner(payload jsonb)
returns text
language sql
immutable
parallel safe
return coalesce(payload ->> 'instanceId', '');

-- Takes an instance's budget until the transaction ends, so that who reads after it what is left (see budget_state)
-- sees all that others have taken of it. In a statement of its own, before the one that reads. Without `waits`
-- returns false where another transaction has it; such a claim comes again.
create or replace function messaging.lock_budget(instance_id uuid, waits boolean)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  lock_key constant bigint := hashtextextended('budget ' || instance_id, 0);
begin
  if not waits then
    return pg_try_advisory_xact_lock(lock_key);
  end if;
  perform pg_advisory_xact_lock(lock_key);
  return true;
end;
$$;

-- Records a sending call in one transaction: contact, conversation, assignment, message, slot, agent
-- pause, idempotency key. No provider is called before it has committed.
-- `request`: instanceId, phone | contactId | userId (see find_recipient), idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, mediaId, cardId, metadata, purpose, sentBy, delayTypingMs,
--     needsPhone, pausesAgent (false or absent), replyTo (a message of the contact, which it answers),
--     fit (what the outcome repeats of how it goes out: rendering, reduced),
--     ladder {rungs} (what happens outside the conversation window: see decide_ladder)} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn), with isContinued
--     for a further message of the same answer; or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once; timing {sendAt, expiresAt, cancelKey} where one of them is given,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also
-- claimToken, `to`, the address, and quotedProviderMessageId and quotedIsOurs with replyTo: the caller holds the claim for leaseSeconds and must settle it. Or
-- {replayed: ...} for a known key, and {attempted: ...} where that key's message is to be tried again
-- (see attempt_again). With authentication also rateLimit (see describe_rate_limit).
-- With a ladder also sentAs, template and invitationId (see decide_ladder), and `rung`, the place of the one that is taken.
-- One statement finds what a bare message (see is_bare_message) to a known contact needs; resolve_send what
-- any other call does. What a call costs is mostly the start of its statements. Plans must not depend on
-- statistics: there may be ten contacts or a million. The steps inherit the settings below.
-- Locks, in this order: key, contact, conversation, budget, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI004 (replyTo), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI031 (contactId), MI033 (no phone), MI034 (marketing to a contact that has denied it), MI018 (the
-- agent is to be silent), MI022 (the caller must authenticate anew), MI041,
-- MI042, MI043 and MI057 (timing), MI051 to MI054 (the file: see take_media).
create or replace function public.accept_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  timing jsonb := nullif(delivery->'timing', 'null');
  authentication constant jsonb := nullif(request->'authentication', 'null');
  given_phone constant text := request->>'phone';
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  is_bare constant boolean := messaging.is_bare_message(request);
  wanted_key constant text := case when is_bare then messaging.phone_identity_key(given_phone) end;
  is_immediate boolean := draft is not null
    and messaging.leaves_at_once(delivery, clock);
  message_id constant uuid := case when draft is not null then gen_random_uuid() end;
  claim_token uuid := case when is_immediate then gen_random_uuid() end;
  known record;
  is_known boolean;
  resolved record;
  assignment jsonb;
  agent_id uuid;
  quoted_id text;
  recorded jsonb;
  paused_until timestamptz;
  is_pausing boolean := false;
  mode text := case when draft is null then 'assign_only' else 'sent' end;
  not_before timestamptz;
  typing interval;
  placed record;
  slot timestamptz;
  held_by text;
  is_held boolean;
  stored_at timestamptz;
  ladder jsonb;
  is_waiting boolean := false;
  budget_slot timestamptz;
begin
  select i.id as instance_id, case when is_bare and not is_immediate then i end as instance,
    i.time_zone, i.requests_per_minute, i.protection is not null as is_protected,
    i.budget is not null as has_budget, t.id as token_id,
    t.is_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.instances i
  left join messaging.contacts c
    on c.instance_id = i.id and c.identity_key = wanted_key
    and messaging.send_refusal(
      c.is_blocked,
      messaging.effective_consent(
        draft->>'purpose', i.people_scope, i.workspace_id, c.id, c.identity_key,
        c.consent_marketing, c.consent_at
      ),
      c.last_inbound_at, i.provider_class, draft->>'messageType', draft->>'purpose', clock
    ) is null
  left join messaging.conversations v on v.contact_id = c.id
  left join lateral messaging.sending_token(i.id, i.xmin::text, authentication, clock) as t on true
  left join lateral messaging.proven_address(c.id, false) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where i.id = (request->>'instanceId')::uuid;
  if authentication is not null and known.token_id is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  elsif known.token_id is not null and known.is_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;
  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is not null then
    return messaging.count_recorded_call(
      recorded, known.token_id, authentication->>'functionName', known.requests_per_minute
    );
  end if;

  if timing is not null and draft is not null then
    perform messaging.check_timing(delivery);
  end if;
  is_known := known.conversation_id is not null;
  if is_known then
    perform from messaging.contacts c
    where c.id = known.contact_id and c.merged_into is null
    for key share;
    if not found then
      raise exception using errcode = 'MI055', message = 'merged meanwhile';
    end if;
  else
    known.instance := (select i from messaging.instances i where i.id = known.instance_id);
    resolved := messaging.resolve_send(known.instance, request);
    known.contact_id := resolved.contact_id;
    known.phone := resolved.phone;
    known.conversation_id := resolved.conversation_id;
    known.assigned_to := resolved.assigned_to;
    known.address := resolved.address;
    assignment := resolved.assignment;
    agent_id := resolved.agent_id;
    quoted_id := resolved.quoted_provider_message_id;
    if quoted_id is not null then
      draft := draft || jsonb_build_object('quotedProviderMessageId', quoted_id);
    end if;
    if draft->'ladder' is not null then
      select l.ladder, l.is_waiting, l.timing into ladder, is_waiting, timing
      from messaging.begin_ladder(
        known.instance, request, message_id, known.contact_id, known.conversation_id,
        nullif(given_phone, known.phone), clock
      ) l;
      draft := draft || jsonb_build_object(
        'ladder', ladder,
        'fit', coalesce(draft->'fit', '{}') || (ladder->'shown')
          || jsonb_build_object('rung', ladder->'place')
      );
      is_immediate := is_immediate and not is_waiting;
      claim_token := case when is_immediate then claim_token end;
    end if;
  end if;

  if is_immediate and known.has_budget then
    known.instance := messaging.find_instance(known.instance_id);
    if messaging.stopped_by_budget((known.instance).budget, draft->>'purpose', null) then
      perform messaging.lock_budget(known.instance_id, true);
    end if;
    budget_slot := messaging.budget_hold(known.instance, draft->>'purpose', clock);
    is_immediate := budget_slot is null;
    claim_token := case when is_immediate then claim_token end;
  end if;

  if known.has_agent then
    is_pausing := draft is not null and agent_id is null
      and draft->>'sentBy' is distinct from 'ai_agent' and draft->>'pausesAgent' is null
      and (
        is_immediate
        or not is_waiting and budget_slot is null
          and messaging.leaves_in_pause(known.instance, delivery)
      );
    if is_pausing then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    else
      select p.paused_until into paused_until from messaging.agent_pauses p
      where p.contact_id = known.contact_id and p.paused_until > clock;
    end if;
  end if;
  if is_immediate then
    -- A reaction takes no place of a day.
    if known.is_protected and draft->>'messageType' <> 'reaction' then
      perform messaging.count_unpaced_send(known.instance_id, known.contact_id, clock);
    end if;
  elsif is_waiting then
    mode := case when (delivery->>'queued')::boolean then 'queued' else 'scheduled' end;
    held_by := 'awaiting_reply';
  elsif draft is not null then
    not_before := greatest(messaging.earliest_departure(delivery, clock), budget_slot);
    if (delivery->>'queued')::boolean then
      mode := 'queued';
      typing := interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0);
      if timing->>'sendAt' is null then
        placed := messaging.enqueue_message(
          message_id, known.instance, (delivery->>'intervalSeconds')::integer, not_before, typing,
          known.contact_id
        );
      else
        placed := messaging.enqueue_message_later(
          message_id, known.instance, (delivery->>'intervalSeconds')::integer, not_before, typing,
          known.contact_id
        );
      end if;
    else
      mode := 'scheduled';
      placed := messaging.schedule_message(
        message_id, known.instance, known.contact_id, not_before
      );
    end if;
    slot := placed.slot;
    held_by := coalesce(
      placed.held_by,
      case when budget_slot is not null then 'budget' when not_before > clock then 'delay' end
    );
    is_held := placed.is_held;
  end if;
  if draft is not null then
    stored_at := messaging.add_outbound_messages(array[row(
      message_id, known.instance_id, known.contact_id, known.conversation_id, draft,
      known.assigned_to, agent_id, mode, (delivery->>'intervalSeconds')::integer, slot, held_by,
      nullif(given_phone, known.phone), null, timing, claim_token,
      (delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message]);
  end if;
  if is_held then
    placed := messaging.held_departure(message_id, known.instance);
    slot := placed.slot;
    held_by := placed.held_by;
  end if;
  if is_known and is_pausing and paused_until is not null then
    perform messaging.touch_contacts(array[known.contact_id]);
  elsif not is_known then
    if is_pausing and paused_until is not null then
      perform messaging.note_contact(known.contact_id);
    end if;
    perform messaging.touch_noted_contacts();
  end if;

  recorded := messaging.accepted_outcome(
    mode, known.contact_id, known.conversation_id, agent_id, assignment, message_id, slot, held_by,
    paused_until, known.time_zone, claim_token,
    case when is_immediate then coalesce(known.address, given_phone) end
  );
  if draft->'fit' is not null then
    recorded := recorded || (draft->'fit');
  end if;
  if has_key then
    perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
  end if;
  if is_immediate and quoted_id is not null then
    recorded := recorded || jsonb_build_object(
      'quotedProviderMessageId', quoted_id, 'quotedIsOurs', resolved.quoted_is_ours
    );
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, authentication->>'functionName', known.requests_per_minute
  );
end;
$$;

-- claim_message_group: claims what leaves next of an instance with a pace, in order, and says when each call is
-- to begin (`departs_at`): at its slot, and as far behind the message before it as present_spacing says. So no
-- second has more departures than the pace, whatever the claims and their workers do. Each lies in the window
-- and behind what holds the instance. Returns the ids.
-- While it is in flight, a message of a group is in the unpaced lane, whose leases end one by one: many are in
-- flight at once, two seconds' worth at most. Of one contact there is only one: the next one waits until that is
-- settled, and others pass it.
-- What a reached budget stops waits for the end of the month: see hold_for_budget.
-- A message whose expires_at has come by then is ended instead. With protection each takes its place of the day.
-- The caller has locked dispatch. Tries pacing without waiting, since an enqueue locks the two in the other
-- order: without it the next due time is a guess, because a message that is being queued cannot be seen, and
-- the instance is looked at again shortly. Never waits for queue rows either.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_instance_group(
  dispatch messaging.dispatch,
  instance messaging.instances,
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  -- Twice the lead, so that a poll that is late by no more than that loses no departure.
  horizon constant timestamptz := clock + 2 * messaging.group_lead();
  most_in_flight constant integer := greatest(10, 2 * dispatch.messages_per_second);
  has_pacing boolean;
  has_budget boolean := true;
  busy uuid[];
  room integer;
  waiting record;
  budget record;
  budget_left numeric;
  place record;
  left_at timestamptz := dispatch.paced_from;
  leaves_at timestamptz;
  open_until timestamptz := '-infinity';
  claimed uuid[];
  late uuid[];
  next_due_at timestamptz;
  not_before timestamptz := clock + interval '5 milliseconds';
begin
  perform from messaging.pacing p
  where p.instance_id = dispatch.instance_id for no key update skip locked;
  has_pacing := found;
  select array_agg(m.contact_id), least(max_messages, most_in_flight - count(*)) into busy, room
  from messaging.message_queue q
  join messaging.messages m on m.id = any (array[q.message_id])
  where q.instance_id = dispatch.instance_id and q.departs_at is not null;

  if instance.budget is not null then
    has_budget := messaging.lock_budget(instance.id, false);
    budget := messaging.budget_state(instance, clock);
    if budget.currency is not null then
      budget_left := budget.amount - budget.spent - budget.under_way;
    end if;
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.interval_seconds, q.follows_pace, q.is_new, m.contact_id,
      m.expires_at, messaging.stopped_by_budget(instance.budget, m.purpose, m.batch_id) as is_stoppable, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = dispatch.instance_id and q.lane = 'paced' and q.claim_token is null
      and q.scheduled_at <= horizon
    order by q.scheduled_at, q.position
    limit 200
    for no key update of q skip locked
  loop
    leaves_at := greatest(
      waiting.scheduled_at,
      left_at + messaging.present_spacing(
        dispatch, left_at, waiting.interval_seconds, waiting.follows_pace
      ),
      messaging.held_until(dispatch),
      clock
    );
    exit when leaves_at > horizon;
    if room <= 0 then
      not_before := clock + interval '50 milliseconds';
      exit;
    end if;
    if waiting.expires_at <= leaves_at then
      late := late || waiting.message_id;
      continue;
    end if;
    if waiting.contact_id = any (busy) then
      not_before := clock + interval '50 milliseconds';
      continue;
    end if;
    if leaves_at >= open_until then
      if messaging.is_send_window_open(instance, leaves_at) then
        open_until := messaging.window_open_until(instance, leaves_at);
      else
        not_before := messaging.next_window_start(instance, leaves_at) - messaging.group_lead();
        exit;
      end if;
    end if;
    if leaves_at + waiting.typing >= open_until
      and not messaging.is_send_window_open(instance, leaves_at + waiting.typing) then
      not_before := messaging.next_window_start(instance, leaves_at + waiting.typing)
        - messaging.group_lead();
      exit;
    end if;
    if waiting.is_stoppable and not has_budget then
      not_before := clock + interval '20 milliseconds';
      exit;
    end if;
    if waiting.is_stoppable and budget_left <= 0 then
      exit when not has_pacing;
      perform messaging.hold_for_budget(waiting.message_id, instance, budget.month_ends_at);
      continue;
    end if;
    if instance.protection is not null then
      exit when not has_pacing;
      place := messaging.take_place_of_day(
        instance, waiting.contact_id, waiting.is_new, waiting.scheduled_at, leaves_at
      );
      if not place.is_taken then
        not_before := clock + interval '5 seconds';
        exit;
      end if;
      update messaging.message_queue q
      set counted_on = place.day, is_new = place.counts_as_new
      where q.message_id = waiting.message_id;
    end if;
    update messaging.message_queue q
    set lane = 'unpaced',
      claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = leaves_at + lease + waiting.typing,
      visible_at = leaves_at + lease + waiting.typing,
      departs_at = leaves_at
    where q.message_id = waiting.message_id;
    if budget_left is not null then
      budget_left := budget_left - coalesce(
        (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
      );
    end if;
    claimed := claimed || waiting.message_id;
    busy := busy || waiting.contact_id;
    room := room - 1;
    left_at := leaves_at + waiting.typing;
  end loop;

  if late is not null then
    perform messaging.expire_due_messages(late, horizon);
  end if;
  if not has_pacing then
    not_before := clock + interval '20 milliseconds';
  end if;
  -- A window that never opens must not stop other instances: such an instance is looked at daily.
  not_before := coalesce(not_before, clock + interval '1 day');
  dispatch.paced_from := left_at;
  if has_pacing then
    select messaging.next_due_at(
      dispatch, head.scheduled_at, head.interval_seconds, head.follows_pace
    )
    into next_due_at
    from messaging.head_of_queue(dispatch.instance_id) as head;
    not_before := greatest(not_before, coalesce(next_due_at, 'infinity'));
  end if;
  update messaging.dispatch d
  set paced_from = left_at, next_due_at = not_before
  where d.instance_id = dispatch.instance_id;
  return claimed;
end;
$$;

-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them: see take_place_of_day. The caller has locked dispatch and the queue rows. Tries the pacing rows without waiting: an enqueue locks the two in the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[],
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  head record;
  place record;
  budget record;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id) as is_stoppable,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    if head.is_stoppable then
      continue when not messaging.lock_budget(head.instance_id, false);
      budget := messaging.budget_state(head.instance, clock);
      if budget.is_reached then
        perform messaging.hold_for_budget(head.message_id, head.instance, budget.month_ends_at);
        perform messaging.refresh_dispatch(array[head.instance_id]);
        continue;
      end if;
    end if;
    if (head.instance).protection is null then
      select true as is_taken, null::date as day, head.takes_new as counts_as_new into place;
    else
      place := messaging.take_place_of_day(
        head.instance, head.contact_id, head.takes_new, head.scheduled_at, clock
      );
    end if;
    continue when not place.is_taken;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = place.day,
      is_new = place.counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    where d.instance_id = head.instance_id;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- What leaves after another message waits until that one is settled: see postpone_followers.
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
  followers uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced,
      q.goes_after
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      messaging.stopped_until(d) > clock
        and not due.is_to_be_paced as is_held,
      due.goes_after is not null and exists (
        select from messaging.message_queue f where f.message_id = any (array[due.goes_after])
      ) as is_follower
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
      and not checked.is_to_be_paced and not checked.is_follower and coalesce(m.expires_at > clock, true)
      -- Of all that is unpaced a budget may stop marketing alone: batches are paced.
      and (
        m.purpose is distinct from 'marketing'
        or not messaging.stopped_by_budget(
          (messaging.find_instance(m.instance_id)).budget, m.purpose, m.batch_id
        )
      )
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced and not checked.is_follower
    ),
    (
      select array_agg(checked.message_id)
      from checked
      where checked.is_follower and not checked.is_held
    )
  into claimed_ids, held_ids, to_be_paced, due_ids, followers;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  if followers is not null then
    perform messaging.postpone_followers(followers, clock);
  end if;
  -- What was due and not claimed has come to its expires_at, or its instance's budget decides.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
    claimed_ids := claimed_ids || messaging.claim_unpaced_within_budget(
      array(select d from unnest(due_ids) as d where d <> all (coalesce(claimed_ids, '{}'))),
      lease, clock
    );
  end if;
  return claimed_ids;
end;
$$;

-- claim_unpaced_messages: claims those of these due messages that an instance's budget may stop (see
-- stopped_by_budget), as far as the budget reaches, and has the others wait until the month ends. Returns the ids of
-- the claimed ones. The caller has locked the queue rows. Leaves messages that another transaction is changing, or
-- of a budget that another one has taken, for the next claim.
create or replace function messaging.claim_unpaced_within_budget(
  message_ids uuid[],
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  waiting record;
  of_instance uuid;
  has_budget boolean;
  budget record;
  budget_left numeric;
  slot timestamptz;
  claimed_ids uuid[];
begin
  for waiting in
    select m.id as message_id, i as instance, i.id as instance_id,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[m.instance_id])
    where q.message_id = any (message_ids) and q.claim_token is null
      and messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id)
    order by i.id, q.visible_at, m.id
    for no key update of m skip locked
  loop
    if waiting.instance_id is distinct from of_instance then
      of_instance := waiting.instance_id;
      has_budget := messaging.lock_budget(of_instance, false);
      budget := messaging.budget_state(waiting.instance, clock);
      -- NULL without rates: such a budget is never reached.
      budget_left := case
        when budget.currency is not null then budget.amount - budget.spent - budget.under_way
      end;
    end if;
    continue when not has_budget;
    if budget_left <= 0 then
      slot := messaging.after_budget(waiting.instance, budget.month_ends_at, interval '0');
      update messaging.message_queue q
      set scheduled_at = slot, visible_at = slot
      where q.message_id = waiting.message_id;
      update messaging.messages m
      set scheduled_for = slot, held_by = 'budget'
      where m.id = waiting.message_id;
      continue;
    end if;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + waiting.typing,
      visible_at = clock + lease + waiting.typing
    where q.message_id = waiting.message_id;
    budget_left := budget_left - coalesce(
      (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
    );
    claimed_ids := claimed_ids || waiting.message_id;
  end loop;
  return claimed_ids;
end;
$$;

-- Stores the payloads of inbound messages that are stored already: a channel delivers until it is answered,
-- and delivers again what was recorded all the same. Returns their places. Leaves the others untouched, and
-- one that brings its file with it: see attach_embedded_file.
-- Needs no lock, for what is stored stays so; it is asked again under the locks for those that are not.
create or replace function messaging.keep_retold_messages(events messaging.plain_event[])
returns integer[]
language plpgsql
set search_path = ''
as $$
declare
  retold integer[];
begin
  retold := array(
    select e.place from unnest(events) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id)
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

-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[]
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
  if messages is not null then
    unchanged := messaging.keep_retold_messages(messages);
    if cardinality(unchanged) > 0 then
      messages := array(select e from unnest(messages) as e where e.place <> all (unchanged));
    end if;
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

-- One row where a delivery was checked against the credentials that its instance has now.
create or replace function messaging.present_credentials(
  instance_id uuid,
  sealed_provider_config text
)
returns setof boolean
language sql
stable
begin atomic
  select true
  from messaging.instances as i
  where
    i.id = present_credentials.instance_id
    and (i.sealed_provider_config != present_credentials.sealed_provider_config) is not true
  limit 1;
end;

-- One row where a message with this provider's id is stored.
-- Returns rows, for a function that reads a table is inlined only in FROM.
create or replace function messaging.stored_message(instance_id uuid, provider_message_id text)
returns setof boolean
language sql
stable
begin atomic
  select true
  from messaging.messages as m
  where
    m.instance_id = stored_message.instance_id
    and m.provider_message_id = stored_message.provider_message_id
  limit 1;
end;

-- Those of the inbound messages that are to be recorded: their credentials have not been replaced, and they
-- are neither stored already nor erased.
-- The look-up is no EXISTS: its plan may read all rows of the instance.
create or replace function messaging.new_messages(events messaging.plain_event[])
returns setof messaging.plain_event
language sql
stable
begin atomic
  select e.*
  from unnest(events) as e
  where
    (
      select true
      from messaging.present_credentials(e.instance_id, e.sealed_provider_config)
    )
    and (
      select true
      from messaging.stored_message(e.instance_id, e.provider_message_id)
    ) is null
    and (
      select true
      from messaging.erased_messages as x
      where
        x.instance_id = e.instance_id
        and x.id_hash = messaging.message_id_hash(e.provider_message_id)
      limit 1
    ) is null;
end;

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- Instances take turns: one row of each before a second one of any, so that what waits of one delays no
-- other's. `request`: kinds, maxRows, leaseSeconds, crowdingInstances: the ids of instances that have as many
-- calls under way as one may have, whose rows wait; NULL for none.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])` and the settings below: see claim_due_messages. In plpgsql, which keeps its
-- plan: making it anew for each call took most of the call's time.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  claimed_rows jsonb;
begin
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with recursive waiting as (
    -- The instances with work of a kind. Each step reads one entry of the index.
    select wanted.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = wanted.kind and o.settled_at is null
      order by messaging.outbox_owner(o.payload)
      limit 1
    ) as owner
    from jsonb_array_elements_text(request->'kinds') as wanted(kind)
    union all
    select w.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = w.kind and o.settled_at is null
        and messaging.outbox_owner(o.payload) > w.owner
      order by messaging.outbox_owner(o.payload)
      limit 1
    )
    from waiting w
    where w.owner is not null
  ),
  -- Twice as many as wanted, for some of them may be another worker's at this moment.
  turns as (
    select o.id, o.turn, o.run_at
    from waiting w
    cross join lateral (
      select r.id, r.run_at, row_number() over (order by r.run_at) as turn
      from messaging.outbox r
      where r.kind = w.kind and messaging.outbox_owner(r.payload) = w.owner
        and r.settled_at is null and r.run_at <= (select clock_timestamp())
      order by r.run_at
      limit 2 * (request->>'maxRows')::integer
    ) as o
    where not coalesce(request->'crowdingInstances' ? w.owner, false)
    order by o.turn, o.run_at
    limit 2 * (request->>'maxRows')::integer
  ),
  due as (
    select o.id, o.kind, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from turns
    join messaging.outbox o on o.id = any (array[turns.id])
    -- Asked again under the lock.
    where o.settled_at is null and o.run_at <= (select clock_timestamp())
    order by turns.turn, turns.run_at
    limit (request->>'maxRows')::integer
    for no key update of o skip locked
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, due.kind not like 'media_%' and exists (
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
    returning o.kind, o.payload
  ),
  -- A file that kills its worker each time.
  lost_files as (
    update messaging.media m
    set status = 'failed',
      last_error = '{"code": "worker_lost", "message": "The file could not be fetched."}'
    from given_up
    where m.id = any (array[(given_up.payload->>'mediaId')::uuid])
      and given_up.kind = 'media_fetch' and m.status = 'pending'
    returning m.instance_id, m.storage_path
  ),
  -- And what its workers have left of it.
  deletions as (
    insert into messaging.outbox (workspace_id, kind, payload)
    select i.workspace_id, 'media_delete',
      jsonb_build_object('instanceId', i.id, 'paths', jsonb_build_array(l.storage_path))
    from lost_files l
    join messaging.instances i on i.id = l.instance_id
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
  into claimed_rows
  from claimed c;
  return claimed_rows;
end;
$$;

-- Claims received files that are due to be fetched, with what a worker needs for it. What there is nothing
-- to fetch for (any more) is settled. A file whose row a person has sent round again is `pending` again.
-- `crowding_instances`: see claim_outbox.
-- Returns an array of {outboxId, claimToken, file}.
create or replace function messaging.take_media_fetches(
  max_rows integer,
  lease_seconds integer,
  crowding_instances jsonb
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed constant jsonb := public.claim_outbox(
    jsonb_build_object(
      'kinds', jsonb '["media_fetch"]', 'maxRows', max_rows, 'leaseSeconds', lease_seconds,
      'crowdingInstances', crowding_instances
    )
  )->'rows';
  claim jsonb;
  file jsonb;
  taken jsonb := '[]';
begin
  for claim in select c.value from jsonb_array_elements(claimed) as c
  loop
    file := public.begin_media_fetch(claim->'payload')->'file';
    if file = jsonb 'null' then
      perform public.settle_outbox(
        jsonb_build_object(
          'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'outcome', 'done'
        )
      );
    else
      taken := taken || jsonb_build_object(
        'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'file', file
      );
    end if;
  end loop;
  return taken;
end;
$$;

-- Claims received files that are due to be fetched: claim_outbox and begin_media_fetch in one call.
-- `request`: maxRows, leaseSeconds, crowdingInstances (see claim_outbox). Returns {files: [{outboxId, claimToken, file}]}.
create or replace function public.claim_media_fetches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return jsonb_build_object('files', messaging.take_media_fetches(
    (request->>'maxRows')::integer, (request->>'leaseSeconds')::integer, request->'crowdingInstances'
  ));
end;
$$;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- `nextLeaseSeconds`: claims the next file for so long, in the same transaction; absent for none. With
-- crowdingInstances (see claim_outbox).
-- Returns {status, isForgotten, next}: the file's status now, NULL where the claim was lost; isForgotten
-- says that a stored file is wanted no more, and is to be deleted; next is the file that was claimed
-- (see take_media_fetches), NULL for none.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  settled constant jsonb := messaging.record_media_fetch(request);
  lease_seconds constant integer := (request->>'nextLeaseSeconds')::integer;
begin
  return settled || jsonb_build_object('next', case
    when lease_seconds is not null then messaging.take_media_fetches(
      1, lease_seconds, request->'crowdingInstances'
    )->0
  end);
end;
$$;

-- A thousand files that wait must not be read by each look for e-mails, nor one instance's by the look for
-- another's.
create index if not exists outbox_due_by_owner on messaging.outbox (
  kind,
  (messaging.outbox_owner(payload)),
  run_at
)
where settled_at is null;

drop function messaging.hold_unpaced_for_budget(uuid[],timestamp with time zone);

drop function messaging.waits_for_budget(messaging.messages,timestamp with time zone);

drop index messaging.outbox_due_by_kind;
