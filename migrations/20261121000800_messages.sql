-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

set local check_function_bodies = off;

-- source: supabase/schemas/messages/internal/advance_message.sql
-- Moves a message of ours forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says; never back, and what is read or canceled does not fail any more (but may have arrived). Settles
-- what is `unconfirmed`, and takes what waits to be sent again out of the queue: it has arrived.
-- Of an earlier attempt, which has another id at the provider, only that it has arrived counts.
-- What was in doubt left before its call was given up, however late the event is.
-- Returns whether it changed anything. Locks the message, then pacing.
create or replace function messaging.advance_message(
  message_id uuid,
  provider_message_id text,
  status text,
  occurred_at timestamptz,
  error jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved_instance_id uuid;
begin
  update messaging.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled')
        then coalesce(advance_message.provider_message_id, m.provider_message_id)
      else coalesce(m.provider_message_id, advance_message.provider_message_id)
    end,
    sent_at = case
      when advance_message.status = 'failed' then m.sent_at
      else coalesce(m.sent_at, greatest(least(occurred_at, m.unconfirmed_at), m.created_at))
    end,
    delivered_at = case
      when advance_message.status in ('delivered', 'read') then coalesce(m.delivered_at, occurred_at)
      else m.delivered_at
    end,
    read_at = case when advance_message.status = 'read' then occurred_at else m.read_at end,
    failed_at = case when advance_message.status = 'failed' then occurred_at end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  where m.id = advance_message.message_id
    and case m.status
      -- In a worker's hands it can have failed; waiting to be tried again it has not yet.
      when 'queued' then advance_message.status <> 'failed' or exists (
        select from messaging.message_queue q
        where q.message_id = m.id and q.claim_token is not null
      )
      when 'sending' then true
      when 'unconfirmed' then true
      when 'sent' then advance_message.status <> 'sent'
      when 'delivered' then advance_message.status = 'read'
      when 'canceled' then advance_message.status <> 'failed'
      -- One attempt has failed and another one has arrived.
      when 'failed' then advance_message.status in ('delivered', 'read')
        and m.provider_message_id <> advance_message.provider_message_id
      else false
    end
    and (
      advance_message.status in ('delivered', 'read')
      or m.provider_message_id is null
      or advance_message.provider_message_id is null
      -- An id that is known before the attempt's outcome is an earlier one's.
      or (m.provider_message_id = advance_message.provider_message_id) = (m.status = 'sent')
    )
  returning m.instance_id into moved_instance_id;
  if not found then
    return false;
  end if;
  -- Waits for a claim that is being made, which waits for nobody: rolled back, it would leave the row.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
revoke all on function messaging.advance_message(uuid, text, text, timestamptz, jsonb) from public, anon, authenticated;
grant execute on function messaging.advance_message(uuid, text, text, timestamptz, jsonb) to service_role;

-- source: supabase/schemas/messages/internal/attempt_again.sql
-- Claims the message of a repeated call for another immediate attempt, after a refusal that its provider
-- calls temporary (decisions, section 5, Idempotency-Key). It is the same message: its stored content is
-- sent, and nothing else of the call is done again but the pause of the agent, as with any accepted call.
-- `request` is accept_message's; `known` is what begin_idempotent said, isAttemptDue.
-- Returns {attempted: {outcome, message (see claimed_messages)}}: the caller holds the claim for
-- leaseSeconds and must settle it.
-- Locks the message; the caller holds the key, so that of two equal calls one attempts.
-- Errors: MI005, MI006 (as for a first attempt); MI007 (another one came first, by retry_message or a
-- delivery event).
create or replace function messaging.attempt_again(request jsonb, known jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  instance messaging.instances;
  outcome jsonb := known->'outcome';
  lease_until timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = (known->>'messageId')::uuid
  for no key update;
  if message.id is null or message.status <> 'failed' or not message.is_retryable
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  perform messaging.refuse_unreachable_contact(instance, contact, message.message_type);
  lease_until := clock_timestamp() + make_interval(
    secs => (request->'delivery'->>'leaseSeconds')::double precision
  );
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  values (
    message.id, instance.id, 'unpaced', clock_timestamp(), lease_until, 1, 1, gen_random_uuid(),
    lease_until
  );
  update messaging.messages m
  set status = 'sending', failed_at = null, confirmed_by_echo = false
  where m.id = message.id;
  if message.agent_id is null and message.sent_by is distinct from 'ai_agent' then
    outcome := outcome || jsonb_build_object('aiAgentPausedUntil', messaging.iso_in_zone(
      messaging.pause_agent(instance.id, contact.id, clock_timestamp()), instance.time_zone
    ));
  end if;
  perform messaging.keep_outcome(request, outcome, message.id);
  return jsonb_build_object('attempted', jsonb_build_object(
    'outcome', outcome,
    'message', messaging.claimed_messages(array[message.id])->0
  ));
end;
$$;
revoke all on function messaging.attempt_again(jsonb, jsonb) from public, anon, authenticated;
grant execute on function messaging.attempt_again(jsonb, jsonb) to service_role;

-- source: supabase/schemas/messages/internal/describe_message.sql
-- The state of one message as messages-api reports it. A claim counts as `sending`; what waits says
-- when it may leave now, and what holds it (see expected_departure).
create or replace function messaging.describe_message(message messaging.messages)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'messageId', message.id,
    'status', case
      when q.claim_token is not null and message.status = 'queued' then 'sending'
      else message.status
    end,
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', messaging.iso_in_zone(
      case when expected.is_waiting then expected.leaves_at else message.scheduled_for end,
      i.time_zone
    ),
    'heldBy', case when expected.is_waiting then expected.held_by else message.held_by end,
    'createdAt', messaging.iso_in_zone(message.created_at, i.time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, i.time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, i.time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, i.time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, i.time_zone),
    'attempts', message.attempts + case when q.claim_token is not null then 1 else 0 end,
    'lastError', message.last_error
  )
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.*
    from messaging.dispatch d
    cross join lateral messaging.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
