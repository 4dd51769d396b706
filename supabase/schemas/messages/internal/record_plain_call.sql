-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment, without an agent, without a file of ours, without a time of its own (delivery.timing) and without a say on the agent's
-- pause, to a contact that is found by its own phone, has a conversation and
-- may be written to, by a client that is authenticated (see require_client).
-- `request`, the result, the order of the locks and the errors are accept_message's. Each step does what
-- the step of the same name in record_sending_call does.
-- Returns NULL where the call is not plain: nothing is written or locked then, and nothing refused.
-- Plans must not depend on statistics: there may be ten contacts or a million.
-- Errors: MI055 where the contact was merged since it was read; the call must be repeated.
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
  is_pausing boolean := false;
  paused_until timestamptz;
  placed record;
  slot timestamptz;
  held_by text;
begin
  if draft->>'messageType' is null or given_phone is null or draft->>'sentBy' = 'ai_agent'
    or request->>'assignment' is not null or request->>'agent' is not null
    or delivery->>'timing' is not null or draft->>'mediaId' is not null
    or draft->>'needsPhone' is not null or draft->>'pausesAgent' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, i.protection is not null as is_protected, t.id as token_id,
    messaging.is_token_use_due(t.last_used_at, clock) as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = given_hash and t.instance_id = i.id
    and messaging.may_token_send(t, clock)
    and i.xmin::text = request->'authentication'->>'instanceVersion'
  left join lateral messaging.proven_address(c.id, false) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and messaging.send_refusal(
      c.is_blocked, c.consent_marketing, c.last_inbound_at, i.provider_class,
      draft->>'messageType', draft->>'purpose', clock
    ) is null
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
    perform from messaging.contacts c
    where c.id = known.contact_id and c.merged_into is null
    for key share;
    if not found then
      raise exception using errcode = 'MI055', message = 'merged meanwhile';
    end if;
    if known.has_agent then
      is_pausing := is_immediate or messaging.leaves_in_pause(known.instance, delivery);
      if is_pausing then
        paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
      else
        select p.paused_until into paused_until from messaging.agent_pauses p
        where p.contact_id = known.contact_id and p.paused_until > clock;
      end if;
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
    if is_pausing and paused_until is not null then
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
