-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/contacts/internal/apply_tags.sql
-- Gives a contact tags by name, creating those that the instance does not have yet, each with a
-- random colour (specification, section 2). Names are compared without regard to case and returned
-- as first written, in the order asked for. NULL names mean none.
create or replace function messaging.apply_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if names is null or names in ('null', '[]') then
    return jsonb '[]';
  end if;
  -- All calls insert in one order, so that two calls with the same tags do not deadlock.
  insert into messaging.tags (instance_id, name, color)
  select apply_tags.instance_id, (array_agg(wanted.name order by wanted.place))[1],
    '#' || lpad(to_hex(floor(random() * 16777216)::integer), 6, '0')
  from jsonb_array_elements_text(names) with ordinality as wanted(name, place)
  group by lower(wanted.name)
  order by lower(wanted.name)
  on conflict do nothing;
  insert into messaging.contact_tags (contact_id, tag_id)
  select apply_tags.contact_id, t.id
  from messaging.tags t
  where t.instance_id = apply_tags.instance_id
    and lower(t.name) in (select lower(w.name) from jsonb_array_elements_text(names) as w(name))
  order by t.id
  on conflict do nothing;
  return (
    select jsonb_agg(applied.name order by applied.place)
    from (
      select t.name, min(w.place) as place
      from jsonb_array_elements_text(names) with ordinality as w(name, place)
      join messaging.tags t
        on t.instance_id = apply_tags.instance_id and lower(t.name) = lower(w.name)
      group by t.name
    ) as applied
  );
end;
$$;
revoke all on function messaging.apply_tags(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.apply_tags(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/contacts/internal/assign_contact_phone.sql
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
begin
  if contact.phone is not null or phone !~ '^[0-9]{8,15}$' then
    return contact;
  end if;
  other := messaging.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return messaging.merge_contacts(other, contact);
  end if;
  update messaging.contacts c
  set phone = assign_contact_phone.phone, identity_key = messaging.phone_identity_key(assign_contact_phone.phone),
    updated_at = now()
  where c.id = contact.id and c.phone is null
  returning c.* into shown;
  return coalesce(shown, contact);
end;
$$;
revoke all
on function messaging.assign_contact_phone(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.assign_contact_phone(messaging.contacts, text) to service_role;

-- source: supabase/schemas/contacts/internal/contact_display_phone.sql
-- The phone to show for a contact: the one first given, unless the contact has announced another
-- number and has not written from an earlier one since. NULL for a contact that never showed a phone.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select case when newest.changed_by is not null then newest.address end
      from (
        select a.address, a.changed_by
        from messaging.contact_addresses a
        where a.contact_id = contact.id
        order by a.proven_at desc
        limit 1
      ) as newest
    ),
    contact.phone
  );
end;
$$;
revoke all
on function messaging.contact_display_phone(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.contact_display_phone(messaging.contacts) to service_role;

-- source: supabase/schemas/contacts/internal/contact_send_address.sql
-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3).
create or replace function messaging.contact_send_address(
  contact messaging.contacts,
  phone_given text
)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select a.address from messaging.contact_addresses a
      where a.contact_id = contact.id
      order by a.proven_at desc
      limit 1
    ),
    phone_given,
    contact.phone
  );
