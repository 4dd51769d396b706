set local check_function_bodies = off;

-- Creates the contacts and conversations of inbound messages whose person no address of the event
-- finds, as resolve_sender and resolve_conversation do. Returns whether it created any.
-- The caller holds lock_plain_events.
create or replace function messaging.add_new_senders(events messaging.plain_event[])
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  new_ids uuid[];
begin
  with persons as (
    insert into messaging.contacts (
      instance_id, phone, identity_key, origin, name, is_profile_name
    )
    select distinct on (e.instance_id, e.identity_keys[1]) e.instance_id,
      case when e.addresses[1] ~ '^[0-9]{8,15}$' then e.addresses[1] end, e.identity_keys[1],
      'inbound', e.contact_name, e.contact_name is not null
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
      -- Who shows an address of another new person is that person: resolve_sender decides.
      and (
        select true from unnest(events) as other
        where other.instance_id = e.instance_id and other.place < e.place
          and other.identity_keys[1] <> e.identity_keys[1]
          and other.identity_keys && e.identity_keys
        limit 1
      ) is null
    order by e.instance_id, e.identity_keys[1], e.place
    on conflict on constraint contacts_identity do nothing
    returning id, instance_id
  ), conversations as (
    insert into messaging.conversations (instance_id, contact_id)
    select p.instance_id, p.id from persons p
  )
  select array_agg(p.id) into new_ids from persons p;
  perform messaging.record_new_contacts(new_ids);
  return new_ids is not null;
