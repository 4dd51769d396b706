set local check_function_bodies = off;

-- Applies the stored delivery events of these messages, whose provider ids have just become known.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.apply_unmatched_statuses(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  early record;
begin
  for early in
    with taken as (
      delete from messaging.unmatched_statuses e
      using messaging.messages m
      where m.id = any (message_ids)
        and e.instance_id = any (array[m.instance_id])
        and e.provider_message_id = any (array[m.provider_message_id])
      returning m.id as message_id, e.provider_message_id, e.status, e.occurred_at, e.error
    )
    select t.* from taken t
    order by array_position(array['sent', 'delivered', 'read', 'failed'], t.status)
  loop
    perform messaging.advance_message(
      early.message_id, early.provider_message_id, early.status, early.occurred_at, early.error
    );
  end loop;
end;
$$;
revoke all on function messaging.apply_unmatched_statuses(uuid[]) from public, anon, authenticated;
grant execute on function messaging.apply_unmatched_statuses(uuid[]) to service_role;

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
    -- Not by q.message_id: an ordered scan of the whole queue would spare the sort.
    order by r."messageId"
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

-- Finds the contact of a phone by identity key: first by the contact's own, then by a proven address.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact(instance_id uuid, phone text)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  wanted_key constant text := messaging.phone_identity_key(phone);
  contact messaging.contacts;
begin
  select c.* into contact
  from messaging.contacts c
  where c.instance_id = find_contact.instance_id
    and c.identity_key = wanted_key;
  if not found then
    select c.* into contact
    from messaging.contacts c
    -- Not a join, which would have a plan without either key while the tables seem to be empty.
    where c.id = (
      select a.contact_id from messaging.contact_addresses a
      where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key
    );
  end if;
  return contact;
end;
$$;
revoke all on function messaging.find_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_contact(uuid, text) to service_role;

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
    cross join lateral (
      select own.instance_id, own.contact_id
      from messaging.messages own
      where own.id = r."messageId"
      offset 0
    ) as m
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

-- Writes when tokens were last used. Waits for nobody: a row that is locked keeps its instant.
create or replace function messaging.note_token_use(token_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.client_tokens t set last_used_at = clock_timestamp()
  where t.id = any (array(
    select u.id from messaging.client_tokens u
    where u.id = any (token_ids)
    for no key update skip locked
  ));
end;
$$;
revoke all on function messaging.note_token_use(uuid[]) from public, anon, authenticated;
grant execute on function messaging.note_token_use(uuid[]) to service_role;

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

-- Records inbound messages of known persons and their payloads, as record_message_event does: one
-- statement for all of them.
-- Returns the places of the recorded events. Leaves the others untouched: those of unknown persons, of
-- addresses that belong to several contacts, of messages that are stored already, and of instances
-- whose credentials have been replaced.
-- The caller holds lock_plain_events. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.record_plain_messages(events messaging.plain_event[])
returns integer[]
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  recorded integer[] := '{}';
  stored record;
begin
  for stored in
    with known as (
      select e.*, contact.id as contact_id, conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id
      from unnest(events) as e
      cross join lateral (
        select true from messaging.instances i
        where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone
        from messaging.contacts c
        where c.id = coalesce(
          (
            select own.id from messaging.contacts own
            where own.instance_id = e.instance_id and own.identity_key = e.identity_keys[1]
          ),
          (
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = e.identity_keys[1]
          )
        )
        -- Finds no contact that is merged meanwhile.
        for no key update of c
      ) as contact
      cross join lateral (
        select v.id, v.status, v.agent_id from messaging.conversations v
        where v.contact_id = contact.id
        limit 1
      ) as conversation
      where (contact.phone is not null or e.addresses[1] !~ '^[0-9]{8,15}$')
        -- Not EXISTS: its plan may read all rows of the instance.
        and (
          select true from messaging.messages m
          where m.instance_id = e.instance_id and m.provider_message_id = e.provider_message_id
          limit 1
        ) is null
        and (
          select true
          from unnest(e.identity_keys) as seen(identity_key)
          cross join lateral (
            select c.id from messaging.contacts c
            where c.instance_id = e.instance_id and c.identity_key = seen.identity_key
            union all
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = seen.identity_key
          ) as owner
          where owner.id <> contact.id
          limit 1
        ) is null
    ),
    payloads as (
      insert into messaging.provider_events (instance_id, payload)
      select k.instance_id, k.payload from known k where k.payload is not null order by k.place
    ),
    messages as (
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, content,
        is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.instance_id, k.contact_id, k.conversation_id, 'inbound', k.message_type, k.message,
        k.content, false, 'received', k.provider_message_id, k.occurred_at, k.is_group, k.chat_name,
        clock_timestamp()
      from known k
      order by k.place
    ),
    contacts as (
      update messaging.contacts c
      set name = coalesce(c.name, told.name),
        is_profile_name = c.is_profile_name or c.name is null and told.name is not null,
        last_inbound_at = greatest(c.last_inbound_at, told.last_at)
      from (
        select k.contact_id, max(k.occurred_at) as last_at,
          (
            array_agg(k.contact_name order by k.place) filter (where k.contact_name is not null)
          )[1] as name
        from known k
        group by k.contact_id
      ) as told
      where c.id = any (array[told.contact_id])
        and (
          c.name is null and told.name is not null
          or c.last_inbound_at is null or c.last_inbound_at < told.last_at
        )
    )
    select k.place, k.instance_id, k.contact_id, k.addresses, k.conversation_id,
      k.conversation_status = 'closed' as is_closed,
      (
        select true
        from unnest(k.addresses, k.identity_keys) with ordinality
          as seen(address, identity_key, place)
        left join lateral (
          select a.address, a.proven_at from messaging.contact_addresses a
          where a.instance_id = k.instance_id and a.identity_key = seen.identity_key
          limit 1
        ) as proven on true
        where proven.address is null or seen.place = 1 and (
          proven.address <> seen.address or proven.proven_at < clock - interval '1 hour'
          or proven.proven_at < (
            select max(a.proven_at) from messaging.contact_addresses a
            where a.contact_id = k.contact_id
          )
        )
        limit 1
      ) as has_unproven_address,
      k.may_ask_agent and (
        k.agent_id is not null or (
          select true from messaging.ai_agents a
          where a.instance_id = k.instance_id and a.is_active
          limit 1
        )
      ) as asks_agent
    from known k
    order by k.place
  loop
    recorded := recorded || stored.place;
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.contact_id, stored.addresses);
    end if;
    if stored.is_closed then
      update messaging.conversations c
      set status = 'open', updated_at = now()
      where c.id = stored.conversation_id and c.status = 'closed';
    end if;
    if stored.asks_agent then
      perform messaging.request_agent_reply(i, stored.contact_id, stored.conversation_id)
      from messaging.instances i where i.id = stored.instance_id;
    end if;
  end loop;
  return recorded;
end;
$$;
revoke all
on function messaging.record_plain_messages(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_messages(messaging.plain_event[]) to service_role;

-- Applies delivery events of messages that the provider has accepted, and stores their payloads, as
-- record_status_event does: one statement for all of them. `changed` and `unchanged` are the places of
-- the recorded events. Leaves the others untouched: those of messages that are unknown, have not been
-- accepted or have failed, and of messages that are queued once more.
-- The caller holds lock_plain_events.
create or replace function messaging.record_plain_statuses(
  events messaging.plain_event[],
  out changed integer[],
  out unchanged integer[]
)
language plpgsql
set search_path = ''
as $$
begin
  with known as (
    select distinct on (message.id) e.place, e.instance_id, e.payload, e.status, e.occurred_at,
      message.id as message_id,
      case messaging.message_transition(message.status, e.status)
        when 'always' then true else false
      end as is_forward
    from unnest(events) as e
    cross join lateral (
      select true from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    cross join lateral (
      select m.id, m.status
      from messaging.messages m
      where m.id = coalesce(
        (
          select own.id from messaging.messages own
          where own.id = e.message_id and own.instance_id = e.instance_id
            and own.direction = 'outbound'
        ),
        (
          select own.id from messaging.messages own
          where own.instance_id = e.instance_id and own.direction = 'outbound'
            and own.provider_message_id = e.provider_message_id
          -- A duplicate stored from an echo may have the same id until it is merged.
          order by own.is_typed_on_phone, own.created_at desc
          limit 1
        )
      )
        and m.status in ('sent', 'delivered', 'read') and m.provider_message_id is not null
      for no key update of m
    ) as message
    where (
      select true from messaging.message_queue q where q.message_id = message.id limit 1
    ) is null
    order by message.id, e.place
  ),
  payloads as (
    insert into messaging.provider_events (instance_id, payload)
    select k.instance_id, k.payload from known k where k.payload is not null order by k.place
  ),
  messages as (
    update messaging.messages m
    set status = k.status,
      delivered_at = coalesce(m.delivered_at, k.occurred_at),
      read_at = case when k.status = 'read' then k.occurred_at else m.read_at end,
      failed_at = null,
      canceled_at = null,
      unconfirmed_at = null,
      is_retryable = false,
      last_error = null
    from known k
    where m.id = any (array[k.message_id]) and k.is_forward
  )
  select array_agg(k.place) filter (where k.is_forward),
    array_agg(k.place) filter (where not k.is_forward)
  into changed, unchanged
  from known k;
end;
$$;
revoke all
on function messaging.record_plain_statuses(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_statuses(messaging.plain_event[]) to service_role;

-- settle_messages: restarts the agent's pauses now that the messages have left. They began when the
-- calls were accepted. Writes in the order of the contacts, so that two calls never wait for each
-- other.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.pause_agent(paused.instance_id, paused.contact_id, clock)
  from (
    select s.instance_id, s.contact_id
    from unnest(settlements) as s
    where s.pauses_agent and exists (
      select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
      -- Looks for each instance; a join may read all agents.
      offset 0
    )
    order by s.contact_id
  ) as paused;
end;
$$;
revoke all
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
to service_role;

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
    where k.scope = any (array[p.idempotency->>'scope'])
      and k.key = any (array[p.idempotency->>'key']);
  end if;
end;
$$;
revoke all
on function messaging.write_acceptances(messaging.acceptance[])
from public, anon, authenticated;
grant execute on function messaging.write_acceptances(messaging.acceptance[]) to service_role;

-- Authenticates several client tokens at once, as authenticate_client does one. `request`: calls, the
-- requests of authenticate_client. Returns {results}, in the order of the calls.
-- The calls of one token for one function are one count of as many: each gets its own `remaining`.
-- Where the allowance does not suffice for all of them, they are counted one by one.
-- Locks tokens (skipping locked ones), then rate limits in the order of their keys: two groups never
-- wait for each other.
-- Plans must not depend on statistics: there may be ten tokens or a million. Joins by
-- `= any (array[...])`: see claim_due_messages.
create or replace function public.authenticate_clients(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  calls constant jsonb := request->'calls';
  start constant timestamptz := clock_timestamp();
  tokens messaging.client_tokens[];
  unused uuid[];
  counted messaging.rate_limits[];
begin
  select array_agg(t),
    array_agg(t.id) filter (
      where t.last_used_at is null or t.last_used_at < start - interval '1 minute'
    )
  into tokens, unused
  from messaging.client_tokens t
  where t.token_hash = any (array(select c->>'tokenHash' from jsonb_array_elements(calls) as c))
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > start);
  if unused is not null then
    perform messaging.note_token_use(unused);
  end if;

  -- As spend_requests, for all tokens in one statement.
  with asked as (
    select t.id as token_id, c."functionName" as function_name,
      interval '1 minute' / i.requests_per_minute
        * least(count(*), i.requests_per_minute) as share
    from jsonb_to_recordset(calls) as c("tokenHash" text, "functionName" text)
    join unnest(tokens) as t on t.token_hash = c."tokenHash"
    join messaging.instances i on i.id = any (array[t.instance_id])
    where i.requests_per_minute is not null
    group by t.id, c."functionName", i.requests_per_minute
  ), counting as (
    insert into messaging.rate_limits as r (token_id, function_name, whole_at)
    select a.token_id, a.function_name, start + a.share from asked a
    order by a.token_id, a.function_name
    on conflict on constraint rate_limits_pkey do update
    set whole_at = greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
    where greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
      <= clock_timestamp() + interval '1 minute'
    returning r.*
  )
  select array_agg(row(k.*)::messaging.rate_limits) into counted from counting k;

  return (
    with clients as materialized (
      select t.id as token_id, t.token_hash, i.requests_per_minute, i.xmin::text as instance_version,
        jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'provider', i.provider,
          'providerClass', i.provider_class,
          'sealedProviderConfig', i.sealed_provider_config,
          'gatewayInstanceId', i.gateway_instance_id,
          'connectedPhone', i.connected_phone,
          'timeZone', i.time_zone,
          'references', jsonb_build_array(
            i.id, i.embed_key, coalesce(i.business_instance_id, i.gateway_instance_id)
          )
        ) as instance
      from unnest(tokens) as t
      join messaging.instances i on i.id = any (array[t.instance_id])
    ), numbered as (
      select c.place, c.call->>'functionName' as function_name, client.*,
        row_number() over same_count as number,
        count(*) over (partition by client.token_id, c.call->>'functionName') as total
      from jsonb_array_elements(calls) with ordinality as c(call, place)
      left join clients client on client.token_hash = c.call->>'tokenHash'
      window same_count as (
        partition by client.token_id, c.call->>'functionName' order by c.place
      )
    )
    select jsonb_build_object('results', jsonb_agg(
      jsonb_build_object(
        'tokenId', n.token_id,
        'instance', n.instance,
        'instanceVersion', n.instance_version,
        'rateLimit', case
          when n.requests_per_minute is null then null
          when k.token_id is null or n.number > n.requests_per_minute
            then messaging.count_request(n.token_id, n.function_name, n.requests_per_minute)
          else messaging.describe_rate_limit(
            n.requests_per_minute, k.whole_at, least(n.total, n.requests_per_minute) - n.number, true
          )
        end
      )
      order by n.place
    ))
    from numbered n
    left join unnest(counted) as k
      on k.token_id = n.token_id and k.function_name = n.function_name
  );
end;
$$;
revoke all on function public.authenticate_clients(jsonb) from public, anon, authenticated;
grant execute on function public.authenticate_clients(jsonb) to service_role;

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