end;
$$;
revoke all
on function messaging.contact_send_address(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.contact_send_address(messaging.contacts, text) to service_role;

-- source: supabase/schemas/contacts/internal/find_contact.sql
-- Finds the contact of a phone by identity key: first by the contact's own, then by a proven address.
-- Returns a row of NULLs when there is none. Writes nothing.
create or replace function messaging.find_contact(instance_id uuid, phone text)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  wanted_key constant text := messaging.phone_identity_key(phone);
  contact messaging.contacts;
begin
  select c.* into contact
  from messaging.contacts c
  where c.instance_id = find_contact.instance_id
    and c.identity_key = wanted_key;
  if not found then
    select c.* into contact
    from messaging.contact_addresses a
    join messaging.contacts c on c.id = a.contact_id
    where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key;
  end if;
  return contact;
end;
$$;
revoke all on function messaging.find_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_contact(uuid, text) to service_role;

-- source: supabase/schemas/contacts/internal/limit_merged_object.sql
-- Returns a merged object (customLabels, collected_data) of at most 64 KiB (decisions, section 3). The
-- bound is needed because calls of 32 KiB each add up. The caller has locked the row. `refusal` is the
-- SQLSTATE raised for a larger object; it names the request's field. Errors: MI020, MI021.
create or replace function messaging.limit_merged_object(merged jsonb, refusal text)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if messaging.object_bytes(merged) > 64 * 1024 then
    raise exception 'a merged object would exceed 64 KiB' using errcode = refusal;
  end if;
  return merged;
end;
$$;
revoke all on function messaging.limit_merged_object(jsonb, text) from public, anon, authenticated;
grant execute on function messaging.limit_merged_object(jsonb, text) to service_role;

-- source: supabase/schemas/contacts/internal/lock_addresses.sql
-- Serialises transactions that record messages under the same addresses, until they commit. An event
-- may show several addresses of one person: look-ups by each must not miss each other and must not
-- deadlock.
-- All callers lock in one order. The addresses of an instance share 256 locks.
create or replace function messaging.lock_addresses(instance_id uuid, addresses text[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended('addresses ' || lock_addresses.instance_id::text, 0)
      # (hashtext(messaging.phone_identity_key(seen.address)) & 255) as lock_key
    from unnest(addresses) as seen(address)
    order by lock_key
  ) as wanted;
end;
$$;
revoke all on function messaging.lock_addresses(uuid, text[]) from public, anon, authenticated;
grant execute on function messaging.lock_addresses(uuid, text[]) to service_role;

-- source: supabase/schemas/contacts/internal/merge_contacts.sql
-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: messages, notes,
-- tags, addresses. Values of `kept` win; a name that was given wins over a profile name. Deletes
-- `gone`.
-- Locks both contacts, then both conversations: a transaction that writes to `gone` has either
-- committed, and its rows are moved, or finds no such contact and is repeated.
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
begin
  perform from messaging.contacts c where c.id in (kept.id, gone.id) order by c.id for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  kept_conversation := messaging.resolve_conversation(kept.instance_id, kept.id);
  perform from messaging.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  select c.* into gone_conversation from messaging.conversations c where c.contact_id = gone.id;
  if found then
    perform messaging.merge_conversations(kept_conversation, gone_conversation);
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  select kept.id, p.instance_id, p.paused_until
  from messaging.agent_pauses p where p.contact_id = gone.id
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = greatest(pause.paused_until, excluded.paused_until);
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
  return merged;
end;
$$;
revoke all
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
from public, anon, authenticated;
grant execute
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
to service_role;

-- source: supabase/schemas/contacts/internal/merge_conversations.sql
-- merge_contacts: moves messages, notes, transfers and the agent's knowledge from one conversation
-- into another, which keeps its own operator, department and agent. Open questions move too.
-- The caller holds both conversations locked.
create or replace function messaging.merge_conversations(
  kept messaging.conversations,
  gone messaging.conversations
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.messages m
  set contact_id = kept.contact_id, conversation_id = kept.id
  where m.instance_id = gone.instance_id and m.contact_id = gone.contact_id;
  update messaging.internal_notes n set conversation_id = kept.id where n.conversation_id = gone.id;
  update messaging.chat_transfer_log l set conversation_id = kept.id where l.conversation_id = gone.id;
  insert into messaging.agent_sessions as session (
    conversation_id, instance_id, agent_id, collected_data, created_at, answered_count, answered_at
  )
  select kept.id, s.instance_id, s.agent_id, s.collected_data, s.created_at, s.answered_count,
    s.answered_at
  from messaging.agent_sessions s where s.conversation_id = gone.id
  on conflict on constraint agent_sessions_pkey do update
  set collected_data = case
      when messaging.object_bytes(excluded.collected_data || session.collected_data) <= 64 * 1024
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
  update messaging.conversations c
  set status = case when 'open' in (c.status, gone.status) then 'open' else c.status end,
    assigned_to = coalesce(c.assigned_to, gone.assigned_to),
    department_id = coalesce(c.department_id, gone.department_id),
    agent_id = coalesce(c.agent_id, gone.agent_id),
    question_count = c.question_count + gone.question_count,
    created_at = least(c.created_at, gone.created_at),
    updated_at = now()
  where c.id = kept.id;
  -- A row that a worker has claimed already names the former conversation: the worker finds none.
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  select o.workspace_id, o.kind,
    o.payload || jsonb_build_object('conversationId', kept.id),
    least(o.run_at, clock_timestamp() + interval '3 seconds'), kept.id
  from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
  order by o.run_at
  limit 1;
  delete from messaging.outbox o
  where o.conversation_id = gone.id and o.kind = 'agent_reply' and o.status = 'pending'
    and o.claim_token is null;
end;
$$;
revoke all
on function messaging.merge_conversations(messaging.conversations, messaging.conversations)
from public, anon, authenticated;
grant execute
on function messaging.merge_conversations(messaging.conversations, messaging.conversations)
to service_role;

-- source: supabase/schemas/contacts/internal/merge_labels.sql
-- Merges changes into labels, key by key. A NULL value removes its key; a JSON null in place of the
-- changes removes all labels; SQL NULL changes nothing.
create or replace function messaging.merge_labels(labels jsonb, changes jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when changes is null then labels
    when changes = 'null' then '{}'
    else (
      select coalesce(jsonb_object_agg(l.key, l.value), '{}')
      from jsonb_each(labels || changes) as l
      where l.value <> 'null'
    )
  end;
$$;
revoke all on function messaging.merge_labels(jsonb, jsonb) from public, anon, authenticated;
grant execute on function messaging.merge_labels(jsonb, jsonb) to service_role;

-- source: supabase/schemas/contacts/internal/prove_answered_addresses.sql
-- settle_messages: records that the provider reached these addresses now. An address that belongs to
-- another contact stays with it. An address that is already proven is written again once a day, or
-- when the contact has another address proven since: a write with every message would cost too much.
create or replace function messaging.prove_answered_addresses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
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
end;
$$;
revoke all
on function messaging.prove_answered_addresses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.prove_answered_addresses(messaging.settlement[], timestamptz)
to service_role;

-- source: supabase/schemas/contacts/internal/record_number_change.sql
-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses. A contact that is known by
-- the new number only since yesterday, by a message it wrote, is the same person; any other contact
-- may be the number's former owner and keeps it. Returns whether a contact was found.
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
  return found;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

-- source: supabase/schemas/contacts/internal/refuse_unreachable_contact.sql
-- Raises MI005 for a blocked contact, and MI006 for a free-form message on the official channel to
-- a contact whose last message is known and older than 24 hours (templates may go then).
create or replace function messaging.refuse_unreachable_contact(
  instance messaging.instances,
  contact messaging.contacts,
  message_type text
)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  if instance.provider_class = 'official' and message_type <> 'template'
    and contact.last_inbound_at < clock_timestamp() - interval '24 hours' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window';
  end if;
end;
$$;
revoke all
on function messaging.refuse_unreachable_contact(messaging.instances, messaging.contacts, text)
from public, anon, authenticated;
grant execute
on function messaging.refuse_unreachable_contact(messaging.instances, messaging.contacts, text)
to service_role;

-- source: supabase/schemas/contacts/internal/remove_tags.sql
-- Takes tags off a contact by name. Returns those really taken off, as first written; the tags
-- themselves stay with the instance.
create or replace function messaging.remove_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with removed as (
    delete from messaging.contact_tags c
    using messaging.tags t
    where t.instance_id = remove_tags.instance_id
      and c.tag_id = t.id
      and c.contact_id = remove_tags.contact_id
      and lower(t.name) in (
        select lower(w.name)
        from jsonb_array_elements_text(coalesce(nullif(names, 'null'), '[]')) as w(name)
      )
    returning t.name
  )
  select coalesce(jsonb_agg(r.name order by r.name), '[]') from removed r;
$$;
revoke all on function messaging.remove_tags(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.remove_tags(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/contacts/internal/resolve_contact.sql
-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). Looks by identity key, then by proven address. Simultaneous calls get the same contact:
-- the unique index decides. A new contact waits for events under way that may show whose address the
-- phone is. The contact cannot be deleted until the caller commits.
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
      resolve_contact.instance_id, resolve_contact.phone,
      messaging.phone_identity_key(resolve_contact.phone), 'api'
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
revoke all on function messaging.resolve_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.resolve_contact(uuid, text) to service_role;

-- source: supabase/schemas/contacts/rpc/change_contact_tags.sql
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
  contact_id uuid;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.change_contact_tags(jsonb) from public, anon, authenticated;
grant execute on function public.change_contact_tags(jsonb) to service_role;

-- source: supabase/schemas/contacts/rpc/save_contact.sql
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
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
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
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.save_contact(jsonb) from public, anon, authenticated;
grant execute on function public.save_contact(jsonb) to service_role;
