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

-- Takes an `Idempotency-Key` for the caller's transaction (decisions, section 5). Every function that
-- executes a call once begins with it and ends with keep_outcome:
--   replayed jsonb := messaging.begin_idempotent(request);
--   ... if replayed is not null then return replayed; end if; ...
--   return messaging.keep_outcome(request, outcome);
-- `request`: idempotency {scope, key, fingerprint}; NULL means that the call has no key.
-- Returns NULL when the caller is the first and must execute, else {replayed}: what the first call
-- decided, and what has become of it (see describe_kept_outcome). A simultaneous call with the same
-- key waits here until the first one commits: the key's row stays locked. Keys live 24 hours.
-- Errors: MI007 (the first still runs), MI008 (other body), MI035 (it was about a person who was erased
-- since; see sweep_idempotency_keys).
create or replace function messaging.begin_idempotent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  idempotency constant jsonb := nullif(request->'idempotency', 'null');
  known messaging.idempotency_keys;
begin
  if idempotency is null then
    return null;
  end if;
  insert into messaging.idempotency_keys as kept (scope, key, fingerprint)
  values (idempotency->>'scope', idempotency->>'key', idempotency->>'fingerprint')
  on conflict on constraint idempotency_keys_pkey do update
  set fingerprint = excluded.fingerprint, outcome = null, response = null, message_id = null,
    attempt = null, created_at = now()
  where kept.created_at <= now() - interval '24 hours';
  if found then
    return null;
  end if;
  select k.* into known
  from messaging.idempotency_keys k
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
  if known.outcome ? 'isErased' then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  return jsonb_build_object('replayed', messaging.describe_kept_outcome(known));
end;
$$;
revoke all on function messaging.begin_idempotent(jsonb) from public, anon, authenticated;
grant execute on function messaging.begin_idempotent(jsonb) to service_role;

-- The first part of an erasure: deletes the rows of the person, at most `max_rows` messages and events a
-- step, and the contact with the last of them. Until then the contact is there: what comes to it is erased
-- with it. Afterwards its phone is nobody's: whatever names it makes a new contact.
-- Everything that writes to a contact locks it, and finds it gone where it waited for this: it is repeated
-- (see find_or_add_contact). Messages go before events: a transaction that records an event of a message
-- holds the message, so that its event is here when the message is gone.
-- A contact that was merged meanwhile is erased as the one that it has become.
-- Returns the erasure; its work is at the next part when nothing of the person is left.
-- Locks the person's addresses, so that no webhook about them is half recorded; the contact, its
-- conversation, messages; at the end the tombstones.
create or replace function messaging.erase_rows(erasure messaging.erasures, max_rows integer)
returns messaging.erasures
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  contact messaging.contacts;
  person_id constant uuid := coalesce(
    (select a.merged_into from messaging.contact_activity a where a.contact_id = erasure.contact_id),
    erasure.contact_id
  );
  person_ids uuid[];
  of_conversation uuid;
  tag_ids uuid[];
  erased jsonb;
begin
  perform messaging.lock_addresses(c.instance_id, messaging.person_addresses(c))
  from messaging.contacts c where c.id = person_id;
  select c.* into contact from messaging.contacts c where c.id = person_id for update;
  if found then
    person_ids := array[contact.id, erasure.contact_id] || array(
      select a.contact_id from messaging.contact_activity a where a.merged_into = contact.id
    );
    select c.id into of_conversation from messaging.conversations c
    where c.contact_id = contact.id for update;
    erased := messaging.erase_messages(contact, max_rows);
    erasure := messaging.add_erased(erasure, erased);
    if exists (select from messaging.messages m where m.contact_id = contact.id) then
      return erasure;
    end if;
    erased := messaging.erase_events(contact.instance_id, person_ids, max_rows);
    erasure := messaging.add_erased(erasure, erased);
    if (erased->>'events')::integer >= max_rows then
      return erasure;
    end if;
    erasure.work := erasure.work || jsonb_build_object('marks', messaging.merge_texts(
      erasure.work->'marks', messaging.person_marks(messaging.person_addresses(contact)) || person_ids::text[]
        || of_conversation::text
    ));
    erasure.counts := messaging.add_counts(erasure.counts, jsonb_build_object('notes', (
      select count(*) from messaging.internal_notes n
      where n.conversation_id = of_conversation
    )));
    erasure.counts := messaging.add_counts(erasure.counts, jsonb_build_object(
      'media', messaging.forget_media(messaging.media_of_contact(contact.id))
    ));
    perform messaging.forget_recipients(person_ids);
    tag_ids := array(select t.tag_id from messaging.contact_tags t where t.contact_id = contact.id);
    -- With its addresses, tags, consent, conversation, notes, transfers, agent session and pauses.
    delete from messaging.contacts c where c.id = contact.id;
    -- A tag that nobody else has may say who the person was.
    delete from messaging.tags t
    where t.id = any (tag_ids)
      and not exists (select from messaging.contact_tags c where c.tag_id = t.id);
    perform messaging.record_event(
      contact.instance_id, contact.id, 'contact.erased', jsonb_build_object('contactId', contact.id)
    );
    perform messaging.bury_contacts(contact.instance_id, person_ids);
  end if;
  erasure.work := erasure.work || '{"part": "provider_events", "after": null}';
  return erasure;
