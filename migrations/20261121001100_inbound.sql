-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/find_webhook_instance.sql
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
    -- No two of one provider have one name.
    from public.instances_named(request->>'instanceRef') i
    where i.provider = request->>'provider'
  ));
$$;
revoke all on function public.find_webhook_instance(jsonb) from public, anon, authenticated;
grant execute on function public.find_webhook_instance(jsonb) to service_role;

-- source: supabase/schemas/functions/find_webhook_targets.sql
-- The official instances that events of one app may be about: those of the numbers, and those that a
-- template belongs to, itself or with its workspace. `request`: phoneNumberIds, providerTemplateIds.
-- Returns {instances: [{instanceId, gatewayInstanceId, sealedProviderConfig}]}, at most 100: the
-- caller checks which of them the delivery's signature opens.
create or replace function public.find_webhook_targets(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  numbers constant text[] := array(select jsonb_array_elements_text(request->'phoneNumberIds'));
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
        select i.* from public.instances i
        where i.provider = 'whatsapp_cloud' and i.gateway_instance_id = any (numbers)
        union
        select i.* from public.message_templates t
        join public.instances i on i.id = t.instance_id
        where t.provider_template_id = any (templates) and i.provider = 'whatsapp_cloud'
        union
        select i.* from public.message_templates t
        join public.instances i on i.workspace_id = t.workspace_id
        where t.provider_template_id = any (templates) and t.instance_id is null
          and i.provider = 'whatsapp_cloud'
        limit 100
      ) as target
    ),
    '[]'
  ));
end;
$$;
revoke all on function public.find_webhook_targets(jsonb) from public, anon, authenticated;
grant execute on function public.find_webhook_targets(jsonb) to service_role;

