set local check_function_bodies = off;

-- Lets the agent's waiting answer in a conversation wait for the words of a voice message, at most half a
-- minute: release_agent_reply lets it go as soon as they are there, or do not come. Changes nothing where
-- the message has no sound, or its instance does without transcripts.
create or replace function messaging.await_transcript(media_id uuid, conversation_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if media_id is null or not exists (
    select from messaging.media m
    join messaging.instances i on i.id = m.instance_id
    where m.id = await_transcript.media_id and m.kind = 'audio' and i.transcribes_voice
  ) then
    return;
  end if;
  update messaging.outbox o
  set run_at = greatest(o.run_at, clock_timestamp() + interval '30 seconds')
  where o.conversation_id = await_transcript.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null;
end;
$$;
revoke all on function messaging.await_transcript(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.await_transcript(uuid, uuid) to service_role;

-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'instanceId', instance.id,
    'workspaceId', instance.workspace_id,
    'name', instance.name,
    'provider', instance.provider,
    'gatewayInstanceId', instance.gateway_instance_id,
    'businessInstanceId', instance.business_instance_id,
    'embedKey', instance.embed_key,
    'connectedPhone', instance.connected_phone,
    'timeZone', instance.time_zone,
    'sendWindow', jsonb_build_object(
      'start', to_char(instance.window_start, 'HH24:MI'),
      'end', to_char(instance.window_end, 'HH24:MI'),
      'days', to_jsonb(instance.window_days),
      'holidays', (
        select coalesce(jsonb_agg(h.day order by h.day), '[]')
        from messaging.holidays h where h.instance_id = instance.id
      )
    ),
    'optOut', jsonb_build_object(
      'keywords', to_jsonb(instance.opt_out_keywords),
      'resumeKeywords', to_jsonb(instance.opt_out_resume_keywords),
      'confirmation', instance.opt_out_confirmation
    ),
    'retention', jsonb_build_object(
      'messagesDays', instance.retention_messages_days,
      'mediaDays', instance.retention_media_days,
      'providerEventsDays', nullif(coalesce(instance.retention_provider_events_days, 30), 0)
    ),
    'protection', instance.protection,
    'transcribeVoice', instance.transcribes_voice,
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_instance(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.describe_instance(messaging.instances) to service_role;

-- The newest messages that were really sent to or received from a contact in a span of time (the end
-- is not included), oldest first: what messages-context shows and what an agent is told.
-- `wanted_direction`: inbound, outbound, or NULL for both.
-- Returns {messages, hasMore}: hasMore says whether older ones of the span were left out. Instants
-- are Unix milliseconds.
-- A page is at most 1 MiB in the answer, with the sender's name beside each message and 4 KiB for
-- what stands around them; beyond it the older ones are left out. Sizes are first summed as stored,
-- which reads no text, so that never much more than a page is put together; then as messages-context
-- shows them with `format=raw`, where a member that `content` lacks is shown as null.
-- Most providers tell whole seconds, so a reply can seem older than the message that it answers:
-- within one second messages stand in the order in which they came here, or could leave at the
-- earliest; those that were told more exactly in their own. So the page is found by the index, but
-- cut within its oldest second by that order.
-- Whole sorts are off: the planner takes a contact for one with few messages and would read all that
-- it has in the span, where index order and an incremental sort stop at the page.
create or replace function messaging.history_page(
  instance_id uuid,
  contact_id uuid,
  starts_at timestamptz,
  ends_at timestamptz,
  wanted_direction text,
  page_size integer
)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_sort = off
as $$
declare
  -- The signed link that takes the place of a file's URL (shared/media/links.ts).
  link_bytes constant integer := 450;
  max_bytes constant integer := 1024 * 1024 - 4096;
  absent_content constant jsonb := jsonb_build_object(
    'mediaUrl', null, 'mediaId', null, 'mediaFilename', null, 'optionList', null, 'choice', null,
    'template', null
  );
  sender_bytes integer;
  messages jsonb;
  has_more boolean;
begin
  select coalesce(octet_length(to_jsonb(c.name)::text), 0)
      + octet_length(to_jsonb(i.name)::text) + 96
  into sender_bytes
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = history_page.contact_id;
  with newest as materialized (
    select m.*
    from messaging.messages m
    where m.instance_id = history_page.instance_id and m.contact_id = history_page.contact_id
      and m.sent_at >= starts_at and m.sent_at < ends_at
      and m.status in ('sent', 'delivered', 'read', 'received')
      and (wanted_direction is null or m.direction = wanted_direction)
    order by m.sent_at desc
    limit page_size + 1
  ),
  oldest as (
    select min(n.sent_at) as sent_at from newest n having count(*) > page_size
  ),
  candidate as (
    select n.* from newest n
    union all
    select m.*
    from oldest
    join messaging.messages m on m.instance_id = history_page.instance_id
      and m.contact_id = history_page.contact_id
      and m.sent_at between greatest(starts_at, date_trunc('second', oldest.sent_at))
        and oldest.sent_at
    where m.status in ('sent', 'delivered', 'read', 'received')
      and (wanted_direction is null or m.direction = wanted_direction)
      and not exists (select from newest n where n.id = m.id)
  ),
  placed as (
    select c.*,
      row_number() over (
        order by date_trunc('second', c.sent_at) desc,
          case
            when c.direction = 'inbound' and c.sent_at <> date_trunc('second', c.sent_at)
              then c.sent_at
            else greatest(c.created_at, c.scheduled_for)
          end desc,
          c.id desc
      ) as place
    from candidate c
  ),
  stored as (
    select p.*,
      file.status as media_status,
      file.transcript,
      sum(
        coalesce(octet_length(p.message), 0) + coalesce(octet_length(p.content->>'mediaUrl'), 0)
          + coalesce(octet_length(file.transcript), 0)
      ) over (order by p.place) as stored_bytes
    from placed p
    left join lateral (
      select d.status, d.transcript from messaging.media d
      where p.media_id is not null and d.id = p.media_id
      offset 0
    ) as file on true
    where p.place <= page_size
  ),
  described as (
    select n.place,
      n.content,
      jsonb_build_object(
        'messageId', n.id,
        'direction', n.direction,
        'messageType', n.message_type,
        'message', n.message,
        'cardId', n.card_id,
        'sentBy', n.sent_by,
        'operatorName', o.name,
        'agentName', a.name,
        'status', n.status,
        'providerMessageId', n.provider_message_id,
        'sentAtMs', floor(extract(epoch from n.sent_at) * 1000),
        'deliveredAtMs', floor(extract(epoch from n.delivered_at) * 1000),
        'readAtMs', floor(extract(epoch from n.read_at) * 1000),
        'isGroup', n.is_group,
        'chatName', n.chat_name,
        'mediaId', n.media_id,
        'mediaStatus', case when n.media_id is not null then coalesce(n.media_status, 'expired') end,
        'transcript', n.transcript
      ) as item
    from stored n
    left join messaging.operators o on o.id = n.operator_id
    left join messaging.ai_agents a on a.id = n.agent_id
    where n.stored_bytes <= max_bytes
  ),
  measured as (
    select d.place,
      d.item || jsonb_build_object('content', d.content) as item,
      sum(
        octet_length((d.item || absent_content || coalesce(d.content, '{}'))::text) + sender_bytes
          + case when d.item->>'mediaId' is null then 0 else link_bytes end
      ) over (order by d.place) as bytes
    from described d
  )
  select
    coalesce(
      jsonb_agg(m.item order by m.place desc) filter (where m.bytes <= max_bytes), '[]'
    ),
    exists (select from oldest)
      or (select count(*) from stored) > count(*) filter (where m.bytes <= max_bytes)
  into messages, has_more
  from measured m;
  return jsonb_build_object('messages', messages, 'hasMore', has_more);
end;
$$;
revoke all
on function messaging.history_page(uuid, uuid, timestamptz, timestamptz, text, integer)
from public, anon, authenticated;
grant execute
on function messaging.history_page(uuid, uuid, timestamptz, timestamptz, text, integer)
to service_role;

-- How often the work of an outbox row is tried: 12 times (about 10 hours), 5 for an agent's reply
-- (minutes: later it would answer out of the blue), 5 for a received file (an hour) and 3 for a transcript,
-- which is worth little later.
create or replace function messaging.outbox_attempts(kind text)
returns integer
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case kind
    when 'agent_reply' then 5
    when 'media_fetch' then 5
    when 'media_transcription' then 3
    else 12
  end;
$$;
revoke all on function messaging.outbox_attempts(text) from public, anon, authenticated;
grant execute on function messaging.outbox_attempts(text) to service_role;

-- How long an outbox row waits after this many attempts: 5 seconds, tripled each time, at most two hours.
-- A file's five attempts spread over an hour.
create or replace function messaging.outbox_delay(kind text, attempts integer)
returns interval
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when kind = 'media_fetch'
      then make_interval(secs => (array[15, 120, 600, 2700])[least(greatest(attempts, 1), 4)])
    else least(interval '5 seconds' * power(3, attempts - 1), interval '2 hours')
  end;
$$;
revoke all on function messaging.outbox_delay(text, integer) from public, anon, authenticated;
grant execute on function messaging.outbox_delay(text, integer) to service_role;

-- The file of a message event that is to be fetched: {source, mimeType, sha256, filename}. NULL for an
-- event without one, and for one of a kind that has none.
create or replace function messaging.read_event_file(event jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if jsonb_typeof(event->'file') = 'object'
    and event->>'messageType' in ('image', 'audio', 'video', 'document') then
    return event->'file';
  end if;
  return null;
end;
$$;
revoke all on function messaging.read_event_file(jsonb) from public, anon, authenticated;
grant execute on function messaging.read_event_file(jsonb) to service_role;

-- The calls of record_provider_events (`calls`) that have one event of a plain kind. Of several calls
-- about one message, or of one that quotes it, only the first is given: the others must see what it has
-- done.
-- Executes no statement, whose start would cost more than the reading, except for a message that quotes
-- another one.
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
      or not messaging.is_plain_event(event) or message_key = any (seen_keys)
      or (call->>'instanceId') || ' ' || (event->>'quotedProviderMessageId') = any (seen_keys);
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
    for other in 0..coalesce(jsonb_array_length(event->'otherAddresses'), 0) - 1 loop
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
    if event->>'quotedProviderMessageId' is not null then
      plain.quoted_message_id := messaging.find_quoted_message(plain.instance_id, event);
    end if;
    plain.file := messaging.read_event_file(event);
    if plain.file is not null then
      plain.media_id := gen_random_uuid();
    end if;
    messages := messages || plain;
  end loop;
end;
$$;
revoke all on function messaging.read_plain_events(jsonb) from public, anon, authenticated;
grant execute on function messaging.read_plain_events(jsonb) to service_role;

-- Stores a message that a person wrote: the contact, or somebody on the business's own phone.
-- An inbound message opens a closed conversation and requests the agent's answer. An echo pauses the
-- agent, as any operator's message does. Groups and reactions do neither, and a message that the
-- channel does not show (isUnreadable) requests no answer. An inbound message that is a keyword of the
-- instance decides about marketing instead: see apply_keyword.
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
  file constant jsonb := messaging.read_event_file(event);
  media_id constant uuid := case when file is not null then gen_random_uuid() end;
  keyword_said text;
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
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end,
    event->>'messageType', event->>'message', nullif(event->'content', 'null'),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', written_at, is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event),
    media_id
  )
  returning id into message_id;
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
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
  if not is_group and not is_reaction and event->>'messageType' in ('text', 'option_list') then
    keyword_said := messaging.read_keyword(
      instance.opt_out_keywords, instance.opt_out_resume_keywords, event->>'message'
    );
  end if;
  if keyword_said is not null then
    perform messaging.apply_keyword(
      instance.id, contact.id, conversation.id, message_id, keyword_said, written_at
    );
  elsif not is_group and not is_reaction and (event->>'isUnreadable')::boolean is not true then
    perform messaging.request_agent_reply(instance, contact.id, conversation.id);
    perform messaging.await_transcript(media_id, conversation.id);
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

-- Records inbound messages of known persons and their payloads, as record_message_event does: one
-- statement for all of them.
-- Returns the places of the recorded events. Leaves the others untouched: those of unknown persons, of
-- addresses that belong to several contacts, of messages that are stored already or erased, and of
-- instances whose credentials have been replaced.
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
  keywords jsonb[] := '{}';
begin
  for stored in
    with known as (
      select e.*, gen_random_uuid() as stored_id, contact.id as contact_id, contact.is_nameless,
        conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id,
        case
          when e.may_ask_agent and e.message_type in ('text', 'option_list')
          then messaging.read_keyword(instance.keywords, instance.resume_keywords, e.message)
        end as keyword_said
      from unnest(events) as e
      cross join lateral (
        select i.opt_out_keywords as keywords, i.opt_out_resume_keywords as resume_keywords
        from messaging.instances i
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
          select true from messaging.erased_messages x
          where x.instance_id = e.instance_id
            and x.id_hash = messaging.message_id_hash(e.provider_message_id)
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
        is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
        quoted_message_id, media_id
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.stored_id, k.instance_id, k.contact_id, k.conversation_id, 'inbound', k.message_type, k.message,
        k.content, false, 'received', k.provider_message_id, k.occurred_at, k.is_group, k.chat_name,
        clock_timestamp(), k.quoted_message_id, k.media_id
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
      k.message_type, k.media_id, k.file,
      k.keyword_said, k.occurred_at,
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
      k.may_ask_agent and k.keyword_said is null and (
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
    if stored.media_id is not null then
      perform messaging.add_channel_media(
        stored.media_id, stored.instance_id, stored.contact_id, stored.message_type, stored.file
      );
    end if;
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
    if stored.keyword_said is not null then
      keywords := keywords || to_jsonb(stored);
    end if;
    if stored.asks_agent then
      perform messaging.request_agent_reply(i, stored.contact_id, stored.conversation_id)
      from messaging.instances i where i.id = stored.instance_id;
      perform messaging.await_transcript(stored.media_id, stored.conversation_id);
    end if;
  end loop;
  perform messaging.record_message_events(ids, array['message.received']);
  perform messaging.apply_keyword(
    (said->>'instance_id')::uuid, (said->>'contact_id')::uuid, (said->>'conversation_id')::uuid,
    (said->>'stored_id')::uuid, said->>'keyword_said', (said->>'occurred_at')::timestamptz
  )
  from unnest(keywords) as said;
  return recorded;
end;
$$;
revoke all
on function messaging.record_plain_messages(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_messages(messaging.plain_event[]) to service_role;

-- Lets the agent answer that waits for a file's words: nothing more will come of it. See await_transcript.
create or replace function messaging.release_agent_reply(media_id uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  update messaging.outbox o
  set run_at = clock_timestamp()
  where o.conversation_id = any (array(
      select m.conversation_id from messaging.messages m
      where m.media_id = release_agent_reply.media_id
    ))
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
    and o.run_at > clock_timestamp();
end;
$$;
revoke all on function messaging.release_agent_reply(uuid) from public, anon, authenticated;
grant execute on function messaging.release_agent_reply(uuid) to service_role;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, protection (see changed_protection), retention {messagesDays, mediaDays, providerEventsDays, each
-- optional; null is for ever}, transcribeVoice, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance
-- reads them back. Returns the instance. Locks the instance. Raises unique_violation where another
-- instance has one of its ids.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances
language plpgsql
set search_path = ''
as $$
declare
  send_window constant jsonb := settings->'sendWindow';
  opt_out constant jsonb := settings->'optOut';
  retention constant jsonb := settings->'retention';
  instance messaging.instances;
begin
  update messaging.instances i
  set name = coalesce(settings->>'name', i.name),
    sealed_provider_config = coalesce(settings->>'sealedProviderConfig', i.sealed_provider_config),
    gateway_instance_id = case
      when settings ? 'sealedProviderConfig' then settings->>'gatewayInstanceId'
      else i.gateway_instance_id
    end,
    business_instance_id = case
      when settings ? 'businessInstanceId' then settings->>'businessInstanceId'
      else i.business_instance_id
    end,
    connected_phone = coalesce(settings->>'connectedPhone', i.connected_phone),
    connected_phone_key = messaging.phone_identity_key(
      coalesce(settings->>'connectedPhone', i.connected_phone)
    ),
    time_zone = coalesce(settings->>'timeZone', i.time_zone),
    window_start = coalesce((send_window->>'start')::time, i.window_start),
    window_end = coalesce((send_window->>'end')::time, i.window_end),
    window_days = case
      when send_window ? 'days'
      then array(select jsonb_array_elements_text(send_window->'days')::smallint)
      else i.window_days
    end,
    opt_out_keywords = case
      when opt_out ? 'keywords' then array(select jsonb_array_elements_text(opt_out->'keywords'))
      else i.opt_out_keywords
    end,
    opt_out_resume_keywords = case
      when opt_out ? 'resumeKeywords'
      then array(select jsonb_array_elements_text(opt_out->'resumeKeywords'))
      else i.opt_out_resume_keywords
    end,
    opt_out_confirmation = case
      when opt_out ? 'confirmation' then opt_out->>'confirmation' else i.opt_out_confirmation
    end,
    retention_messages_days = case
      when retention ? 'messagesDays' then (retention->>'messagesDays')::integer
      else i.retention_messages_days
    end,
    retention_media_days = case
      when retention ? 'mediaDays' then (retention->>'mediaDays')::integer
      else i.retention_media_days
    end,
    retention_provider_events_days = case
      when retention ? 'providerEventsDays'
      then coalesce((retention->>'providerEventsDays')::integer, 0)
      else i.retention_provider_events_days
    end,
    transcribes_voice = coalesce((settings->>'transcribeVoice')::boolean, i.transcribes_voice),
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    requests_per_minute = case
      when settings ? 'requestsPerMinute' then (settings->>'requestsPerMinute')::integer
      else i.requests_per_minute
    end,
    protection = case
      when settings ? 'protection'
        then messaging.changed_protection(i.protection, settings->'protection')
      else i.protection
    end,
    updated_at = now()
  where i.id = write_instance_settings.instance_id
  returning i.* into strict instance;
  if send_window ? 'holidays' then
    delete from messaging.holidays h where h.instance_id = instance.id;
    insert into messaging.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;
  return instance;
end;
$$;
revoke all
on function messaging.write_instance_settings(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.write_instance_settings(uuid, jsonb) to service_role;

-- What a worker needs to fetch a file that a provider has, for the claim of its outbox row.
-- `request`: mediaId. Returns {file}: NULL where there is nothing to fetch (any more). A file whose row
-- a person has sent round again is `pending` again.
create or replace function public.begin_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  update messaging.media m
  set status = 'pending'
  where m.id = (request->>'mediaId')::uuid and m.status = 'failed' and m.source is not null;
  return jsonb_build_object('file', (
    select jsonb_build_object(
      'mediaId', m.id,
      'kind', m.kind,
      'mimeType', m.mime_type,
      'sha256', m.sha256,
      'filename', m.filename,
      'source', m.source,
      'storagePath', m.storage_path,
      'hadWrongSha256', coalesce(m.last_error->>'code' = 'wrong_sha256', false),
      'isVoice', m.kind = 'audio' and i.transcribes_voice,
      'instanceId', i.id,
      'provider', i.provider,
      'sealedProviderConfig', i.sealed_provider_config
    )
    from messaging.media m
    join messaging.instances i on i.id = m.instance_id
    where m.id = (request->>'mediaId')::uuid and m.status = 'pending' and m.origin = 'channel'
  ));
end;
$$;
revoke all on function public.begin_media_fetch(jsonb) from public, anon, authenticated;
grant execute on function public.begin_media_fetch(jsonb) to service_role;

-- What a worker needs to write down a voice message. `request`: mediaId. Returns {file}: {mediaId,
-- storagePath, mimeType, size}, NULL where there is nothing to write down.
create or replace function public.begin_transcription(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('file', (
    select jsonb_build_object(
      'mediaId', m.id,
      'storagePath', m.storage_path,
      'mimeType', m.mime_type,
      'size', m.size
    )
    from messaging.media m
    where m.id = (request->>'mediaId')::uuid and m.status = 'stored' and m.transcript is null
  ));
$$;
revoke all on function public.begin_transcription(jsonb) from public, anon, authenticated;
grant execute on function public.begin_transcription(jsonb) to service_role;

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.claim_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with due as (
    select o.id, o.kind, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from jsonb_array_elements_text(request->'kinds') as wanted(kind)
    -- Each kind by itself: what waits of another one is not read.
    cross join lateral (
      select r.*
      from messaging.outbox r
      where r.kind = wanted.kind and r.settled_at is null
        and r.run_at <= (select clock_timestamp())
      order by r.run_at
      limit (request->>'maxRows')::integer
      for no key update skip locked
    ) as o
    order by o.run_at
    limit (request->>'maxRows')::integer
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, due.kind not like 'media_%' and exists (
      select from messaging.dispatch d
      where d.instance_id = any (array[due.instance_id])
        and d.operator_hold_until > (select clock_timestamp())
    ) as is_held
    from due
  ),
  postponed as (
    update messaging.outbox o
    set run_at = held.operator_hold_until
    from checked
    join (
      select d.instance_id, d.operator_hold_until
      from messaging.dispatch d
      where d.operator_hold_until > (select clock_timestamp())
        and d.instance_id in (select c.instance_id from checked c where c.is_held)
      order by d.instance_id
      for share skip locked
    ) as held on held.instance_id = checked.instance_id
    where o.id = any (array[checked.id]) and checked.is_held
  ),
  given_up as (
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'worker_lost',
      settled_at = clock_timestamp()
    from checked
    where o.id = any (array[checked.id]) and checked.is_over and not checked.is_held
    returning o.kind, o.payload
  ),
  -- A file that kills its worker each time.
  lost_files as (
    update messaging.media m
    set status = 'failed',
      last_error = '{"code": "worker_lost", "message": "The file could not be fetched."}'
    from given_up
    where m.id = any (array[(given_up.payload->>'mediaId')::uuid])
      and given_up.kind = 'media_fetch' and m.status = 'pending'
  ),
  claimed as (
    update messaging.outbox o
    set claim_token = gen_random_uuid(),
      attempts = o.attempts + 1,
      run_at = clock_timestamp()
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from checked
    where o.id = any (array[checked.id]) and not checked.is_over and not checked.is_held
    returning o.id, o.claim_token, o.kind, o.payload
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload
    )),
    '[]'
  ))
  from claimed c;
$$;
revoke all on function public.claim_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.claim_outbox(jsonb) to service_role;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- Returns {status, isForgotten}: the file's status now, NULL where the claim was lost; isForgotten says
-- that a stored file is wanted no more, and is to be deleted.
-- Locks the file, then the outbox row.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  outcome constant text := request->>'outcome';
  file messaging.media;
  row_status text;
  file_status text;
begin
  select m.* into file from messaging.media m
  where m.id = (request->>'mediaId')::uuid
  for no key update;
  if outcome = 'retry' and (request->>'isOutage')::boolean
    and file.created_at > clock - interval '1 day' then
    update messaging.outbox o
    set attempts = greatest(o.attempts - 1, 0)
    where o.id = (request->>'outboxId')::uuid
      and o.claim_token = (request->>'claimToken')::uuid and o.status = 'pending';
  end if;
  row_status := public.settle_outbox(
    jsonb_build_object(
      'outboxId', request->>'outboxId',
      'claimToken', request->>'claimToken',
      'outcome', case outcome when 'retry' then 'retry' else 'done' end,
      'error', request->'error'->>'code',
      'retryAfterMs', request->'retryAfterMs'
    )
  )->>'status';
  if row_status is null then
    return jsonb_build_object('status', null, 'isForgotten', false);
  end if;
  if file.id is null or file.status = 'expired' then
    return jsonb_build_object('status', 'expired', 'isForgotten', outcome = 'stored');
  end if;
  file_status := case
    when outcome <> 'retry' then outcome
    when row_status = 'dead' then 'failed'
    else 'pending'
  end;
  if outcome = 'stored' then
    update messaging.media m
    set status = 'stored', mime_type = request->>'mimeType', size = (request->>'size')::bigint,
      sha256 = request->>'sha256', stored_at = clock, last_error = null, source = null
    where m.id = file.id;
    if (request->>'asksTranscript')::boolean then
      insert into messaging.outbox (workspace_id, kind, payload)
      select i.workspace_id, 'media_transcription',
        jsonb_build_object('instanceId', i.id, 'mediaId', file.id)
      from messaging.instances i
      where i.id = file.instance_id;
      return jsonb_build_object('status', 'stored', 'isForgotten', false);
    end if;
  else
    -- The source stays with what has failed: a person may send it round again.
    update messaging.media m
    set status = file_status, last_error = request->'error',
      source = case when file_status = 'expired' then null else m.source end,
      storage_path = case when file_status = 'expired' then null else m.storage_path end
    where m.id = file.id;
  end if;
  if file_status <> 'pending' and file.kind = 'audio' then
    perform messaging.release_agent_reply(file.id);
  end if;
  return jsonb_build_object('status', file_status, 'isForgotten', false);
end;
$$;
revoke all on function public.settle_media_fetch(jsonb) from public, anon, authenticated;
grant execute on function public.settle_media_fetch(jsonb) to service_role;

-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with settled as (
    update messaging.outbox o
    set claim_token = null,
      last_error = request->>'error',
      status = case
        when request->>'outcome' = 'done' then 'done'
        when request->>'outcome' = 'dead' or o.attempts >= messaging.outbox_attempts(o.kind) then 'dead'
        else 'pending'
      end,
      settled_at = case
        when request->>'outcome' = 'retry' and o.attempts < messaging.outbox_attempts(o.kind) then null
        else clock_timestamp()
      end,
      run_at = clock_timestamp() + greatest(
        messaging.outbox_delay(o.kind, o.attempts),
        interval '1 millisecond'
          * least(coalesce((request->>'retryAfterMs')::double precision, 0), 86400000)
      )
    where o.id = (request->>'outboxId')::uuid
      and o.claim_token = (request->>'claimToken')::uuid
      and o.status = 'pending'
    returning o.status
  )
  select jsonb_build_object('status', (select s.status from settled s));
$$;
revoke all on function public.settle_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.settle_outbox(jsonb) to service_role;

-- Records the words of a voice message, or that there are none, with its outbox row; the agent's answer
-- waits for them no longer. `request`: outboxId, claimToken, mediaId, outcome (done | retry), transcript
-- (NULL for none), error (a code). Returns {status} of the outbox row, NULL where the claim was lost.
create or replace function public.settle_transcription(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  row_status text;
begin
  row_status := public.settle_outbox(request)->>'status';
  if row_status is null then
    return jsonb_build_object('status', null);
  end if;
  if request->>'transcript' is not null then
    update messaging.media m
    set transcript = request->>'transcript'
    where m.id = (request->>'mediaId')::uuid and m.status = 'stored';
  end if;
  if row_status <> 'pending' then
    perform messaging.release_agent_reply((request->>'mediaId')::uuid);
  end if;
  return jsonb_build_object('status', row_status);
end;
$$;
revoke all on function public.settle_transcription(jsonb) from public, anon, authenticated;
grant execute on function public.settle_transcription(jsonb) to service_role;

alter table messaging.instances add column if not exists transcribes_voice boolean default true not null;

alter type messaging.plain_event add attribute file jsonb;

alter type messaging.plain_event add attribute media_id uuid;

comment on column messaging.plain_event.file is
  'What add_channel_media takes, where the message has a file that is to be fetched; media_id is its id.';

-- A thousand files that wait must not be read by each look for e-mails.
create index if not exists outbox_due_by_kind on messaging.outbox (kind, run_at) where settled_at is null;
