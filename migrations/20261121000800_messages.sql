-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/messages/internal/accept_plain_calls.sql
-- Records those of the `calls` that are plain (see plain_acceptances) in few statements, each for all of
-- them: most of what an accepted message costs is the start of statements.
-- Returns the results as accept_message gives them, in the order of the calls, with NULL for each call
-- of which nothing was written.
-- Serves batches alone: for a single call these statements cost a third more than record_sending_call.
-- Locks and errors: see accept_messages.
-- Plans must not depend on statistics: the tables may hold ten rows or millions. The steps inherit the
-- settings below.
create or replace function messaging.accept_plain_calls(calls jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  plain messaging.acceptance[] := messaging.plain_acceptances(calls, null);
  has_keys boolean;
  is_incomplete boolean;
  used_tokens uuid[];
begin
  if plain is null then
    return (select jsonb_agg(null::jsonb) from jsonb_array_elements(calls));
  end if;
  select bool_or(p.idempotency is not null),
    bool_or(p.conversation_id is null or p.has_active_agent),
    array_agg(p.token_id) filter (where p.token_id is not null and p.is_token_use_due)
  into has_keys, is_incomplete, used_tokens
  from unnest(plain) as p;
  if used_tokens is not null then
    perform messaging.note_token_use(used_tokens);
  end if;
  if has_keys then
    plain := messaging.take_keys(plain);
  end if;
  if is_incomplete then
    plain := messaging.complete_acceptances(calls, plain);
  end if;
  perform messaging.write_acceptances(plain);
  return messaging.describe_acceptances(plain, jsonb_array_length(calls));
end;
$$;
revoke all on function messaging.accept_plain_calls(jsonb) from public, anon, authenticated;
grant execute on function messaging.accept_plain_calls(jsonb) to service_role;

-- source: supabase/schemas/messages/internal/advance_message.sql
-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
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
    and case messaging.message_transition(m.status, advance_message.status)
      when 'always' then true
      when 'new_id' then coalesce(m.provider_message_id <> advance_message.provider_message_id, true)
      when 'claimed_new_id' then
        coalesce(m.provider_message_id <> advance_message.provider_message_id, true) and exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is not null
        )
      when 'same_id' then coalesce(m.provider_message_id = advance_message.provider_message_id, true)
      when 'other_id' then m.provider_message_id <> advance_message.provider_message_id
      else false
    end
  returning m.instance_id into moved_instance_id;
  if not found then
    return false;
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
to service_role;

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

-- source: supabase/schemas/messages/internal/complete_acceptances.sql
-- accept_messages: creates what the plain calls still lack, contacts and conversations, and pauses the
-- agents. Calls for one new phone get one contact. `calls` and `plain` as in plain_acceptances. Returns
-- `plain` as it is then.
-- Locks, each in one order for all callers: addresses of new contacts, contacts, conversations, agent
-- pauses.
-- Errors: 40001 where a contact was merged or blocked meanwhile; the batch must be repeated.
create or replace function messaging.complete_acceptances(calls jsonb, plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  completed messaging.acceptance[] := plain;
  locked integer;
begin
  perform messaging.lock_addresses(new.instance_id, new.phones)
  from (
    select p.instance_id, array_agg(p.phone) as phones
    from unnest(plain) as p
    where p.contact_id is null
    group by p.instance_id
    order by p.instance_id
  ) as new;
  if found then
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (p.instance_id, p.identity_key)
        p.instance_id, p.phone, p.identity_key, 'api'
      from unnest(plain) as p
      where p.contact_id is null and (messaging.find_contact(p.instance_id, p.phone)).id is null
      order by p.instance_id, p.identity_key, p.place
      on conflict on constraint contacts_identity do nothing
      returning id, instance_id
    )
    insert into messaging.conversations (instance_id, contact_id)
    select c.instance_id, c.id from created c;
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  perform from messaging.contacts c
  where c.id = any (array(select p.contact_id from unnest(completed) as p))
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if exists (select from unnest(completed) as p where p.conversation_id is null) then
    insert into messaging.conversations (instance_id, contact_id)
    select distinct on (p.contact_id) p.instance_id, p.contact_id
    from unnest(completed) as p
    where p.conversation_id is null and p.contact_id is not null
    order by p.contact_id
    on conflict do nothing;
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  -- Nothing may be written to a contact that was merged or blocked since it was read first.
  if cardinality(completed) is distinct from cardinality(plain)
    or locked <> (select count(distinct p.contact_id) from unnest(completed) as p)
    or exists (select from unnest(completed) as p where p.conversation_id is null) then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  return messaging.pause_accepted_agents(completed);
