-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/inbound/internal/add_new_senders.sql
-- Creates the contacts and conversations of inbound messages whose person no address of the event
-- finds, as resolve_sender and resolve_conversation do. Returns whether it created any.
-- The caller holds lock_plain_events.
create or replace function messaging.add_new_senders(events messaging.plain_event[])
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  with persons as (
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select distinct on (e.instance_id, e.identity_keys[1]) e.instance_id,
      case when e.addresses[1] ~ '^[0-9]{8,15}$' then e.addresses[1] end, e.identity_keys[1],
      'inbound'
    from unnest(events) as e
    cross join lateral (
      select true from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    where (
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
        ) as known
        limit 1
      ) is null
    order by e.instance_id, e.identity_keys[1], e.place
    on conflict on constraint contacts_identity do nothing
    returning id, instance_id
  )
  insert into messaging.conversations (instance_id, contact_id)
  select p.instance_id, p.id from persons p;
  return found;
end;
$$;
revoke all
on function messaging.add_new_senders(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.add_new_senders(messaging.plain_event[]) to service_role;

-- source: supabase/schemas/inbound/internal/apply_unmatched_statuses.sql
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
  if not exists (select from messaging.unmatched_statuses) then
    return;
  end if;
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

-- source: supabase/schemas/inbound/internal/confirm_by_echo.sql
-- Confirms an unconfirmed message by an echo of its words: the echo gives its provider id and the time
-- at which it was sent. Returns false where the message's state has changed meanwhile.
create or replace function messaging.confirm_by_echo(message_id uuid, echo jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if not messaging.advance_message(
    confirm_by_echo.message_id, echo->>'providerMessageId', 'sent', messaging.event_instant(echo), null
  ) then
    return false;
  end if;
  update messaging.messages m set confirmed_by_echo = true where m.id = confirm_by_echo.message_id;
  perform messaging.apply_unmatched_statuses(array[confirm_by_echo.message_id]);
  return true;
end;
$$;
revoke all on function messaging.confirm_by_echo(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.confirm_by_echo(uuid, jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/event_instant.sql
-- The instant of a provider's event: the one the event names, at most now; now where it names none.
create or replace function messaging.event_instant(event jsonb)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return least(
    coalesce((event->>'sentAt')::timestamptz, (event->>'at')::timestamptz, clock), clock
  );
end;
$$;
revoke all on function messaging.event_instant(jsonb) from public, anon, authenticated;
grant execute on function messaging.event_instant(jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/is_plain_event.sql
-- Whether an event is of a kind that record_plain_events takes: an inbound message, or a delivery event
-- that neither fails a message nor repeats its words.
create or replace function messaging.is_plain_event(event jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return coalesce(
    case event->>'kind'
      when 'message' then event->>'origin' = 'inbound'
        and (event->>'mayBeOurs')::boolean is not true
        and (event->>'isEdit')::boolean is not true
      when 'status' then event->>'status' in ('sent', 'delivered', 'read') and event->'sent' is null
    end,
    false
  );
end;
$$;
revoke all on function messaging.is_plain_event(jsonb) from public, anon, authenticated;
grant execute on function messaging.is_plain_event(jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/lock_plain_events.sql
-- Takes the locks of lock_provider_messages and lock_addresses for all these events, in the order of
-- the two: every transaction that names messages and addresses locks in this order.
create or replace function messaging.lock_plain_events(events messaging.plain_event[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select 1 as turn, null::uuid as instance_id,
      hashtextextended(e.instance_id::text, 0) # (hashtext(e.provider_message_id) & 255) as lock_key
    from unnest(events) as e
    union
    select 2, e.instance_id,
      hashtextextended('addresses ' || e.instance_id::text, 0) # (hashtext(key.value) & 255)
    from unnest(events) as e
    cross join lateral unnest(e.identity_keys) as key(value)
    order by turn, instance_id, lock_key
  ) as wanted;
end;
$$;
revoke all
on function messaging.lock_plain_events(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.lock_plain_events(messaging.plain_event[]) to service_role;

-- source: supabase/schemas/inbound/internal/match_echo.sql
-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes. A message in flight keeps the echo until its own outcome
-- tells whose it was (see resolve_pending_echo). Otherwise the echo confirms the oldest unconfirmed
-- message.
-- Media without a caption have no words: they match only a message in flight.
-- Returns whether the echo is ours, as far as is known.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.match_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  words constant text := btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'));
  candidate record;
begin
  -- A candidate may be settled before it is locked: then the next one is tried.
  for round in 1..10 loop
    select m.id, q.claim_token is not null as is_in_flight,
      q.echo->>'providerMessageId' as echoed_id
    into candidate
    from messaging.messages m
    left join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.instance_id = match_echo.instance_id
      and m.contact_id = match_echo.contact_id
      and m.direction = 'outbound'
      and m.status in ('queued', 'sending', 'unconfirmed')
      -- Lets the plan find unsent messages by the index messages_history.
      and m.sent_at is null
      and m.created_at > clock - interval '2 days'
      -- A retried message still has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (m.message is not null and m.unconfirmed_at > clock - interval '15 minutes')
      )
      -- Gateways trim whitespace.
      and btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
      and (m.message is not null or m.message_type = event->>'messageType')
    order by q.echo is null, q.claim_token is null, m.unconfirmed_at, m.created_at
    limit 1;
    if not found then
      return false;
    end if;
    if not candidate.is_in_flight then
      if messaging.confirm_by_echo(candidate.id, event) then
        return true;
      end if;
    elsif candidate.echoed_id is not null then
      return true;
    else
      update messaging.message_queue q set echo = event
      where q.message_id = candidate.id and q.claim_token is not null and q.echo is null;
      if found then
        return true;
      end if;
    end if;
  end loop;
  return false;
end;
$$;
revoke all on function messaging.match_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.match_echo(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/merge_echo_duplicates.sql
-- Merges the duplicates of messages whose provider ids have just become known: under the same id a
-- gateway had reported an echo, stored as typed on the phone or taken as the proof of another message.
-- The duplicate is deleted, and its delivery becomes the message's. Its placeholder contact, known by
-- a hidden address alone, is merged into the message's contact. A message that the echo had confirmed
-- wrongly becomes `unconfirmed` again.
create or replace function messaging.merge_echo_duplicates(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  duplicate record;
  contact messaging.contacts;
  placeholder messaging.contacts;
begin
  for duplicate in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at
    from messaging.messages m
    -- "offset 0" keeps the plan from beginning with all echoes, of which statistics may know none.
    cross join lateral (
      select told.* from messaging.messages told
      where told.instance_id = m.instance_id
        and told.provider_message_id = m.provider_message_id
        and told.id <> m.id
        and (told.is_typed_on_phone or told.confirmed_by_echo)
      offset 0
    ) as e
    where m.id = any (message_ids)
  loop
    if duplicate.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
    else
      delete from messaging.messages e where e.id = duplicate.echo_id;
    end if;
    if duplicate.status in ('delivered', 'read') then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, duplicate.status, duplicate.arrived_at, null
      );
    end if;
    if duplicate.status = 'failed' then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, 'failed', duplicate.failed_at, duplicate.last_error
      );
    end if;
    continue when duplicate.confirmed_by_echo;
    select c.* into contact from messaging.contacts c where c.id = duplicate.contact_id;
    select c.* into placeholder from messaging.contacts c
    where c.id = duplicate.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- A placeholder contact without any other message was paused by our own words.
      delete from messaging.agent_pauses p
      where p.contact_id = placeholder.id
        and not exists (select from messaging.messages m where m.contact_id = placeholder.id);
      perform messaging.merge_contacts(contact, placeholder);
    end if;
  end loop;
end;
$$;
revoke all on function messaging.merge_echo_duplicates(uuid[]) from public, anon, authenticated;
grant execute on function messaging.merge_echo_duplicates(uuid[]) to service_role;

-- source: supabase/schemas/inbound/internal/prove_addresses.sql
-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs.
create or replace function messaging.prove_addresses(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (messaging.phone_identity_key(seen.address))
    prove_addresses.instance_id, seen.address, prove_addresses.contact_id,
    case when seen.place = 1 then clock_timestamp() else '-infinity' end
  from unnest(addresses) with ordinality as seen(address, place)
  order by messaging.phone_identity_key(seen.address), seen.place
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id and excluded.proven_at > '-infinity'
    and (
      a.address <> excluded.address
      or a.proven_at < clock_timestamp() - interval '1 hour'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
end;
$$;
revoke all
on function messaging.prove_addresses(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.prove_addresses(uuid, uuid, text[]) to service_role;

-- source: supabase/schemas/inbound/internal/read_plain_events.sql
-- The calls of record_provider_events (`calls`) that have one event of a plain kind. Of several calls
-- about one message only the first is given: the others must see what it has done.
-- Executes no statement, whose start would cost more than the reading.
create or replace function messaging.read_plain_events(
  calls jsonb,
  out messages messaging.plain_event[],
  out statuses messaging.plain_event[]
)
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  call jsonb;
  event jsonb;
  plain messaging.plain_event;
  message_key text;
  seen_keys text[] := '{}';
begin
  for place in 1..jsonb_array_length(calls) loop
    call := calls->(place - 1);
    event := call->'events'->0;
    message_key := concat_ws(' ', call->>'instanceId', event->>'providerMessageId');
    continue when jsonb_array_length(call->'events') <> 1
      or not messaging.is_plain_event(event) or message_key = any (seen_keys);
    seen_keys := seen_keys || message_key;
    plain := null;
    plain.place := place;
    plain.instance_id := call->>'instanceId';
    plain.sealed_provider_config := call->>'sealedProviderConfig';
    plain.payload := call->>'payload';
    plain.provider_message_id := event->>'providerMessageId';
    if event->>'kind' = 'status' then
      plain.message_id := event->>'messageId';
      plain.status := event->>'status';
      plain.occurred_at := coalesce((event->>'at')::timestamptz, clock);
      statuses := statuses || plain;
      continue;
    end if;
    plain.occurred_at := messaging.event_instant(event);
    plain.addresses := array[event->>'address'];
    plain.identity_keys := array[messaging.phone_identity_key(event->>'address')];
    for other in 0..jsonb_array_length(event->'otherAddresses') - 1 loop
      plain.addresses := plain.addresses || (event->'otherAddresses'->>other);
      plain.identity_keys := plain.identity_keys
        || messaging.phone_identity_key(event->'otherAddresses'->>other);
    end loop;
    plain.contact_name := event->>'contactName';
    plain.message_type := event->>'messageType';
    plain.message := event->>'message';
    plain.content := nullif(event->'content', 'null');
    plain.is_group := coalesce((event->>'isGroup')::boolean, false);
    plain.chat_name := event->>'chatName';
    plain.may_ask_agent := not plain.is_group
      and (event->>'isReaction')::boolean is not true
      and (event->>'isUnreadable')::boolean is not true;
    messages := messages || plain;
  end loop;
end;
$$;
revoke all on function messaging.read_plain_events(jsonb) from public, anon, authenticated;
grant execute on function messaging.read_plain_events(jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/record_message_edit.sql
-- Records that the contact has edited a message: replaces its words. No agent is asked again; an agent
-- that has yet to answer reads the new words. Edits of our own messages and of unknown messages change
-- nothing. Returns whether words changed.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_edit(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  words constant text := event->>'message';
begin
  update messaging.messages m
  set message = edited.message
  from (
    select own.id,
      -- In a group the words stand after their author's name, which the edit does not contain.
      case
        when own.is_group and event->>'kind' = 'message_edit'
          then coalesce(substring(own.message from '^[^:\n]{1,200}: '), '') || words
        else words
      end as message
    from messaging.messages own
    where own.instance_id = record_message_edit.instance_id
      and own.provider_message_id = event->>'providerMessageId'
      and own.direction = 'inbound'
  ) as edited
  where m.id = edited.id and words is not null and m.message is distinct from edited.message;
  return found;
end;
$$;
revoke all on function messaging.record_message_edit(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_message_edit(uuid, jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/record_message_event.sql
-- Stores a message that a person wrote: the contact, or somebody on the business's own phone.
-- An inbound message opens a closed conversation and requests the agent's answer. An echo pauses the
-- agent, as any operator's message does. Groups and reactions do neither, and a message that the
-- channel does not show (isUnreadable) requests no answer.
-- Returns false for a message that is stored already, unless the event edits its words.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  is_reaction constant boolean := coalesce((event->>'isReaction')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return (event->>'isEdit')::boolean is true and messaging.record_message_edit(instance.id, event);
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false)
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end,
    event->>'messageType', event->>'message', nullif(event->'content', 'null'),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', written_at, is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp()
  )
  returning id into message_id;
  if not is_inbound then
    perform messaging.apply_unmatched_statuses(array[message_id]);
    if not is_group and not is_reaction then
      perform messaging.pause_agent(instance.id, contact.id, written_at);
    end if;
    return true;
  end if;
  update messaging.contacts c
  set name = coalesce(c.name, event->>'contactName'),
    is_profile_name = c.is_profile_name or c.name is null and event->>'contactName' is not null,
    last_inbound_at = greatest(c.last_inbound_at, written_at)
  where c.id = contact.id
    -- Each update leaves a row version that the rest of the delivery reads past.
    and (
      c.name is null and event->>'contactName' is not null
      or c.last_inbound_at is null or c.last_inbound_at < written_at
    );
  update messaging.conversations c
  set status = 'open', updated_at = now()
  where c.id = conversation.id and c.status = 'closed';
  if not is_group and not is_reaction and (event->>'isUnreadable')::boolean is not true then
    perform messaging.request_agent_reply(instance, contact.id, conversation.id);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.record_message_event(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_message_event(messaging.instances, jsonb)
to service_role;

-- source: supabase/schemas/inbound/internal/record_plain_events.sql
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
  told record;
  place integer;
begin
  select r.messages, r.statuses into messages, statuses from messaging.read_plain_events(calls) r;
  perform messaging.lock_plain_events(messages || statuses);
  if messages is not null then
    changed := messaging.record_plain_messages(messages);
    if cardinality(changed) < cardinality(messages) then
      messages := array(select e from unnest(messages) as e where e.place <> all (changed));
      if messaging.add_new_senders(messages) then
        changed := changed || messaging.record_plain_messages(messages);
      end if;
    end if;
  end if;
  if statuses is not null then
    select s.changed, s.unchanged into told from messaging.record_plain_statuses(statuses) s;
    changed := changed || told.changed;
    unchanged := unchanged || told.unchanged;
  end if;
  foreach place in array changed loop
    recorded[place] := 1;
  end loop;
  foreach place in array unchanged loop
    recorded[place] := 0;
  end loop;
  return recorded;
end;
$$;
revoke all on function messaging.record_plain_events(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_events(jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/record_plain_messages.sql
-- Records inbound messages of known persons and their payloads, as record_message_event does: one
-- statement for all of them.
-- Returns the places of the recorded events. Leaves the others untouched: those of unknown persons, of
-- addresses that belong to several contacts, of messages that are stored already, and of instances
-- whose credentials have been replaced.
-- The caller holds lock_plain_events.
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
      where c.id = told.contact_id
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

-- source: supabase/schemas/inbound/internal/record_plain_statuses.sql
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
    where m.id = k.message_id and k.is_forward
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

-- source: supabase/schemas/inbound/internal/record_status_event.sql
-- Applies a delivery event to its message, found by our own id where the provider returns it, else by
-- the provider's id. An event without a known message may concern one of ours whose answer was lost:
-- where the event repeats the words (`sent`) they are matched as an echo. Otherwise it is stored in
-- unmatched_statuses until the message's id is known.
-- Returns whether it changed anything.
create or replace function messaging.record_status_event(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  message_id uuid;
  contact messaging.contacts;
  address text;
begin
  select m.id into message_id
  from messaging.messages m
  where m.id = (event->>'messageId')::uuid
    and m.instance_id = record_status_event.instance_id
    and m.direction = 'outbound';
  if message_id is null then
    select m.id into message_id
    from messaging.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'outbound'
    -- A duplicate stored from an echo may have the same id until it is merged.
    order by m.is_typed_on_phone, m.created_at desc
    limit 1;
  end if;
  if message_id is null and event->'sent' is not null then
    foreach address in array array[event->'sent'->>'address'] || array(
      select jsonb_array_elements_text(event->'sent'->'otherAddresses')
    ) loop
      contact := messaging.find_contact(instance_id, address);
      exit when contact.id is not null;
    end loop;
    if contact.id is not null
      and messaging.match_echo(instance_id, contact.id, event || (event->'sent')) then
      return true;
    end if;
  end if;
  -- Gateways report the delivery of the contact's own messages too: ignored.
  if message_id is null and exists (
    select from messaging.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'inbound'
  ) then
    return false;
  end if;
  if message_id is null then
    insert into messaging.unmatched_statuses (
      instance_id, provider_message_id, status, occurred_at, error
    )
    values (
      record_status_event.instance_id, event->>'providerMessageId', event->>'status',
      coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
    )
    on conflict do nothing;
    return false;
  end if;
  return messaging.advance_message(
    message_id, event->>'providerMessageId', event->>'status',
    coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
  );
end;
$$;
revoke all on function messaging.record_status_event(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_status_event(uuid, jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/resolve_pending_echo.sql
-- Decides whose echo it was that a message kept while it was in flight (see match_echo), now that the
-- message is settled. The id in the answer decides. Without an answer the echo proves that the message
-- left. An echo of something else is recorded as if it came now: it confirms another message in doubt,
-- or is a person's.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.resolve_pending_echo(
  message_id uuid,
  outcome text,
  provider_message_id text,
  echo jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  own messaging.messages;
  instance messaging.instances;
begin
  if resolve_pending_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select m.* into strict own from messaging.messages m where m.id = resolve_pending_echo.message_id;
  select i.* into strict instance from messaging.instances i where i.id = own.instance_id;
  perform messaging.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id
      and m.provider_message_id = echo->>'providerMessageId' and m.id <> own.id
  ) then
    return;
  end if;
  -- Two messages with the same words may each keep the other's echo. A message that is being settled
  -- (its row is locked) resolves its echo itself.
  update messaging.message_queue q
  set echo = null
  where q.ctid = any (array(
    select w.ctid
    from messaging.messages m
    join messaging.message_queue w on w.message_id = any (array[m.id])
    where m.instance_id = own.instance_id and m.contact_id = own.contact_id and m.sent_at is null
      and w.echo->>'providerMessageId' = resolve_pending_echo.provider_message_id
    for no key update of w skip locked
  ));
  if outcome <> 'unknown' and echo->>'kind' = 'status' then
    perform messaging.record_status_event(instance.id, echo);
  elsif outcome <> 'unknown' then
    perform messaging.record_message_event(instance, echo);
  else
    perform messaging.confirm_by_echo(resolve_pending_echo.message_id, echo);
  end if;
end;
$$;
revoke all
on function messaging.resolve_pending_echo(uuid, text, text, jsonb)
from public, anon, authenticated;
grant execute on function messaging.resolve_pending_echo(uuid, text, text, jsonb) to service_role;

-- source: supabase/schemas/inbound/internal/resolve_sender.sql
-- Finds the contact of a message event by any of its addresses, or creates it with origin `inbound`,
-- without a phone where the provider shows none. All addresses find the contact from now on. The first
-- one is where messages go, and becomes the phone of a contact without one.
-- Addresses of several contacts prove that the contacts without a phone are this person. Two phones
-- prove nothing: a number can have had another owner.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_sender(instance_id uuid, event jsonb)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  found_contact messaging.contacts;
  address constant text := event->>'address';
  addresses constant text[] := array[address] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  known text;
begin
  -- The contact is locked before its addresses, whether it is known or new: two deliveries of one
  -- contact wait for each other here and nowhere else.
  foreach known in array addresses loop
    found_contact := messaging.find_contact(instance_id, known);
    if contact.id is null then
      contact := found_contact;
    elsif found_contact.id = contact.id or found_contact.id is null then
      null;
    elsif found_contact.phone is null then
      contact := messaging.merge_contacts(contact, found_contact);
    elsif contact.phone is null then
      contact := messaging.merge_contacts(found_contact, contact);
    end if;
  end loop;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      resolve_sender.instance_id,
      case when address ~ '^[0-9]{8,15}$' then address end,
      messaging.phone_identity_key(address),
      'inbound'
    )
    on conflict on constraint contacts_identity do update set updated_at = now()
    returning * into contact;
  else
    select c.* into contact from messaging.contacts c where c.id = contact.id for no key update;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
  end if;
  contact := messaging.assign_contact_phone(contact, address);
  perform messaging.prove_addresses(resolve_sender.instance_id, contact.id, addresses);
  return contact;
end;
$$;
revoke all on function messaging.resolve_sender(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.resolve_sender(uuid, jsonb) to service_role;

-- source: supabase/schemas/inbound/rpc/find_webhook_instance.sql
-- The instance that a webhook address names. `request`: provider, instanceRef (UUID, business
-- instance id or embed key). Returns {instance}: NULL where there is none.
create or replace function public.find_webhook_instance(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('instance', (
    select jsonb_build_object(
      'instanceId', i.id,
      'provider', i.provider,
      'sealedProviderConfig', i.sealed_provider_config
    )
    -- A name is unique within a provider.
    from messaging.find_instances_by_reference(request->>'instanceRef') i
    where i.provider = request->>'provider'
  ));
$$;
revoke all on function public.find_webhook_instance(jsonb) from public, anon, authenticated;
grant execute on function public.find_webhook_instance(jsonb) to service_role;

-- source: supabase/schemas/inbound/rpc/find_webhook_targets.sql
-- The instances of a provider that one delivery may be about: those with one of the provider's own
-- ids, and those that a template belongs to, itself or with its workspace. `request`: provider,
-- gatewayInstanceIds, providerTemplateIds. Returns
-- {instances: [{instanceId, gatewayInstanceId, sealedProviderConfig}]}, at most 100. The caller
-- checks which of them have the credential that the delivery shows.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.find_webhook_targets(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  numbers constant text[] := array(select jsonb_array_elements_text(request->'gatewayInstanceIds'));
  templates constant text[] := array(
    select jsonb_array_elements_text(request->'providerTemplateIds')
  );
begin
  return jsonb_build_object('instances', coalesce(
    (
      select jsonb_agg(jsonb_build_object(
        'instanceId', target.id,
        'gatewayInstanceId', target.gateway_instance_id,
        'sealedProviderConfig', target.sealed_provider_config
      ) order by target.created_at, target.id)
      from (
        select i.* from messaging.instances i
        where i.provider = request->>'provider' and i.gateway_instance_id = any (numbers)
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.id = t.instance_id
        where t.provider_template_id = any (templates) and i.provider = request->>'provider'
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.workspace_id = t.workspace_id
        where t.provider_template_id = any (templates) and t.instance_id is null
          and i.provider = request->>'provider'
        limit 100
      ) as target
    ),
    '[]'
  ));
end;
$$;
revoke all on function public.find_webhook_targets(jsonb) from public, anon, authenticated;
grant execute on function public.find_webhook_targets(jsonb) to service_role;

-- source: supabase/schemas/inbound/rpc/record_provider_event_calls.sql
-- Several calls of record_provider_events in one transaction: those that messaging.record_plain_events
-- takes. `request`: calls, the requests. Returns {results}, one per call in the same order: the call's
-- result; NULL where nothing was done for it, and record_provider_events itself must be called.
create or replace function public.record_provider_event_calls(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('results', jsonb_agg(
      case when r.changes is not null then jsonb_build_object('recorded', r.changes) end
      order by r.place
    ))
    from unnest(messaging.record_plain_events(request->'calls')) with ordinality
      as r(changes, place)
  );
end;
$$;
revoke all on function public.record_provider_event_calls(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_event_calls(jsonb) to service_role;

-- source: supabase/schemas/inbound/rpc/record_provider_events.sql
-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages).
-- The same event twice, or at the same time in two calls, counts once. Returns {recorded}: how many
-- events changed something; NULL, with nothing stored, where the credentials have been replaced.
-- Most webhooks have one plain event, which a shorter path records: see record_plain_events.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
create or replace function public.record_provider_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  event jsonb;
  recorded integer := 0;
begin
  if jsonb_array_length(request->'events') = 1 then
    recorded := (messaging.record_plain_events(jsonb_build_array(request)))[1];
    if recorded is not null then
      return jsonb_build_object('recorded', recorded);
    end if;
    recorded := 0;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  end if;
  insert into messaging.provider_events (instance_id, payload)
  select instance.id, request->>'payload' where request->>'payload' is not null;
  perform messaging.lock_provider_messages(
    array_agg(instance.id), array_agg(e.value->>'providerMessageId')
  )
  from jsonb_array_elements(request->'events') as e;
  perform messaging.lock_addresses(
    instance.id,
    array(
      select seen.address
      from jsonb_array_elements(request->'events') as e
      cross join lateral (
        select e.value->>'address'
        union all
        select jsonb_array_elements_text(coalesce(e.value->'otherAddresses', '[]'))
        union all
        select e.value->>'oldAddress'
        union all
        select e.value->>'newAddress'
      ) as seen(address)
      where seen.address is not null
    )
  );
  for event in
    select e.value from jsonb_array_elements(request->'events') with ordinality as e(value, place)
    order by e.place
  loop
    recorded := recorded + case
      when case event->>'kind'
        when 'message' then messaging.record_message_event(instance, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;
