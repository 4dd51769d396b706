set local check_function_bodies = off;

-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(handed order by handed."scheduledAt")), '[]')
    from (
      select m.id as "messageId",
        q.claim_token as "claimToken",
        q.scheduled_at as "scheduledAt",
        i.id as "instanceId",
        i.provider,
        i.sealed_provider_config as "sealedProviderConfig",
        c.is_blocked as "isContactBlocked",
        c.consent_marketing = 'denied' and m.purpose is not distinct from 'marketing'
          as "isOptedOut",
        -- Only the agent's deferred answers: a caller cancels its own delayed messages.
        m.agent_id is not null and m.mode = 'scheduled' and m.held_by is distinct from 'delay'
          and exists (
          select from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        -- contact_send_address, written out: a call per message would be a quarter of the work.
        coalesce(
          (
            select a.address from messaging.contact_addresses a
            where a.contact_id = c.id and a.proven_at > '-infinity'
              -- The official channel sends a code to a phone alone.
              and (
                m.message_type <> 'template' or m.purpose is distinct from 'authentication'
                or a.address ~ '^[0-9]+$'
              )
            order by a.proven_at desc
            limit 1
          ),
          m.phone_given,
          c.phone,
          c.identity_key
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.content,
        m.delay_typing_ms as "delayTypingMs",
        case when m.media_id is not null then messaging.file_to_send(m.media_id) end as file
      from unnest(claimed_messages.message_ids) as claimed(message_id)
      join messaging.message_queue q on q.message_id = any (array[claimed.message_id])
      join messaging.messages m on m.id = any (array[claimed.message_id])
      join messaging.contacts c on c.id = any (array[m.contact_id])
      join messaging.instances i on i.id = any (array[m.instance_id])
    ) as handed
  );
end;
$$;
revoke all on function messaging.claimed_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.claimed_messages(uuid[]) to service_role;

-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        exists (
          select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
        ),
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute',
        call.idempotency, call.message, call.delivery,
        coalesce(former.message_id, gen_random_uuid()),
        coalesce(former.claim_token, gen_random_uuid()),
        coalesce(own.id, shown.id), v.id,
        case when call.message->>'sentBy' = 'operator' then v.assigned_to end,
        nullif(call.phone, coalesce(own.phone, shown.phone)),
        (
          select a.address from messaging.contact_addresses a
          where a.contact_id = coalesce(own.id, shown.id) and a.proven_at > '-infinity'
          order by a.proven_at desc
          limit 1
        ),
        former.paused_until
      )::messaging.acceptance
      order by call.place
    )
    from rows from (
      jsonb_to_recordset(calls) as (
        "instanceId" uuid, phone text, idempotency jsonb, assignment jsonb, agent jsonb,
        message jsonb, delivery jsonb, authentication jsonb
      )
    ) with ordinality as call (
      instance_id, phone, idempotency, assignment, agent, message, delivery, authentication, place
    )
    left join unnest(known) as former on former.place = call.place
    -- "offset 0" keeps each look-up to itself: whatever the statistics, it has both columns of its key.
    cross join lateral (
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.protection,
        n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.id, k.last_used_at
      from messaging.client_tokens k
      where k.token_hash = call.authentication->>'tokenHash' and k.instance_id = i.id
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
        and (k.scopes is null or 'send' = any (k.scopes))
        and i.version = call.authentication->>'instanceVersion'
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where own.id is null and c.id = (
        select a.contact_id from messaging.contact_addresses a
        where a.instance_id = i.id and a.identity_key = wanted.identity_key
      )
      offset 0
    ) as shown on true
    left join lateral (
      select c.id, c.assigned_to
      from messaging.conversations c
      where c.contact_id = coalesce(own.id, shown.id)
      offset 0
    ) as v on true
    where call.phone is not null and call.message is not null and call.assignment is null and call.agent is null
      and call.message->>'sentBy' is distinct from 'ai_agent'
      and call.message->>'mediaId' is null
      and not coalesce((call.delivery->>'queued')::boolean, false)
      and not coalesce((call.delivery->>'isDeferred')::boolean, false)
      and coalesce((call.delivery->>'delaySeconds')::double precision, 0) <= 0
      -- Its sends are counted, one by one: see count_unpaced_send.
      and i.protection is null
      and call.delivery->>'timing' is null
      and call.message->>'needsPhone' is null
      and not coalesce(own.is_blocked, shown.is_blocked, false)
      and not (
        call.message->>'purpose' is not distinct from 'marketing'
        and coalesce(own.consent_marketing, shown.consent_marketing, 'unknown') = 'denied'
      )
      and not (
        i.provider_class = 'official' and call.message->>'messageType' <> 'template'
        and coalesce(own.last_inbound_at, shown.last_inbound_at, 'infinity')
          < clock_timestamp() - interval '24 hours'
      )
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;
revoke all
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.plain_acceptances(jsonb, messaging.acceptance[])
to service_role;

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
      placed := messaging.held_departure(message_id, known.instance, slot, held_by);
      slot := placed.slot;
      held_by := placed.held_by;
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
    perform messaging.check_timing(timing);
  end if;

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft is not null then
    perform messaging.refuse_unreachable_contact(instance, contact, draft->>'messageType');
    perform messaging.refuse_opted_out(contact, draft->>'purpose');
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
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent' then
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
      metadata, purpose, expires_at, cancel_key, media_id
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
      (draft->>'mediaId')::uuid
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
revoke all on function messaging.record_sending_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_sending_call(jsonb) to service_role;