end;
$$;
revoke all
on function messaging.complete_acceptances(jsonb, messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.complete_acceptances(jsonb, messaging.acceptance[])
to service_role;

-- source: supabase/schemas/messages/internal/decide_settlements.sql
-- settle_messages: locks the queue rows and messages whose claim the results still hold, and decides
-- what becomes of each. Changes nothing. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.decide_settlements(results jsonb, clock timestamptz)
returns messaging.settlement[]
language plpgsql
set search_path = ''
as $$
declare
  settlements messaging.settlement[];
begin
  with decided as (
    select
      q.message_id,
      q.instance_id,
      m.contact_id,
      q.claim_token,
      q.lane,
      r.outcome,
      r."providerMessageId",
      r."waId",
      r.error,
      r."sealedProviderConfig",
      q.echo,
      coalesce(r."isUnsent", false) as is_unsent,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      -- A delivery event has proved what it moved on: that is not sent again, whatever the answer says.
      coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or old.has_old_credentials) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried,
      case
        when old.has_old_credentials or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced messages are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch d where d.instance_id = q.instance_id
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at,
      outage.is_outage,
      coalesce(r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials, false)
        as holds_instance,
      old.has_old_credentials,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      r.outcome = 'accepted' and q.max_attempts > 1 and m.agent_id is null
        and m.sent_by is distinct from 'ai_agent' as pauses_agent
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text
    )
    join messaging.message_queue q on q.message_id = any (array[r."messageId"])
    join messaging.messages m on m.id = any (array[q.message_id])
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from messaging.instances i where i.id = q.instance_id
        ),
        false
      ) as has_old_credentials
    ) as old
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    where q.claim_token = r."claimToken"
    order by q.message_id
    for no key update of q, m
  )
  select array_agg(row(decided.*)::messaging.settlement) into settlements from decided;
  return settlements;
end;
$$;
revoke all
on function messaging.decide_settlements(jsonb, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.decide_settlements(jsonb, timestamptz) to service_role;

-- source: supabase/schemas/messages/internal/describe_acceptance.sql
-- The outcome of a plain call, as accept_message gives it and an `Idempotency-Key` keeps it.
-- Takes its few fields instead of an acceptance, which costs several times as much to pass.
create or replace function messaging.describe_acceptance(
  message_id uuid,
  contact_id uuid,
  conversation_id uuid,
  paused_until timestamptz,
  time_zone text
)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'mode', 'sent',
    'contactId', contact_id,
    'conversationId', conversation_id,
    'agentId', null,
    'assignment', null,
    'messageId', message_id,
    'status', 'sending',
    'scheduledFor', null,
    'heldBy', null,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, time_zone)
  );
end;
$$;
revoke all
on function messaging.describe_acceptance(uuid, uuid, uuid, timestamptz, text)
from public, anon, authenticated;
grant execute
on function messaging.describe_acceptance(uuid, uuid, uuid, timestamptz, text)
to service_role;