end;
$$;
revoke all
on function messaging.erase_rows(messaging.erasures, integer)
from public, anon, authenticated;
grant execute on function messaging.erase_rows(messaging.erasures, integer) to service_role;

-- Those of a webhook's events that are about messages of erased persons: see erased_messages.
create or replace function messaging.erased_events(instance_id uuid, events jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
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
revoke all on function messaging.erased_events(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.erased_events(uuid, jsonb) to service_role;

-- Whether kept_denials knows an identity (see denial_identities) of the instance. The caller of the RPC gives
-- the identities' hashes: see call_with_denial_hashes.
-- Errors: MI037 where the instance keeps denials and the hash was not given: the call must be repeated
-- with it.
create or replace function messaging.is_kept_denial(instance_id uuid, identity text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  given jsonb;
begin
  if not exists (
    select from messaging.kept_denials d where d.instance_id = is_kept_denial.instance_id
  ) then
    return false;
  end if;
  given := nullif(current_setting('messaging.denial_hashes', true), '')::jsonb;
  if (given ? identity) is not true then
    raise exception using errcode = 'MI037', message = 'denial_hashes_needed';
  end if;
  return exists (
    select from messaging.kept_denials d
    where d.instance_id = is_kept_denial.instance_id and d.identity_hash = given->>identity
  );
end;
$$;
revoke all on function messaging.is_kept_denial(uuid, text) from public, anon, authenticated;
grant execute on function messaging.is_kept_denial(uuid, text) to service_role;

-- Stores a webhook's payload as received, but nothing of what it says of erased persons, by messages that
-- are erased: a status that comes late, or a message that is delivered once more. `events` are what the
-- payload means.
create or replace function messaging.keep_payload(instance_id uuid, payload text, events jsonb)
returns void
language plpgsql
set search_path = ''
as $$
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
revoke all on function messaging.keep_payload(uuid, text, jsonb) from public, anon, authenticated;
grant execute on function messaging.keep_payload(uuid, text, jsonb) to service_role;

-- A regular expression that finds any of these texts where it stands alone:
-- a number that is part of a longer one is another person's.
create or replace function messaging.marks_pattern(marks text[])
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select '(^|[^0-9A-Za-z])(' || string_agg(regexp_replace(mark.text, '([^0-9A-Za-z])', '\\\1', 'g'), '|')
    || ')($|[^0-9A-Za-z])'
  from unnest(marks) as mark(text);
$$;
revoke all on function messaging.marks_pattern(text[]) from public, anon, authenticated;
grant execute on function messaging.marks_pattern(text[]) to service_role;

-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs, but a username goes to whom
-- it is told of last, and replaces the person's former one. A contact that has changed
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
  perform messaging.recall_denials(
    prove_addresses.instance_id, prove_addresses.contact_id, addresses
  );
  perform messaging.note_contact(prove_addresses.contact_id);
  if exists (select from unnest(addresses) as seen(address) where seen.address like 'username:%') then
    update messaging.contact_addresses a
    set contact_id = prove_addresses.contact_id
    where a.instance_id = prove_addresses.instance_id and a.identity_key = any (addresses)
      and a.address like 'username:%' and a.contact_id <> prove_addresses.contact_id;
    delete from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.address like 'username:%'
      and a.address <> all (addresses);
  end if;
  if has_moved then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
end;
$$;
revoke all
on function messaging.prove_addresses(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.prove_addresses(uuid, uuid, text[]) to service_role;

-- Trigger: a new contact whose person had denied marketing before an erasure is born `denied`, whoever
-- creates it. record_new_contacts records it. Errors: see is_kept_denial.
create or replace function messaging.recall_denial()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.consent_marketing = 'unknown'
    and messaging.is_kept_denial(new.instance_id, new.identity_key)
  then
    new.consent_marketing := 'denied';
    new.consent_at := date_trunc('milliseconds', clock_timestamp());
    new.consent_source := 'erasure';
  end if;
  return new;
end;
$$;
revoke all on function messaging.recall_denial() from public, anon, authenticated;
grant execute on function messaging.recall_denial() to service_role;

-- Makes a contact `denied` that has said nothing and turns out, by further addresses, to be a person who had
-- denied marketing before an erasure. The caller holds the contact locked. Errors: see is_kept_denial.
create or replace function messaging.recall_denials(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  identity text;
begin
  if not exists (
    select from messaging.kept_denials d where d.instance_id = recall_denials.instance_id
  ) or not exists (
    select from messaging.contacts c
    where c.id = recall_denials.contact_id and c.consent_marketing = 'unknown'
  ) then
    return;
  end if;
  foreach identity in array messaging.denial_identities(addresses) loop
    if messaging.is_kept_denial(recall_denials.instance_id, identity) then
      perform messaging.change_consent(
        recall_denials.contact_id, jsonb '{"marketing": "denied", "source": "erasure"}'
      );
      return;
    end if;
  end loop;
end;
$$;
revoke all
on function messaging.recall_denials(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.recall_denials(uuid, uuid, text[]) to service_role;

-- Records contact.created for contacts that the caller has just inserted, with the state they have now.
-- NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_new_contacts(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
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
  -- Who had denied marketing before an erasure: see recall_denial.
  perform messaging.record_recalled_denial(c)
  from messaging.contacts c
  where c.id = any (contact_ids) and c.consent_marketing <> 'unknown'
  order by c.id;
end;
$$;
revoke all on function messaging.record_new_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_new_contacts(uuid[]) to service_role;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- Returns whether anything changed. Errors: 40001 where another call has merged the contact.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  other messaging.contacts;
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  seen text;
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
begin
  if exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  contact := messaging.find_contact(instance_id, event->>'oldAddress');
  foreach seen in array array[event->>'newAddress'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    other := messaging.find_contact(instance_id, seen);
    continue when other.id is null or other.id = contact.id;
    if is_user_id and contact.phone is null then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(other, contact)
      end;
    elsif (is_user_id and other.phone is null) or (
      other.origin = 'inbound' and other.created_at >= clock_timestamp() - interval '1 day'
    ) then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(contact, other)
      end;
    elsif seen = event->>'newAddress' then
      return false;
    end if;
  end loop;
  if contact.id is null then
    contact := messaging.add_moved_contact(instance_id, event->>'newAddress');
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if not is_user_id then
    contact := messaging.assign_contact_phone(contact, event->>'newAddress');
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
  -- What was written before the change may come after it: it is of this person.
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select record_number_change.instance_id, event->>'oldAddress', contact.id, '-infinity'
  where (messaging.find_contact(instance_id, event->>'oldAddress')).id is null
  on conflict do nothing;
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
  perform messaging.recall_denials(
    record_number_change.instance_id, contact.id,
    array[event->>'oldAddress', event->>'newAddress']
  );
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  if is_recorded then
    perform messaging.note_contact(contact.id);
    perform messaging.refresh_contact_search(contact.id);
  end if;
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

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
        quoted_message_id
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.stored_id, k.instance_id, k.contact_id, k.conversation_id, 'inbound', k.message_type, k.message,
        k.content, false, 'received', k.provider_message_id, k.occurred_at, k.is_group, k.chat_name,
        clock_timestamp(), k.quoted_message_id
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

-- Records that a new contact is `denied` from the beginning: see recall_denial.
create or replace function messaging.record_recalled_denial(contact messaging.contacts)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
  values (
    contact.instance_id, contact.id, contact.consent_marketing, contact.consent_at,
    contact.consent_source
  );
  perform messaging.record_consent_event(contact);
end;
$$;
revoke all
on function messaging.record_recalled_denial(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.record_recalled_denial(messaging.contacts) to service_role;

-- Part of an erasure: looks through the next `max_rows` webhook deliveries of the instance, and deletes the
-- receivers' answers that name the person: those of events that are gone, and of other people's. `after`
-- {endpointId, sequence} and the result as in sweep_provider_events.
create or replace function messaging.sweep_event_deliveries(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  endpoint uuid;
  seen record;
  last_sequence bigint;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for endpoint in
    select e.id from messaging.event_endpoints e
    where e.instance_id = of_instance
      and e.id >= coalesce((after->>'endpointId')::uuid, '00000000-0000-0000-0000-000000000000')
    order by e.id
  loop
    for seen in
      select d.id, d.sequence, d.attempts::text ~ pattern as is_hit
      from messaging.event_deliveries d
      where d.endpoint_id = endpoint
        and d.sequence > case
          when endpoint = (after->>'endpointId')::uuid then (after->>'sequence')::bigint else 0
        end
      order by d.endpoint_id, d.sequence
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_sequence := seen.sequence;
      if seen.is_hit then
        update messaging.event_deliveries d
        set attempts = (
          select jsonb_agg(a.value || '{"answer": null}' order by a.place)
          from jsonb_array_elements(d.attempts) with ordinality as a(value, place)
        )
        where d.id = seen.id;
        erased := erased + 1;
      end if;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('deliveries', erased),
    'after', case
      when rows_seen = max_rows
      then jsonb_build_object('endpointId', endpoint, 'sequence', last_sequence)
    end
  );
end;
$$;
revoke all
on function messaging.sweep_event_deliveries(uuid, text, jsonb, integer)
from public, anon, authenticated;
grant execute
on function messaging.sweep_event_deliveries(uuid, text, jsonb, integer)
to service_role;

-- Part of an erasure: looks through the next `max_rows` kept calls of the instance's tokens and of the
-- admin API, and empties those about the person: a repeated call is answered contact_erased, so that it
-- sends nothing a second time. A key that names the person goes whole. `after` {scope, key} and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_idempotency_keys(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  in_scope text;
  seen record;
  last_key text;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for in_scope in
    select s.scope
    from (
      select t.id::text as scope from messaging.client_tokens t where t.instance_id = of_instance
      union all
      select 'admin'
    ) as s
    where s.scope >= coalesce(after->>'scope', '')
    order by s.scope
  loop
    for seen in
      select k.key, k.key ~* pattern as is_key_hit,
        coalesce(k.outcome::text ~ pattern, false) or coalesce(k.response::text ~ pattern, false) as is_hit
      from messaging.idempotency_keys k
      where k.scope = in_scope
        and k.key > case when in_scope = after->>'scope' then after->>'key' else '' end
      order by k.scope, k.key
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_key := seen.key;
      if seen.is_key_hit then
        delete from messaging.idempotency_keys k where k.scope = in_scope and k.key = seen.key;
      elsif seen.is_hit then
        update messaging.idempotency_keys k
        set fingerprint = '', outcome = '{"isErased": true}', response = null, message_id = null,
          attempt = null
        where k.scope = in_scope and k.key = seen.key;
      end if;
      erased := erased + (seen.is_key_hit or seen.is_hit)::integer;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('idempotencyBodies', erased),
    'after', case
      when rows_seen = max_rows then jsonb_build_object('scope', in_scope, 'key', last_key)
    end
  );
end;
$$;
revoke all
on function messaging.sweep_idempotency_keys(uuid, text, jsonb, integer)
from public, anon, authenticated;
grant execute
on function messaging.sweep_idempotency_keys(uuid, text, jsonb, integer)
to service_role;

-- Calls another RPC, `request`.name with `request`.request, and gives it the hashes of the identities that
-- its request names: `request`.hashes {identity: HMAC}. For a call that was refused with MI037.
-- Returns what that RPC returns. Errors: that RPC's.
create or replace function public.call_with_denial_hashes(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
begin
  perform set_config('messaging.denial_hashes', request->>'hashes', true);
  execute format('select public.%I($1)', request->>'name') into result using request->'request';
  perform set_config('messaging.denial_hashes', '', true);
  return result;
end;
$$;
revoke all on function public.call_with_denial_hashes(jsonb) from public, anon, authenticated;
grant execute on function public.call_with_denial_hashes(jsonb) to service_role;

-- contacts-api: begins to erase a person, and does as much as one step can: for most persons all of it. The
-- rest is run_erasures'. From now on calls that name the contact are answered contact_erased, and what
-- waits to be sent to it is gone. The id of a merged contact erases the person it was merged into.
-- `request`: instanceId, contactId, maxRows (of a step); identityHashes {identity: hash}, the HMACs of the
-- identities under the key of kept_denials.
-- Returns {erasureId, contactId, status, counts}, see describe_erasure; or {identities}, with nothing done,
-- where the hashes of these are needed: the person has denied marketing, so that the hashes are kept, or
-- the instance keeps hashes, and those of a person who no longer denies must go.
-- Locks as erase_rows. Errors: MI031; MI035 where it was erased before; 40001 where the
-- contact was merged since it was found; the call must be repeated.
create or replace function public.erase_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  max_rows constant integer := (request->>'maxRows')::integer;
  hashes constant jsonb := coalesce(nullif(request->'identityHashes', 'null'), '{}');
  contact messaging.contacts := messaging.find_recipient(of_instance, request);
  identities text[];
  erased jsonb;
  erasure messaging.erasures;
begin
  perform messaging.lock_addresses(of_instance, messaging.person_addresses(contact));
  select c.* into contact from messaging.contacts c where c.id = contact.id for update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  -- Two calls at once: the second waited for the contact.
  perform messaging.refuse_erased(of_instance, contact.id);
  if contact.consent_marketing = 'denied'
    or exists (select from messaging.kept_denials d where d.instance_id = of_instance)
  then
    identities := messaging.denial_identities(messaging.person_addresses(contact));
    if not hashes ?& identities then
      return jsonb_build_object('identities', to_jsonb(identities));
    end if;
    if contact.consent_marketing = 'denied' then
      insert into messaging.kept_denials (instance_id, identity_hash)
      select of_instance, hashes->>named.identity from unnest(identities) as named(identity)
      order by 2
      on conflict do nothing;
    else
      delete from messaging.kept_denials d
      where d.instance_id = of_instance
        and d.identity_hash = any (array(select h.value from jsonb_each_text(hashes) as h));
    end if;
  end if;
  insert into messaging.erasures (instance_id, contact_id, work)
  values (of_instance, contact.id, jsonb_build_object(
    'part', 'rows', 'after', null, 'marks', jsonb '[]'
  ))
  returning * into erasure;
  perform from messaging.conversations c where c.contact_id = contact.id for update;
  erasure := messaging.add_erased(erasure, messaging.erase_messages(contact, max_rows, true));
  for step in 1..8 loop
    erasure := messaging.continue_erasure(erasure, max_rows);
    exit when erasure.status = 'done' or nullif(erasure.work->'after', 'null') is not null
      or step = 1 and erasure.work->>'part' = 'rows';
  end loop;
  if erasure.work->>'part' = 'rows' then
    perform messaging.bury_contacts(of_instance, array[contact.id]);
  end if;
  return messaging.describe_erasure(erasure);
end;
$$;
revoke all on function public.erase_contact(jsonb) from public, anon, authenticated;
grant execute on function public.erase_contact(jsonb) to service_role;

-- The sealed key of the HMACs of kept_denials. `request`: sealedKey, to keep where there is none yet or where
-- `formerKey` is the present one; NULL only reads. Returns {sealedKey}: the one that is kept, or NULL.
create or replace function public.keep_denial_key(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if request->>'sealedKey' is not null then
    insert into messaging.denial_key as k (sealed_key) values (request->>'sealedKey')
    on conflict on constraint denial_key_pkey do update set sealed_key = excluded.sealed_key
    where k.sealed_key = request->>'formerKey';
  end if;
  return jsonb_build_object('sealedKey', (select k.sealed_key from messaging.denial_key k));
end;
$$;
revoke all on function public.keep_denial_key(jsonb) from public, anon, authenticated;
grant execute on function public.keep_denial_key(jsonb) to service_role;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers, preferences.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages).
-- The same event twice, or at the same time in two calls, counts once. Events of messages of erased persons
-- count nothing, and are not stored. Returns {recorded}: how many
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
  erased jsonb;
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
  -- Last: a message may have been erased while this waited for it.
  perform messaging.keep_payload(instance.id, request->>'payload', request->'events')
  where request->>'payload' is not null;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;

-- Built after the functions that they execute.
create trigger contacts_recall_denial
before insert on messaging.contacts
for each row
execute function messaging.recall_denial();