$$;
revoke all on function messaging.describe_message(messaging.messages) from public, anon, authenticated;
grant execute on function messaging.describe_message(messaging.messages) to service_role;

-- source: supabase/schemas/messages/internal/find_message.sql
-- The outbound message `messageId` of an instance, locked. `request`: instanceId, messageId.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'outbound'
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return message;
end;
$$;
revoke all on function messaging.find_message(jsonb) from public, anon, authenticated;
grant execute on function messaging.find_message(jsonb) to service_role;

-- source: supabase/schemas/messages/internal/lock_provider_messages.sql
-- Lets one transaction at a time speak of a provider's message, until it commits: so that a delivery
-- event and the recording of the send it belongs to never miss each other. Takes instances and
-- provider message ids in pairs; locks in one order for all. Messages of an instance share 256 locks:
-- a delivery of thousands must not use up what the server has for all.
create or replace function messaging.lock_provider_messages(
  instance_ids uuid[],
  provider_message_ids text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended(pair.instance_id::text, 0)
      # (hashtext(pair.provider_message_id) & 255) as lock_key
    from unnest(instance_ids, provider_message_ids) as pair(instance_id, provider_message_id)
    where pair.provider_message_id is not null
    order by lock_key
  ) as wanted;
end;
$$;
revoke all on function messaging.lock_provider_messages(uuid[], text[]) from public, anon, authenticated;
grant execute on function messaging.lock_provider_messages(uuid[], text[]) to service_role;

-- source: supabase/schemas/messages/internal/place_message.sql
-- Puts a message that is being accepted where its delivery wants it: `queued` into the paced queue,
-- `scheduled` (delayed, or deferred to the dispatcher) among the unpaced, else `sent`: into the
-- caller's own hands for leaseSeconds, tried once. See accept_message for `delivery`,
-- enqueue_message for `typing`.
-- `slot` and `held_by` are NULL for what goes at once, `claim_token` for all else.
create or replace function messaging.place_message(
  message_id uuid,
  instance messaging.instances,
  delivery jsonb,
  typing interval,
  out mode text,
  out slot timestamptz,
  out held_by text,
  out claim_token uuid
)
language plpgsql
set search_path = ''
as $$
declare
  is_delayed constant boolean := coalesce((delivery->>'delaySeconds')::double precision > 0, false);
  not_before constant timestamptz := date_trunc('milliseconds', clock_timestamp())
    + make_interval(secs => coalesce((delivery->>'delaySeconds')::double precision, 0));
  lease_until timestamptz;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing
    ) e;
    if is_delayed then
      held_by := coalesce(held_by, 'delay');
    end if;
  elsif is_delayed or (delivery->>'isDeferred')::boolean then
    mode := 'scheduled';
    slot := not_before;
    held_by := case when is_delayed then 'delay' end;
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (message_id, instance.id, 'unpaced', slot, slot);
  else
    mode := 'sent';
    claim_token := gen_random_uuid();
    lease_until := clock_timestamp()
      + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
      lease_until
    )
    values (
      message_id, instance.id, 'unpaced', not_before, lease_until, 1, 1, claim_token, lease_until
    );
  end if;
