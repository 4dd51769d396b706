set local check_function_bodies = off;

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
  -- 131050 of the official channel: the contact has stopped marketing messages there.
  if advance_message.status = 'failed' and error->>'code' = '131050' then
    perform messaging.change_consent(
      moved_contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
    );
  end if;
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

-- Makes what a contact's keyword said (see read_keyword) its consent. Where that denies marketing anew,
-- queues the instance's one confirmation: a message of the system, due at once. It pauses no agent.
-- None goes to a blocked contact, nor where the official channel would refuse it: the contact wrote more
-- than 24 hours ago. `message_id`: the contact's message, which the agent then does not see.
create or replace function messaging.apply_keyword(
  instance_id uuid,
  contact_id uuid,
  conversation_id uuid,
  message_id uuid,
  said text,
  written_at timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  confirmation_id constant uuid := gen_random_uuid();
  placed record;
begin
  if not messaging.change_consent(
    apply_keyword.contact_id,
    jsonb_build_object(
      'marketing', said, 'source', 'keyword', 'saidAt', written_at, 'messageId', message_id
    )
  ) or said <> 'denied' then
    return;
  end if;
  select i.* into strict instance from messaging.instances i where i.id = apply_keyword.instance_id;
  perform from messaging.contacts c
  where c.id = apply_keyword.contact_id and not c.is_blocked
    and (
      instance.provider_class <> 'official'
      or c.last_inbound_at >= clock_timestamp() - interval '24 hours'
    );
  if not found or instance.opt_out_confirmation is null then
    return;
  end if;
  placed := messaging.place_message(
    confirmation_id, instance, jsonb '{"isDeferred": true}', interval '0'
  );
  insert into messaging.messages (
    id, instance_id, contact_id, conversation_id, direction, message_type, message, sent_by, mode,
    status, scheduled_for, purpose
  ) values (
    confirmation_id, instance.id, apply_keyword.contact_id, apply_keyword.conversation_id, 'outbound',
    'text', instance.opt_out_confirmation, 'system', placed.mode, 'queued', placed.slot,
    'opt_out_confirmation'
  );
end;
$$;
revoke all
on function messaging.apply_keyword(uuid, uuid, uuid, uuid, text, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.apply_keyword(uuid, uuid, uuid, uuid, text, timestamptz)
to service_role;

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
        and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' as pauses_agent
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

-- A text as keywords are compared: without regard to case and accents, and without the blanks and the
-- punctuation around it. A question mark stays: a question is no decision.
create or replace function messaging.fold_keyword(given text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
begin
  return regexp_replace(
    lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f\u200b-\u200f\ufe0f\ufeff]', '', 'g')),
    '^[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+|[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+$', '', 'g'
  );
end;
$$;
revoke all on function messaging.fold_keyword(text) from public, anon, authenticated;
grant execute on function messaging.fold_keyword(text) to service_role;

-- What a contact's message decides about marketing: `denied` or `granted` where the whole message is one
-- of the instance's keywords, NULL for any other. A word within a sentence never counts.
create or replace function messaging.read_keyword(
  keywords text[],
  resume_keywords text[],
  message text
)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  folded text;
begin
  -- A keyword has at most 40 characters; most messages end here.
  if message is null or char_length(message) > 80 then
    return null;
  end if;
  folded := messaging.fold_keyword(message);
  if folded = '' then
    return null;
  elsif folded = any (array(select messaging.fold_keyword(k) from unnest(keywords) as k)) then
    return 'denied';
  elsif folded = any (array(select messaging.fold_keyword(k) from unnest(resume_keywords) as k)) then
    return 'granted';
  end if;
  return null;
end;
$$;
revoke all
on function messaging.read_keyword(text[], text[], text)
from public, anon, authenticated;
grant execute on function messaging.read_keyword(text[], text[], text) to service_role;

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

-- Records what a contact has set in the channel about marketing messages. `event`: address,
-- otherAddresses, marketing (denied or granted), at. Returns false where it changes nothing, or was
-- recorded before.
create or replace function messaging.record_preference_event(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
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
revoke all
on function messaging.record_preference_event(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_preference_event(uuid, jsonb) to service_role;

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
  instances uuid[];
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
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' as pauses_agent
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
  perform messaging.hold_event_floors(instances);
  with sent as (
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
  where m.id = any (settled)
  returning m as message
  )
  insert into messaging.events (instance_id, contact_id, type, data)
  select (s.message).instance_id, (s.message).contact_id, 'message.sent',
    messaging.message_event_data(
      'message.sent', messaging.message_record(s.message, i.time_zone, false), null, shown.phone,
      c.name
    )
  from sent s
  cross join lateral (
    select n.time_zone from messaging.instances n where n.id = (s.message).instance_id offset 0
  ) as i
  cross join lateral (
    select p.phone, p.name from messaging.contacts p where p.id = (s.message).contact_id offset 0
  ) as c
  -- As contact_display_phone.
  cross join lateral (
    select coalesce(
      (
        select case when newest.changed_by is not null then newest.address end
        from (
          select a.address, a.changed_by
          from messaging.contact_addresses a
          where a.contact_id = (s.message).contact_id
          order by a.proven_at desc
          limit 1
        ) as newest
      ),
      c.phone
    ) as phone
  ) as shown
  order by (s.message).id;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with
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
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    requests_per_minute = case
      when settings ? 'requestsPerMinute' then (settings->>'requestsPerMinute')::integer
      else i.requests_per_minute
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

-- Returns what an agent needs to answer in a conversation: the agent, what it may know of the contact,
-- and the recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn, isLimitReached}. turn is NULL when the agent must not answer now (paused, not active,
-- a blocked contact, or its answers of this hour used up: isLimitReached) or no question is open.
-- A message that was a keyword about marketing is left out: it asks the agent nothing.
-- History and number of questions (answersThrough) come from one snapshot: a message that commits
-- later is counted later and requests a turn of its own.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation messaging.conversations;
  contact messaging.contacts;
  agent messaging.ai_agents;
  answered_count bigint;
  collected_data jsonb;
  limited_until timestamptz;
begin
  select c.* into conversation from messaging.conversations c
  where c.id = (request->>'conversationId')::uuid
    and c.instance_id = (request->>'instanceId')::uuid;
  select c.* into contact from messaging.contacts c where c.id = conversation.contact_id;
  select a.* into agent from messaging.ai_agents a
  where a.id = messaging.conversation_agent(conversation) and a.is_active;
  select s.answered_count, s.collected_data, messaging.agent_limited_until(s.answered_at)
  into answered_count, collected_data, limited_until
  from messaging.agent_sessions s where s.conversation_id = conversation.id;
  if agent.id is null or contact.is_blocked
    or conversation.question_count <= coalesce(answered_count, 0)
    or limited_until is not null
    or exists (
      select from messaging.agent_pauses p
      where p.contact_id = contact.id and p.paused_until > clock_timestamp()
    ) then
    return jsonb_build_object(
      'turn', null,
      'isLimitReached', limited_until is not null
        and conversation.question_count > coalesce(answered_count, 0)
    );
  end if;
  return jsonb_build_object('isLimitReached', false, 'turn', jsonb_build_object(
    'agentId', agent.id,
    'model', agent.model,
    'instructions', agent.instructions,
    'collectedData', coalesce(collected_data, '{}'),
    'givenName', case when not contact.is_profile_name then contact.name end,
    'profileName', case when contact.is_profile_name then contact.name end,
    'contactPhone', messaging.contact_display_phone(contact),
    'address', messaging.contact_send_address(contact, null),
    'answeredBefore', coalesce(answered_count, 0),
    'answersThrough', conversation.question_count,
    'history', (
      select coalesce(jsonb_agg(h.message order by h.place), '[]')
      from jsonb_array_elements(
        messaging.history_page(
          contact.instance_id, contact.id, '-infinity', 'infinity', null, (request->>'limit')::integer
        )->'messages'
      ) with ordinality as h(message, place)
      where (h.message->>'messageId')::uuid <> all (array(
        select l.message_id from messaging.consent_log l
        where l.contact_id = contact.id and l.message_id is not null
      ))
    )
  ));
end;
$$;
revoke all on function public.read_agent_turn(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_turn(jsonb) to service_role;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers, preferences.
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
        when 'preference' then messaging.record_preference_event(instance.id, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;

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
      perform messaging.touch_noted_contacts();
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
    if results @? '$[*] ? (@.error.code == "131050")' then
      -- The contact has stopped marketing messages on the official channel.
      perform messaging.change_consent(
        s.contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
      )
      from unnest(decided) as s
      where s.error->>'code' = '131050'
      order by s.contact_id;
    end if;
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
  -- Last of all locks. Where something else has happened too, the last messages are read anew.
  if has_news or decided is not null then
    perform messaging.note_contact(m.contact_id) from messaging.messages m
    where m.id = any (settled) and m.sent_at is not null;
  elsif settled is not null then
    perform messaging.touch_addressees(
      array(
        select distinct m.contact_id from messaging.messages m
        where m.id = any (settled) and m.sent_at is not null
      ),
      clock
    );
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;

alter table messaging.instances add column if not exists opt_out_confirmation text default 'Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.'::text;

alter table messaging.instances add column if not exists opt_out_keywords text[] default '{STOP,SAIR,PARAR,CANCELAR,DESCADASTRAR}'::text[] not null;

alter table messaging.instances add column if not exists opt_out_resume_keywords text[] default '{START,VOLTAR}'::text[] not null;

comment on column messaging.instances.opt_out_confirmation is
  'The one answer to such a message; NULL for none.';

comment on column messaging.instances.opt_out_keywords is
  'A message that is one of them and nothing else denies marketing; see read_keyword.';