-- source: supabase/schemas/functions/record_status_event.sql
-- Applies a delivery event to the message it speaks of, found by our own id where the provider
-- carries it back, else by the provider's. Unknown yet, it may be of a message of ours whose answer was
-- lost, where the event repeats the words (`sent`); else it is kept for the recording of the send.
-- Returns whether it changed anything.
create or replace function public.record_status_event(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  message_id uuid;
  contact public.contacts;
  address text;
begin
  select m.id into message_id
  from public.messages m
  where m.id = (event->>'messageId')::uuid
    and m.instance_id = record_status_event.instance_id
    and m.direction = 'outbound';
  if message_id is null then
    select m.id into message_id
    from public.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'outbound'
    -- An echo may stand in for a message of ours until that is known by its id too.
    order by m.is_typed_on_phone, m.created_at desc
    limit 1;
  end if;
  if message_id is null and event->'sent' is not null then
    foreach address in array array[event->'sent'->>'address'] || array(
      select jsonb_array_elements_text(event->'sent'->'otherAddresses')
    ) loop
      contact := public.find_contact(instance_id, address);
      exit when contact.id is not null;
    end loop;
    if contact.id is not null
      and public.claim_own_echo(instance_id, contact.id, event || (event->'sent')) then
      return true;
    end if;
  end if;
  -- What became of a message of the contact is no news: gateways tell of those too.
  if message_id is null and exists (
    select from public.messages m
    where m.instance_id = record_status_event.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.direction = 'inbound'
  ) then
    return false;
  end if;
  if message_id is null then
    insert into public.early_statuses (
      instance_id, provider_message_id, status, occurred_at, error
    )
    values (
      record_status_event.instance_id, event->>'providerMessageId', event->>'status',
      coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
    )
    on conflict do nothing;
    return false;
  end if;
  return public.advance_message(
    message_id, event->>'providerMessageId', event->>'status',
    coalesce((event->>'at')::timestamptz, clock_timestamp()), nullif(event->'error', 'null')
  );
end;
$$;
revoke all on function public.record_status_event(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_status_event(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/record_template_status.sql
-- Takes over what the official channel decided about a template of the instance, or of its workspace
-- alone. Returns whether one was concerned.
create or replace function public.record_template_status(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update public.message_templates t
  set provider_status = event->>'status', updated_at = now()
  from public.instances i
  where i.id = record_template_status.instance_id
    and (t.instance_id = i.id or (t.instance_id is null and t.workspace_id = i.workspace_id))
    and t.provider_template_id = event->>'providerTemplateId';
  return found;
end;
$$;
revoke all on function public.record_template_status(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_template_status(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/record_number_change.sql
-- A contact goes on under another number: the new one becomes its address, proven last. A changed user
-- id (isUserId) takes the place of the old one among the contact's addresses instead. Somebody whom
-- we know by the new number only since yesterday, for having written, is the same person; anybody
-- else may be the number's former owner and keeps it. Returns whether a contact was concerned.
create or replace function public.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts := public.find_contact(instance_id, event->>'oldAddress');
  other public.contacts := public.find_contact(instance_id, event->>'newAddress');
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  moved_proven_at timestamptz;
begin
  if contact.id is null or exists (
    select from public.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = public.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  if other.id <> contact.id then
    -- A user id is never given to somebody else: who has it is this person.
    if (
      is_user_id and contact.phone is not null and other.phone is not null
    ) or (
      not is_user_id
      and (other.origin <> 'inbound' or other.created_at < clock_timestamp() - interval '1 day')
    ) then
      return false;
    end if;
    contact := case
      when is_user_id and contact.phone is null then public.merge_contacts(other, contact)
      else public.merge_contacts(contact, other)
    end;
  end if;
  if is_user_id then
    select a.proven_at into moved_proven_at
    from public.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = public.phone_identity_key(event->>'oldAddress');
    update public.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = public.phone_identity_key(event->>'oldAddress');
  end if;
  insert into public.contact_addresses as a (
    instance_id, address, contact_id, proven_at, changed_by
  )
  values (
    record_number_change.instance_id, event->>'newAddress', contact.id,
    case
      when not is_user_id then clock_timestamp()
      when contact.phone is null then greatest(moved_proven_at, clock_timestamp())
      else coalesce(moved_proven_at, '-infinity')
    end,
    event->>'eventId'
  )
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address, changed_by = excluded.changed_by
  where a.contact_id = excluded.contact_id;
  return found;
end;
$$;
revoke all on function public.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_number_change(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/merge_conversations.sql
-- Moves a conversation's messages, notes, transfers and what its agent knows into another one, whose
-- own operator, department and agent stay. Questions that wait for an answer wait for it there.
-- For merge_contacts, which holds both locked.
create or replace function public.merge_conversations(
  kept public.conversations,
  gone public.conversations
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.messages m
  set contact_id = kept.contact_id, conversation_id = kept.id
  where m.instance_id = gone.instance_id and m.contact_id = gone.contact_id;
  update public.internal_notes n set conversation_id = kept.id where n.conversation_id = gone.id;
  update public.chat_transfer_log l set conversation_id = kept.id where l.conversation_id = gone.id;
  insert into public.agent_sessions as session (
    conversation_id, instance_id, agent_id, collected_data, created_at, answered_count, answered_at
  )
  select kept.id, s.instance_id, s.agent_id, s.collected_data, s.created_at, s.answered_count,
    s.answered_at
  from public.agent_sessions s where s.conversation_id = gone.id
  on conflict on constraint agent_sessions_pkey do update
  set collected_data = case
      when public.object_bytes(excluded.collected_data || session.collected_data) <= 64 * 1024
      then excluded.collected_data || session.collected_data
      else session.collected_data
    end,
    answered_count = session.answered_count + excluded.answered_count,
    answered_at = array(
      select answer.at
      from (
        select both_of.at from unnest(session.answered_at || excluded.answered_at) as both_of(at)
        order by both_of.at desc
        limit 30
      ) as answer
      order by answer.at
    ),
    updated_at = now();
  update public.conversations c
  set status = case when 'open' in (c.status, gone.status) then 'open' else c.status end,
    assigned_to = coalesce(c.assigned_to, gone.assigned_to),
    department_id = coalesce(c.department_id, gone.department_id),
    agent_id = coalesce(c.agent_id, gone.agent_id),
    question_count = c.question_count + gone.question_count,
    created_at = least(c.created_at, gone.created_at),
    updated_at = now()
  where c.id = kept.id;
  -- One that a worker has in hand already asks for the former conversation, and finds none.
  insert into public.outbox (workspace_id, kind, payload, run_at, conversation_id)
  select o.workspace_id, o.kind,
    o.payload || jsonb_build_object('conversationId', kept.id),
    least(o.run_at, clock_timestamp() + interval '3 seconds'), kept.id
  from public.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
  order by o.run_at
  limit 1;
  delete from public.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
    and o.claim_token is null;
end;
$$;
revoke all on function public.merge_conversations(public.conversations, public.conversations) from public, anon, authenticated;
grant execute on function public.merge_conversations(public.conversations, public.conversations) to service_role;

-- source: supabase/schemas/functions/merge_contacts.sql
-- Makes one contact of two that turn out to be the same person: all that `gone` has, its messages,
-- notes, tags and addresses, becomes `kept`'s, whose own values win; then `gone` is no more. A name
-- that was given wins over one from a profile.
-- Locks both contacts, then both conversations, so that whoever writes to `gone` has either committed
-- before, and is moved, or finds no such contact and is repeated. Returns what `kept` is now. Errors: 40001 where another call has merged one of them.
create or replace function public.merge_contacts(kept public.contacts, gone public.contacts)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  kept_conversation public.conversations;
  gone_conversation public.conversations;
  merged public.contacts;
  still_there integer;
begin
  perform from public.contacts c where c.id in (kept.id, gone.id) order by c.id for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  kept_conversation := public.resolve_conversation(kept.instance_id, kept.id);
  perform from public.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  select c.* into gone_conversation from public.conversations c where c.contact_id = gone.id;
  if found then
    perform public.merge_conversations(kept_conversation, gone_conversation);
  end if;
  insert into public.agent_pauses as pause (contact_id, instance_id, paused_until)
  select kept.id, p.instance_id, p.paused_until
  from public.agent_pauses p where p.contact_id = gone.id
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = greatest(pause.paused_until, excluded.paused_until);
  insert into public.contact_tags (contact_id, tag_id)
  select kept.id, t.tag_id from public.contact_tags t where t.contact_id = gone.id
  order by t.tag_id
  on conflict do nothing;
  insert into public.portfolios (contact_id, instance_id, operator_id, created_at)
  select kept.id, p.instance_id, p.operator_id, p.created_at
  from public.portfolios p
  -- Another operator's would hide the contact from who has its conversation.
  join public.conversations c on c.id = kept_conversation.id and c.assigned_to = p.operator_id
  where p.contact_id = gone.id
  on conflict do nothing;
  update public.contact_addresses a set contact_id = kept.id where a.contact_id = gone.id;
  update public.contacts c
  set phone = coalesce(c.phone, other.phone),
    name = case when names.is_others then other.name else c.name end,
    is_profile_name = case
      when names.is_others then other.is_profile_name else c.is_profile_name
    end,
    email = coalesce(c.email, other.email),
    company = coalesce(c.company, other.company),
    job_title = coalesce(c.job_title, other.job_title),
    notes = coalesce(c.notes, other.notes),
    utm_source = coalesce(c.utm_source, other.utm_source),
    utm_medium = coalesce(c.utm_medium, other.utm_medium),
    utm_campaign = coalesce(c.utm_campaign, other.utm_campaign),
    custom_labels = case
      when public.object_bytes(other.custom_labels || c.custom_labels) <= 64 * 1024
      then other.custom_labels || c.custom_labels
      else c.custom_labels
    end,
    is_favorite = c.is_favorite or other.is_favorite,
    is_archived = c.is_archived and other.is_archived,
    is_blocked = c.is_blocked or other.is_blocked,
    last_inbound_at = greatest(c.last_inbound_at, other.last_inbound_at),
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from public.contacts other
  join public.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  delete from public.contacts c where c.id = gone.id;
  return merged;
end;
$$;
revoke all on function public.merge_contacts(public.contacts, public.contacts) from public, anon, authenticated;
grant execute on function public.merge_contacts(public.contacts, public.contacts) to service_role;

-- source: supabase/schemas/functions/show_phone.sql
-- A contact without a phone shows one: from now on the phone is its identity, and a call that makes a
-- contact of it meets this one. Whoever has the phone already is the same person: both become one.
-- Returns what the contact is now. Errors: 40001 where another call has merged one of them.
create or replace function public.show_phone(contact public.contacts, phone text)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  other public.contacts;
  shown public.contacts;
begin
  if contact.phone is not null or phone !~ '^[0-9]{8,15}$' then
    return contact;
  end if;
  other := public.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return public.merge_contacts(other, contact);
  end if;
  update public.contacts c
  set phone = show_phone.phone, identity_key = public.phone_identity_key(show_phone.phone),
    updated_at = now()
  where c.id = contact.id and c.phone is null
  returning c.* into shown;
  return coalesce(shown, contact);
end;
$$;
revoke all on function public.show_phone(public.contacts, text) from public, anon, authenticated;
grant execute on function public.show_phone(public.contacts, text) to service_role;

-- source: supabase/schemas/functions/fold_own_echoes.sql
-- For messages of ours whose provider ids are known now: what a gateway reported under the same id
-- before, as if it had been typed on the phone, was this message. Its delivery is this message's, and
-- who was known by its hidden address alone is this message's contact. A message that was taken to
-- have arrived, for an echo that was this one's, is in doubt again.
create or replace function public.fold_own_echoes(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  twin record;
  contact public.contacts;
  ghost public.contacts;
begin
  for twin in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.is_known_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at
    from public.messages m
    join public.messages e on e.instance_id = m.instance_id
      and e.provider_message_id = m.provider_message_id
    where m.id = any (message_ids) and e.id <> m.id
      and (e.is_typed_on_phone or e.is_known_by_echo)
  loop
    if twin.is_known_by_echo then
      update public.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        is_known_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = twin.echo_id;
    else
      delete from public.messages e where e.id = twin.echo_id;
    end if;
    if twin.status in ('delivered', 'read') then
      perform public.advance_message(
        twin.id, twin.provider_message_id, twin.status, twin.arrived_at, null
      );
    end if;
    if twin.status = 'failed' then
      perform public.advance_message(
        twin.id, twin.provider_message_id, 'failed', twin.failed_at, twin.last_error
      );
    end if;
    continue when twin.is_known_by_echo;
    select c.* into contact from public.contacts c where c.id = twin.contact_id;
    select c.* into ghost from public.contacts c
    where c.id = twin.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- Who has nothing but the echo was silenced by the agent's own words.
      delete from public.agent_pauses p
      where p.contact_id = ghost.id
        and not exists (select from public.messages m where m.contact_id = ghost.id);
      perform public.merge_contacts(contact, ghost);
    end if;
  end loop;
end;
$$;
revoke all on function public.fold_own_echoes(uuid[]) from public, anon, authenticated;
grant execute on function public.fold_own_echoes(uuid[]) to service_role;

-- source: supabase/schemas/functions/event_instant.sql
-- When happened what a provider's event tells: its own word, but never later than now, which it is too
-- where the event does not say.
create or replace function public.event_instant(event jsonb)
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
revoke all on function public.event_instant(jsonb) from public, anon, authenticated;
grant execute on function public.event_instant(jsonb) to service_role;

-- source: supabase/schemas/functions/confirm_by_echo.sql
-- Takes a message whose provider's answer was lost for sent, under the id and at the time that an echo
-- of its words tells. Returns false where its state has become another one.
create or replace function public.confirm_by_echo(message_id uuid, echo jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if not public.advance_message(
    confirm_by_echo.message_id, echo->>'providerMessageId', 'sent', public.event_instant(echo), null
  ) then
    return false;
  end if;
  update public.messages m set is_known_by_echo = true where m.id = confirm_by_echo.message_id;
  perform public.take_early_statuses(array[confirm_by_echo.message_id]);
  return true;
end;
$$;
revoke all on function public.confirm_by_echo(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.confirm_by_echo(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/settle_echo.sql
-- Decides whose words an event was that a message kept while it was in flight (see claim_own_echo),
-- now that its outcome is settled. The id of the answer tells; without an answer the echo proves that
-- the message has arrived. Another one's, it is recorded as if it came now: of another message in
-- doubt, or of a person.
create or replace function public.settle_echo(
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
  own public.messages;
  instance public.instances;
begin
  if settle_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select m.* into strict own from public.messages m where m.id = settle_echo.message_id;
  select i.* into strict instance from public.instances i where i.id = own.instance_id;
  perform public.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if exists (
    select from public.messages m
    where m.instance_id = instance.id
      and m.provider_message_id = echo->>'providerMessageId' and m.id <> own.id
  ) then
    return;
  end if;
  -- Echoes of the same words may have been kept crosswise: this message's own by another one. One that
  -- is being settled itself sees to what it keeps.
  update public.message_queue q
  set echo = null
  where q.message_id in (
    select w.message_id
    from public.messages m
    join public.message_queue w on w.message_id = m.id
    where m.instance_id = own.instance_id and m.contact_id = own.contact_id and m.sent_at is null
      and w.echo->>'providerMessageId' = settle_echo.provider_message_id
    for no key update of w skip locked
  );
  if outcome <> 'unknown' and echo->>'kind' = 'status' then
    perform public.record_status_event(instance.id, echo);
  elsif outcome <> 'unknown' then
    perform public.record_message_event(instance, echo);
  else
    perform public.confirm_by_echo(settle_echo.message_id, echo);
  end if;
end;
$$;
revoke all on function public.settle_echo(uuid, text, text, jsonb) from public, anon, authenticated;
grant execute on function public.settle_echo(uuid, text, text, jsonb) to service_role;

-- source: supabase/schemas/functions/resolve_sender.sql
-- The contact on the other side of a message event, by any of its addresses; created with origin
-- `inbound` when none is known, without a phone where the provider shows none. All addresses find
-- it from now on; the first one is where messages go, and the phone of who had not shown one yet.
-- Addresses of several contacts show that those without a phone are this person. Two phones show
-- nothing of the kind: a number can have had another owner.
-- Errors: 40001 where the contact has become another one since it was found: to be called again.
create or replace function public.resolve_sender(instance_id uuid, event jsonb)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts;
  found_contact public.contacts;
  address constant text := event->>'address';
  addresses constant text[] := array[address] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  known text;
begin
  -- The contact is locked before its addresses, whether it is known or new: two deliveries of one
  -- contact wait for each other here and nowhere else.
  foreach known in array addresses loop
    found_contact := public.find_contact(instance_id, known);
    if contact.id is null then
      contact := found_contact;
    elsif found_contact.id = contact.id or found_contact.id is null then
      null;
    elsif found_contact.phone is null then
      contact := public.merge_contacts(contact, found_contact);
    elsif contact.phone is null then
      contact := public.merge_contacts(found_contact, contact);
    end if;
  end loop;
  if contact.id is null then
    insert into public.contacts (instance_id, phone, identity_key, origin)
    values (
      resolve_sender.instance_id,
      case when address ~ '^[0-9]{8,15}$' then address end,
      public.phone_identity_key(address),
      'inbound'
    )
    on conflict on constraint contacts_identity do update set updated_at = now()
    returning * into contact;
  else
    select c.* into contact from public.contacts c where c.id = contact.id for no key update;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
  end if;
  contact := public.show_phone(contact, address);
  insert into public.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (public.phone_identity_key(seen.address))
    resolve_sender.instance_id, seen.address, contact.id,
    case when seen.place = 1 then clock_timestamp() else '-infinity' end
  from unnest(addresses) with ordinality as seen(address, place)
  order by public.phone_identity_key(seen.address), seen.place
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id and excluded.proven_at > '-infinity'
    and (
      a.address <> excluded.address
      or a.proven_at < clock_timestamp() - interval '1 hour'
      or exists (
        select from public.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  return contact;
end;
$$;
revoke all on function public.resolve_sender(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.resolve_sender(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/claim_own_echo.sql
-- Some gateways report what we send through their API as if it had been typed on the phone, even
-- before they answer the call. An echo with the same words as a message of ours to that contact which
-- is in flight, or has been unconfirmed for some minutes, may be ours. One in flight keeps it until
-- its own outcome tells (see settle_echo); else it proves that the oldest unconfirmed one has arrived.
-- Media without a caption have no words, so only one in flight is taken for the echo.
-- Returns whether the echo is ours, as far as is known.
create or replace function public.claim_own_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  words constant text := btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'));
  candidate record;
begin
  -- What is a candidate now may be settled before it is locked: then the next one is tried.
  for round in 1..10 loop
    select m.id, q.claim_token is not null as is_in_flight,
      q.echo->>'providerMessageId' as echoed_id
    into candidate
    from public.messages m
    left join public.message_queue q on q.message_id = m.id
    where m.instance_id = claim_own_echo.instance_id
      and m.contact_id = claim_own_echo.contact_id
      and m.direction = 'outbound'
      and m.status in ('queued', 'sending', 'unconfirmed')
      -- For the index of what has not been sent.
      and m.sent_at is null
      and m.created_at > clock - interval '2 days'
      -- A retried message has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (m.message is not null and m.unconfirmed_at > clock - interval '15 minutes')
      )
      -- Gateways trim.
      and btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
      and (m.message is not null or m.message_type = event->>'messageType')
    order by q.echo is null, q.claim_token is null, m.unconfirmed_at, m.created_at
    limit 1;
    if not found then
      return false;
    end if;
    if not candidate.is_in_flight then
      if public.confirm_by_echo(candidate.id, event) then
        return true;
      end if;
    elsif candidate.echoed_id is not null then
      return true;
    else
      update public.message_queue q set echo = event
      where q.message_id = candidate.id and q.claim_token is not null and q.echo is null;
      if found then
        return true;
      end if;
    end if;
  end loop;
  return false;
end;
$$;
revoke all on function public.claim_own_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.claim_own_echo(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/request_agent_reply.sql
-- Asks for the agent's answer to what a contact has just written: one outbox row, due in three
-- seconds, so that several messages in a row get one answer. None while the agent is paused for the
-- contact, or where no active agent speaks in the conversation.
-- Where the agent's answers of this hour are used up, it is paused until it may answer again, and a
-- note says so to operators. The outbox row of that message is never answered: it becomes `dead`.
-- Locks the conversation, then the agent's pause or the outbox row that is joined.
create or replace function public.request_agent_reply(
  instance public.instances,
  contact_id uuid,
  conversation_id uuid
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation public.conversations;
  limited_until timestamptz;
begin
  -- Two messages at once: the second one sees the row of the first.
  select c.* into conversation from public.conversations c
  where c.id = request_agent_reply.conversation_id for no key update;
  if not exists (
    select from public.ai_agents a
    where a.id = public.speaking_agent(conversation) and a.is_active
  ) or exists (
    select from public.agent_pauses p
    where p.contact_id = request_agent_reply.contact_id and p.paused_until > clock_timestamp()
  ) then
    return;
  end if;
  update public.conversations c
  set question_count = c.question_count + 1
  where c.id = conversation.id;
  select public.agent_limited_until(s.answered_at) into limited_until
  from public.agent_sessions s where s.conversation_id = conversation.id;
  if limited_until is not null then
    insert into public.agent_pauses as pause (contact_id, instance_id, paused_until)
    values (request_agent_reply.contact_id, instance.id, limited_until)
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = excluded.paused_until;
    insert into public.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format(
        'O agente chegou ao limite de respostas por hora a este contato e está em pausa até %s.',
        to_char(limited_until at time zone instance.time_zone, 'DD/MM HH24:MI')
      ),
      true
    );
  end if;
  -- Held until this message can be read: a worker that took the row now would answer without it.
  perform from public.outbox o
  where o.conversation_id = request_agent_reply.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
  for no key update;
  if found then
    return;
  end if;
  insert into public.outbox (workspace_id, kind, payload, run_at, conversation_id)
  values (
    instance.workspace_id, 'agent_reply',
    jsonb_build_object('instanceId', instance.id, 'conversationId', conversation.id),
    clock_timestamp() + interval '3 seconds', conversation.id
  );
end;
$$;
revoke all on function public.request_agent_reply(public.instances, uuid, uuid) from public, anon, authenticated;
grant execute on function public.request_agent_reply(public.instances, uuid, uuid) to service_role;

-- source: supabase/schemas/functions/record_message_edit.sql
-- The contact has edited a message: its words are what they are now. No agent is asked anew: one that has
-- yet to answer reads the new words. Edits of ours, and of what is not known here, change nothing.
-- Returns whether words changed.
-- The caller holds lock_provider_messages for it.
create or replace function public.record_message_edit(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  words constant text := event->>'message';
begin
  update public.messages m
  set message = edited.message
  from (
    select own.id,
      -- In a group the words follow their author's name, which such an edit does not tell.
      case
        when own.is_group and event->>'kind' = 'message_edit'
          then coalesce(substring(own.message from '^[^:\n]{1,200}: '), '') || words
        else words
      end as message
    from public.messages own
    where own.instance_id = record_message_edit.instance_id
      and own.provider_message_id = event->>'providerMessageId'
      and own.direction = 'inbound'
  ) as edited
  where m.id = edited.id and words is not null and m.message is distinct from edited.message;
  return found;
end;
$$;
revoke all on function public.record_message_edit(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_message_edit(uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/record_message_event.sql
-- Stores a message that somebody wrote: the contact, or a person on the business's own phone.
-- Inbound opens a closed conversation and asks the agent for an answer; an echo pauses the agent, as
-- any person's message does; a group has no agent to ask or to pause, and a reaction does neither.
-- What the channel does not show (isUnreadable) asks no agent either.
-- Returns false for a message that is known already, unless it is an edit of its words.
-- The caller holds lock_provider_messages for it.
create or replace function public.record_message_event(instance public.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  is_reaction constant boolean := coalesce((event->>'isReaction')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  written_at constant timestamptz := public.event_instant(event);
  contact public.contacts;
  conversation public.conversations;
  message_id uuid;
begin
  if exists (
    select from public.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return (event->>'isEdit')::boolean is true and public.record_message_edit(instance.id, event);
  end if;
  contact := public.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false)
    and public.claim_own_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := public.resolve_conversation(instance.id, contact.id);
  insert into public.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, media_url,
    media_id, media_filename, choice, sent_by, is_typed_on_phone, status, provider_message_id, sent_at,
    is_group, chat_name, created_at
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end,
    event->>'messageType', event->>'message', event->>'mediaUrl', event->>'mediaId',
    event->>'mediaFilename', nullif(event->'choice', 'null'),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', written_at, is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp()
  )
  returning id into message_id;
  if not is_inbound then
    perform public.take_early_statuses(array[message_id]);
    if not is_group and not is_reaction then
      perform public.pause_agent(instance.id, contact.id, written_at);
    end if;
    return true;
  end if;
  update public.contacts c
  set name = coalesce(c.name, event->>'contactName'),
    is_profile_name = c.is_profile_name or c.name is null and event->>'contactName' is not null,
    last_inbound_at = greatest(c.last_inbound_at, written_at)
  where c.id = contact.id;
  update public.conversations c
  set status = 'open', updated_at = now()
  where c.id = conversation.id and c.status = 'closed';
  if not is_group and not is_reaction and (event->>'isUnreadable')::boolean is not true then
    perform public.request_agent_reply(instance, contact.id, conversation.id);
  end if;
  return true;
end;
$$;
revoke all on function public.record_message_event(public.instances, jsonb) from public, anon, authenticated;
grant execute on function public.record_message_event(public.instances, jsonb) to service_role;

-- source: supabase/schemas/functions/lock_addresses.sql
-- Lets one transaction at a time record what persons have written, until it commits: an event may show
-- several addresses of one person, and look-ups by each of them must neither miss each other nor wait
-- for each other crosswise. Locks in one order for all; the addresses of an instance share 256 locks.
create or replace function public.lock_addresses(instance_id uuid, addresses text[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended('addresses ' || lock_addresses.instance_id::text, 0)
      # (hashtext(public.phone_identity_key(seen.address)) & 255) as lock_key
    from unnest(addresses) as seen(address)
    order by lock_key
  ) as wanted;
end;
$$;
revoke all on function public.lock_addresses(uuid, text[]) from public, anon, authenticated;
grant execute on function public.lock_addresses(uuid, text[]) to service_role;

-- source: supabase/schemas/functions/record_provider_events.sql
-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received), events (see shared/providers/provider_event.ts).
-- The same event twice, or at the same time in two calls, counts once. Returns {recorded}: how many
-- events changed something; NULL, with nothing stored, where the credentials have been replaced.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
create or replace function public.record_provider_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  event jsonb;
  recorded integer := 0;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  end if;
  insert into public.provider_events (instance_id, payload)
  values (instance.id, request->>'payload');
  perform public.lock_provider_messages(
    array_agg(instance.id), array_agg(e.value->>'providerMessageId')
  )
  from jsonb_array_elements(request->'events') as e;
  perform public.lock_addresses(
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
        when 'message' then public.record_message_event(instance, event)
        when 'message_edit' then public.record_message_edit(instance.id, event)
        when 'status' then public.record_status_event(instance.id, event)
        when 'template_status' then public.record_template_status(instance.id, event)
        when 'number_change' then public.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;

-- source: supabase/schemas/functions/read_agent_turn.sql
-- What an agent needs to answer in a conversation: itself, what it may know of the contact, and the
-- recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn, isLimitReached}: turn is NULL where it is to be silent now (paused, no active agent,
-- a blocked contact, its answers of this hour used up: isLimitReached) or nothing waits for an answer.
-- One snapshot shows both the history and how many questions it holds (answersThrough): a message
-- that commits later is counted later and asks for a turn of its own.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation public.conversations;
  contact public.contacts;
  agent public.ai_agents;
  answered_count bigint;
  collected_data jsonb;
  limited_until timestamptz;
begin
  select c.* into conversation from public.conversations c
  where c.id = (request->>'conversationId')::uuid
    and c.instance_id = (request->>'instanceId')::uuid;
  select c.* into contact from public.contacts c where c.id = conversation.contact_id;
  select a.* into agent from public.ai_agents a
  where a.id = public.speaking_agent(conversation) and a.is_active;
  select s.answered_count, s.collected_data, public.agent_limited_until(s.answered_at)
  into answered_count, collected_data, limited_until
  from public.agent_sessions s where s.conversation_id = conversation.id;
  if agent.id is null or contact.is_blocked
    or conversation.question_count <= coalesce(answered_count, 0)
    or limited_until is not null
    or exists (
      select from public.agent_pauses p
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
    'contactPhone', public.phone_of(contact),
    'address', public.address_of(contact, null),
    'answeredBefore', coalesce(answered_count, 0),
    'answersThrough', conversation.question_count,
    'history', public.history_page(
      contact.instance_id, contact.id, '-infinity', 'infinity', null, (request->>'limit')::integer
    )->'messages'
  ));
end;
$$;
revoke all on function public.read_agent_turn(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_turn(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_agent_pause.sql
-- Whether the agent is silent towards a contact, and until when, as conversations-api tells it.
create or replace function public.describe_agent_pause(instance public.instances, contact_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'contactId', describe_agent_pause.contact_id,
    'paused', p.paused_until is not null,
    'aiAgentPausedUntil', public.iso_in_zone(p.paused_until, instance.time_zone)
  )
  from (values (true)) as always
  left join public.agent_pauses p
    on p.contact_id = describe_agent_pause.contact_id and p.paused_until > clock_timestamp();
$$;
revoke all on function public.describe_agent_pause(public.instances, uuid) from public, anon, authenticated;
grant execute on function public.describe_agent_pause(public.instances, uuid) to service_role;

-- source: supabase/schemas/functions/get_agent_pause.sql
-- conversations-api agent-pause: the state towards the contact of a phone; NULL contactId and not
-- paused for an unknown one. Writes nothing. `request`: instanceId, phone.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance public.instances;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  return public.describe_agent_pause(
    instance, (public.find_contact(instance.id, request->>'phone')).id
  );
end;
$$;
revoke all on function public.get_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.get_agent_pause(jsonb) to service_role;

-- source: supabase/schemas/functions/set_agent_pause.sql
-- conversations-api agent-pause: silences the agent towards a contact for so many minutes from now,
-- whether it was to be silent for longer or not at all, or lets it speak at once, with all answers of
-- an hour to give. `request`:
-- instanceId, phone, paused, minutes, idempotency. Creates the contact when it is missing.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  known_contact_id uuid;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).id into known_contact_id
  from public.resolve_contact(instance.id, request->>'phone') r;
  if (request->>'paused')::boolean then
    insert into public.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
  else
    update public.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from public.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from public.agent_pauses p where p.contact_id = known_contact_id;
  end if;
  outcome := public.describe_agent_pause(instance, known_contact_id);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.set_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.set_agent_pause(jsonb) to service_role;
