set local check_function_bodies = off;

drop function messaging.record_message_events(uuid[],text[]);

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Records its event, and message.sent before it where the message had not been sent as far as was known.
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
  moved_contact_id uuid;
  is_newly_sent boolean;
  former_status text;
  types text[];
begin
  select m.status into former_status from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
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
  from (
    select f.id, f.sent_at from messaging.messages f
    where f.id = advance_message.message_id
    for no key update
  ) as former
  where m.id = former.id
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
  returning m.instance_id, m.contact_id, former.sent_at is null and m.sent_at is not null
  into moved_instance_id, moved_contact_id, is_newly_sent;
  if not found then
    return false;
  end if;
  types := array['message.' || advance_message.status];
  if advance_message.status in ('delivered', 'read')
    and former_status not in ('sent', 'delivered', 'read') then
    types := 'message.sent'::text || types;
  end if;
  perform messaging.record_message_events(
    array_fill(advance_message.message_id, array[cardinality(types)]),
    types,
    exists (
      select from messaging.message_queue q
      where q.message_id = advance_message.message_id and q.claim_token is not null
    )
  );
  if is_newly_sent then
    perform messaging.note_contact(moved_contact_id);
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

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is given back: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  instance_ids uuid[];
  canceled uuid[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q.message_id
  )
  select array_agg(gone.message_id) into canceled from gone;
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = any (canceled);
  perform messaging.record_message_events(canceled, array['message.canceled']);
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;
revoke all
on function messaging.cancel_restored_messages(uuid[])
from public, anon, authenticated;
grant execute on function messaging.cancel_restored_messages(uuid[]) to service_role;

