set local check_function_bodies = off;

-- The key of the HMACs of kept_denials: one row, made with the first. Sealed by the API under its
-- credential keys, and resealed with the credentials when those are rotated: the HMACs stay valid.
create table messaging.denial_key (
  is_only boolean primary key default true,
  sealed_key text not null,
  constraint denial_key_one_row check (is_only)
);
alter table messaging.denial_key enable row level security;
revoke all on table messaging.denial_key from public, anon, authenticated;
grant select, insert, update, delete on table messaging.denial_key to service_role;
comment on column messaging.denial_key.sealed_key is
  'AES-256-GCM sealed by the API; the database never sees it open.';

-- Messages of erased persons, by a hash of an id that the provider or this service gave the message: a
-- webhook that comes late, or again, must not bring the person back. Kept for 30 days.
-- The ids are random, so their hash tells nothing.
create table messaging.erased_messages (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  id_hash bytea not null,
  erased_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id_hash)
);
create index erased_messages_age on messaging.erased_messages (erased_at);
alter table messaging.erased_messages enable row level security;
revoke all on table messaging.erased_messages from public, anon, authenticated;
grant select, insert, update, delete on table messaging.erased_messages to service_role;

-- Erasures of persons, as contacts-api reports them. Holds nothing that tells who the person was once it
-- is done: `work` goes then.
create table messaging.erasures (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null,
  status text not null default 'pending',
  counts jsonb not null default '{}',
  work jsonb,
  requested_at timestamptz not null default clock_timestamp(),
  done_at timestamptz,
  constraint erasures_status_known check (status in ('pending', 'done')),
  constraint erasures_forget_when_done
    check ((status = 'pending') = (work is not null) and (status = 'done') = (done_at is not null))
);
create index erasures_of_instance on messaging.erasures (instance_id);
create index erasures_pending on messaging.erasures (requested_at) where status = 'pending';
alter table messaging.erasures enable row level security;
revoke all on table messaging.erasures from public, anon, authenticated;
grant select, insert, update, delete on table messaging.erasures to service_role;
comment on column messaging.erasures.counts is
  'How many rows of each kind are gone: see add_counts.';
comment on column messaging.erasures.work is
  'What is left to do: see run_erasures. It names the person, so it goes with the last step.';

-- What remains of an erased person who had denied marketing: an HMAC of each identity, so that the person
-- is `denied` again when an import, a sending call or an event brings them back. Nothing remains of others.
-- The HMAC's key is sealed by the API (denial_key): the database alone cannot tell whose hash it is.
create table messaging.kept_denials (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  identity_hash text not null,
  kept_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, identity_hash)
);
alter table messaging.kept_denials enable row level security;
revoke all on table messaging.kept_denials from public, anon, authenticated;
grant select, insert, update, delete on table messaging.kept_denials to service_role;

