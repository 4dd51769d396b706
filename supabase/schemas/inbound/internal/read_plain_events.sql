-- The calls of record_provider_events (`calls`) that have one event that most webhooks have: an inbound
-- message, or a delivery event that neither fails a message nor repeats its words nor names a group's member.
-- Of several calls about one message, or of one that quotes it, only the first is given: the others must see
-- what it has done.
-- Executes no statement, whose start would cost more than the reading, except for a message that quotes
-- another one.
create or replace function messaging.read_plain_events(
  calls jsonb, out messages messaging.plain_event[], out statuses messaging.plain_event[]
) language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  call jsonb;
  event jsonb;
  plain messaging.plain_event;
  message_key text;
  seen_keys text[] := '{}';
  is_later boolean;
begin
  for place in 1..jsonb_array_length(calls) loop
    call := calls->(place - 1);
    event := call->'events'->0;
    message_key := concat_ws(' ', call->>'instanceId', event->>'providerMessageId');
    is_later := message_key = any (seen_keys)
      or (call->>'instanceId') || ' ' || (event->>'quotedProviderMessageId') = any (seen_keys);
    -- Also of a call that is not given: what comes after it must not be recorded before it.
    seen_keys := seen_keys || message_key;
    continue when is_later or jsonb_array_length(call->'events') <> 1
      or coalesce(
        case event->>'kind'
          when 'message' then event->>'origin' <> 'inbound' or (event->>'mayBeOurs')::boolean
            or (event->>'isEdit')::boolean or (event->>'mayRepeat')::boolean
          when 'status' then event->>'status' not in ('sent', 'delivered', 'read')
            or event->'sent' is not null or event->'member' is not null
          else true
        end,
        false
      );
    plain := null;
    plain.place := place;
    plain.instance_id := call->>'instanceId';
    plain.sealed_provider_config := call->>'sealedProviderConfig';
    plain.payload := call->>'payload';
    plain.provider_message_id := event->>'providerMessageId';
    if event->>'kind' = 'status' then
      plain.message_id := event->>'messageId';
      plain.status := event->>'status';
      plain.pricing := event->'pricing';
      plain.occurred_at := coalesce((event->>'at')::timestamptz, clock);
      statuses := statuses || plain;
      continue;
    end if;
    plain.occurred_at := messaging.event_instant(event);
    plain.addresses := array[event->>'address'];
    plain.identity_keys := array[messaging.phone_identity_key(event->>'address')];
    for other in 0..coalesce(jsonb_array_length(event->'otherAddresses'), 0) - 1 loop
      plain.addresses := plain.addresses || (event->'otherAddresses'->>other);
      plain.identity_keys := plain.identity_keys
        || messaging.phone_identity_key(event->'otherAddresses'->>other);
    end loop;
    plain.contact_name := event->>'contactName';
    plain.profile_picture_url := event->>'profilePictureUrl';
    plain.message_type := event->>'messageType';
    plain.message := event->>'message';
    plain.content := nullif(event->'content', 'null');
    plain.is_group := coalesce((event->>'isGroup')::boolean, false);
    plain.chat_name := event->>'chatName';
    plain.may_ask_agent := not plain.is_group
      and (event->>'isReaction')::boolean is not true
      and (event->>'isUnreadable')::boolean is not true;
    plain.is_standby := coalesce((event->>'isStandby')::boolean, false);
    plain.author := nullif(event->'author', 'null');
    plain.quoted_provider_message_id := event->>'quotedProviderMessageId';
    if plain.quoted_provider_message_id is not null then
      plain.quoted_message_id := messaging.find_quoted_message(plain.instance_id, event);
    end if;
    plain.file := messaging.read_event_file(event);
    if plain.file is not null then
      plain.media_id := messaging.event_media_id(plain.file);
    end if;
    messages := messages || plain;
  end loop;
end;
$$;
