-- Records any sending call, also one that record_plain_call leaves: contact, conversation, assignment, message, slot, agent pause, idempotency
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
  timing constant jsonb := nullif(delivery->'timing', 'null');
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
  send_address text;
begin
  if (replayed->'replayed'->>'isAttemptDue')::boolean then
    return messaging.attempt_again(request, replayed->'replayed');
  elsif replayed is not null then
    return replayed;
  end if;
  if draft is not null and timing is not null then
    perform messaging.check_timing(delivery);
  end if;

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft is not null then
    perform messaging.refuse_send(instance, contact, draft->>'messageType', draft->>'purpose');
    send_address := messaging.channel_send_address(
      instance, contact, request->>'phone',
      draft->>'needsPhone' is not null
    );
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
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent'
      and draft->>'pausesAgent' is null and messaging.leaves_in_pause(instance, delivery) then
      paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
      is_pausing := true;
      if paused_until is not null then
        perform messaging.note_contact(contact.id);
      end if;
    end if;
    placed := messaging.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0), contact.id
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
    claim_token := placed.claim_token;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given,
      metadata, purpose, expires_at, cancel_key, media_id, pauses_agent
    ) values (
      message_id, instance.id, contact.id, conversation.id, 'outbound', draft->>'messageType',
      draft->>'message', nullif(draft->'content', 'null'), draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then
        coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to)
      end,
      agent_id, (draft->>'delayTypingMs')::integer, mode,
      (delivery->>'intervalSeconds')::integer,
      case mode when 'sent' then 'sending' else 'queued' end, slot, held_by,
      case when request->>'phone' is distinct from contact.phone then request->>'phone' end,
      nullif(draft->'metadata', 'null'), draft->>'purpose',
      (timing->>'expiresAt')::timestamptz, timing->>'cancelKey',
      (draft->>'mediaId')::uuid, draft->>'pausesAgent' is null
    );
  end if;

  if mode in ('queued', 'scheduled') then
    departure := messaging.held_departure(message_id, instance, slot, held_by);
    slot := departure.slot;
    held_by := departure.held_by;
  end if;
  perform messaging.touch_noted_contacts();
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
    'to', case when mode = 'sent' then send_address end
  );
end;
$$;