-- Must be called before the transaction draws its first event number for the instance, in a statement
-- of its own: see the head of tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances.
-- Takes a shared advisory lock of two numbers: the instance's hash and the low 32 bits of the floor. No
-- one takes it exclusively, so nothing waits. (Advisory locks of one number are taken elsewhere.)
create or replace function messaging.hold_event_floor(instance_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
begin
  if held = '*' or strpos(held, instance_id::text) > 0 then
    return;
  end if;
  perform
    pg_advisory_xact_lock_shared(
      uuid_hash(instance_id),
      (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
    ),
    set_config('messaging.event_floors', held || instance_id::text, true)
  from messaging.event_sequence s;
end;
$$;
revoke all on function messaging.hold_event_floor(uuid) from public, anon, authenticated;
grant execute on function messaging.hold_event_floor(uuid) to service_role;

-- hold_event_floor for several instances. For more than a hundred one lock stands for all instances,
-- under a key that every reader looks at: Postgres has room for a few thousand locks in all. NULL ids
-- mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if cardinality(instance_ids) > 100 then
    perform
      pg_advisory_xact_lock_shared(
        0, (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
      ),
      set_config('messaging.event_floors', '*', true)
    from messaging.event_sequence s
    where strpos(coalesce(current_setting('messaging.event_floors', true), ''), '*') = 0;
  else
    perform messaging.hold_event_floor(concerned.instance_id)
    from (select distinct i.instance_id from unnest(instance_ids) as i(instance_id)) as concerned;
  end if;
end;
$$;
revoke all on function messaging.hold_event_floors(uuid[]) from public, anon, authenticated;
grant execute on function messaging.hold_event_floors(uuid[]) to service_role;

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
    perform messaging.note_contact(duplicate.contact_id);
    perform messaging.note_contact(duplicate.echo_contact_id);
    if duplicate.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
      perform messaging.record_message_events(
        array[duplicate.echo_id], array['message.unconfirmed']
      );
    else
      perform messaging.record_message_events(array[duplicate.echo_id], array['message.deleted']);
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

-- The data of a message's event: its `record` (see message_record), its contact, and of a received
-- message what its content refers to. Reads no table.
create or replace function messaging.message_event_data(
  type text,
  record jsonb,
  content jsonb,
  phone text,
  name text
)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  data jsonb := record || jsonb_build_object('contact', jsonb_build_object(
    'contactId', record->'contactId', 'phone', phone, 'name', name
  ));
begin
  if type = 'message.sent' and record->>'status' <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  elsif type = 'message.received' then
    data := data || jsonb_build_object(
      'choice', content->'choice',
      'mediaId', null,
      'mediaStatus', null,
      'quotedMessageId', null
    );
  end if;
  return messaging.fit_event_data(data);
end;
$$;
revoke all
on function messaging.message_event_data(text, jsonb, jsonb, text, text)
from public, anon, authenticated;
grant execute
on function messaging.message_event_data(text, jsonb, jsonb, text, text)
to service_role;

-- purge_expired: deletes events that are older than 30 days, the oldest first, at most `max_rows`, and notes
-- how far each instance's feed is gone: a cursor before that has missed something. Numbers rise with
-- time, so it reads from the lowest number on, and no further than the rows that it may delete. Returns
-- how many it deleted. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_events(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  deleted integer;
begin
  with oldest as materialized (
    select e.ctid, e.recorded_at from messaging.events e
    order by e.sequence
    limit max_rows
    for update skip locked
  ), gone as (
    delete from messaging.events e
    where e.ctid = any (array(
      select o.ctid from oldest o where o.recorded_at <= clock - interval '30 days'
    ))
    returning e.instance_id, e.sequence
  ), noted as (
    insert into messaging.event_streams as s (instance_id, purged_through)
    select g.instance_id, max(g.sequence)
    from gone g
    where exists (select from messaging.instances i where i.id = g.instance_id)
    group by g.instance_id
    order by g.instance_id
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through)
  )
  select count(*) into deleted from gone;
  return deleted;
end;
$$;
revoke all
on function messaging.purge_events(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_events(integer, timestamptz) to service_role;

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
  edited_id uuid;
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
  where m.id = edited.id and words is not null and m.message is distinct from edited.message
  returning m.id into edited_id;
  if not found then
    return false;
  end if;
  perform messaging.record_message_events(array[edited_id], array['message.edited']);
  return true;
end;
$$;
revoke all on function messaging.record_message_edit(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_message_edit(uuid, jsonb) to service_role;

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
  perform messaging.note_contact(contact.id);
  if not is_inbound then
    perform messaging.record_message_events(array[message_id], array['message.sent']);
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
  if contact.name is null and event->>'contactName' is not null then
    perform messaging.record_contact_changes(instance.id, contact.id, jsonb '{"name": null}');
  end if;
  perform messaging.record_message_events(array[message_id], array['message.received']);
  perform messaging.reopen_conversation(conversation.id);
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

-- Records an event for each of these messages, in the order given, with the state of the message now: its
-- record (see message_record) and its contact. `types`: the event of the message at the same place, or
-- the one type of all; a message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent.
-- `is_claimed`: whether the messages are still in a worker's hands.
-- Call it when the messages are changed, and so locked. None of them waits in the queue.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.record_message_events(
  message_ids uuid[],
  types text[],
  is_claimed boolean default false
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(message_ids), 0) = 0 then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select m.instance_id from messaging.messages m where m.id = any (message_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, data)
  select (m.message).instance_id, (m.message).contact_id, told.type,
    messaging.message_event_data(
      told.type,
      messaging.message_record(m.message, i.time_zone, is_claimed),
      (m.message).content,
      messaging.contact_display_phone(c.contact),
      (c.contact).name
    )
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select r as message from messaging.messages r where r.id = named.message_id offset 0
  ) as m
  cross join lateral (
    select n.time_zone from messaging.instances n where n.id = (m.message).instance_id offset 0
  ) as i
  cross join lateral (
    select p as contact from messaging.contacts p where p.id = (m.message).contact_id offset 0
  ) as c
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[], boolean)
from public, anon, authenticated;
grant execute
on function messaging.record_message_events(uuid[], text[], boolean)
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
  named uuid[] := '{}';
  ids uuid[] := '{}';
  stored record;
begin
  for stored in
    with known as (
      select e.*, gen_random_uuid() as stored_id, contact.id as contact_id, contact.is_nameless,
        conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id
      from unnest(events) as e
      cross join lateral (
        select true from messaging.instances i
        where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone, c.name is null as is_nameless
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
        id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
        is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.stored_id, k.instance_id, k.contact_id, k.conversation_id, 'inbound', k.message_type, k.message,
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
    select k.place, k.stored_id, k.instance_id, k.contact_id, k.addresses, k.conversation_id,
      k.is_nameless and k.contact_name is not null as tells_name,
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
    ids := ids || stored.stored_id;
    if stored.tells_name and stored.contact_id <> all (named) then
      named := named || stored.contact_id;
      perform messaging.record_contact_changes(
        stored.instance_id, stored.contact_id, jsonb '{"name": null}'
      );
    end if;
    perform messaging.note_contact(stored.contact_id);
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.contact_id, stored.addresses);
    end if;
    if stored.is_closed then
      perform messaging.reopen_conversation(stored.conversation_id);
    end if;
    if stored.asks_agent then
      perform messaging.request_agent_reply(i, stored.contact_id, stored.conversation_id)
      from messaging.instances i where i.id = stored.instance_id;
    end if;
  end loop;
  perform messaging.record_message_events(ids, array['message.received']);
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
declare
  ids uuid[];
  types text[];
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
    array_agg(k.place) filter (where not k.is_forward),
    array_agg(k.message_id order by k.place) filter (where k.is_forward),
    array_agg('message.' || k.status order by k.place) filter (where k.is_forward)
  into changed, unchanged, ids, types
  from known k;
  perform messaging.record_message_events(ids, types);
end;
$$;
revoke all
on function messaging.record_plain_statuses(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_statuses(messaging.plain_event[]) to service_role;

-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted. Records the events of
-- those that became `sent`, `failed` or `unconfirmed`.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  types text[];
begin
  with changed as (
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
    cross join lateral (
      select f.status from messaging.messages f where f.id = s.message_id offset 0
    ) as former
    where m.id = any (array[s.message_id])
    returning m.id, m.status, former.status as former_status
  )
  select array_agg(c.id order by c.id), array_agg('message.' || c.status order by c.id)
  into ids, types
  from changed c
  where c.status <> c.former_status and c.status in ('sent', 'failed', 'unconfirmed');
  perform messaging.record_message_events(ids, types);
end;
$$;
revoke all
on function messaging.settle_message_rows(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_message_rows(messaging.settlement[], timestamptz)
to service_role;

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
  addressee uuid;
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
  returning m.provider_message_id, m.contact_id into provider_id, addressee;
  perform messaging.record_message_events(array[settled], array['message.sent']);
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
    perform messaging.note_contact(addressee);
  else
    perform messaging.touch_addressees(array[addressee], clock);
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
  perform messaging.record_message_events(settled, array['message.sent']);
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

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
    perform messaging.record_message_events(array[m.id], array['message.failed'])
    from messaging.messages m
    where m.id = (unsent.message).id and m.status = 'failed';
    taken_back := taken_back || (unsent.message).id;
  end loop;
  return taken_back;
end;
$$;
revoke all on function messaging.take_back_unsent(jsonb) from public, anon, authenticated;
grant execute on function messaging.take_back_unsent(jsonb) to service_role;

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
  perform messaging.record_message_events(array[message.id], array['message.canceled']);
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

-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after 24 hours, provider events after 30 days, delivery events without a message
-- after 7 days, events after 30 days (see purge_events), done outbox rows after 7 days, dead outbox rows (a person should see them) after 90
-- days.
-- Messages, contacts, notes and logs belong to the user and stay.
-- Never waits for a lock. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from messaging.idempotency_keys k
  where k.ctid = any (array(
    select e.ctid from messaging.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select e.ctid from messaging.provider_events e
    where e.received_at <= clock - interval '30 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.unmatched_statuses s
  where s.ctid = any (array(
    select e.ctid from messaging.unmatched_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;