end;
$$;
revoke all on function messaging.place_message(uuid, messaging.instances, jsonb, interval) from public, anon, authenticated;
grant execute on function messaging.place_message(uuid, messaging.instances, jsonb, interval) to service_role;

-- source: supabase/schemas/messages/internal/take_back_unsent.sql
-- Takes back messages whose claims ended although their workers had not called the provider: another
-- process has made them `unconfirmed`, but nothing was sent. A queued or scheduled message waits again.
-- An immediate send fails, and may be retried; so does a message whose send window never opens now.
-- Only while the message is in doubt by that very claim: since then a delivery event, a person or
-- another attempt may have decided otherwise.
-- `results`: as settle_messages takes them. Returns the ids of those that were taken back.
-- Locks the messages, then pacing (see requeue_message).
create or replace function messaging.take_back_unsent(results jsonb)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  unsent record;
  taken_back uuid[] := '{}';
begin
  for unsent in
    select m as message, r.error
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, error jsonb, "isUnsent" boolean
    )
    join messaging.messages m on m.id = r."messageId"
    where r."isUnsent" and m.status = 'unconfirmed' and m.lost_claim_token = r."claimToken"
    order by m.instance_id, m.id
    for no key update of m
  loop
    update messaging.messages m
    set status = 'failed', failed_at = clock_timestamp(), unconfirmed_at = null,
      is_retryable = true, last_error = unsent.error, lost_claim_token = null,
      -- The end of the claim was counted as an attempt.
      attempts = greatest(m.attempts - 1, 0)
    where m.id = (unsent.message).id;
    begin
      if (unsent.message).mode in ('queued', 'scheduled') then
        perform messaging.requeue_message(unsent.message);
      end if;
    exception when sqlstate 'MI010' then
      null;
    end;
    taken_back := taken_back || (unsent.message).id;
  end loop;
  return taken_back;
