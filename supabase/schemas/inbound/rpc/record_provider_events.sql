-- Stores a webhook payload and what it means, all in one transaction: inbound messages, reactions, echoes of
-- what was typed on the phone, imported messages, names, addresses, delivery events, template decisions, changed
-- numbers and keys, preferences, connections, limits, facts of the own number.
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