-- Adds counts of erased rows to those before: {messages, notes, media, events, deliveries,
-- providerPayloads, outboxPayloads, idempotencyBodies}.
create or replace function messaging.add_counts(counts jsonb, more jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select counts || coalesce(
    jsonb_object_agg(m.key, coalesce((counts->>m.key)::bigint, 0) + m.value::bigint), '{}'
  )
  from jsonb_each_text(more) as m;
$$;
revoke all on function messaging.add_counts(jsonb, jsonb) from public, anon, authenticated;
grant execute on function messaging.add_counts(jsonb, jsonb) to service_role;

-- Adds to an erasure what one step of it has deleted: `erased` {<kind>: count, phones: spellings of the
-- person's phone that the rows had}.
create or replace function messaging.add_erased(erasure messaging.erasures, erased jsonb)
returns messaging.erasures
language plpgsql
immutable
set search_path = ''
as $$
begin
  erasure.counts := messaging.add_counts(erasure.counts, erased - 'phones');
  erasure.work := erasure.work || jsonb_build_object('marks', messaging.merge_texts(
    erasure.work->'marks',
    messaging.person_marks(array(select jsonb_array_elements_text(erased->'phones')))
  ));
  return erasure;
end;
$$;
revoke all
on function messaging.add_erased(messaging.erasures, jsonb)
from public, anon, authenticated;
grant execute on function messaging.add_erased(messaging.erasures, jsonb) to service_role;

-- Makes tombstones of an erased person's contacts: calls that name them are answered contact_erased, and
-- readers of changes are told.
create or replace function messaging.bury_contacts(instance_id uuid, contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  changed_at constant timestamptz := messaging.change_instant(instance_id);
begin
  insert into messaging.contact_activity as a (contact_id, instance_id, updated_at, erased_at)
  select distinct named.id, bury_contacts.instance_id, changed_at, changed_at
  from unnest(contact_ids) as named(id)
  order by named.id
  on conflict on constraint contact_activity_pkey do update
  set erased_at = coalesce(a.erased_at, excluded.erased_at), last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, excluded.updated_at);
end;
$$;
revoke all on function messaging.bury_contacts(uuid, uuid[]) from public, anon, authenticated;
grant execute on function messaging.bury_contacts(uuid, uuid[]) to service_role;

-- One step of an erasure, of at most `max_rows` rows: see run_erasures. Returns the erasure after it, stored.
-- The caller holds it locked.
-- `work` is {part, after, contactIds, marks}: which part comes next and where it goes on, and the texts by
-- which payloads name the person. The parts after the first look through what does not name contacts.
create or replace function messaging.continue_erasure(erasure messaging.erasures, max_rows integer)
returns messaging.erasures
language plpgsql
set search_path = ''
as $$
declare
  parts constant text[] := array[
    'rows', 'provider_events', 'unmatched_statuses', 'idempotency_keys', 'outbox', 'event_deliveries'
  ];
  part constant text := erasure.work->>'part';
  after constant jsonb := nullif(erasure.work->'after', 'null');
  pattern constant text := messaging.marks_pattern(
    array(select jsonb_array_elements_text(erasure.work->'marks'))
  );
  swept jsonb;
  next_part text;
begin
  if part = 'rows' then
    erasure := messaging.erase_rows(erasure, max_rows);
  else
    swept := case part
      when 'provider_events'
      then messaging.sweep_provider_events(erasure.instance_id, pattern, after, max_rows)
      when 'unmatched_statuses'
      then messaging.sweep_unmatched_statuses(erasure.instance_id, pattern, after, max_rows)
      when 'idempotency_keys'
      then messaging.sweep_idempotency_keys(erasure.instance_id, pattern, after, max_rows)
      when 'outbox'
      then messaging.sweep_outbox(erasure.instance_id, pattern, after, max_rows)
      when 'event_deliveries'
      then messaging.sweep_event_deliveries(erasure.instance_id, pattern, after, max_rows)
    end;
    erasure.counts := messaging.add_counts(erasure.counts, swept->'erased');
    erasure.work := erasure.work || jsonb_build_object('after', swept->'after');
    if swept->'after' = 'null' then
      next_part := parts[array_position(parts, part) + 1];
      erasure.work := erasure.work || jsonb_build_object('part', next_part);
      if next_part is null then
        erasure.status := 'done';
        erasure.work := null;
        erasure.done_at := clock_timestamp();
      end if;
    end if;
  end if;
  update messaging.erasures e
  set status = erasure.status, counts = erasure.counts, work = erasure.work, done_at = erasure.done_at
  where e.id = erasure.id;
  return erasure;
end;
$$;
revoke all
on function messaging.continue_erasure(messaging.erasures, integer)
from public, anon, authenticated;
grant execute on function messaging.continue_erasure(messaging.erasures, integer) to service_role;

-- The identities of a person that kept_denials keeps hashes of: the keys by which an import, a call or an
-- event would find the person again. A username is none: it can pass to another person.
create or replace function messaging.denial_identities(addresses text[])
returns text[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select coalesce(array_agg(distinct messaging.phone_identity_key(known.address)), '{}')
  from unnest(addresses) as known(address)
  where known.address not like 'username:%';
$$;
revoke all on function messaging.denial_identities(text[]) from public, anon, authenticated;
grant execute on function messaging.denial_identities(text[]) to service_role;

-- An erasure as contacts-api reports it.
create or replace function messaging.describe_erasure(erasure messaging.erasures)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'erasureId', erasure.id,
    'contactId', erasure.contact_id,
    'status', erasure.status,
    'counts', jsonb_build_object(
      'messages', 0, 'notes', 0, 'media', 0, 'events', 0, 'deliveries', 0, 'providerPayloads', 0,
      'outboxPayloads', 0, 'idempotencyBodies', 0
    ) || (erasure.counts - 'statuses')
  );
$$;
revoke all
on function messaging.describe_erasure(messaging.erasures)
from public, anon, authenticated;
grant execute on function messaging.describe_erasure(messaging.erasures) to service_role;

-- Part of an erasure: deletes at most `max_rows` events about these contacts (a person's, and those that
-- were merged into it), with their webhook deliveries. Readers of the feed find a gap, as after any number
-- that no event has; contact.erased tells them what to do.
-- Returns {events, deliveries, phones}: how many, and the phones that the events named.
create or replace function messaging.erase_events(
  instance_id uuid,
  contact_ids uuid[],
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  sequences bigint[];
  deliveries integer;
  erased jsonb;
begin
  sequences := array(
    select e.sequence from messaging.events e
    where e.contact_id = any (contact_ids) and e.type <> 'contact.erased'
    limit max_rows
  );
  delete from messaging.event_deliveries d
  where d.endpoint_id = any (array(
      select p.id from messaging.event_endpoints p where p.instance_id = erase_events.instance_id
    ))
    and d.sequence = any (sequences);
  get diagnostics deliveries = row_count;
  with gone as (
    delete from messaging.events e
    where e.sequence = any (sequences)
    returning coalesce((e.message).contact_phone, e.data->>'phone') as phone
  )
  select jsonb_build_object(
    'events', count(*),
    'deliveries', deliveries,
    'phones', coalesce(jsonb_agg(distinct g.phone) filter (where g.phone is not null), '[]')
  )
  into erased
  from gone g;
  return erased;
end;
$$;
revoke all
on function messaging.erase_events(uuid, uuid[], integer)
from public, anon, authenticated;
grant execute on function messaging.erase_events(uuid, uuid[], integer) to service_role;

-- Part of an erasure: deletes at most `max_rows` of a contact's messages with all that hangs on them, and
-- keeps hashes of their ids where a webhook may still name them (see erased_messages).
-- A message that a worker holds stays until it is settled or its lease is over: its outcome, and the echo
-- that some channels send of it, must find it. `is_unsent_only`: only those that have not left.
-- Returns {messages, phones}: how many, and the spellings of the phone that their calls used.
-- Locks the messages in the order of their ids, then pacing where one waited; the queue's rows go by
-- cascade. A message of the queue whose lease is over may be its instance's one in flight: the instance
-- goes on.
create or replace function messaging.erase_messages(
  contact messaging.contacts,
  max_rows integer,
  is_unsent_only boolean default false
)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  ids uuid[];
  waited boolean;
  erased jsonb;
begin
  ids := array(
    select m.id from messaging.messages m
    where m.contact_id = contact.id and (not is_unsent_only or m.sent_at is null)
      and not exists (
        select from messaging.message_queue q where q.message_id = m.id and q.lease_until > clock
      )
    limit max_rows
  );
  perform from messaging.messages m where m.id = any (ids) order by m.id for update;
  -- A worker may have claimed some while this waited for their locks.
  ids := array(
    select named.id from unnest(ids) as named(id)
    where not exists (
      select from messaging.message_queue q where q.message_id = named.id and q.lease_until > clock
    )
  );
  waited := exists (select from messaging.message_queue q where q.message_id = any (ids));
  if waited then
    perform from messaging.pacing p where p.instance_id = contact.instance_id for no key update;
  end if;
  insert into messaging.erased_messages (instance_id, id_hash)
  select contact.instance_id, messaging.message_id_hash(named.id)
  from messaging.messages m
  cross join lateral (values (m.id::text), (m.provider_message_id)) as named(id)
  where m.id = any (ids) and named.id is not null and m.created_at > clock - interval '30 days'
  order by 2
  on conflict do nothing;
  delete from messaging.unmatched_statuses s
  where s.instance_id = contact.instance_id and s.provider_message_id = any (array(
    select m.provider_message_id from messaging.messages m
    where m.id = any (ids) and m.provider_message_id is not null
  ));
  with gone as (
    delete from messaging.messages m where m.id = any (ids) returning m.phone_given
  )
  select jsonb_build_object(
    'messages', count(*),
    'phones', coalesce(jsonb_agg(distinct g.phone_given) filter (where g.phone_given is not null), '[]')
  )
  into erased
  from gone g;
  if waited then
    perform messaging.release_instances(array[jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced'
      )
    )])
    from messaging.dispatch d
    where d.instance_id = contact.instance_id and d.in_flight = any (ids);
    perform messaging.refresh_dispatch(array[contact.instance_id]);
  end if;
  return erased;
end;
$$;
revoke all
on function messaging.erase_messages(messaging.contacts, integer, boolean)
from public, anon, authenticated;
grant execute
on function messaging.erase_messages(messaging.contacts, integer, boolean)
to service_role;

-- The first part of an erasure: deletes the rows of the person, at most `max_rows` messages and events a
-- step, and the contact with the last of them. Until then the contact is there: what comes to it is erased
-- with it. Afterwards its phone is nobody's: whatever names it makes a new contact.
-- Everything that writes to a contact locks it, and finds it gone where it waited for this: it is repeated
-- (see find_or_add_contact). Messages go before events: a transaction that records an event of a message
-- holds the message, so that its event is here when the message is gone.
-- A contact that was merged meanwhile is erased as the one that it has become.
-- Returns the erasure; its work is at the next part when nothing of the person is left.
-- Locks the contact, its conversation, messages; at the end the tombstones.
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

-- Finds a contact of the instance by its id; the id of a merged contact finds the survivor.
-- Returns a row of NULLs when there is none. Writes nothing.
-- Errors: MI035 where the person was erased, or is being erased.
create or replace function messaging.find_contact_by_id(instance_id uuid, contact_id uuid)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  living_id uuid;
  is_erased boolean;
  contact messaging.contacts;
begin
  select coalesce(a.merged_into, a.contact_id), coalesce(a.erased_at, s.erased_at) is not null
  into living_id, is_erased
  from messaging.contact_activity a
  left join messaging.contact_activity s on s.contact_id = a.merged_into
  where a.contact_id = find_contact_by_id.contact_id
    and a.instance_id = find_contact_by_id.instance_id;
  if is_erased then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
  select c.* into contact from messaging.contacts c
  where c.id = coalesce(living_id, find_contact_by_id.contact_id)
    and c.instance_id = find_contact_by_id.instance_id;
  return contact;
end;
$$;
revoke all on function messaging.find_contact_by_id(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.find_contact_by_id(uuid, uuid) to service_role;

-- A regular expression that finds any of these texts (letters, digits, `.`, `-`) where it stands alone:
-- a number that is part of a longer one is another person's.
create or replace function messaging.marks_pattern(marks text[])
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select '(^|[^0-9A-Za-z])(' || replace(array_to_string(marks, '|'), '.', '\.') || ')($|[^0-9A-Za-z])'
  where marks <> '{}';
$$;
revoke all on function messaging.marks_pattern(text[]) from public, anon, authenticated;
grant execute on function messaging.marks_pattern(text[]) to service_role;

-- The texts of both lists, each once.
create or replace function messaging.merge_texts(texts jsonb, more text[])
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select coalesce(jsonb_agg(distinct t.text), '[]')
  from (
    select jsonb_array_elements_text(texts) as text
    union all
    select unnest(more)
  ) as t
  where t.text is not null;
$$;
revoke all on function messaging.merge_texts(jsonb, text[]) from public, anon, authenticated;
grant execute on function messaging.merge_texts(jsonb, text[]) to service_role;

-- The hash by which erased_messages knows a message: see there.
create or replace function messaging.message_id_hash(message_id text)
returns bytea
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select sha256(convert_to(message_id, 'UTF8'));
$$;
revoke all on function messaging.message_id_hash(text) from public, anon, authenticated;
grant execute on function messaging.message_id_hash(text) to service_role;

-- All addresses of a contact: its phone, its identity key and what has been proven, in each spelling stored.
create or replace function messaging.person_addresses(contact messaging.contacts)
returns text[]
language sql
stable
set search_path = ''
as $$
  select array_agg(distinct known.address)
  from (
    select unnest(array[contact.phone, contact.identity_key]) as address
    union all
    select unnest(array[a.address, a.identity_key]) from messaging.contact_addresses a
    where a.contact_id = contact.id
  ) as known
  where known.address is not null;
$$;
revoke all
on function messaging.person_addresses(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.person_addresses(messaging.contacts) to service_role;

-- The texts by which stored payloads name a person: phones in every spelling, LIDs without their domain,
-- user ids. A username is none: it can be another person's by now, and payloads show it beside a user id.
create or replace function messaging.person_marks(addresses text[])
returns text[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select coalesce(array_agg(distinct mark.text), '{}')
  from unnest(addresses) as known(address)
  cross join lateral (
    select unnest(messaging.phone_spellings(known.address)) as text
    where messaging.address_kind(known.address) = 'phone'
    union all
    select split_part(known.address, '@', 1)
    where messaging.address_kind(known.address) = 'lid'
    union all
    select known.address
    where messaging.address_kind(known.address) in ('user_id', 'parent_user_id')
  ) as mark;
$$;
revoke all on function messaging.person_marks(text[]) from public, anon, authenticated;
grant execute on function messaging.person_marks(text[]) to service_role;

-- Every spelling under which a phone may have been stored or sent: as given, its identity key, and what
-- phone_identity_key makes the same.
create or replace function messaging.phone_spellings(phone text)
returns text[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select array_agg(distinct spelled.phone)
  from (select messaging.phone_identity_key(phone_spellings.phone)) as known(key)
  cross join lateral (
    values
      (phone_spellings.phone),
      (known.key),
      (case when known.key ~ '^55[0-9]{2}9[6-9][0-9]{7}$' then left(known.key, 4) || substr(known.key, 6) end),
      (case when known.key ~ '^52[0-9]{10}$' then '521' || substr(known.key, 3) end),
      (case when known.key ~ '^54[0-9]{10}$' then '549' || substr(known.key, 3) end)
  ) as spelled(phone)
  where spelled.phone is not null;
$$;
revoke all on function messaging.phone_spellings(text) from public, anon, authenticated;
grant execute on function messaging.phone_spellings(text) to service_role;

-- A stored payload's text without what is about a person: see without_person. NULL where nothing is left,
-- and where it is no JSON that can be looked into.
create or replace function messaging.redact_payload(payload text, pattern text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return messaging.without_person(payload::jsonb, pattern)::text;
exception
  when data_exception or program_limit_exceeded then
    return null;
end;
$$;
revoke all on function messaging.redact_payload(text, text) from public, anon, authenticated;
grant execute on function messaging.redact_payload(text, text) to service_role;

-- Errors: MI035 where the contact's person was erased, or is being erased.
create or replace function messaging.refuse_erased(instance_id uuid, contact_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if exists (
    select from messaging.contact_activity a
    where a.contact_id = refuse_erased.contact_id and a.instance_id = refuse_erased.instance_id
      and a.erased_at is not null
  ) then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
end;
$$;
revoke all on function messaging.refuse_erased(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.refuse_erased(uuid, uuid) to service_role;

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
      then jsonb_build_object('endpointId', endpoint, 'sequence', seen.sequence)
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
      when rows_seen = max_rows then jsonb_build_object('scope', in_scope, 'key', seen.key)
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

-- Part of an erasure: looks through the next `max_rows` outbox rows of the instance's workspace, done and
-- dead ones too, and deletes those about the person. A worker that holds one finds it gone. `after` and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_outbox(
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
set enable_sort = off
as $$
declare
  of_workspace constant uuid := (
    select i.workspace_id from messaging.instances i where i.id = of_instance
  );
  seen record;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for seen in
    select o.id, o.created_at, (
        o.payload::text ~ pattern or o.conversation_id::text ~ pattern or o.last_error ~ pattern
      ) and coalesce(o.payload->>'instanceId', of_instance::text) = of_instance::text as is_hit
    from messaging.outbox o
    where o.workspace_id = of_workspace
      and (o.created_at, o.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'),
        coalesce((after->>'id')::uuid, '00000000-0000-0000-0000-000000000000')
      )
    order by o.workspace_id, o.created_at, o.id
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.is_hit then
      delete from messaging.outbox o where o.id = seen.id;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('outboxPayloads', erased),
    'after', case
      when rows_seen = max_rows then jsonb_build_object('at', seen.created_at, 'id', seen.id)
    end
  );
end;
$$;
revoke all
on function messaging.sweep_outbox(uuid, text, jsonb, integer)
from public, anon, authenticated;
grant execute on function messaging.sweep_outbox(uuid, text, jsonb, integer) to service_role;

-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
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
set enable_sort = off
as $$
declare
  seen record;
  rows_seen integer := 0;
  rest text;
  erased integer := 0;
begin
  for seen in
    select p.id, p.received_at, case when p.payload ~ pattern then p.payload end as hit
    from messaging.provider_events p
    where p.instance_id = of_instance
      and (p.received_at, p.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'), coalesce((after->>'id')::bigint, 0)
      )
    order by p.instance_id, p.received_at, p.id
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.hit is not null then
      rest := messaging.redact_payload(seen.hit, pattern);
      if rest is null then
        delete from messaging.provider_events p where p.id = seen.id;
      else
        update messaging.provider_events p set payload = rest where p.id = seen.id;
      end if;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('providerPayloads', erased),
    'after', case
      when rows_seen = max_rows then jsonb_build_object('at', seen.received_at, 'id', seen.id)
    end
  );
end;
$$;
revoke all
on function messaging.sweep_provider_events(uuid, text, jsonb, integer)
from public, anon, authenticated;
grant execute
on function messaging.sweep_provider_events(uuid, text, jsonb, integer)
to service_role;

-- Part of an erasure: looks through the next `max_rows` delivery events of the instance whose message is
-- unknown, and deletes those whose error names the person. `after` {id, status} and the result as in
-- sweep_provider_events.
create or replace function messaging.sweep_unmatched_statuses(
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
  seen record;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for seen in
    select s.provider_message_id, s.status,
      s.provider_message_id ~ pattern or coalesce(s.error::text ~ pattern, false) as is_hit
    from messaging.unmatched_statuses s
    where s.instance_id = of_instance
      and (s.provider_message_id, s.status) > (
        coalesce(after->>'id', ''), coalesce(after->>'status', '')
      )
    order by s.instance_id, s.provider_message_id, s.status
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.is_hit then
      delete from messaging.unmatched_statuses s
      where s.instance_id = of_instance and s.provider_message_id = seen.provider_message_id
        and s.status = seen.status;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('statuses', erased),
    'after', case
      when rows_seen = max_rows
      then jsonb_build_object('id', seen.provider_message_id, 'status', seen.status)
    end
  );
end;
$$;
revoke all
on function messaging.sweep_unmatched_statuses(uuid, text, jsonb, integer)
from public, anon, authenticated;
grant execute
on function messaging.sweep_unmatched_statuses(uuid, text, jsonb, integer)
to service_role;

-- A provider's payload without what is about a person. `pattern` finds the person's marks (see
-- marks_pattern).
-- A text that has a mark, and the object that holds it, are the person's; so are the objects that hold
-- nothing else. Elements of an array are told apart, so that the other people of a webhook that holds
-- several stay. Returns NULL where nothing is left.
create or replace function messaging.without_person(payload jsonb, pattern text)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  rest jsonb;
  member record;
  had_lists boolean := false;
  has_elements boolean := false;
begin
  case jsonb_typeof(payload)
    when 'string' then
      return case when payload #>> '{}' !~ pattern then payload end;
    when 'array' then
      select coalesce(jsonb_agg(kept.value order by kept.place), '[]') into rest
      from (
        select e.place, messaging.without_person(e.value, pattern) as value
        from jsonb_array_elements(payload) with ordinality as e(value, place)
      ) as kept
      where kept.value is not null;
      return rest;
    when 'object' then
      rest := payload;
      for member in select e.key, e.value from jsonb_each(payload) as e loop
        if member.key ~ pattern then
          return null;
        end if;
        member.value := messaging.without_person(member.value, pattern);
        if member.value is null then
          return null;
        end if;
        if jsonb_typeof(payload->member.key) = 'array' and payload->member.key <> '[]' then
          had_lists := had_lists or member.value <> payload->member.key;
          has_elements := has_elements or member.value <> '[]';
        end if;
        rest := rest || jsonb_build_object(member.key, member.value);
      end loop;
      return case when not had_lists or has_elements then rest end;
    else
      return payload;
  end case;
end;
$$;
revoke all on function messaging.without_person(jsonb, text) from public, anon, authenticated;
grant execute on function messaging.without_person(jsonb, text) to service_role;

-- contacts-api: begins to erase a person, and does as much as one step can: for most persons all of it. The
-- rest is run_erasures'. From now on calls that name the contact are answered contact_erased, and what
-- waits to be sent to it is gone. The id of a merged contact erases the person it was merged into.
-- `request`: instanceId, contactId, maxRows (of a step); identityHashes {identity: hash}, the HMACs of the
-- identities under the key of kept_denials.
-- Returns {erasureId, contactId, status, counts}, see describe_erasure; or {identities}, with nothing done,
-- where the hashes of these are needed: the person has denied marketing, so that the hashes are kept, or
-- the instance keeps hashes, and those of a person who no longer denies must go.
-- Locks the contact, then as erase_rows. Errors: MI031; MI035 where it was erased before; 40001 where the
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

-- contacts-api: one contact. The id of a merged contact gives the contact that it was merged into.
-- `request`: instanceId, contactId. Errors: MI031, MI035.
create or replace function public.get_contact(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
  contact jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := messaging.describe_contacts(instance, array[
    (messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)).id
  ])->0;
  if contact is null or contact ? 'isDeleted' then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
revoke all on function public.get_contact(jsonb) from public, anon, authenticated;
grant execute on function public.get_contact(jsonb) to service_role;

-- contacts-api: how far an erasure is. `request`: instanceId, erasureId. Returns {erasureId, contactId,
-- status, counts}. Errors: MI036.
create or replace function public.get_erasure(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  erasure messaging.erasures;
begin
  select e.* into erasure from messaging.erasures e
  where e.id = (request->>'erasureId')::uuid and e.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI036', message = 'erasure_not_found';
  end if;
  return messaging.describe_erasure(erasure);
end;
$$;
revoke all on function public.get_erasure(jsonb) from public, anon, authenticated;
grant execute on function public.get_erasure(jsonb) to service_role;

-- The dispatcher's part of erasures: one step, of at most `request`.maxRows rows, of the oldest that is not
-- done. An erasure that another dispatcher has in hand is passed over.
-- Returns {erased, isComplete}: how many rows are gone; isComplete where no erasure is left to do.
-- A step is short: whoever writes to the person meanwhile waits for it.
create or replace function public.run_erasures(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  erasure messaging.erasures;
begin
  select e.* into erasure from messaging.erasures e
  where e.status = 'pending'
  order by e.requested_at
  limit 1
  for no key update skip locked;
  if not found then
    return jsonb '{"isComplete": true}';
  end if;
  perform messaging.continue_erasure(erasure, (request->>'maxRows')::integer);
  return jsonb '{"isComplete": false}';
end;
$$;
revoke all on function public.run_erasures(jsonb) from public, anon, authenticated;
grant execute on function public.run_erasures(jsonb) to service_role;

create index if not exists provider_events_of_instance on messaging.provider_events (
  instance_id,
  received_at,
  id
);

drop index messaging.provider_events_instance;
