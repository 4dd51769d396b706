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
  whole_at timestamptz;
begin
  if token_id is null then
    return recorded;
  elsif requests_per_minute is null then
    return recorded || '{"rateLimit": null}';
  end if;
  whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  return recorded || jsonb_build_object(
    'rateLimit', messaging.describe_rate_limit(requests_per_minute, whole_at, 0, true)
  );
end;
$$;
revoke all
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
from public, anon, authenticated;
grant execute
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
to service_role;

-- When a message that has just been queued or scheduled may leave, where its instance is held, by a
-- refusal or an operator, for longer than until the message's slot: see expected_departure. Else the slot and what moved it, as they are.
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
  where d.instance_id = instance.id and greatest(d.hold_until, d.operator_hold_until) > slot;
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

-- The key by which a phone identifies one person (decisions, section 3); for identity alone, never
-- an address. Brazil: a mobile without its ninth digit gets it. Mexico: 521 = 52. Argentina: 549 = 54.
-- shared/phone.ts holds the same rule; a test compares the two.
-- The prefix is compared first: most phones then need no regular expression, which costs ten times as
-- much.
create or replace function messaging.phone_identity_key(phone text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case
    when phone like '55%' and length(phone) = 12 and phone ~ '^55[0-9]{2}[6-9][0-9]{7}$' then left(phone, 4) || '9' || substr(phone, 5)
    when phone like '521%' and phone ~ '^521[0-9]{10}$' then '52' || substr(phone, 4)
    when phone like '549%' and phone ~ '^549[0-9]{10}$' then '54' || substr(phone, 4)
    else phone
  end;
end;
$$;
revoke all on function messaging.phone_identity_key(text) from public, anon, authenticated;
grant execute on function messaging.phone_identity_key(text) to service_role;

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
  if draft->>'messageType' is null or draft->>'sentBy' = 'ai_agent'
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
      held_by, phone_given
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone)
    );
    if not is_immediate then
      placed := messaging.held_departure(message_id, known.instance, slot, held_by);
      slot := placed.slot;
      held_by := placed.held_by;
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

  if mode in ('queued', 'scheduled') then
    departure := messaging.held_departure(message_id, instance, slot, held_by);
    slot := departure.slot;
    held_by := departure.held_by;
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

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: the start of statements is most of what a settlement costs,
-- and these are plainer than those for several. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  select q.instance_id into tenant
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      -- As lock_provider_messages.
      or pg_advisory_xact_lock(
        hashtextextended(q.instance_id::text, 0) # (hashtext(provider_id) & 255)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  delete from messaging.message_queue q where q.message_id = settled;
  update messaging.messages m
  set status = 'sent',
    sent_at = coalesce(m.sent_at, clock),
    provider_message_id = coalesce(provider_id, m.provider_message_id),
    attempts = least(m.attempts::integer + 1, 32767),
    lost_claim_token = null,
    last_error = null,
    is_retryable = false,
    failed_at = null,
    unconfirmed_at = null
  where m.id = settled
  returning m.provider_message_id into provider_id;
  -- What came under the provider's id before the id was known.
  perform from messaging.unmatched_statuses u
  where u.instance_id = tenant and u.provider_message_id = provider_id
  union all
  select from messaging.messages e
  where e.instance_id = tenant and e.provider_message_id = provider_id and e.id <> settled
    and (e.is_typed_on_phone or e.confirmed_by_echo);
  if found then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
  end if;
  return array[settled];
end;
$$;
revoke all
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
to service_role;

-- settle_messages: whether an answer of `results` shows something about a contact's address that is not
-- recorded yet; prove_answered_addresses would write nothing for the others, and assign_contact_phone
-- neither. Reads only. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.shows_new_address(results jsonb, clock timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  perform from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
  join messaging.messages m on m.id = any (array[r."messageId"])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral (
    select a.address, a.proven_at from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as newest on true
  where r."waId" is not null and (
    c.phone is null
    or newest.address is distinct from r."waId"
    or newest.proven_at < clock - interval '1 day'
  )
  limit 1;
  return found;
end;
$$;
revoke all
on function messaging.shows_new_address(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.shows_new_address(jsonb, timestamptz)
to service_role;

-- Records a sending call in one transaction: contact, conversation, assignment, message, slot, agent
-- pause, idempotency key. No provider is called before it has committed.
-- `request`: instanceId, phone, idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, cardId, sentBy, delayTypingMs} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn); or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also
-- claimToken and `to`, the address: the caller holds the claim for leaseSeconds and must settle it. Or
-- {replayed: ...} for a known key, and {attempted: ...} where that key's message is to be tried again
-- (see attempt_again). With authentication also rateLimit (see describe_rate_limit).
-- Most calls are plain, and take the short way of record_plain_call.
-- Locks, in this order: key, contact, conversation, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI018 (the agent is to be silent), MI022 (the caller must authenticate anew).
create or replace function public.accept_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  recorded jsonb := messaging.record_plain_call(request);
  authentication jsonb;
  client record;
begin
  if recorded is not null then
    return recorded;
  end if;
  authentication := nullif(request->'authentication', 'null');
  if authentication is null then
    return messaging.record_sending_call(request);
  end if;
  client := messaging.require_client(authentication, (request->>'instanceId')::uuid);
  recorded := messaging.record_sending_call(request);
  return messaging.count_recorded_call(
    recorded, client.token_id, authentication->>'functionName', client.requests_per_minute
  );
end;
$$;
revoke all on function public.accept_message(jsonb) from public, anon, authenticated;
grant execute on function public.accept_message(jsonb) to service_role;

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
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows a contact's phone, contacts. Rows of one table in
-- the order of their ids, so that two calls about the same messages never wait for each other.
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
  settled uuid[];
  late uuid[];
  has_news boolean;
begin
  if not shows_addresses and jsonb_array_length(results) = 1 then
    settled := messaging.settle_plain_acceptance(results->0, clock);
    if settled is not null then
      if nullif(request->'response', 'null') is not null then
        perform messaging.keep_response(request->'idempotency', request->'response', settled);
      end if;
      return jsonb_build_object('settled', to_jsonb(settled));
    end if;
  end if;
  perform messaging.lock_answers(results, shows_addresses);
  if not shows_addresses and not results @? '$[*] ? (@.outcome != "accepted")' then
    short_way := messaging.settle_plain_acceptances(results, clock);
    settled := short_way.settled;
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
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