-- source: supabase/schemas/messages/internal/describe_acceptances.sql
-- accept_messages: the results of the plain calls in the order of the request, with NULL for each of the
-- `calls` that is not among them. Counts the calls that this transaction has authenticated: those of one
-- token and function at once, and each gets what then remains for it.
-- Locks rate limits, in one order for all batches, after everything else: they are held while the
-- transaction commits.
-- Errors: MI022 where an allowance does not suffice for all of them.
create or replace function messaging.describe_acceptances(
  plain messaging.acceptance[],
  calls integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  limits jsonb := '{}';
  spent record;
  whole_at timestamptz;
begin
  for spent in
    select p.token_id, p.function_name, p.requests_per_minute, array_agg(p.place order by p.place) as places
    from unnest(plain) as p
    where p.token_id is not null
    group by p.token_id, p.function_name, p.requests_per_minute
    order by p.token_id, p.function_name
  loop
    whole_at := null;
    if spent.requests_per_minute is not null then
      whole_at := messaging.spend_requests(
        spent.token_id, spent.function_name, spent.requests_per_minute, cardinality(spent.places)
      );
      if whole_at is null then
        raise exception using errcode = 'MI022', message = 'authenticate_anew';
      end if;
    end if;
    limits := limits || (
      select jsonb_object_agg(counted.place, jsonb_build_object('rateLimit', case
        when whole_at is not null then messaging.describe_rate_limit(
          spent.requests_per_minute, whole_at, cardinality(spent.places) - counted.number, true
        )
      end))
      from unnest(spent.places) with ordinality as counted(place, number)
    );
  end loop;
  return (
    select jsonb_agg(
      case when p.place is not null then
        messaging.describe_acceptance(p.message_id, p.contact_id, p.conversation_id, p.paused_until, p.time_zone)
          || jsonb_build_object('claimToken', p.claim_token, 'to', coalesce(p.send_address, p.phone))
          || coalesce(limits->p.place::text, '{}')
      end
      order by numbers.place
    )
    from generate_series(1, describe_acceptances.calls) as numbers(place)
    left join unnest(plain) as p on p.place = numbers.place
  );
end;
$$;
revoke all
on function messaging.describe_acceptances(messaging.acceptance[], integer)
from public, anon, authenticated;
grant execute
on function messaging.describe_acceptances(messaging.acceptance[], integer)
to service_role;

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
revoke all
on function messaging.describe_message(messaging.messages)
from public, anon, authenticated;
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

-- source: supabase/schemas/messages/internal/lock_answers.sql
-- settle_messages: locks what the answers name, before any row: the provider's message ids, so that a
-- delivery event and the settling of its message never miss each other, then the addresses that
-- the contacts do not have yet. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.lock_answers(results jsonb, shows_addresses boolean)
returns void
language plpgsql
set search_path = ''
as $$
begin
  -- lock_provider_messages, written out: every send is settled.
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended(m.instance_id::text, 0)
      # (hashtext(r."providerMessageId") & 255) as lock_key
    from jsonb_to_recordset(results) as r("messageId" uuid, "providerMessageId" text)
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."providerMessageId" is not null
    order by lock_key
  ) as wanted;
  if not shows_addresses then
    return;
  end if;
  perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
  from (
    select m.instance_id, r."waId" as address
    from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."waId" is not null and not exists (
      select from messaging.contact_addresses a
      where a.instance_id = m.instance_id
        and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
    )
  ) as shown
  group by shown.instance_id
  order by shown.instance_id;
end;
$$;
revoke all on function messaging.lock_answers(jsonb, boolean) from public, anon, authenticated;
grant execute on function messaging.lock_answers(jsonb, boolean) to service_role;

