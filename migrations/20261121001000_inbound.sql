-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

set local check_function_bodies = off;

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
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (messaging.phone_identity_key(seen.address))
    resolve_sender.instance_id, seen.address, contact.id,
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

-- source: supabase/schemas/inbound/rpc/record_provider_events.sql
-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages).
-- The same event twice, or at the same time in two calls, counts once. Returns {recorded}: how many
-- events changed something; NULL, with nothing stored, where the credentials have been replaced.
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
