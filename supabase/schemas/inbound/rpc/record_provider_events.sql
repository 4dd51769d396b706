-- Stores a webhook payload and what it means, all in one transaction: inbound messages, reactions, echoes of
-- what was typed on the phone, imported messages, names, addresses, delivery events, template decisions, changed
-- numbers and keys, preferences, handovers, connections, limits, facts of the own number.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages), and denialHashes in a repeated call (see take_denial_hashes).
-- The same event twice, or at the same time in two calls, counts once. Events of messages of erased persons
-- count nothing, and are not stored; nor do those of the business's own number: see without_own_number.
-- Returns {recorded}: how many events changed something; NULL, with nothing stored, where the credentials
-- have been replaced.
-- Most webhooks have one plain event, which a shorter path records: see record_plain_events.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
-- Plans are made once: for each message anew they would take longer than the message.
create or replace function public.record_provider_events(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  instance messaging.instances;
  event jsonb;
  erased jsonb;
  recorded integer := 0;
begin
  perform messaging.take_denial_hashes(request);
  if jsonb_array_length(request->'events') = 1 then
    recorded := (messaging.record_plain_events(jsonb_build_array(request)))[1];
    if recorded is not null then
      perform messaging.trust_confirmed_instances();
      return jsonb_build_object('recorded', recorded);
    end if;
    recorded := 0;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  end if;
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
  erased := messaging.erased_events(instance.id, request->'events');
  for event in
    select e.value from jsonb_array_elements(request->'events') with ordinality as e(value, place)
    where (erased @> jsonb_build_array(e.value)) is not true
    order by e.place
  loop
    event := messaging.without_own_number(instance, event);
    continue when event is null;
    recorded := recorded + case
      when case event->>'kind'
        when 'message' then messaging.record_message_event(instance, event)
        when 'reaction' then messaging.record_reaction(instance, event)
        when 'imported_message' then messaging.import_message(instance, event)
        when 'history_progress' then messaging.record_history_progress(instance.id, event)
        when 'contact_name' then messaging.record_contact_name(instance.id, event)
        when 'addresses' then messaging.record_addresses(instance.id, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'message_deletion' then messaging.record_message_deletion(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'template_warning' then messaging.record_template_warning(instance.id, event)
        when 'number' then messaging.record_number_event(instance, event)
        when 'identity' then messaging.record_identity_event(instance.id, event)
        when 'preference' then messaging.record_preference_event(instance.id, event)
        when 'connection' then messaging.record_connection_event(instance, event)
        when 'control' then messaging.record_control_event(instance.id, event)
        when 'limit' then messaging.record_limit_event(instance, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  -- Last: a message may have been erased while this waited for it.
  perform messaging.keep_payload(instance.id, request->>'payload', request->'events')
  where request->>'payload' is not null;
  perform messaging.pause_failing_batches();
  perform messaging.touch_noted_contacts();
  perform messaging.trust_confirmed_instances();
  return jsonb_build_object('recorded', recorded);
end;
$$;

-- Records that a person has deleted a message for everyone: the contact, or somebody on the business's
-- own phone. Tells it once; the message keeps its words and its status. A deletion of an unknown message
-- changes nothing, also where the message arrives later. Returns whether it was news.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_deletion(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  for message in
    select m.*
    from messaging.messages m
    where m.instance_id = record_message_deletion.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.deleted_at is null
      -- One that waits to be sent once more is not what the provider knows by this id.
      and m.status not in ('queued', 'sending')
    for no key update
  loop
    message.deleted_at := clock_timestamp();
    perform messaging.write_content(message);
  end loop;
  return found;
end;
$$;

-- Records what a contact has set in the channel about marketing messages. `event`: address,
-- otherAddresses, marketing (denied or granted), at. Returns false where it changes nothing, or was
-- recorded before.
create or replace function messaging.record_preference_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts := messaging.resolve_sender(instance_id, event);
begin
  perform from messaging.consent_log l
  where l.contact_id = contact.id and l.source = 'user_preferences'
    and l.marketing = event->>'marketing' and l.said_at = (event->>'at')::timestamptz;
  return not found and messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', event->'marketing', 'source', 'user_preferences', 'saidAt', event->'at'
    )
  );
end;
$$;

-- Records how far the import of an instance's earlier messages is. `event`: phase, progress (percent), error
-- {code, message} (the business shares none: 2593109). Chunks come in any order, and again: the furthest counts.
-- Returns whether it was news.
create or replace function messaging.record_history_progress(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
begin
  insert into messaging.history_imports as h (instance_id, phase, progress, error)
  values (
    record_history_progress.instance_id, (event->>'phase')::smallint,
    case when event->>'progress' is not null then least((event->>'progress')::integer, 100) end,
    nullif(event->'error', 'null')
  )
  on conflict on constraint history_imports_pkey do update
  set phase = greatest(h.phase, excluded.phase),
    progress = greatest(h.progress, excluded.progress),
    -- A business that declines may share later.
    error = excluded.error,
    told_at = clock_timestamp()
  where (greatest(h.phase, excluded.phase), greatest(h.progress, excluded.progress), excluded.error)
    is distinct from (h.phase, h.progress, h.error);
  return found;
end;
$$;

-- An event of a channel without the business's own number among a person's addresses: gateways tell it beside
-- a contact's, and it is never a contact's. NULL for an event that concerns the own number as if it were a
-- person: a note to self, its profile, its entry in the address book, its change.
create or replace function messaging.without_own_number(instance messaging.instances, event jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
declare
  own_key constant text := instance.connected_phone_key;
  others constant jsonb := event->'otherAddresses';
begin
  if messaging.phone_identity_key(event->>'address') = own_key
    or messaging.phone_identity_key(event->>'oldAddress') = own_key
    or messaging.phone_identity_key(event->>'newAddress') = own_key then
    return null;
  end if;
  if coalesce(jsonb_array_length(others), 0) = 0 then
    return event;
  end if;
  return event || jsonb_build_object('otherAddresses', (
    select coalesce(jsonb_agg(o.address order by o.place), '[]')
    from jsonb_array_elements_text(others) with ordinality as o(address, place)
    where messaging.phone_identity_key(o.address) <> own_key
  ));
end;
$$;

-- Stores a webhook's payload as received, but nothing of what it says of erased persons, by messages that
-- are erased: a status that comes late, or a message that is delivered once more. `events` are what the
-- payload means.
create or replace function messaging.keep_payload(instance_id uuid, payload text, events jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  erased constant jsonb := messaging.erased_events(instance_id, events);
  kept text := payload;
begin
  if erased is not null then
    kept := case
      when jsonb_array_length(erased) < jsonb_array_length(events)
      then messaging.redact_payload(payload, messaging.marks_pattern(array(
        select e.value->>'providerMessageId' from jsonb_array_elements(erased) as e
        union
        select unnest(messaging.person_marks(
          array[e.value->>'address'] || array(
            select jsonb_array_elements_text(coalesce(e.value->'otherAddresses', '[]'))
          )
        ))
        from jsonb_array_elements(erased) as e
        where e.value->>'address' is not null
      )))
    end;
  end if;
  insert into messaging.provider_events (instance_id, payload)
  select keep_payload.instance_id, kept where kept is not null;
end;
$$;

-- Those of a webhook's events that are about messages of erased persons: see erased_messages.
create or replace function messaging.erased_events(instance_id uuid, events jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(e.value)
    from jsonb_array_elements(events) as e
    where exists (
      select from messaging.erased_messages x
      where x.instance_id = erased_events.instance_id
        and x.id_hash = any (array[
          messaging.message_id_hash(e.value->>'providerMessageId'),
          messaging.message_id_hash(e.value->>'messageId')
        ])
    )
  );
end;
$$;
