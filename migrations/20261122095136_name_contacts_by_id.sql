set local check_function_bodies = off;

-- Where a message to the contact goes on this instance's channel: contact_send_address where the channel
-- can address it, else the phone last proven, else the phone as given. User ids (BSUID) exist on the
-- official channel alone, LIDs on gateways alone; `needs_phone` is for messages that go to phones only.
-- Errors: MI033 where there is no such address.
create or replace function messaging.channel_send_address(
  instance messaging.instances,
  contact messaging.contacts,
  phone_given text,
  needs_phone boolean
)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  is_official constant boolean := instance.provider_class = 'official';
  address text := messaging.contact_send_address(contact, phone_given);
begin
  if address ~ '^[0-9]+$' or (
    not needs_phone
    and address !~ case when is_official then '@lid$' else '^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$' end
  ) then
    return address;
  end if;
  select a.address into address
  from messaging.contact_addresses a
  where a.contact_id = contact.id and a.address ~ '^[0-9]+$' and a.proven_at > '-infinity'
  order by a.proven_at desc
  limit 1;
  address := coalesce(address, phone_given, contact.phone);
  if address is null then
    raise exception using errcode = 'MI033', message = 'recipient_needs_phone';
  end if;
  return address;
end;
$$;
revoke all
on function messaging.channel_send_address(messaging.instances, messaging.contacts, text, boolean)
from public, anon, authenticated;
grant execute
on function messaging.channel_send_address(messaging.instances, messaging.contacts, text, boolean)
to service_role;

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
            where a.contact_id = c.id
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
        m.delay_typing_ms as "delayTypingMs"
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

-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3), else its hidden identity.
create or replace function messaging.contact_send_address(
  contact messaging.contacts,
  phone_given text
)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select a.address from messaging.contact_addresses a
      where a.contact_id = contact.id
      order by a.proven_at desc
      limit 1
    ),
    phone_given,
    contact.phone,
    contact.identity_key
  );
