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
--     the dispatcher, due at once; timing {sendAt, expiresAt, cancelKey, cancelOn,
--     paymentReference} where one of them is given,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), with holdReason, holdCode and heldUntil where its
-- instance is held, aiAgentPausedUntil; for an immediate send also
-- claimToken, `to`, the address, and quotedProviderMessageId and quotedIsOurs with replyTo: the caller holds
-- the claim for leaseSeconds and must settle it. Or {replayed: ...} for a known key, and {attempted: ...}
-- where that key's message is to be tried again (see attempt_again). With authentication also rateLimit (see
-- describe_rate_limit).
-- With a ladder also sentAs, template and invitationId (see decide_ladder), and `rung`, the place of the one
-- that is taken. One statement finds what a bare message (see is_bare_message) to a known contact needs;
-- resolve_send what any other call does. What a call costs is mostly the start of its statements. Plans must
-- not depend on statistics: there may be ten contacts or a million. The steps inherit the settings below.
-- Locks, in this order: key, contact, conversation, budget, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI004 (replyTo), MI005 (blocked), MI006 (24-hour window),
-- MI007, MI008, MI010, MI031 (contactId), MI033 (no phone), MI034 (marketing to a contact that has denied
-- it), MI018 (the agent is to be silent), MI022 (the caller must authenticate anew), MI041, MI042, MI043 and
-- MI057 (timing), MI094 (paymentReference), MI045 (the own number), MI051 to MI054 (the file: see
-- take_media).
create or replace function public.accept_message(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
  budget_ends_at timestamptz;
  hold jsonb;
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
    if timing->>'paymentReference' is not null then
      perform messaging.bound_payment_followers(
        known.instance_id, array[timing->>'paymentReference']
      );
    end if;
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

  if draft->'ask' is not null or draft is not null and timing->'cancelOn' ? 'reply' then
    perform messaging.expect_reply(
      array[known.contact_id], coalesce(timing->'cancelOn' ? 'reply', false), draft->'ask' is not null
    );
  end if;
  if draft is not null and not is_waiting and known.has_budget then
    known.instance := messaging.find_instance(known.instance_id);
    if is_immediate
      and messaging.stopped_by_budget((known.instance).budget, draft->>'purpose', null) then
      perform messaging.lock_budget(known.instance_id, true);
    end if;
    budget_ends_at := messaging.budget_hold(known.instance, draft->>'purpose', clock);
    budget_slot := case when is_immediate then budget_ends_at end;
    is_immediate := is_immediate and budget_slot is null;
    claim_token := case when is_immediate then claim_token end;
  end if;

  if known.has_agent then
    is_pausing := draft is not null and agent_id is null
      and draft->>'sentBy' is distinct from 'ai_agent' and draft->>'pausesAgent' is null
      and (
        is_immediate
        or not is_waiting and budget_ends_at is null
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
      if timing->>'sendAt' is null and not_before <= clock then
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
  if is_held or budget_ends_at is not null then
    placed := messaging.held_departure(message_id, known.instance);
    slot := placed.slot;
    held_by := placed.held_by;
    hold := placed.hold;
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
  if hold is not null then
    recorded := recorded || hold;
  end if;
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