end;
$$;
revoke all on function messaging.take_back_unsent(jsonb) from public, anon, authenticated;
grant execute on function messaging.take_back_unsent(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/accept_message.sql
-- Records everything that a sending call makes true at once: contact, conversation, assignment,
-- message, slot, agent pause, idempotency key; no provider is called before this has committed.
-- `request`: instanceId, phone, idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, cardId, sentBy, delayTypingMs} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn); or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also claimToken and `to`, the address: the
-- caller holds the claim for leaseSeconds and must settle it. Or {replayed: ...} for a known key,
-- and {attempted: ...} where that key's message is to be tried again (see attempt_again).
-- Locks, in this order: key, contact, conversation, agent pause, pacing, dispatch.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI018 (the agent is to be silent).
create or replace function public.accept_message(request jsonb)
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
    select p.mode, p.slot, p.held_by, p.claim_token into mode, slot, held_by, claim_token
    from messaging.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
    ) p;
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

  if mode = 'queued' then
    -- A hold may end after the slot.
    select e.* into departure
    from (select message_id as id, slot as at) as own
    join messaging.dispatch d on d.instance_id = instance.id and d.hold_until > own.at
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
revoke all on function public.accept_message(jsonb) from public, anon, authenticated;
grant execute on function public.accept_message(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/cancel_message.sql
-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling what is canceled already changes nothing. The last slot of an instance is given back with
-- its message, any other stays unused: nobody's slot changes by it. Locks the message, then pacing;
-- the queue row is tried, not waited for: who holds that is about to send the message.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  freed_slot timestamptz;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  delete from messaging.message_queue q
  where q.message_id = (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = message.id and w.claim_token is null
    for update skip locked
  )
  returning case when q.lane = 'paced' then q.scheduled_at end into freed_slot;
  if not found then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable';
  end if;
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = message.id
  returning m.* into message;
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = q.message_id
      where q.instance_id = p.instance_id and q.lane = 'paced' and q.scheduled_at < freed_slot
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  where p.instance_id = message.instance_id
    and p.last_slot_at
      = freed_slot + interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  perform messaging.refresh_dispatch(array[message.instance_id]);
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.cancel_message(jsonb) from public, anon, authenticated;
grant execute on function public.cancel_message(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/get_message.sql
-- messages-api: the state of one outbound message. `request`: instanceId, messageId. Errors: MI004.
create or replace function public.get_message(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = (request->>'messageId')::uuid
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'outbound';
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.describe_message(message);
end;
$$;
revoke all on function public.get_message(jsonb) from public, anon, authenticated;
grant execute on function public.get_message(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/retry_message.sql
-- messages-api: sends a `failed` or `unconfirmed` message again because a person says so.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI007; MI008; MI012 (any other state, or a call to the provider that is still open: it has
-- failed by a delivery event, and nobody knows yet whether another one is to be made).
create or replace function public.retry_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  message := messaging.find_message(request);
  if message.status not in ('failed', 'unconfirmed')
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable';
  end if;
  select c.* into contact from messaging.contacts c where c.id = message.contact_id;
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  perform messaging.requeue_message(message);
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
end;
$$;
revoke all on function public.retry_message(jsonb) from public, anon, authenticated;
grant execute on function public.retry_message(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/settle_messages.sql
-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   isUnsent (the provider was not called), sealedProviderConfig (what the call was made with; NULL for not known)}], and for an immediate
--   send `response` {status, body (as text)} with `idempotency` {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider has accepted the message is true however late it is reported, and so is that it was not
-- called (see take_back_unsent). Statuses only move forward (a delivery event
-- may have come before). Temporary refusals go back to the queue while attempts are left; a refusal of
-- scope `instance` holds the whole instance. One that is no rate limit (an outage: session gone,
-- credentials, account) costs no attempt, so that a backlog is not burnt; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows who somebody is, contacts.
-- The queue may hold ten rows or a million: its plans must not depend on what the statistics last saw.
create or replace function public.settle_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  shows_addresses constant boolean := request @? '$.results[*].waId';
  settled uuid[];
  silencing_instances uuid[];
  silencing_contacts uuid[];
  landing uuid[];
  held uuid[];
  held_until timestamptz[];
  are_outages boolean[];
  held_seals text[];
  echoes jsonb;
  late uuid[];
begin
  perform messaging.lock_provider_messages(
    array_agg(m.instance_id), array_agg(r."providerMessageId")
  )
  from jsonb_to_recordset(request->'results') as r("messageId" uuid, "providerMessageId" text)
  join messaging.messages m on m.id = r."messageId";

  if shows_addresses then
    perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
    from (
      select m.instance_id, r."waId" as address
      from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
      join messaging.messages m on m.id = r."messageId"
      where r."waId" is not null and not exists (
        select from messaging.contact_addresses a
        where a.instance_id = m.instance_id
          and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
      )
    ) as shown
    group by shown.instance_id
    order by shown.instance_id;
  end if;

  with result as (
    select * from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text
    )
  ),
  won as materialized (
    select q.message_id, q.instance_id, q.claim_token, q.lane = 'paced' as is_paced, q.max_attempts,
      coalesce(r."isUnsent", false) as is_unsent,
      r.outcome, r."providerMessageId" as provider_message_id, r."waId" as wa_id, r.error,
      -- What a delivery event has moved on meanwhile is not sent again, whatever the answer says.
      coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or former.is_former) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried,
      outage.is_outage,
      coalesce(r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former, false)
        as is_held,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      r."sealedProviderConfig" as sealed_provider_config,
      former.is_former,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      q.echo,
      case
        when former.is_former or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced ones are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch d where d.instance_id = q.instance_id
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at
    from result r
    join messaging.message_queue q on q.message_id = r."messageId"
    join messaging.messages m on m.id = q.message_id
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from messaging.instances i where i.id = q.instance_id
        ),
        false
      ) as is_former
    ) as former
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    where q.claim_token = r."claimToken"
    for no key update of q, m
  ),
  gone as (
    delete from messaging.message_queue q using won
    where q.message_id = won.message_id and not won.is_retried
  ),
  waiting as (
    -- Refused for the whole instance, or not sent, it stays the head; else others may pass it.
    update messaging.message_queue q
    set claim_token = null,
      lease_until = null,
      echo = null,
      attempts = case when won.is_outage or won.is_unsent then q.attempts - 1 else q.attempts end,
      visible_at = case when won.is_paced then null else won.retry_at end,
      scheduled_at = case
        when won.is_paced and (won.is_held or won.is_former or won.is_unsent) then q.scheduled_at
        else won.retry_at
      end
    from won
    where q.message_id = won.message_id and won.is_retried
  ),
  recorded as (
    update messaging.messages m
    set attempts = least(m.attempts::integer + (not won.is_unsent)::integer, 32767),
      lost_claim_token = case when won.outcome = 'unknown' then won.claim_token end,
      last_error = case
        when m.status = 'failed' and not won.is_revived then m.last_error
        when won.outcome <> 'accepted' then won.error
      end,
      provider_message_id = coalesce(won.provider_message_id, m.provider_message_id),
      status = case
        -- What failed is an earlier attempt: this one has another id.
        when won.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when won.is_retried then 'queued'
        when won.outcome = 'accepted' then 'sent'
        when won.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then won.is_retryable
        else m.is_retryable
      end,
      sent_at = case when won.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not won.is_revived then m.failed_at
        when won.outcome = 'rejected' and not won.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when won.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    from won
    where m.id = won.message_id
    returning m.instance_id, m.contact_id, won.wa_id,
      won.outcome = 'accepted' and won.max_attempts > 1 and m.agent_id is null
        and m.sent_by is distinct from 'ai_agent' as silences_agent
  ),
  proven as (
    insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
    select distinct on (r.instance_id, messaging.phone_identity_key(r.wa_id))
      r.instance_id, r.wa_id, r.contact_id, clock
    from recorded r
    where r.wa_id is not null
    order by r.instance_id, messaging.phone_identity_key(r.wa_id)
    on conflict on constraint contact_addresses_pkey do update
    set proven_at = excluded.proven_at, address = excluded.address
    where a.contact_id = excluded.contact_id
      and (
        a.address <> excluded.address
        or a.proven_at < clock - interval '1 day'
        or exists (
          select from messaging.contact_addresses newer
          where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
        )
      )
  )
  select
    array_agg(won.message_id),
    (select array_agg(r.instance_id order by r.contact_id) from recorded r where r.silences_agent),
    (select array_agg(r.contact_id order by r.contact_id) from recorded r where r.silences_agent),
    array_agg(won.instance_id) filter (where won.is_paced),
    array_agg(won.instance_id) filter (where won.is_held),
    array_agg(won.retry_at) filter (where won.is_held),
    array_agg(won.is_outage) filter (where won.is_held),
    array_agg(won.sealed_provider_config) filter (where won.is_held),
    jsonb_agg(jsonb_build_object(
      'messageId', won.message_id, 'outcome', won.outcome,
      'providerMessageId', won.provider_message_id, 'echo', won.echo
    )) filter (where won.echo is not null)
  into settled, silencing_instances, silencing_contacts, landing, held, held_until, are_outages,
    held_seals, echoes
  from won;
  settled := coalesce(settled, '{}');

  if cardinality(settled) < jsonb_array_length(request->'results') then
    select array_agg(r."messageId") filter (
      where messaging.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    ) into late
    from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, outcome text, "providerMessageId" text
    )
    where r.outcome = 'accepted' and r."messageId" <> all (settled);
    settled := settled || messaging.take_back_unsent(request->'results');
  end if;

  -- The pause began when the call was accepted; it begins again now that the message really left.
  if silencing_contacts is not null then
    perform messaging.pause_agent(m.instance_id, m.contact_id, clock)
    from (
      select s.instance_id, s.contact_id
      from unnest(silencing_instances, silencing_contacts) as s(instance_id, contact_id)
      where exists (
        select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
      )
      order by s.contact_id
    ) as m;
  end if;
  perform messaging.apply_unmatched_statuses(settled || late);
  if landing is not null or held is not null then
    perform messaging.release_instances(settled, landing, held, held_until, are_outages, held_seals);
  end if;
  if nullif(request->'response', 'null') is not null then
    update messaging.idempotency_keys k
    set response = request->'response',
      attempt = (select m.attempts from messaging.messages m where m.id = k.message_id)
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key'
      and k.message_id = any (settled);
  end if;
  perform messaging.resolve_pending_echo(e."messageId", e.outcome, e."providerMessageId", e.echo)
  from jsonb_to_recordset(echoes) as e(
    "messageId" uuid, outcome text, "providerMessageId" text, echo jsonb
  );
  perform messaging.merge_echo_duplicates(settled || late);
  if shows_addresses then
    perform messaging.assign_contact_phone(c, r."waId")
    from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
    join messaging.messages m on m.id = r."messageId"
    join messaging.contacts c on c.id = m.contact_id
    where r."waId" is not null and r."messageId" = any (settled) and c.phone is null;
  end if;
  return jsonb_build_object('settled', to_jsonb(settled));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