end;
$$;
revoke all
on function messaging.add_new_senders(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.add_new_senders(messaging.plain_event[]) to service_role;

-- Gives a contact without a phone the phone that it has shown. From now on the phone is its identity.
-- A contact that has the phone already is the same person: the two are merged.
-- Returns the contact as it is now. Errors: 40001 where another call has merged one of them.
create or replace function messaging.assign_contact_phone(contact messaging.contacts, phone text)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  other messaging.contacts;
  shown messaging.contacts;
  before jsonb;
begin
  if contact.phone is not null or phone !~ '^[0-9]{8,15}$' then
    return contact;
  end if;
  other := messaging.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return messaging.merge_contacts(other, contact);
  end if;
  perform from messaging.contacts c where c.id = contact.id and c.phone is null for update;
  if not found then
    return contact;
  end if;
  before := messaging.contact_state(contact.id);
  update messaging.contacts c
  set phone = assign_contact_phone.phone, identity_key = messaging.phone_identity_key(assign_contact_phone.phone),
    updated_at = now()
  where c.id = contact.id
  returning c.* into shown;
  perform messaging.record_contact_changes(contact.instance_id, contact.id, before);
  return shown;
end;
$$;
revoke all
on function messaging.assign_contact_phone(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.assign_contact_phone(messaging.contacts, text) to service_role;

-- Assigns a conversation to an operator (specification, section 3; decisions, section 4), for
-- conversations-api/assign and send-message. `assignment`: assignTo, portfolio, departmentId.
-- Assigning the present operator again changes nothing about the operator. A change of operator writes
-- the transfer log and an automatic note. Each new operator gets an e-mail through the outbox, in the
-- caller's transaction. Locks the conversation. Errors: MI001, MI002.
create or replace function messaging.assign_conversation(
  instance messaging.instances,
  contact messaging.contacts,
  conversation messaging.conversations,
  assignment jsonb
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  operator messaging.operators := messaging.find_operator(instance.workspace_id, assignment->>'assignTo');
  previous messaging.operators;
  department uuid := (assignment->>'departmentId')::uuid;
  previous_id uuid;
  is_transfer boolean;
  before jsonb;
begin
  if department is not null and not exists (
    select from messaging.departments d
    where d.id = department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;

  select c.assigned_to into previous_id
  from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
  is_transfer := previous_id is not null and previous_id <> operator.id;

  update messaging.conversations c
  set assigned_to = operator.id,
    department_id = coalesce(department, c.department_id),
    updated_at = now()
  where c.id = conversation.id
  returning c.department_id into department;

  if is_transfer then
    select o.* into previous from messaging.operators o where o.id = previous_id;
    insert into messaging.chat_transfer_log
      (instance_id, conversation_id, from_operator_id, to_operator_id)
    values (instance.id, conversation.id, previous.id, operator.id);
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format('Conversa transferida de %s para %s.', previous.name, operator.name), true
    );
  end if;

  if coalesce((assignment->>'portfolio')::boolean, false) then
    insert into messaging.portfolios (contact_id, instance_id, operator_id)
    values (contact.id, instance.id, operator.id)
    on conflict on constraint portfolios_pkey
    do update set operator_id = excluded.operator_id, created_at = now()
    where portfolios.operator_id <> excluded.operator_id;
  elsif is_transfer then
    delete from messaging.portfolios p where p.contact_id = contact.id and p.operator_id <> operator.id;
  end if;

  perform messaging.record_conversation_changes(conversation, before);

  if previous_id is distinct from operator.id then
    insert into messaging.outbox (workspace_id, kind, payload)
    values (
      instance.workspace_id, 'assignment_email',
      jsonb_build_object(
        'instanceId', instance.id,
        'operatorName', operator.name,
        'operatorEmail', operator.email,
        'contactName', contact.name,
        'contactPhone', coalesce(messaging.contact_display_phone(contact), messaging.contact_send_address(contact, null)),
        'instancePhone', instance.connected_phone
      )
    );
  end if;

  return jsonb_build_object(
    'contactId', contact.id,
    'assignedTo', operator.id,
    'previousAssignedTo', previous_id,
    'portfolio', exists (
      select from messaging.portfolios p
      where p.contact_id = contact.id and p.operator_id = operator.id
    ),
    'transferred', is_transfer,
    'departmentId', department
  );
end;
$$;
revoke all
on function messaging.assign_conversation(
  messaging.instances,
  messaging.contacts,
  messaging.conversations,
  jsonb
)
from public, anon, authenticated;
grant execute
on function messaging.assign_conversation(
  messaging.instances,
  messaging.contacts,
  messaging.conversations,
  jsonb
)
to service_role;

-- accept_messages: creates what the plain calls still lack, contacts and conversations, and pauses the
-- agents. Calls for one new phone get one contact. `calls` and `plain` as in plain_acceptances. Returns
-- `plain` as it is then.
-- Locks, each in one order for all callers: addresses of new contacts, contacts, conversations, agent
-- pauses.
-- Errors: 40001 where a contact was merged or blocked meanwhile; the batch must be repeated.
create or replace function messaging.complete_acceptances(calls jsonb, plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  completed messaging.acceptance[] := plain;
  locked integer;
  new_ids uuid[];
begin
  perform messaging.lock_addresses(new.instance_id, new.phones)
  from (
    select p.instance_id, array_agg(p.phone) as phones
    from unnest(plain) as p
    where p.contact_id is null
    group by p.instance_id
    order by p.instance_id
  ) as new;
  if found then
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (p.instance_id, p.identity_key)
        p.instance_id, p.phone, p.identity_key, 'api'
      from unnest(plain) as p
      where p.contact_id is null and (messaging.find_contact(p.instance_id, p.phone)).id is null
      order by p.instance_id, p.identity_key, p.place
      on conflict on constraint contacts_identity do nothing
      returning id, instance_id
    ), conversations as (
      insert into messaging.conversations (instance_id, contact_id)
      select c.instance_id, c.id from created c
    )
    select array_agg(c.id) into new_ids from created c;
    perform messaging.record_new_contacts(new_ids);
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  perform from messaging.contacts c
  where c.id = any (array(select p.contact_id from unnest(completed) as p))
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if exists (select from unnest(completed) as p where p.conversation_id is null) then
    insert into messaging.conversations (instance_id, contact_id)
    select distinct on (p.contact_id) p.instance_id, p.contact_id
    from unnest(completed) as p
    where p.conversation_id is null and p.contact_id is not null
    order by p.contact_id
    on conflict do nothing;
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  -- Nothing may be written to a contact that was merged or blocked since it was read first.
  if cardinality(completed) is distinct from cardinality(plain)
    or locked <> (select count(distinct p.contact_id) from unnest(completed) as p)
    or exists (select from unnest(completed) as p where p.conversation_id is null) then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  return messaging.pause_accepted_agents(completed);
end;
$$;
revoke all
on function messaging.complete_acceptances(jsonb, messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.complete_acceptances(jsonb, messaging.acceptance[])
to service_role;

-- What contact.updated compares: every field of a contact that the API shows, by the API's names, and
-- its tags. The caller holds the contact locked.
create or replace function messaging.contact_state(contact_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'phone', messaging.contact_display_phone(c),
    'name', c.name,
    'email', c.email,
    'company', c.company,
    'jobTitle', c.job_title,
    'notes', c.notes,
    'utmSource', c.utm_source,
    'utmMedium', c.utm_medium,
    'utmCampaign', c.utm_campaign,
    'customLabels', c.custom_labels,
    'isFavorite', c.is_favorite,
    'isArchived', c.is_archived,
    'isBlocked', c.is_blocked,
    'tags', array(
      select t.tag_id from messaging.contact_tags t where t.contact_id = c.id order by t.tag_id
    )
  )
  from messaging.contacts c
  where c.id = contact_state.contact_id;
$$;
revoke all on function messaging.contact_state(uuid) from public, anon, authenticated;
grant execute on function messaging.contact_state(uuid) to service_role;

-- What the events of a conversation compare: its status, and what conversations-api assign changes. The
-- caller holds the conversation locked.
create or replace function messaging.conversation_state(conversation_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'status', c.status,
    'assignment', jsonb_build_object(
      'assignedTo', c.assigned_to,
      'departmentId', c.department_id,
      'portfolio', exists (
        select from messaging.portfolios p
        where p.contact_id = c.contact_id and p.operator_id = c.assigned_to
      )
    )
  )
  from messaging.conversations c
  where c.id = conversation_state.conversation_id;
$$;
revoke all on function messaging.conversation_state(uuid) from public, anon, authenticated;
grant execute on function messaging.conversation_state(uuid) to service_role;

-- The number up to which no event of the instance can appear any more. The caller reads the events in a
-- later statement, in a transaction of isolation level read committed: see the head of
-- tables/events.sql.
-- A floor is rebuilt from its low 32 bits as the number nearest to the one that was drawn last. Another
-- instance's lock with the same hash only makes the horizon lower. The key 0 is every instance's: see
-- hold_event_floors.
create or replace function messaging.event_horizon(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  last_drawn bigint;
  lowest_floor bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  select min(last_drawn + ((l.objid::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648)
  into lowest_floor
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid in (0::oid, (uuid_hash(event_horizon.instance_id)::bigint & 4294967295)::oid)
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  return least(last_drawn, lowest_floor);
end;
$$;
revoke all on function messaging.event_horizon(uuid) from public, anon, authenticated;
grant execute on function messaging.event_horizon(uuid) to service_role;

-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). Looks by identity key, then by proven address. Simultaneous calls get the same contact:
-- the unique index decides. A new contact waits for events under way that may show whose address the
-- phone is. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_contact. A caller of its own calls record_new_contacts.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.find_or_add_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      find_or_add_contact.instance_id, find_or_add_contact.phone,
      messaging.phone_identity_key(find_or_add_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Nothing may be written to a contact that was merged meanwhile: it would be lost.
  perform from messaging.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all on function messaging.find_or_add_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_or_add_contact(uuid, text) to service_role;

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
    perform pg_advisory_xact_lock_shared(
      0, (case when s.is_called then s.last_value else 0 end)::bit(32)::integer
    )
    from messaging.event_sequence s;
  else
    perform messaging.hold_event_floor(concerned.instance_id)
    from (select distinct i.instance_id from unnest(instance_ids) as i(instance_id)) as concerned;
  end if;
end;
$$;
revoke all on function messaging.hold_event_floors(uuid[]) from public, anon, authenticated;
grant execute on function messaging.hold_event_floors(uuid[]) to service_role;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: messages, notes,
-- tags, addresses. Values of `kept` win; a name that was given wins over a profile name. Deletes
-- `gone`.
-- Locks both contacts, then both conversations: a transaction that writes to `gone` has either
-- committed, and its rows are moved, or finds no such contact and is repeated.
-- Records contact.merged, then what has become of `kept` by it.
-- Returns `kept` as it is now. Errors: 40001 where another call has merged one of them.
create or replace function messaging.merge_contacts(
  kept messaging.contacts,
  gone messaging.contacts
)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  kept_conversation messaging.conversations;
  gone_conversation messaging.conversations;
  merged messaging.contacts;
  still_there integer;
  contact_before jsonb;
  conversation_before jsonb;
  paused_until timestamptz;
begin
  perform from messaging.contacts c where c.id in (kept.id, gone.id) order by c.id for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  contact_before := messaging.contact_state(kept.id);
  kept_conversation := messaging.resolve_conversation(kept.instance_id, kept.id);
  perform from messaging.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  conversation_before := messaging.conversation_state(kept_conversation.id);
  select c.* into gone_conversation from messaging.conversations c where c.contact_id = gone.id;
  if found then
    perform messaging.merge_conversations(kept_conversation, gone_conversation);
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  select kept.id, p.instance_id, p.paused_until
  from messaging.agent_pauses p where p.contact_id = gone.id
  on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until
  where excluded.paused_until > pause.paused_until
  returning pause.paused_until into paused_until;
  insert into messaging.contact_tags (contact_id, tag_id)
  select kept.id, t.tag_id from messaging.contact_tags t where t.contact_id = gone.id
  order by t.tag_id
  on conflict do nothing;
  insert into messaging.portfolios (contact_id, instance_id, operator_id, created_at)
  select kept.id, p.instance_id, p.operator_id, p.created_at
  from messaging.portfolios p
  -- Another operator's portfolio would hide the contact from the operator of its conversation.
  join messaging.conversations c on c.id = kept_conversation.id and c.assigned_to = p.operator_id
  where p.contact_id = gone.id
  on conflict do nothing;
  update messaging.contact_addresses a set contact_id = kept.id where a.contact_id = gone.id;
  update messaging.contacts c
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
      when messaging.object_bytes(other.custom_labels || c.custom_labels) <= 64 * 1024
      then other.custom_labels || c.custom_labels
      else c.custom_labels
    end,
    is_favorite = c.is_favorite or other.is_favorite,
    is_archived = c.is_archived and other.is_archived,
    is_blocked = c.is_blocked or other.is_blocked,
    last_inbound_at = greatest(c.last_inbound_at, other.last_inbound_at),
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from messaging.contacts other
  join messaging.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  delete from messaging.contacts c where c.id = gone.id;
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    jsonb_build_object('contactId', gone.id, 'mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
  perform messaging.record_conversation_changes(kept_conversation, conversation_before);
  if paused_until > clock_timestamp() then
    perform messaging.record_agent_pauses(array[kept.id]);
  end if;
  return merged;
end;
$$;
revoke all
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
from public, anon, authenticated;
grant execute
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
to service_role;

-- accept_messages: pauses the agents of the plain calls, as pause_agent does for one, and notes until
-- when.
create or replace function messaging.pause_accepted_agents(plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  pauses jsonb;
begin
  if not exists (select from unnest(plain) as p where p.has_active_agent) then
    return plain;
  end if;
  select messaging.renew_agent_pauses(
    array_agg(p.contact_id), array_agg(p.instance_id), clock_timestamp() + interval '30 minutes'
  )
  into pauses
  from unnest(plain) as p
  where p.has_active_agent;
  for place in 1..cardinality(plain) loop
    plain[place].paused_until := (pauses->>plain[place].contact_id::text)::timestamptz;
  end loop;
  return plain;
end;
$$;
revoke all
on function messaging.pause_accepted_agents(messaging.acceptance[])
from public, anon, authenticated;
grant execute
on function messaging.pause_accepted_agents(messaging.acceptance[])
to service_role;

-- Pauses the instance's agent for a contact, for 30 minutes from when a person wrote (specification,
-- section 3). Does nothing where the instance has no active agent or the 30 minutes are over.
-- Returns the end of the pause, or NULL. Records agent.paused where the pause begins or is prolonged.
create or replace function messaging.pause_agent(
  instance_id uuid,
  contact_id uuid,
  written_at timestamptz
)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  until timestamptz;
begin
  if written_at <= clock_timestamp() - interval '30 minutes' or not exists (
    select from messaging.ai_agents a
    where a.instance_id = pause_agent.instance_id and a.is_active
  ) then
    return null;
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  values (
    pause_agent.contact_id, pause_agent.instance_id, written_at + interval '30 minutes'
  )
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = excluded.paused_until
  where excluded.paused_until > pause.paused_until
  returning pause.paused_until into until;
  if found then
    perform messaging.record_agent_pauses(array[contact_id]);
  else
    select p.paused_until into until
    from messaging.agent_pauses p where p.contact_id = pause_agent.contact_id;
  end if;
  return until;
end;
$$;
revoke all
on function messaging.pause_agent(uuid, uuid, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.pause_agent(uuid, uuid, timestamptz) to service_role;

-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs. A contact that has changed
-- its number and writes from an earlier one is shown with that one again: that is recorded as an event.
-- The caller holds the contact locked.
create or replace function messaging.prove_addresses(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  has_moved constant boolean := exists (
    select from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.changed_by is not null
  );
  before jsonb;
begin
  if has_moved then
    before := messaging.contact_state(contact_id);
  end if;
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
  if has_moved then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
end;
$$;
revoke all
on function messaging.prove_addresses(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.prove_addresses(uuid, uuid, text[]) to service_role;

-- settle_messages: records that the provider reached these addresses now. An address that belongs to
-- another contact stays with it. An address that is already proven is written again once a day, or
-- when the contact has another address proven since: a write with every message would cost too much.
-- Records an event of each contact that has changed its number and is shown with another one now.
create or replace function messaging.prove_answered_addresses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  moved jsonb;
begin
  select jsonb_object_agg(c.id, jsonb_build_object('phone', messaging.contact_display_phone(c)))
  into moved
  from unnest(settlements) as s
  join messaging.contacts c on c.id = any (array[s.contact_id])
  where s.wa_id is not null and (
    select true from messaging.contact_addresses a
    where a.contact_id = s.contact_id and a.changed_by is not null
    limit 1
  );
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (s.instance_id, messaging.phone_identity_key(s.wa_id))
    s.instance_id, s.wa_id, s.contact_id, clock
  from unnest(settlements) as s
  where s.wa_id is not null
  order by s.instance_id, messaging.phone_identity_key(s.wa_id)
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id
    and (
      a.address <> excluded.address
      or a.proven_at < clock - interval '1 day'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  if moved is not null then
    perform messaging.record_contact_changes(c.instance_id, c.id, moved->c.id::text)
    from messaging.contacts c
    where c.id = any (array(select key.value::uuid from jsonb_object_keys(moved) as key(value)))
    order by c.id;
  end if;
end;
$$;
revoke all
on function messaging.prove_answered_addresses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.prove_answered_addresses(messaging.settlement[], timestamptz)
to service_role;

-- Records agent.paused for contacts whose pause the caller has just begun or prolonged. NULL ids mean
-- none.
create or replace function messaging.record_agent_pauses(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct p.instance_id from messaging.agent_pauses p where p.contact_id = any (contact_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, data)
  select p.instance_id, p.contact_id, 'agent.paused',
    jsonb_build_object(
      'contactId', p.contact_id,
      'pausedUntil', messaging.iso_in_zone(p.paused_until, i.time_zone)
    )
  from messaging.agent_pauses p
  join messaging.instances i on i.id = any (array[p.instance_id])
  where p.contact_id = any (contact_ids)
  order by p.contact_id;
end;
$$;
revoke all on function messaging.record_agent_pauses(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_agent_pauses(uuid[]) to service_role;

-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
create or replace function messaging.record_contact_changes(
  instance_id uuid,
  contact_id uuid,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  state constant jsonb := messaging.contact_state(contact_id);
  changed constant text[] := array(
    select f.key from jsonb_each(before) as f where f.value <> state->f.key order by f.key
  );
begin
  if changed = '{}' then
    return;
  end if;
  perform messaging.record_event(
    record_contact_changes.instance_id, record_contact_changes.contact_id, 'contact.updated',
    jsonb_build_object(
      'contactId', record_contact_changes.contact_id,
      'phone', state->'phone',
      'name', state->'name',
      'fieldsUpdated', changed
    )
  );
end;
$$;
revoke all
on function messaging.record_contact_changes(uuid, uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_contact_changes(uuid, uuid, jsonb) to service_role;

-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  state constant jsonb := messaging.conversation_state(conversation.id);
  ids constant jsonb := jsonb_build_object(
    'contactId', conversation.contact_id, 'conversationId', conversation.id
  );
begin
  if state->'assignment' <> before->'assignment' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.assigned',
      ids || (state->'assignment') || jsonb_build_object(
        'operatorId', state->'assignment'->'assignedTo',
        'previousAssignedTo', before->'assignment'->'assignedTo'
      )
    );
  end if;
  if state->'status' <> before->'status' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.status_changed',
      ids || jsonb_build_object('status', state->'status')
    );
  end if;
end;
$$;
revoke all
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
to service_role;

-- Records instance.held for instances that the caller has just held, or holds for longer, with the end
-- of all that holds them: NULL where they are held until they are released. `reasons`: why, in the order
-- of the instances.
create or replace function messaging.record_instance_holds(instance_ids uuid[], reasons text[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.hold_event_floors(instance_ids);
  insert into messaging.events (instance_id, type, data)
  select d.instance_id, 'instance.held',
    jsonb_build_object(
      'heldUntil', messaging.iso_in_zone(
        case when isfinite(hold.ends_at) then hold.ends_at end, i.time_zone
      ),
      'reason', h.reason
    )
  from unnest(instance_ids, reasons) as h(instance_id, reason)
  join messaging.dispatch d on d.instance_id = any (array[h.instance_id])
  join messaging.instances i on i.id = any (array[h.instance_id])
  cross join lateral (
    select greatest(d.hold_until, d.operator_hold_until) as ends_at
  ) as hold;
end;
$$;
revoke all
on function messaging.record_instance_holds(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.record_instance_holds(uuid[], text[]) to service_role;

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
  if contact.name is null and event->>'contactName' is not null then
    perform messaging.record_contact_changes(instance.id, contact.id, jsonb '{"name": null}');
  end if;
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

-- Records contact.created for contacts that the caller has just inserted, with the state they have now.
-- NULL ids mean none.
create or replace function messaging.record_new_contacts(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct c.instance_id from messaging.contacts c where c.id = any (contact_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, data)
  select c.instance_id, c.id, 'contact.created',
    messaging.fit_event_data(
      jsonb_build_object('contactId', c.id, 'phone', c.phone, 'name', c.name)
    )
  from messaging.contacts c
  where c.id = any (contact_ids);
end;
$$;
revoke all on function messaging.record_new_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_new_contacts(uuid[]) to service_role;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses. A contact that is known by
-- the new number only since yesterday, by a message it wrote, is the same person; any other contact
-- may be the number's former owner and keeps it. Returns whether a contact was found.
-- Errors: 40001 where another call has merged it.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts := messaging.find_contact(instance_id, event->>'oldAddress');
  other messaging.contacts := messaging.find_contact(instance_id, event->>'newAddress');
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
begin
  if contact.id is null or exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  if other.id <> contact.id then
    -- A user id is never given to another person: its contact is this person.
    if (
      is_user_id and contact.phone is not null and other.phone is not null
    ) or (
      not is_user_id
      and (other.origin <> 'inbound' or other.created_at < clock_timestamp() - interval '1 day')
    ) then
      return false;
    end if;
    contact := case
      when is_user_id and contact.phone is null then messaging.merge_contacts(other, contact)
      else messaging.merge_contacts(contact, other)
    end;
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  insert into messaging.contact_addresses as a (
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
  is_recorded := found;
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

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
  stored record;
begin
  for stored in
    with known as (
      select e.*, contact.id as contact_id, contact.is_nameless, conversation.id as conversation_id,
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
    if stored.tells_name and stored.contact_id <> all (named) then
      named := named || stored.contact_id;
      perform messaging.record_contact_changes(
        stored.instance_id, stored.contact_id, jsonb '{"name": null}'
      );
    end if;
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
  return recorded;
end;
$$;
revoke all
on function messaging.record_plain_messages(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_messages(messaging.plain_event[]) to service_role;

-- Records template.status_changed for templates whose status at the provider the caller has just changed:
-- one event for the instance that a template belongs to, and one for each instance of the workspace
-- where it belongs to the workspace alone. NULL ids mean none.
create or replace function messaging.record_template_changes(template_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if template_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct i.id
    from messaging.message_templates t
    join messaging.instances i
      on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
    where t.id = any (template_ids)
  ));
  insert into messaging.events (instance_id, type, data)
  select i.id, 'template.status_changed',
    messaging.fit_event_data(jsonb_build_object(
      'templateId', t.id, 'name', t.name, 'language', t.language, 'status', t.provider_status
    ))
  from messaging.message_templates t
  join messaging.instances i
    on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
  where t.id = any (template_ids)
  order by t.name, t.language, t.id, i.id;
end;
$$;
revoke all on function messaging.record_template_changes(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_template_changes(uuid[]) to service_role;

-- Records the official channel's decision about a template of the instance, or of its workspace alone.
-- Returns whether there is such a template. Records an event of each whose status is another one now.
create or replace function messaging.record_template_status(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  known uuid[];
  changed uuid[];
begin
  select array_agg(r.id), array_agg(r.id) filter (where r.is_changed) into known, changed
  from (
    select t.id, t.provider_status is distinct from event->>'status' as is_changed
    from messaging.message_templates t
    join messaging.instances i on i.id = record_template_status.instance_id
    where (t.instance_id = i.id or (t.instance_id is null and t.workspace_id = i.workspace_id))
      and t.provider_template_id = event->>'providerTemplateId'
    order by t.id
    for no key update of t
  ) as r;
  update messaging.message_templates t
  set provider_status = event->>'status', updated_at = now()
  where t.id = any (known);
  perform messaging.record_template_changes(changed);
  return known is not null;
end;
$$;
revoke all
on function messaging.record_template_status(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_template_status(uuid, jsonb) to service_role;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, and to hold the
-- instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing. Records instance.held where a hold begins or is prolonged.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  released uuid[];
  held uuid[];
  held_longer uuid[];
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance)
  into released, held
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if held is not null then
    with former as (
      select d.instance_id, greatest(d.hold_until, d.operator_hold_until, clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until
    )
    select array_agg(r.instance_id) into held_longer
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(
        held_longer, array_fill(text 'provider_refused', array[cardinality(held_longer)])
      );
    end if;
  end if;

  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    next_due_at = messaging.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(settlements) as s
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from messaging.message_queue q
    where q.instance_id = s.instance_id and q.lane = 'paced' and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of everything in flight.
  where s.lane = 'paced' and d.instance_id = any (array[s.instance_id]) and (d.in_flight = s.message_id) is true;

  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
end;
$$;
revoke all
on function messaging.release_instances(messaging.settlement[])
from public, anon, authenticated;
grant execute on function messaging.release_instances(messaging.settlement[]) to service_role;

-- Pauses the agents for several contacts, as pause_agent does for one: not before `until`. The instances,
-- in the order of the contacts, have an active agent. Writes in the order of the contacts, so that two
-- batches never wait for each other.
-- Returns until when each is paused, by contact; NULL for no contacts.
create or replace function messaging.renew_agent_pauses(
  contact_ids uuid[],
  instance_ids uuid[],
  until timestamptz
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  pauses jsonb;
  renewed uuid[];
begin
  with paused as (
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    select distinct on (wanted.contact_id)
      wanted.contact_id, wanted.instance_id, renew_agent_pauses.until
    from unnest(contact_ids, instance_ids) as wanted(contact_id, instance_id)
    order by wanted.contact_id
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = greatest(pause.paused_until, excluded.paused_until)
    returning pause.contact_id, pause.paused_until
  )
  select jsonb_object_agg(p.contact_id, p.paused_until),
    array_agg(p.contact_id) filter (where p.paused_until = renew_agent_pauses.until)
  into pauses, renewed
  from paused p;
  perform messaging.record_agent_pauses(renewed);
  return pauses;
end;
$$;
revoke all
on function messaging.renew_agent_pauses(uuid[], uuid[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.renew_agent_pauses(uuid[], uuid[], timestamptz)
to service_role;

-- Opens a closed conversation, whose contact has written again.
create or replace function messaging.reopen_conversation(conversation_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  reopened messaging.conversations;
begin
  update messaging.conversations c
  set status = 'open', updated_at = now()
  where c.id = reopen_conversation.conversation_id and c.status = 'closed'
  returning c.* into reopened;
  if found then
    perform messaging.record_conversation_changes(
      reopened, messaging.conversation_state(conversation_id) || '{"status": "closed"}'
    );
  end if;
end;
$$;
revoke all on function messaging.reopen_conversation(uuid) from public, anon, authenticated;
grant execute on function messaging.reopen_conversation(uuid) to service_role;

-- Requests the agent's answer to a contact's message: one outbox row, due in three seconds, so that
-- several messages in a row get one answer. Requests nothing while the agent is paused for the
-- contact, or where the conversation has no active agent.
-- An agent that has used up its answers of this hour is paused until it may answer again, and a note
-- tells the operators. That message's outbox row becomes `dead`: it is never answered.
-- Locks the conversation, then the agent's pause or the outbox row that the message joins.
create or replace function messaging.request_agent_reply(
  instance messaging.instances,
  contact_id uuid,
  conversation_id uuid
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation messaging.conversations;
  limited_until timestamptz;
begin
  -- Of two simultaneous messages the second sees the row of the first.
  select c.* into conversation from messaging.conversations c
  where c.id = request_agent_reply.conversation_id for no key update;
  if not exists (
    select from messaging.ai_agents a
    where a.id = messaging.conversation_agent(conversation) and a.is_active
  ) or exists (
    select from messaging.agent_pauses p
    where p.contact_id = request_agent_reply.contact_id and p.paused_until > clock_timestamp()
  ) then
    return;
  end if;
  update messaging.conversations c
  set question_count = c.question_count + 1
  where c.id = conversation.id;
  select messaging.agent_limited_until(s.answered_at) into limited_until
  from messaging.agent_sessions s where s.conversation_id = conversation.id;
  if limited_until is not null then
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    values (request_agent_reply.contact_id, instance.id, limited_until)
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[request_agent_reply.contact_id]);
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format(
        'O agente chegou ao limite de respostas por hora a este contato e está em pausa até %s.',
        to_char(limited_until at time zone instance.time_zone, 'DD/MM HH24:MI')
      ),
      true
    );
  end if;
  -- Locked until this message is committed: a worker that claimed the row now would not see it.
  perform from messaging.outbox o
  where o.conversation_id = request_agent_reply.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
  for no key update;
  if found then
    return;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  values (
    instance.workspace_id, 'agent_reply',
    jsonb_build_object('instanceId', instance.id, 'conversationId', conversation.id),
    clock_timestamp() + interval '3 seconds', conversation.id
  );
end;
$$;
revoke all
on function messaging.request_agent_reply(messaging.instances, uuid, uuid)
from public, anon, authenticated;
grant execute
on function messaging.request_agent_reply(messaging.instances, uuid, uuid)
to service_role;

-- The contact of a phone, found or created: see find_or_add_contact. Records contact.created of a new
-- one.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  resolved constant record := messaging.find_or_add_contact(instance_id, phone);
begin
  contact := resolved.contact;
  is_new := resolved.is_new;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  end if;
end;
$$;
revoke all on function messaging.resolve_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.resolve_contact(uuid, text) to service_role;

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
  profile_name constant text := case
    when event->>'origin' = 'inbound' then event->>'contactName'
  end;
  known text;
  is_new boolean := false;
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
    insert into messaging.contacts (
      instance_id, phone, identity_key, origin, name, is_profile_name
    )
    values (
      resolve_sender.instance_id,
      case when address ~ '^[0-9]{8,15}$' then address end,
      messaging.phone_identity_key(address),
      'inbound', profile_name, profile_name is not null
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := found;
    if not is_new then
      contact := messaging.find_contact(instance_id, address);
    end if;
  end if;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
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

-- settle_messages: restarts the agent's pauses now that the messages have left. They began when the
-- calls were accepted.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.renew_agent_pauses(
    array_agg(s.contact_id), array_agg(s.instance_id), clock + interval '30 minutes'
  )
  from unnest(settlements) as s
  where s.pauses_agent and exists (
    select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
    -- Looks for each instance; a join may read all agents.
    offset 0
  )
  -- Most batches pause no agent.
  having count(*) > 0;
end;
$$;
revoke all
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
to service_role;

-- Holds instances for an operator until `hold_until` (infinity: until they are released), or releases
-- them (-infinity). What the dispatcher would send for them waits: paced messages by their due time (see
-- next_due_at), unpaced ones and outbox rows when a claim comes upon them. What a former hold has
-- postponed is due at its own time again.
-- A message that was claimed before may still leave: this ends no claim.
-- Records instance.held for the instances whose hold is new, or has another end or reason now.
-- Locks pacing and dispatch before it looks for what was postponed, then queue rows without a claim.
create or replace function messaging.set_operator_hold(
  instance_ids uuid[],
  hold_until timestamptz,
  reason text
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  former_ids uuid[];
  former_ends timestamptz[];
  held_anew uuid[];
begin
  perform from messaging.pacing p
  where p.instance_id = any (set_operator_hold.instance_ids)
  order by p.instance_id
  for no key update;
  select array_agg(l.instance_id), array_agg(l.operator_hold_until) into former_ids, former_ends
  from (
    select d.instance_id, d.operator_hold_until
    from messaging.dispatch d
    where d.instance_id = any (set_operator_hold.instance_ids)
    order by d.instance_id
    for no key update
  ) as l
  where isfinite(l.operator_hold_until) or l.operator_hold_until = 'infinity';
  select array_agg(d.instance_id) into held_anew
  from messaging.dispatch d
  where d.instance_id = any (set_operator_hold.instance_ids)
    and set_operator_hold.hold_until > clock
    and (d.operator_hold_until, d.operator_hold_reason)
      is distinct from (set_operator_hold.hold_until, set_operator_hold.reason);
  update messaging.dispatch d
  set operator_hold_until = set_operator_hold.hold_until,
    operator_hold_reason = set_operator_hold.reason,
    operator_held_at = case
      when set_operator_hold.hold_until > clock then
        case when d.operator_hold_until > clock then d.operator_held_at else clock end
    end
  where d.instance_id = any (set_operator_hold.instance_ids);
  if held_anew is not null then
    perform messaging.record_instance_holds(
      held_anew, array_fill(set_operator_hold.reason, array[cardinality(held_anew)])
    );
  end if;
  perform messaging.refresh_dispatch(set_operator_hold.instance_ids);

  update messaging.message_queue q
  set visible_at = q.scheduled_at
  where q.instance_id = any (former_ids) and q.lane = 'unpaced' and q.claim_token is null
    and q.visible_at > q.scheduled_at;
  -- An outbox row that was postponed is due exactly when the hold ends.
  update messaging.outbox o
  set run_at = clock
  from unnest(former_ids, former_ends) as former(instance_id, ends_at)
  where o.settled_at is null and o.run_at = former.ends_at
    and (o.payload->>'instanceId')::uuid = former.instance_id;
end;
$$;
revoke all
on function messaging.set_operator_hold(uuid[], timestamptz, text)
from public, anon, authenticated;
grant execute on function messaging.set_operator_hold(uuid[], timestamptz, text) to service_role;

-- contacts-api tags (specification 4.3): adds and removes tags of the contact of a phone, creating
-- the contact when it is missing. `request`: instanceId, phone, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  if not found_contact.is_new then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.change_contact_tags(jsonb) from public, anon, authenticated;
grant execute on function public.change_contact_tags(jsonb) to service_role;

-- contacts-api create and update (specification 4.3; decisions, section 3): creates the contact of a
-- phone or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI020 (customLabels would exceed 64 KiB).
create or replace function public.save_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  fields constant jsonb := request->'fields';
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.find_or_add_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  if fields <> '{}' then
    update messaging.contacts c
    set name = case when fields ? 'name' then nullif(fields->>'name', '') else c.name end,
      is_profile_name = c.is_profile_name and not fields ? 'name',
      email = case when fields ? 'email' then nullif(fields->>'email', '') else c.email end,
      company = case when fields ? 'company' then nullif(fields->>'company', '') else c.company end,
      job_title = case when fields ? 'jobTitle' then nullif(fields->>'jobTitle', '') else c.job_title end,
      notes = case when fields ? 'notes' then nullif(fields->>'notes', '') else c.notes end,
      utm_source = case when fields ? 'utmSource' then nullif(fields->>'utmSource', '') else c.utm_source end,
      utm_medium = case when fields ? 'utmMedium' then nullif(fields->>'utmMedium', '') else c.utm_medium end,
      utm_campaign = case
        when fields ? 'utmCampaign' then nullif(fields->>'utmCampaign', '') else c.utm_campaign
      end,
      custom_labels = case
        when fields ? 'customLabels' then messaging.limit_merged_object(
          messaging.merge_labels(c.custom_labels, fields->'customLabels'), 'MI020'
        )
        else c.custom_labels
      end,
      is_favorite = coalesce((fields->>'isFavorite')::boolean, c.is_favorite),
      is_archived = coalesce((fields->>'isArchived')::boolean, c.is_archived),
      is_blocked = coalesce((fields->>'isBlocked')::boolean, c.is_blocked),
      updated_at = now()
    where c.id = contact_id;
  end if;
  outcome := jsonb_build_object(
    'action', case when found_contact.is_new then 'created' else 'updated' end,
    'contactId', contact_id,
    'fieldsUpdated', (
      select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_object_keys(fields) as f(key)
    ),
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'tags')
  );
  if found_contact.is_new then
    perform messaging.record_new_contacts(array[contact_id]);
  else
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.save_contact(jsonb) from public, anon, authenticated;
grant execute on function public.save_contact(jsonb) to service_role;

-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  known_contact_id uuid;
  paused_until timestamptz;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).id into known_contact_id
  from messaging.resolve_contact(instance.id, request->>'phone') r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[known_contact_id]);
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id
    returning p.paused_until into paused_until;
    -- A pause that has ended by time is not resumed by the call.
    if paused_until > clock_timestamp() then
      perform messaging.record_event(
        instance.id, known_contact_id, 'agent.resumed',
        jsonb_build_object('contactId', known_contact_id, 'pausedUntil', null)
      );
    end if;
  end if;
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;
revoke all on function public.set_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.set_agent_pause(jsonb) to service_role;

-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008.
create or replace function public.set_conversation_status(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  perform from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
  update messaging.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  perform messaging.record_conversation_changes(conversation, before);
  if request->>'internalNote' is not null then
    perform messaging.add_internal_note(instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_conversation_status(jsonb) from public, anon, authenticated;
grant execute on function public.set_conversation_status(jsonb) to service_role;

-- admin-api: makes the stored templates of an instance what its provider's complete list says.
-- `request`: instanceId, idempotency (see begin_idempotent), askedAt (before the list was read: what
-- a webhook, a person or another sync has decided since is newer than the list), templates
-- [{providerTemplateId, name, language, parameterFormat, components, providerStatus}], each provider id once.
-- Listed templates are created, or linked to what is stored (see match_listed_templates) and brought
-- up to date; templates of the instance that are listed no more get the status DELETED and stay, as
-- messages and callers may still name them. Records an event of each stored template whose status is
-- another one now.
-- Returns {instanceId, created, updated, unchanged, deleted, items [{templateId, name, language,
-- providerStatus, providerTemplateId, change}]}, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.sync_message_templates(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  replayed jsonb := messaging.begin_idempotent(request);
  asked_at constant timestamptz := (request->>'askedAt')::timestamptz;
  outcome jsonb;
  changed uuid[];
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Serialised: two simultaneous syncs would both create the new templates.
  perform from messaging.instances i where i.id = instance.id for no key update;
  -- A decision that arrives meanwhile waits, so that each change is told once.
  perform from messaging.message_templates r
  where r.workspace_id = instance.workspace_id
    and coalesce(r.instance_id, instance.id) = instance.id
  order by r.id
  for no key update;

  with listed as (
    select e."providerTemplateId" as id, e.name, e.language, e."parameterFormat" as format,
      e.components, e."providerStatus" as status
    from jsonb_to_recordset(request->'templates') as e(
      "providerTemplateId" text, name text, language text, "parameterFormat" text,
      components jsonb, "providerStatus" text
    )
  ),
  matched as (
    select l.id, m.template_id, r.provider_status as former_status, definition.*,
      case
        when r.updated_at > asked_at then coalesce(r.provider_status, l.status)
        else l.status
      end as status
    from messaging.match_listed_templates(instance, request->'templates') m
    join messaging.message_templates r on r.workspace_id = instance.workspace_id
      and r.id = m.template_id
    join listed l on l.id = m.provider_template_id
    cross join lateral (
      select l.name, l.language, l.format, l.components where r.defined_at <= asked_at
      union all
      select r.name, r.language, r.parameter_format, r.components where r.defined_at > asked_at
    ) as definition
  ),
  updated as (
    update messaging.message_templates r
    set name = m.name, language = m.language, parameter_format = m.format,
      components = m.components, provider_status = m.status, provider_template_id = m.id,
      updated_at = greatest(r.updated_at, asked_at), defined_at = greatest(r.defined_at, asked_at)
    from matched m
    where r.workspace_id = instance.workspace_id and r.id = m.template_id
      and (
        r.name, r.language, r.parameter_format, r.components, r.provider_status,
        r.provider_template_id
      ) is distinct from (m.name, m.language, m.format, m.components, m.status, m.id)
    returning r.id, m.status is distinct from m.former_status as is_decided
  ),
  created as (
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, provider_status,
      provider_template_id, updated_at, defined_at
    )
    select instance.workspace_id, instance.id, l.name, l.language, l.format, l.components, l.status,
      l.id, asked_at, asked_at
    from listed l
    where not exists (select from matched m where m.id = l.id)
    returning id, provider_template_id
  ),
  deleted as (
    update messaging.message_templates r
    set provider_status = 'DELETED', updated_at = asked_at
    where r.instance_id = instance.id
      and r.provider_template_id is not null
      and r.provider_status is distinct from 'DELETED'
      and r.updated_at <= asked_at
      and not exists (select from listed l where l.id = r.provider_template_id)
      and not exists (select from matched m where m.template_id = r.id)
    returning r.id, r.name, r.language, r.provider_status as status, r.provider_template_id
  ),
  item as (
    select coalesce(m.template_id, c.id) as template_id, coalesce(m.name, l.name) as name,
      coalesce(m.language, l.language) as language, coalesce(m.status, l.status) as status, l.id,
      case
        when c.id is not null then 'created'
        when exists (select from updated u where u.id = m.template_id) then 'updated'
        else 'unchanged'
      end as change
    from listed l
    left join matched m on m.id = l.id
    left join created c on c.provider_template_id = l.id
    union all
    select d.id, d.name, d.language, d.status, d.provider_template_id, 'deleted' from deleted d
  )
  select jsonb_build_object(
    'instanceId', instance.id,
    'created', count(*) filter (where i.change = 'created'),
    'updated', count(*) filter (where i.change = 'updated'),
    'unchanged', count(*) filter (where i.change = 'unchanged'),
    'deleted', count(*) filter (where i.change = 'deleted'),
    'items', coalesce(
      jsonb_agg(
        jsonb_build_object(
          'templateId', i.template_id,
          'name', i.name,
          'language', i.language,
          'providerStatus', i.status,
          'providerTemplateId', i.id,
          'change', i.change
        )
        order by i.name, i.language, i.id
      ),
      '[]'
    )
  ), (
    select array_agg(decided.id)
    from (
      select u.id from updated u where u.is_decided
      union all
      select d.id from deleted d
    ) as decided
  ) into outcome, changed
  from item i;
  perform messaging.record_template_changes(changed);
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.sync_message_templates(jsonb) from public, anon, authenticated;
grant execute on function public.sync_message_templates(jsonb) to service_role;

-- admin-api: changes a template. `request`: templateId, changes {name, language, parameterFormat,
-- components, providerStatus, providerTemplateId, each optional; null clears the last two}.
-- Errors: MI016.
create or replace function public.update_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  former messaging.message_templates;
  template messaging.message_templates;
begin
  select r.* into former
  from messaging.message_templates r
  where r.id = (request->>'templateId')::uuid
  for no key update;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  update messaging.message_templates r
  set name = coalesce(changes->>'name', r.name),
    language = coalesce(changes->>'language', r.language),
    parameter_format = coalesce(changes->>'parameterFormat', r.parameter_format),
    components = coalesce(changes->'components', r.components),
    provider_status = case
      when changes ? 'providerStatus' then changes->>'providerStatus' else r.provider_status
    end,
    provider_template_id = case
      when changes ? 'providerTemplateId' then changes->>'providerTemplateId'
      else r.provider_template_id
    end,
    updated_at = now(),
    defined_at = case
      when changes ?| array['name', 'language', 'parameterFormat', 'components']
      then clock_timestamp() else r.defined_at
    end
  where r.id = former.id
  returning r.* into template;
  if template.provider_status is distinct from former.provider_status then
    perform messaging.record_template_changes(array[template.id]);
  end if;
  return messaging.describe_message_template(template);
end;
$$;
revoke all on function public.update_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.update_message_template(jsonb) to service_role;