end;
$$;
revoke all
on function messaging.contact_send_address(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.contact_send_address(messaging.contacts, text) to service_role;

-- Finds a contact of the instance by its id; the id of a merged contact finds the survivor.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact_by_id(instance_id uuid, contact_id uuid)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  select c.* into contact from messaging.contacts c
  where c.id = find_contact_by_id.contact_id and c.instance_id = find_contact_by_id.instance_id;
  if not found then
    select c.* into contact
    from messaging.contact_activity a
    join messaging.contacts c on c.id = a.merged_into
    where a.contact_id = find_contact_by_id.contact_id
      and a.instance_id = find_contact_by_id.instance_id;
  end if;
  return contact;
end;
$$;
revoke all on function messaging.find_contact_by_id(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.find_contact_by_id(uuid, uuid) to service_role;

-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). A user id of the official channel (BSUID) in place of the phone is an address of the new
-- contact from the beginning, though nothing has proven it. Looks by identity key, then by address.
-- Simultaneous calls get the same contact: the unique index decides. A new contact waits for events under
-- way that may show whose address the phone is. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.find_or_add_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      find_or_add_contact.instance_id,
      case when find_or_add_contact.phone ~ '^[0-9]{8,15}$' then find_or_add_contact.phone end,
      messaging.phone_identity_key(find_or_add_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      if contact.phone is null then
        insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
        values (
          find_or_add_contact.instance_id, find_or_add_contact.phone, contact.id, '-infinity'
        );
      end if;
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Nothing may be written to a contact that was merged meanwhile: it would be lost.
  perform from messaging.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all on function messaging.find_or_add_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_or_add_contact(uuid, text) to service_role;

-- The contact that a call is about: see find_recipient for `target`. A phone or a user id that no contact
-- has makes one: see find_or_add_contact. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- Errors: MI031 for an unknown contactId; 40001 where the contact was merged since it was found; the call
-- must be repeated.
create or replace function messaging.find_or_add_recipient(
  instance_id uuid,
  target jsonb,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  found_contact record;
begin
  if target->>'contactId' is null then
    found_contact := messaging.find_or_add_contact(
      instance_id, coalesce(target->>'phone', target->>'userId')
    );
    contact := found_contact.contact;
    is_new := found_contact.is_new;
    return;
  end if;
  contact := messaging.find_recipient(instance_id, target);
  is_new := false;
  perform from messaging.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all
on function messaging.find_or_add_recipient(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.find_or_add_recipient(uuid, jsonb) to service_role;

-- Finds the contact that a call is about. `target` names it by exactly one of phone, contactId and userId
-- (the official channel's id of a person who may hide the number). The id of a merged contact finds the
-- survivor. Returns a row of NULLs for an unknown phone or user id. Writes nothing.
-- Errors: MI031 for a contactId that the instance does not have.
create or replace function messaging.find_recipient(instance_id uuid, target jsonb)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  if target->>'contactId' is null then
    return messaging.find_contact(instance_id, coalesce(target->>'phone', target->>'userId'));
  end if;
  contact := messaging.find_contact_by_id(instance_id, (target->>'contactId')::uuid);
  if contact.id is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
revoke all on function messaging.find_recipient(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.find_recipient(uuid, jsonb) to service_role;

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
          where a.contact_id = coalesce(own.id, shown.id)
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
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.xmin::text as version
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
      select c.id, c.phone, c.is_blocked, c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.last_inbound_at
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
      and not coalesce((call.delivery->>'queued')::boolean, false)
      and not coalesce((call.delivery->>'isDeferred')::boolean, false)
      and coalesce((call.delivery->>'delaySeconds')::double precision, 0) <= 0
      and not coalesce(own.is_blocked, shown.is_blocked, false)
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
-- assignment and without an agent, to a contact that is found by its own phone, has a conversation and
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
    or request->>'assignment' is not null or request->>'agent' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, t.id as token_id,
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
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and not c.is_blocked
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
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
      );
      mode := placed.mode;
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
      held_by, phone_given, metadata
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone), nullif(draft->'metadata', 'null')
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

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft is not null then
    perform messaging.refuse_unreachable_contact(instance, contact, draft->>'messageType');
    send_address := messaging.channel_send_address(
      instance, contact, request->>'phone',
      draft->'content'->'template'->'needsPhone' is not null
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
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
    claim_token := placed.claim_token;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given,
      metadata
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
      nullif(draft->'metadata', 'null')
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

-- The contact that a call is about, found or created: see find_or_add_recipient. Records contact.created
-- of a new one.
-- Errors: MI031 for an unknown contactId; 40001 where the contact was merged since it was found; the call
-- must be repeated.
create or replace function messaging.resolve_recipient(
  instance_id uuid,
  target jsonb,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  resolved constant record := messaging.find_or_add_recipient(instance_id, target);
begin
  contact := resolved.contact;
  is_new := resolved.is_new;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  end if;
end;
$$;
revoke all on function messaging.resolve_recipient(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.resolve_recipient(uuid, jsonb) to service_role;

-- contacts-api tags (specification 4.3): adds and removes tags of a contact, creating it when it is
-- missing. `request`: instanceId, phone | contactId | userId, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.resolve_recipient(instance_id, request) r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  if not found_contact.is_new then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.change_contact_tags(jsonb) from public, anon, authenticated;
grant execute on function public.change_contact_tags(jsonb) to service_role;

-- What send-template-message needs before it can render. `request`: tokenId, templateId, phone |
-- contactId | userId,
-- idempotency (see begin_idempotent). Returns {template, contact, known}: NULL template
-- unless the workspace of the token's instance has it, NULL contact for one that the token's
-- instance does not know; known is what an earlier call with the same key came to
-- (see describe_kept_outcome).
-- Writes nothing. Errors: MI007, MI008.
create or replace function public.find_template_to_send(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  template messaging.message_templates;
  contact messaging.contacts;
  known jsonb := messaging.recall_idempotent(request)->'replayed';
begin
  select i.* into strict instance
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.id = (request->>'tokenId')::uuid;
  select r.* into template
  from messaging.message_templates r
  where r.id = (request->>'templateId')::uuid and r.workspace_id = instance.workspace_id;
  contact := case
    when request->>'contactId' is null then messaging.find_recipient(instance.id, request)
    -- Where the id is unknown, the faults of the template come first.
    else messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)
  end;
  return jsonb_build_object(
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end,
    'known', known
  );
end;
$$;
revoke all on function public.find_template_to_send(jsonb) from public, anon, authenticated;
grant execute on function public.find_template_to_send(jsonb) to service_role;

-- conversations-api agent-pause: the agent's pause for a contact. For an unknown phone or user id
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId,
-- phone | contactId | userId. Errors: MI031.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  return messaging.describe_agent_pause(
    instance, (messaging.find_recipient(instance.id, request)).id
  );
end;
$$;
revoke all on function public.get_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.get_agent_pause(jsonb) to service_role;

-- conversations-api note (specification 4.1): an internal note, never sent to the customer.
-- `request`: instanceId, phone | contactId | userId, note, idempotency.
-- Returns the outcome: contactId, conversationId, noteId; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.note_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_recipient(instance_id, request) r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'noteId', messaging.add_internal_note(instance_id, conversation.id, request->>'note')
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.note_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.note_conversation(jsonb) to service_role;

-- What fills the variables of the text that opens a conversation, besides what its call brings.
-- `request`: instanceId, phone | contactId | userId. Writes nothing. Errors: MI031.
-- Returns {collectedData, name, phone}: as the contact is known, all empty for an unknown one.
create or replace function public.read_agent_variables(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts := messaging.find_recipient(
    (request->>'instanceId')::uuid, request
  );
begin
  return jsonb_build_object(
    'collectedData', coalesce((
      select s.collected_data
      from messaging.conversations c
      join messaging.agent_sessions s on s.conversation_id = c.id
      where c.contact_id = contact.id
    ), '{}'),
    'name', contact.name,
    'phone', messaging.contact_display_phone(contact)
  );
end;
$$;
revoke all on function public.read_agent_variables(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_variables(jsonb) to service_role;

-- messages-context: the newest messages that were really sent to or received from one contact in a
-- period, oldest first. `request`: instanceId, phone | contactId | userId, startsAt and endsAt (Unix seconds; the end is
-- not included), limit, fromMe (true for sent only, false for received only, NULL for both).
-- Returns {contact {name, phone, displayPhone}, messages, hasMore}: displayPhone is the phone to show
-- now. contact is NULL for an unknown phone or user id, and hasMore says whether older ones of the period were left out. Instants are Unix milliseconds.
-- Writes nothing. Errors: MI031.
create or replace function public.read_history(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
  page_size constant integer := (request->>'limit')::integer;
  starts_at constant timestamptz := to_timestamp((request->>'startsAt')::double precision);
  ends_at constant timestamptz := to_timestamp((request->>'endsAt')::double precision);
  wanted_direction constant text := case (request->>'fromMe')::boolean
    when true then 'outbound' when false then 'inbound'
  end;
begin
  contact := messaging.find_recipient((request->>'instanceId')::uuid, request);
  if contact.id is null then
    return jsonb_build_object('contact', null, 'messages', '[]'::jsonb, 'hasMore', false);
  end if;
  return messaging.history_page(
    contact.instance_id, contact.id, starts_at, ends_at, wanted_direction, page_size
  ) || jsonb_build_object(
    'contact', jsonb_build_object(
      'name', contact.name,
      'phone', contact.phone,
      'displayPhone', messaging.contact_display_phone(contact)
    )
  );
end;
$$;
revoke all on function public.read_history(jsonb) from public, anon, authenticated;
grant execute on function public.read_history(jsonb) to service_role;

-- contacts-api create and update (specification 4.3; decisions, section 3): creates the
-- contact that is named or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone | contactId | userId, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI031, MI020 (customLabels would exceed 64 KiB).
create or replace function public.save_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  fields constant jsonb := request->'fields';
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.find_or_add_recipient(instance_id, request) r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  if fields <> '{}' then
    update messaging.contacts c
    set name = case when fields ? 'name' then nullif(fields->>'name', '') else c.name end,
      is_profile_name = c.is_profile_name and not fields ? 'name',
      email = case when fields ? 'email' then nullif(fields->>'email', '') else c.email end,
      company = case when fields ? 'company' then nullif(fields->>'company', '') else c.company end,
      job_title = case when fields ? 'jobTitle' then nullif(fields->>'jobTitle', '') else c.job_title end,
      notes = case when fields ? 'notes' then nullif(fields->>'notes', '') else c.notes end,
      utm_source = case when fields ? 'utmSource' then nullif(fields->>'utmSource', '') else c.utm_source end,
      utm_medium = case when fields ? 'utmMedium' then nullif(fields->>'utmMedium', '') else c.utm_medium end,
      utm_campaign = case
        when fields ? 'utmCampaign' then nullif(fields->>'utmCampaign', '') else c.utm_campaign
      end,
      custom_labels = case
        when fields ? 'customLabels' then messaging.limit_merged_object(
          messaging.merge_labels(c.custom_labels, fields->'customLabels'), 'MI020'
        )
        else c.custom_labels
      end,
      is_favorite = coalesce((fields->>'isFavorite')::boolean, c.is_favorite),
      is_archived = coalesce((fields->>'isArchived')::boolean, c.is_archived),
      is_blocked = coalesce((fields->>'isBlocked')::boolean, c.is_blocked),
      updated_at = now()
    where c.id = contact_id;
  end if;
  outcome := jsonb_build_object(
    'action', case when found_contact.is_new then 'created' else 'updated' end,
    'contactId', contact_id,
    'fieldsUpdated', (
      select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_object_keys(fields) as f(key)
    ),
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'tags')
  );
  if found_contact.is_new then
    perform messaging.record_new_contacts(array[contact_id]);
  else
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.save_contact(jsonb) from public, anon, authenticated;
grant execute on function public.save_contact(jsonb) to service_role;

-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone | contactId | userId, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  known_contact_id uuid;
  paused_until timestamptz;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).id into known_contact_id
  from messaging.resolve_recipient(instance.id, request) r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[known_contact_id]);
    perform messaging.note_contact(known_contact_id);
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id
    returning p.paused_until into paused_until;
    if found then
      perform messaging.note_contact(known_contact_id);
    end if;
    -- A pause that has ended by time is not resumed by the call.
    if paused_until > clock_timestamp() then
      perform messaging.record_event(
        instance.id, known_contact_id, 'agent.resumed',
        jsonb_build_object('contactId', known_contact_id, 'pausedUntil', null)
      );
    end if;
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;
revoke all on function public.set_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.set_agent_pause(jsonb) to service_role;

-- contacts-api consent: records what a contact has said about marketing messages; see change_consent.
-- `request`: instanceId, one of phone, contactId and userId, marketing, source, evidence, idempotency.
-- Creates the contact of an unknown phone or user id.
-- Returns the outcome: contactId, consent {marketing, at, source}; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_contact_consent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  contact messaging.contacts;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).* into contact
  from messaging.resolve_recipient((request->>'instanceId')::uuid, request) r;
  perform messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', request->'marketing',
      'source', request->'source',
      'evidence', request->'evidence'
    )
  );
  select jsonb_build_object(
    'contactId', c.id, 'consent', messaging.describe_consent(c, i.time_zone)
  )
  into outcome
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = contact.id;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_contact_consent(jsonb) from public, anon, authenticated;
grant execute on function public.set_contact_consent(jsonb) to service_role;

-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone | contactId | userId, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_conversation_status(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_recipient(instance_id, request) r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  perform from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
  update messaging.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  perform messaging.record_conversation_changes(conversation, before);
  if request->>'internalNote' is not null then
    perform messaging.add_internal_note(instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_conversation_status(jsonb) from public, anon, authenticated;
grant execute on function public.set_conversation_status(jsonb) to service_role;

-- conversations-api unassign: takes a contact's conversation from its operator. That is a transfer to
-- nobody: it is logged, noted, and takes the contact out of the operator's portfolio. Without an operator
-- nothing changes. `request`: instanceId, one of phone, contactId and userId, idempotency. Locks the
-- conversation. Returns the outcome: contactId, assignedTo (NULL), previousAssignedTo; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.unassign_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id from messaging.resolve_recipient(instance_id, request) r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  select c.* into conversation
  from messaging.conversations c where c.id = conversation.id for no key update;
  if conversation.assigned_to is not null then
    perform messaging.transfer_to_nobody(conversation);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object(
    'contactId', contact_id,
    'assignedTo', null,
    'previousAssignedTo', conversation.assigned_to
  ));
end;
$$;
revoke all on function public.unassign_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.unassign_conversation(jsonb) to service_role;

drop function messaging.resolve_contact(uuid,text);

drop function messaging.resolve_contact_target(uuid,jsonb);