-- source: supabase/schemas/messages/internal/lock_provider_messages.sql
-- Serialises transactions about the same provider message until they commit, so that a delivery event
-- and the settling of its send never miss each other. Takes instances and provider message ids in
-- pairs. All callers lock in one order. The messages of an instance share 256 locks: a delivery of
-- thousands must not exhaust the server's lock table.
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
revoke all
on function messaging.lock_provider_messages(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.lock_provider_messages(uuid[], text[]) to service_role;

-- source: supabase/schemas/messages/internal/message_transition.sql
-- The table of what a provider's event (sent, delivered, read, failed) may change: under which condition
-- it moves an outbound message out of `status`. NULL for a pair that is not listed: such an event is
-- late or repeated, and changes nothing. Each condition compares the event's provider message id with
-- the id that the message has:
--   always           whatever the ids are
--   new_id           not the same id: one that is known before an attempt ends is an earlier attempt's
--   claimed_new_id   as new_id, and a worker has the message in hand
--   same_id          not another id: that is an earlier attempt's
--   other_id         another id, and both are known
-- advance_message applies it.
create or replace function messaging.message_transition(status text, event text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case status || ' > ' || event
    -- Waits in the queue, or a paced message in flight.
    when 'queued > sent'           then 'new_id'          -- it left, though its answer was lost
    when 'queued > delivered'      then 'always'          -- the customer has it
    when 'queued > read'           then 'always'          -- the customer has it
    when 'queued > failed'         then 'claimed_new_id'  -- while it only waits it cannot have failed
    -- An immediate message in flight.
    when 'sending > sent'          then 'new_id'          -- the event came before the answer
    when 'sending > delivered'     then 'always'          -- the event came before the answer
    when 'sending > read'          then 'always'          -- the event came before the answer
    when 'sending > failed'        then 'new_id'          -- the event came before the answer
    -- The outcome of its call is unknown: the event tells it.
    when 'unconfirmed > sent'      then 'new_id'          -- it left
    when 'unconfirmed > delivered' then 'always'          -- it left
    when 'unconfirmed > read'      then 'always'          -- it left
    when 'unconfirmed > failed'    then 'new_id'          -- it did not leave
    -- The provider has accepted it.
    when 'sent > delivered'        then 'always'          -- forward
    when 'sent > read'             then 'always'          -- forward; not every provider tells both
    when 'sent > failed'           then 'same_id'         -- the attempt that was accepted has failed
    -- Has arrived: it cannot fail any more.
    when 'delivered > read'        then 'always'          -- forward
    -- Left the queue unsent, and had left after all.
    when 'canceled > sent'         then 'new_id'          -- a claim was settled too late
    when 'canceled > delivered'    then 'always'          -- the customer has it
    when 'canceled > read'         then 'always'          -- the customer has it
    -- One attempt has failed; only that another attempt has arrived counts.
    when 'failed > delivered'      then 'other_id'        -- the customer has it
    when 'failed > read'           then 'other_id'        -- the customer has it
  end;
end;
$$;
revoke all on function messaging.message_transition(text, text) from public, anon, authenticated;
grant execute on function messaging.message_transition(text, text) to service_role;

-- source: supabase/schemas/messages/internal/pause_accepted_agents.sql
-- accept_messages: pauses the agents of the plain calls, as pause_agent does for one, and notes until
-- when. Writes in the order of the contacts, so that two batches never wait for each other.
create or replace function messaging.pause_accepted_agents(plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  pauses jsonb;
begin
  if not exists (select from unnest(plain) as p where p.has_active_agent) then
    return plain;
  end if;
  with paused as (
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    select distinct on (p.contact_id)
      p.contact_id, p.instance_id, clock_timestamp() + interval '30 minutes'
    from unnest(plain) as p
    where p.has_active_agent
    order by p.contact_id
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = greatest(pause.paused_until, excluded.paused_until)
    returning pause.contact_id, pause.paused_until
  )
  select jsonb_object_agg(paused.contact_id, paused.paused_until) into pauses from paused;
  for place in 1..cardinality(plain) loop
    plain[place].paused_until := (pauses->>plain[place].contact_id::text)::timestamptz;
  end loop;
  return plain;
end;
$$;
revoke all
on function messaging.pause_accepted_agents(messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.pause_accepted_agents(messaging.acceptance[])
to service_role;

-- source: supabase/schemas/messages/internal/place_message.sql
-- Puts an accepted message where its delivery requires: `queued` into the paced lane, `scheduled`
-- (delayed, or deferred to the dispatcher) into the unpaced lane, else `sent`: claimed by the caller
-- for leaseSeconds and tried once. See accept_message for `delivery`, enqueue_message for `typing`.
-- `slot` and `held_by` are NULL for an immediate message, `claim_token` for all others.
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
  enqueued record;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    enqueued := messaging.enqueue_message(
      message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing
    );
    slot := enqueued.slot;
    held_by := coalesce(enqueued.held_by, case when is_delayed then 'delay' end);
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
revoke all
on function messaging.place_message(uuid, messaging.instances, jsonb, interval)
from public, anon, authenticated;
grant execute
on function messaging.place_message(uuid, messaging.instances, jsonb, interval)
to service_role;

-- source: supabase/schemas/messages/internal/plain_acceptances.sql
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
        message jsonb, delivery jsonb,
 authentication jsonb)
    ) with ordinality as call (
      instance_id, phone, idempotency, assignment, agent, message, delivery, authentication, place
    )
    left join unnest(known) as former on former.place = call.place
    join messaging.instances i on i.id = call.instance_id
    left join messaging.client_tokens t
      on t.token_hash = call.authentication->>'tokenHash' and t.instance_id = i.id
      and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())
      and i.xmin::text = call.authentication->>'instanceVersion'
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join messaging.contacts own
      on own.instance_id = i.id and own.identity_key = wanted.identity_key
    left join messaging.contact_addresses proven
      on own.id is null and proven.instance_id = i.id and proven.identity_key = wanted.identity_key
    left join messaging.contacts shown on shown.id = proven.contact_id
    left join messaging.conversations v on v.contact_id = coalesce(own.id, shown.id)
    where call.message is not null and call.assignment is null and call.agent is null
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

-- source: supabase/schemas/messages/internal/record_late_acceptances.sql
-- settle_messages: records of results that no longer hold their claim that the provider accepted the
-- message. Returns the ids of those that this changed.
create or replace function messaging.record_late_acceptances(
  results jsonb,
  settled uuid[],
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(r."messageId") filter (
      where messaging.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    )
    from jsonb_to_recordset(results) as r("messageId" uuid, outcome text, "providerMessageId" text)
    where r.outcome = 'accepted' and r."messageId" <> all (settled)
  );
end;
$$;
revoke all
on function messaging.record_late_acceptances(jsonb, uuid[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.record_late_acceptances(jsonb, uuid[], timestamptz)
to service_role;

-- source: supabase/schemas/messages/internal/record_sending_call.sql
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

  if mode = 'queued' and exists (
    select from messaging.dispatch d where d.instance_id = instance.id and d.hold_until > slot
  ) then
    -- An instance's hold may end after the slot.
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
revoke all on function messaging.record_sending_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_sending_call(jsonb) to service_role;

-- source: supabase/schemas/messages/internal/settle_message_rows.sql
-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.messages m
  set attempts = least(m.attempts::integer + (not s.is_unsent)::integer, 32767),
    lost_claim_token = case when s.outcome = 'unknown' then s.claim_token end,
    last_error = case
      when m.status = 'failed' and not s.is_revived then m.last_error
      when s.outcome <> 'accepted' then s.error
    end,
    provider_message_id = coalesce(s.provider_message_id, m.provider_message_id),
    status = case
      when s.is_revived then 'sent'
      when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
      when s.is_retried then 'queued'
      when s.outcome = 'accepted' then 'sent'
      when s.outcome = 'rejected' then 'failed'
      else 'unconfirmed'
    end,
    is_retryable = case
      when m.status in ('queued', 'sending', 'unconfirmed') then s.is_retryable
      else m.is_retryable
    end,
    sent_at = case when s.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
    failed_at = case
      when m.status = 'failed' and not s.is_revived then m.failed_at
      when s.outcome = 'rejected' and not s.is_retried
        and m.status in ('queued', 'sending', 'unconfirmed') then clock
    end,
    unconfirmed_at = case
      when s.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
    end
  from unnest(settlements) as s
  where m.id = any (array[s.message_id]);
end;
$$;
revoke all
on function messaging.settle_message_rows(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_message_rows(messaging.settlement[], timestamptz)
to service_role;

-- source: supabase/schemas/messages/internal/settle_plain_acceptances.sql
-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends. The caller settles the other results,
-- whose claims it has locked now.
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
  result jsonb;
  ids uuid[];
  tokens uuid[];
  provider_ids text[];
begin
  for place in 0..jsonb_array_length(results) - 1 loop
    result := results->place;
    ids := ids || (result->>'messageId')::uuid;
    tokens := tokens || (result->>'claimToken')::uuid;
    provider_ids := provider_ids || (result->>'providerMessageId');
  end loop;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        null, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1)
  into settled, settlements
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent' as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = tokens[array_position(ids, q.message_id)]
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if settled is null then
    return;
  end if;
  delete from messaging.message_queue q where q.message_id = any (settled);
  update messaging.messages m
  set status = 'sent',
    sent_at = coalesce(m.sent_at, clock),
    provider_message_id = coalesce(
      provider_ids[array_position(ids, m.id)], m.provider_message_id
    ),
    attempts = least(m.attempts::integer + 1, 32767),
    lost_claim_token = null,
    last_error = null,
    is_retryable = false,
    failed_at = null,
    unconfirmed_at = null
  where m.id = any (settled);
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

-- source: supabase/schemas/messages/internal/take_back_unsent.sql
-- Takes back messages whose claims ended although their workers had not called the provider: another
-- process has made them `unconfirmed`, but nothing was sent. A queued or scheduled message waits again.
-- An immediate send fails, and may be retried; so does a message whose send window never opens now.
-- Only while the message is in doubt by that very claim: since then a delivery event, a person or
-- another attempt may have decided otherwise.
-- `results`: as settle_messages takes them. Returns the ids of those that were taken back.
-- Locks the messages, then pacing (see requeue_message).
-- Joins by `= any (array[...])`: see claim_due_messages.
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
    join messaging.messages m on m.id = any (array[r."messageId"])
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

-- source: supabase/schemas/messages/internal/write_acceptances.sql
-- accept_messages: stores the messages of the plain calls with their claims, as place_message does for
-- one immediate message, and the outcomes under the calls' keys. Locks the contacts in the order of
-- their ids. Errors: 40001 where a contact was merged meanwhile; the batch must be repeated.
create or replace function messaging.write_acceptances(plain messaging.acceptance[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  stored integer;
begin
  with locked as materialized (
    select c.id from messaging.contacts c
    where c.id = any (array(select p.contact_id from unnest(plain) as p))
    order by c.id
    for key share
  ), messages as (
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, phone_given
    )
    select p.message_id, p.instance_id, p.contact_id, p.conversation_id, 'outbound',
      p.message->>'messageType', p.message->>'message', nullif(p.message->'content', 'null'),
      p.message->>'cardId', p.message->>'sentBy', p.operator_id,
      (p.message->>'delayTypingMs')::integer, 'sent', (p.delivery->>'intervalSeconds')::integer,
      'sending', p.phone_given
    from unnest(plain) as p
    join locked on locked.id = p.contact_id
    returning 1
  ), queued as (
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
      lease_until
    )
    select p.message_id, p.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease.ends_at,
      1, 1, p.claim_token, lease.ends_at
    from unnest(plain) as p
    cross join lateral (
      select clock + make_interval(secs => (p.delivery->>'leaseSeconds')::double precision)
    ) as lease(ends_at)
  )
  select count(*) into stored from messages;
  if stored < cardinality(plain) then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    update messaging.idempotency_keys k
    set outcome = messaging.describe_acceptance(p.message_id, p.contact_id, p.conversation_id, p.paused_until, p.time_zone)
    from unnest(plain) as p
    where k.scope = p.idempotency->>'scope' and k.key = p.idempotency->>'key';
  end if;
end;
$$;
revoke all
on function messaging.write_acceptances(messaging.acceptance[])
from public, anon, authenticated;
grant execute on function messaging.write_acceptances(messaging.acceptance[]) to service_role;

-- source: supabase/schemas/messages/rpc/accept_message.sql
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
  authentication constant jsonb := nullif(request->'authentication', 'null');
  client record;
  recorded jsonb;
  whole_at timestamptz;
begin
  if authentication is null then
    return messaging.record_sending_call(request);
  end if;
  client := messaging.require_client(authentication, (request->>'instanceId')::uuid);
  recorded := messaging.record_sending_call(request);
  if client.requests_per_minute is null then
    return recorded || jsonb_build_object('rateLimit', null);
  end if;
  whole_at := messaging.spend_requests(
    client.token_id, authentication->>'functionName', client.requests_per_minute, 1
  );
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  return recorded || jsonb_build_object(
    'rateLimit', messaging.describe_rate_limit(client.requests_per_minute, whole_at, 0, true)
  );
end;
$$;
revoke all on function public.accept_message(jsonb) from public, anon, authenticated;
grant execute on function public.accept_message(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/accept_messages.sql
-- Records up to 32 sending calls in one transaction, those of them that are plain: see
-- plain_acceptances.
-- `request`: calls, each as the request of accept_message.
-- Returns {results}, one for each call: what accept_message returns, or NULL for a call of which nothing
-- was written. Those go through accept_message: what is not plain, what is to be refused, a known
-- `Idempotency-Key`, and the second of two equal ones.
-- Locks in the order of accept_message, and within each kind in one order for all batches: keys,
-- addresses of new contacts, contacts, conversations, agent pauses, rate limits.
-- Errors: 40001 where a contact was merged or blocked meanwhile: the batch must be repeated; MI022 where
-- a token may not make all its calls of the batch: each must go through accept_message.
create or replace function public.accept_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_array_length(request->'calls') > 32 then
    raise exception 'at most 32 calls';
  end if;
  return jsonb_build_object('results', messaging.accept_plain_calls(request->'calls'));
end;
$$;
revoke all on function public.accept_messages(jsonb) from public, anon, authenticated;
grant execute on function public.accept_messages(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/cancel_message.sql
-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. The instance's last slot is given back with its
-- message;
-- any other slot stays unused, so that no other message moves. Locks the message, then pacing. Tries
-- the queue row without waiting: its holder is about to send the message.
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
-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI007; MI008; MI012 (any other state; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
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

-- source: supabase/schemas/messages/rpc/settle_message_calls.sql
-- Settles several immediate sends at once, as settle_messages does one. `request`: calls, the requests
-- of settle_messages. Returns {results}, in the order of the calls; null for a call that it does not
-- take: any that is not about one accepted message, and the second of two about the same message.
-- Locks as settle_messages does, then idempotency keys in their order.
create or replace function public.settle_message_calls(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  calls constant jsonb := request->'calls';
  places bigint[];
  results jsonb;
  settled jsonb;
begin
  -- In the order of the messages, in which their rows are locked.
  select array_agg(plain.place), jsonb_agg(plain.result order by plain.message_id)
  into places, results
  from (
    select distinct on (c.call #>> '{results,0,messageId}')
      c.place, c.call #> '{results,0}' as result, c.call #>> '{results,0,messageId}' as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where jsonb_array_length(c.call->'results') = 1
      and c.call #>> '{results,0,outcome}' = 'accepted'
    order by c.call #>> '{results,0,messageId}', c.place
  ) as plain;
  if places is not null then
    settled := public.settle_messages(jsonb_build_object('results', results))->'settled';
  end if;
  perform messaging.keep_response(kept.idempotency, kept.response, array[kept.message_id])
  from (
    select c.call->'idempotency' as idempotency, c.call->'response' as response,
      (c.call #>> '{results,0,messageId}')::uuid as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where c.place = any (places)
      and settled ? (c.call #>> '{results,0,messageId}')
      and nullif(c.call->'response', 'null') is not null
    order by c.call #>> '{idempotency,scope}', c.call #>> '{idempotency,key}'
  ) as kept;
  return jsonb_build_object('results', (
    select jsonb_agg(
      case when c.place = any (places) then jsonb_build_object(
        'settled',
        case
          when settled ? (c.call #>> '{results,0,messageId}')
            then jsonb_build_array(c.call #>> '{results,0,messageId}')
          else jsonb_build_array()
        end
      ) end
      order by c.place
    )
    from jsonb_array_elements(calls) with ordinality as c(call, place)
  ));
end;
$$;
revoke all on function public.settle_message_calls(jsonb) from public, anon, authenticated;
grant execute on function public.settle_message_calls(jsonb) to service_role;

-- source: supabase/schemas/messages/rpc/settle_messages.sql
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
-- Acceptances without an address take a short way, settle_plain_acceptances; all else, and whatever that
-- leaves, is decided one by one.
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
  shows_addresses constant boolean := results @? '$[*].waId ? (@ != null)';
  short_way record;
  decided messaging.settlement[];
  settlements messaging.settlement[];
  settled uuid[];
  late uuid[];
  has_news boolean;
begin
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
  select exists (select from messaging.unmatched_statuses) or exists (
    select from messaging.messages m
    join messaging.messages e on e.instance_id = m.instance_id
      and e.provider_message_id = m.provider_message_id
    where m.id = any (settled || late) and e.id <> m.id
      and (e.is_typed_on_phone or e.confirmed_by_echo)
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
    join messaging.messages m on m.id = any (array[s.message_id])
    join messaging.contacts c on c.id = any (array[m.contact_id])
    where s.wa_id is not null and c.phone is null;
  end if;
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
