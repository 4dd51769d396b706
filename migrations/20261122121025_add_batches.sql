set local check_function_bodies = off;

-- Messages to a list of people, paced through the instance's queue. The recipients do not fill the
-- queue: an instance has at most one message of its running batches waiting there (see feed_batches), so
-- that starting, pausing and canceling a batch of any size changes a handful of rows.
-- `source` is what recipients are filled from, frozen when the batch was created: {template} or {message}.
-- The counts spare reading the recipients. A recipient that is `pending` in a canceled batch reads as
-- canceled, in a finished one, or once the batch has expired, as expired: nothing is rewritten for it.
create table messaging.batches (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text,
  status text not null default 'draft',
  source jsonb not null,
  purpose text,
  validation text not null,
  interval_seconds integer not null,
  start_at timestamptz,
  expires_at timestamptz,
  recipient_count integer not null default 0,
  pending_count integer not null default 0,
  skipped_count integer not null default 0,
  first_pending integer not null default 0,
  waiting_message uuid,
  served_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  constraint batches_status_known
    check (status in ('draft', 'running', 'paused', 'canceled', 'finished')),
  constraint batches_validation_known check (validation in ('strict', 'permissive')),
  constraint batches_counts_fit
    check (
      recipient_count <= 100000
      and pending_count >= 0
      and skipped_count >= 0
      and pending_count + skipped_count <= recipient_count
    )
)
with (fillfactor = 50);
create index batches_of_instance on messaging.batches (instance_id, created_at, id);
create index batches_running on messaging.batches (instance_id) where status = 'running';
alter table messaging.batches enable row level security;
revoke all on table messaging.batches from public, anon, authenticated;
grant select, insert, update, delete on table messaging.batches to service_role;
comment on column messaging.batches.purpose is
  'marketing, utility or authentication as the call or the template says; NULL is service.';
comment on column messaging.batches.start_at is
  'No slot lies before it. It does not start the batch.';
comment on column messaging.batches.first_pending is
  'No recipient before this index is pending: where the search for the next one begins.';
comment on column messaging.batches.waiting_message is
  'The message that the batch was given last: no other one follows while it waits.';
comment on column messaging.batches.served_at is
  'When the batch was given a message last: running batches of an instance take turns by it.';

-- The people of a batch, in the order of the list, with what each of them is sent: `draft`, frozen when it
-- was accepted, and emptied into the message once that exists. `status`: `pending`, `accepted` (the message
-- exists and tells the rest) or `skipped`, for `reason`. A pending recipient with a message had it taken
-- back by a pause, or is to be tried again.
-- `contact_id` is NULL where the entry names nobody that can be found. It has no foreign key: merging and
-- erasing contacts change these rows themselves.
create table messaging.batch_recipients (
  batch_id uuid not null references messaging.batches (id)
    on delete cascade,
  index integer not null,
  contact_id uuid,
  phone text,
  status text not null default 'pending',
  reason text,
  message_id uuid,
  draft jsonb,
  primary key (batch_id, index),
  constraint batch_recipients_status_known check (status in ('pending', 'accepted', 'skipped'))
)
with (fillfactor = 80);
create index batch_recipients_contact on messaging.batch_recipients (contact_id, batch_id)
where contact_id is not null;
create index batch_recipients_pending on messaging.batch_recipients (batch_id, index)
where status = 'pending';
create index batch_recipients_taken_back on messaging.batch_recipients (batch_id)
where status = 'pending' and message_id is not null;
alter table messaging.batch_recipients enable row level security;
revoke all on table messaging.batch_recipients from public, anon, authenticated;
grant select, insert, update, delete on table messaging.batch_recipients to service_role;
comment on column messaging.batch_recipients.phone is
  'As the list has it: where the message goes until an address is proven.';
comment on column messaging.batch_recipients.draft is
  '{messageType, message, content, cardId, metadata}; NULL for a skipped entry with errors.';

-- Gives each person of a list a contact and a conversation, as resolve_recipient and resolve_conversation
-- do for one, in a few statements for all. `entries`: [{phone | userId | contactId, reason}]; those with a
-- reason are passed over, and so are unknown contactIds. The contacts cannot be merged until the caller
-- commits: it holds their rows.
-- Locks: addresses of new contacts, contacts in the order of their ids, contact_activity.
-- Returns the contact of each entry, in order; NULL where it has none.
-- Errors: 40001 where a contact was merged meanwhile; the call must be repeated.
create or replace function messaging.add_entry_contacts(of_instance uuid, entries jsonb)
returns uuid[]
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  found_ids uuid[];
  new_ids uuid[];
  given text[];
  touched uuid[];
  locked integer;
begin
  found_ids := messaging.entry_contacts(of_instance, entries);
  given := array(
    select distinct coalesce(e.entry->>'phone', e.entry->>'userId')
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    where e.entry->>'reason' is null and e.entry->>'contactId' is null
      and found_ids[e.place::integer] is null
  );
  if cardinality(given) > 0 then
    perform messaging.lock_addresses(of_instance, given);
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (person.identity_key)
        of_instance, case when g.given ~ '^[0-9]{8,15}$' then g.given end, person.identity_key, 'api'
      from unnest(given) as g(given)
      cross join lateral (select messaging.phone_identity_key(g.given)) as person(identity_key)
      -- An event that has just shown the address has made its contact.
      where messaging.entry_contact(of_instance, null, person.identity_key) is null
      order by person.identity_key, g.given
      on conflict on constraint contacts_identity do nothing
      returning id, phone, identity_key
    ), hidden as (
      insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
      select of_instance, c.identity_key, c.id, '-infinity' from created c where c.phone is null
    )
    select array_agg(c.id) into new_ids from created c;
    perform messaging.record_new_contacts(new_ids);
    found_ids := messaging.entry_contacts(of_instance, entries);
  end if;
  perform from messaging.contacts c where c.id = any (found_ids) order by c.id for key share;
  get diagnostics locked = row_count;
  if locked <> (select count(distinct f.id) from unnest(found_ids) as f(id))
    or exists (
      select from jsonb_array_elements(entries) with ordinality as e(entry, place)
      where e.entry->>'reason' is null and e.entry->>'contactId' is null
        and found_ids[e.place::integer] is null
    ) then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  with added as (
    insert into messaging.conversations (instance_id, contact_id)
    select of_instance, lacking.id
    from (select distinct f.id from unnest(found_ids) as f(id) where f.id is not null) as lacking
    where not exists (select from messaging.conversations v where v.contact_id = lacking.id)
    order by lacking.id
    on conflict do nothing
    returning contact_id
  )
  select array_agg(a.contact_id) into touched from added a;
  if touched is not null then
    perform messaging.touch_contacts(touched);
  end if;
  return found_ids;
end;
$$;
revoke all on function messaging.add_entry_contacts(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.add_entry_contacts(uuid, jsonb) to service_role;

-- Adds entries of a list to a draft, in order. `entries`: [{phone | userId | contactId, reason, draft}];
-- those with a reason are kept as skipped. The second entry of a contact, in whatever spelling, is a
-- duplicate: it is skipped too, and named in `duplicates` with the one that is written to.
-- The index of an entry is its place in the whole list, from 0.
-- `errors` ([{index, issues}]) come with their places in the call, and are returned with their indexes.
-- Locks what add_entry_contacts locks, then the batch.
-- Errors: MI028 (no draft), MI029 (more than 100,000), 40001.
create or replace function messaging.add_recipients(
  batch_id uuid,
  entries jsonb,
  inout errors jsonb,
  out batch messaging.batches,
  out added integer,
  out duplicates jsonb
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  of_instance constant uuid := (
    select b.instance_id from messaging.batches b where b.id = add_recipients.batch_id
  );
  contact_ids uuid[];
  skipped integer;
begin
  contact_ids := messaging.add_entry_contacts(of_instance, entries);
  select b.* into strict batch from messaging.batches b
  where b.id = add_recipients.batch_id
  for no key update;
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state';
  end if;
  if batch.recipient_count + jsonb_array_length(entries) > 100000 then
    raise exception using errcode = 'MI029', message = 'too_many_recipients';
  end if;
  errors := (
    select coalesce(
      jsonb_agg(e || jsonb_build_object('index', batch.recipient_count + (e->>'index')::integer)), '[]'
    )
    from jsonb_array_elements(errors) as e
  );
  with listed as (
    select batch.recipient_count + e.place::integer - 1 as index, e.entry,
      contact_ids[e.place::integer] as contact_id
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
  ),
  judged as (
    select l.*, coalesce(
      (
        select min(r.index) from messaging.batch_recipients r
        where r.contact_id = l.contact_id and r.batch_id = add_recipients.batch_id
          and r.status <> 'skipped'
      ),
      nullif(
        min(l.index) filter (where l.entry->>'reason' is null) over (partition by l.contact_id),
        l.index
      )
    ) as of_index
    from listed l
  ),
  stored as (
    insert into messaging.batch_recipients (
      batch_id, index, contact_id, phone, status, reason, draft
    )
    select add_recipients.batch_id, j.index, j.contact_id, j.entry->>'phone',
      case when told.reason is null then 'pending' else 'skipped' end, told.reason,
      case when told.reason is null then j.entry->'draft' end
    from judged j
    cross join lateral (
      select case
        when j.entry->>'reason' is not null then j.entry->>'reason'
        when j.contact_id is null then 'contact_not_found'
        when j.of_index is not null then 'duplicate_contact'
      end as reason
    ) as told
    returning index, reason
  )
  select count(*) filter (where s.reason is null), count(s.reason),
    coalesce(
      jsonb_agg(jsonb_build_object('index', s.index, 'of', j.of_index) order by s.index)
        filter (where s.reason = 'duplicate_contact'),
      '[]'
    )
  into added, skipped, duplicates
  from stored s
  join judged j on j.index = s.index;
  update messaging.batches b
  set recipient_count = b.recipient_count + added + skipped,
    pending_count = b.pending_count + added,
    skipped_count = b.skipped_count + skipped
  where b.id = add_recipients.batch_id
  returning b.* into batch;
end;
$$;
revoke all
on function messaging.add_recipients(uuid, jsonb, jsonb)
from public, anon, authenticated;
grant execute on function messaging.add_recipients(uuid, jsonb, jsonb) to service_role;

-- How many recipients of a batch have each status (see recipient_status). Reads the batch's messages, and
-- of its recipients those alone whose message was taken back: they are pending.
create or replace function messaging.batch_counts(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  waiting_as constant text := messaging.recipient_status(
    batch, row(batch.id, 0, null, null, 'pending', null, null, null)::messaging.batch_recipients, null
  );
  counts jsonb := '{
    "pending": 0, "queued": 0, "sent": 0, "delivered": 0, "read": 0, "failed": 0, "unconfirmed": 0,
    "canceled": 0, "expired": 0, "skipped": 0
  }';
begin
  select counts || coalesce(jsonb_object_agg(told.status, told.number), '{}') into counts
  from (
    select counted.status, sum(counted.number) as number
    from (
      select case m.status when 'sending' then 'queued' else m.status end as status, count(*) as number
      from messaging.messages m
      where m.batch_id = batch.id
      group by m.status
      union all
      select case m.status when 'sending' then 'queued' else m.status end, -count(*)
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.status = 'pending' and r.message_id is not null
      group by m.status
      union all
      select waiting_as, batch.pending_count
      union all
      select 'skipped', batch.skipped_count
    ) as counted
    group by counted.status
  ) as told;
  return counts;
end;
$$;
revoke all on function messaging.batch_counts(messaging.batches) from public, anon, authenticated;
grant execute on function messaging.batch_counts(messaging.batches) to service_role;

-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are expected for its pending recipients.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  zone constant text := (select i.time_zone from messaging.instances i where i.id = batch.instance_id);
  first_slot timestamptz;
  last_slot timestamptz;
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  return jsonb_build_object(
    'batchId', batch.id,
    'name', batch.name,
    'status', batch.status,
    'templateId', batch.source->'template'->'templateId',
    'purpose', coalesce(batch.purpose, 'service'),
    'validation', batch.validation,
    'intervalSeconds', batch.interval_seconds,
    'startAt', messaging.iso_in_zone(batch.start_at, zone),
    'expiresAt', messaging.iso_in_zone(batch.expires_at, zone),
    'recipientCount', batch.recipient_count,
    'counts', messaging.batch_counts(batch),
    'firstScheduledFor', messaging.iso_in_zone(first_slot, zone),
    'lastScheduledFor', messaging.iso_in_zone(last_slot, zone),
    'createdAt', messaging.iso_in_zone(batch.created_at, zone),
    'startedAt', messaging.iso_in_zone(batch.started_at, zone),
    'finishedAt', messaging.iso_in_zone(batch.finished_at, zone)
  );
end;
$$;
revoke all on function messaging.describe_batch(messaging.batches) from public, anon, authenticated;
grant execute on function messaging.describe_batch(messaging.batches) to service_role;

-- The contact that an entry of a list names, as find_recipient finds it; NULL for a phone or a user id that
-- no contact has, and for an unknown contactId. One look-up by each key, whatever the statistics.
create or replace function messaging.entry_contact(
  of_instance uuid,
  contact_id uuid,
  identity_key text
)
returns uuid
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  found_id uuid;
begin
  if contact_id is not null then
    return (messaging.find_contact_by_id(of_instance, entry_contact.contact_id)).id;
  end if;
  select c.id into found_id
  from messaging.contacts c
  where c.instance_id = of_instance and c.identity_key = entry_contact.identity_key;
  if not found then
    select a.contact_id into found_id
    from messaging.contact_addresses a
    where a.instance_id = of_instance and a.identity_key = entry_contact.identity_key;
  end if;
  return found_id;
end;
$$;
revoke all on function messaging.entry_contact(uuid, uuid, text) from public, anon, authenticated;
grant execute on function messaging.entry_contact(uuid, uuid, text) to service_role;

-- The contact of each entry of a list, in order (see entry_contact); NULL for entries with a reason.
create or replace function messaging.entry_contacts(of_instance uuid, entries jsonb)
returns uuid[]
language sql
stable
set search_path = ''
as $$
  select array(
    select case when e.entry->>'reason' is null then messaging.entry_contact(
      of_instance,
      (e.entry->>'contactId')::uuid,
      messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId'))
    ) end
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    order by e.place
  );
$$;
revoke all on function messaging.entry_contacts(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.entry_contacts(uuid, jsonb) to service_role;

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

-- The batch `batchId` of an instance. `request`: instanceId, batchId. Locks nothing. Error: MI027.
create or replace function messaging.find_batch(request jsonb)
returns messaging.batches
language plpgsql
stable
set search_path = ''
as $$
declare
  batch messaging.batches;
begin
  select b.* into batch
  from messaging.batches b
  where b.id = (request->>'batchId')::uuid and b.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI027', message = 'batch_not_found';
  end if;
  return batch;
end;
$$;
revoke all on function messaging.find_batch(jsonb) from public, anon, authenticated;
grant execute on function messaging.find_batch(jsonb) to service_role;

-- erase_rows: what batches keep of a person goes. The entries stay in their lists, skipped and without
-- anything of the person.
create or replace function messaging.forget_recipients(person_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  places jsonb := (
    select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index))
    from messaging.batch_recipients r
    where r.contact_id = any (person_ids)
  );
begin
  if places is null then
    return;
  end if;
  perform messaging.skip_recipients(places, 'contact_erased');
  update messaging.batch_recipients r
  set contact_id = null, phone = null, message_id = null
  where r.contact_id = any (person_ids);
end;
$$;
revoke all on function messaging.forget_recipients(uuid[]) from public, anon, authenticated;
grant execute on function messaging.forget_recipients(uuid[]) to service_role;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: messages, notes,
-- tags, addresses. Values of `kept` win; a name that was given wins over a profile name. Of two consents
-- `denied` wins, then the newer. Deletes `gone`, whose row of contact_activity remains as its tombstone.
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
  consent_before text;
  conversation_before jsonb;
  paused_until timestamptz;
  changed_at timestamptz;
begin
  perform from messaging.contacts c where c.id in (kept.id, gone.id) order by c.id for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  contact_before := messaging.contact_state(kept.id);
  select c.consent_marketing into consent_before from messaging.contacts c where c.id = kept.id;
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
  perform messaging.move_recipients(kept.id, gone.id);
  update messaging.contact_addresses a set contact_id = kept.id where a.contact_id = gone.id;
  update messaging.media m set contact_id = kept.id where m.contact_id = gone.id;
  update messaging.consent_log l set contact_id = kept.id where l.contact_id = gone.id;
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
    consent_marketing = case
      when consents.is_others then other.consent_marketing else c.consent_marketing
    end,
    consent_at = case when consents.is_others then other.consent_at else c.consent_at end,
    consent_source = case when consents.is_others then other.consent_source else c.consent_source end,
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from messaging.contacts other
  join messaging.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  cross join lateral (
    select (other.consent_marketing = 'denied', other.consent_at is not null, other.consent_at)
      > (known.consent_marketing = 'denied', known.consent_at is not null, known.consent_at)
  ) as consents(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  delete from messaging.contacts c where c.id = gone.id;
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    jsonb_build_object('contactId', gone.id, 'mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
  if merged.consent_marketing <> consent_before then
    perform messaging.record_consent_event(merged);
  end if;
  perform messaging.record_conversation_changes(kept_conversation, conversation_before);
  if paused_until > clock_timestamp() then
    perform messaging.record_agent_pauses(array[kept.id]);
  end if;
  changed_at := messaging.change_instant(kept.instance_id);
  -- Tombstones are locked here, not last: whoever touches them holds the contact that is gone now.
  insert into messaging.contact_activity as a (contact_id, instance_id, updated_at, merged_into)
  values (gone.id, gone.instance_id, changed_at, kept.id)
  on conflict on constraint contact_activity_pkey do update
  set merged_into = excluded.merged_into, last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, excluded.updated_at);
  update messaging.contact_activity a
  set merged_into = kept.id, updated_at = greatest(a.updated_at, changed_at)
  where a.merged_into = gone.id;
  perform messaging.note_contact(kept.id);
  return merged;
end;
$$;
revoke all
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
from public, anon, authenticated;
grant execute
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
to service_role;

-- How list_messages finds the messages of a request. `batch`, `card`, `stopped` (a status that only a minority of
-- messages has) and `instance`: by an index in the order in which they were stored. `contact` and `queue`:
-- all of them by an index of another order, where they are at most `most`. `none`: nothing can match.
-- Errors: MI031.
create or replace function messaging.message_list_path(request jsonb, of_contact uuid, most integer)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  -- Not NULL: AND reads its second operand beside a NULL.
  of_status constant text := coalesce(request->>'status', 'any');
begin
  -- `received` is the status of all inbound messages.
  if of_status <> 'any' and (of_status = 'received') <> (request->>'direction' = 'inbound') then
    return 'none';
  end if;
  if of_contact is not null and (
    select count(*) from (
      select from messaging.messages m where m.contact_id = of_contact limit most + 1
    ) as counted
  ) <= most then
    return 'contact';
  end if;
  if request->>'batchId' is not null then
    return 'batch';
  elsif request->>'cardId' is not null then
    return 'card';
  elsif of_status in ('failed', 'canceled', 'unconfirmed', 'expired') then
    return 'stopped';
  elsif of_status in ('queued', 'sending') and (
    select count(*) from (
      (
        select from messaging.message_queue p
        where p.instance_id = of_instance and p.lane = 'paced'
        limit most + 1
      )
      union all
      (
        select from messaging.message_queue u
        where u.instance_id = of_instance and u.lane = 'unpaced'
        limit most + 1
      )
    ) as counted
  ) <= most then
    return 'queue';
  end if;
  return 'instance';
end;
$$;
revoke all
on function messaging.message_list_path(jsonb, uuid, integer)
from public, anon, authenticated;
grant execute on function messaging.message_list_path(jsonb, uuid, integer) to service_role;

-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once. Of a message that waits it
-- shows its slot as stored; describe_message knows what else may hold it. Of a message with a media_id
-- message_media knows the rest: add it.
create or replace function messaging.message_record(
  message messaging.messages,
  time_zone text,
  is_claimed boolean
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'messageId', message.id,
    'direction', message.direction,
    'status', case
      when is_claimed and message.status = 'queued' then 'sending'
      else message.status
    end,
    'messageType', message.message_type,
    'message', message.message,
    'cardId', message.card_id,
    'batchId', message.batch_id,
    'metadata', coalesce(message.metadata, '{}'),
    'mediaId', message.media_id,
    'mediaStatus', null,
    'mediaUrl', message.content->>'mediaUrl',
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', messaging.iso_in_zone(message.scheduled_for, time_zone),
    'heldBy', message.held_by,
    'createdAt', messaging.iso_in_zone(message.created_at, time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, time_zone),
    'attempts', message.attempts + case when is_claimed then 1 else 0 end,
    'lastError', message.last_error
  );
end;
$$;
revoke all
on function messaging.message_record(messaging.messages, text, boolean)
from public, anon, authenticated;
grant execute
on function messaging.message_record(messaging.messages, text, boolean)
to service_role;

-- merge_contacts: what batches have for `gone` is for `kept` now. Where both are in one batch, only one is
-- written to: whoever has been already, else the first of the list.
create or replace function messaging.move_recipients(kept uuid, gone uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  doubled jsonb;
begin
  update messaging.batch_recipients r set contact_id = kept where r.contact_id = gone;
  if not found then
    return;
  end if;
  select jsonb_agg(jsonb_build_object('batch', ranked.batch_id, 'index', ranked.index)) into doubled
  from (
    select r.batch_id, r.index, r.status,
      row_number() over (partition by r.batch_id order by r.status = 'pending', r.index) as rank
    from messaging.batch_recipients r
    where r.contact_id = kept and r.status <> 'skipped'
  ) as ranked
  where ranked.rank > 1 and ranked.status = 'pending';
  if doubled is not null then
    perform messaging.skip_recipients(doubled, 'duplicate_contact');
  end if;
end;
$$;
revoke all on function messaging.move_recipients(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.move_recipients(uuid, uuid) to service_role;

-- A recipient's status as the API shows it: its message's, or what the batch has made of it.
create or replace function messaging.recipient_status(
  batch messaging.batches,
  recipient messaging.batch_recipients,
  message_status text
)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return case
    when recipient.status = 'skipped' then 'skipped'
    when recipient.status = 'accepted' then case message_status
      when 'sending' then 'queued'
      else message_status
    end
    when batch.status = 'canceled' then 'canceled'
    when batch.status = 'finished' or batch.expires_at <= clock_timestamp() then 'expired'
    else 'pending'
  end;
end;
$$;
revoke all
on function messaging.recipient_status(messaging.batches, messaging.batch_recipients, text)
from public, anon, authenticated;
grant execute
on function messaging.recipient_status(messaging.batches, messaging.batch_recipients, text)
to service_role;

-- Records an event for each of these messages, in the order given, with the state of the message now (see
-- message_snapshot). `types`: the event of the message at the same place, or the one type of all; a
-- message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent: see message_event_data.
-- `is_claimed`: whether the messages are still in a worker's hands.
-- Call it when the messages are changed, and so locked. None of them waits in the queue.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.record_message_events(
  message_ids uuid[],
  types text[],
  is_claimed boolean default false
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(message_ids), 0) = 0 then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select m.instance_id from messaging.messages m where m.id = any (message_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, message)
  select m.instance_id, m.contact_id, told.type, row(
      m.id, m.direction,
      case when is_claimed and m.status = 'queued' then 'sending' else m.status end,
      m.message_type, m.message, case when told.type = 'message.received' then m.content end,
      m.card_id, m.metadata, m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for,
      m.held_by, m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at,
      m.attempts + is_claimed::integer, m.last_error, c.name, c.phone,
      case when told.type = 'message.received' then m.quoted_message_id end,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select r.* from messaging.messages r where r.id = named.message_id offset 0
  ) as m
  cross join lateral (
    select p.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = p.id
          order by a.proven_at desc
          limit 1
        ),
        p.phone
      ) as phone
    from messaging.contacts p
    where p.id = m.contact_id
    offset 0
  ) as c
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[], boolean)
from public, anon, authenticated;
grant execute
on function messaging.record_message_events(uuid[], text[], boolean)
to service_role;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: the start of statements is most of what a settlement costs,
-- and these are plainer than those for several. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  -- The floor of the message's event, as hold_event_floor takes it, without a statement of its own.
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id),
    pg_advisory_xact_lock_shared(
      uuid_hash(q.instance_id),
      coalesce(pg_sequence_last_value('messaging.event_sequence'), 0)::bit(32)::integer
    )::text
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      -- As lock_provider_messages.
      or pg_advisory_xact_lock(
        hashtextextended(q.instance_id::text, 0) # (hashtext(provider_id) & 255)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  delete from messaging.message_queue q where q.message_id = settled;
  with sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(provider_id, m.provider_message_id),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = settled and c.id = addressee
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      null
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s;
  -- What came under the provider's id before the id was known.
  perform from messaging.unmatched_statuses u
  where u.instance_id = tenant and u.provider_message_id = provider_id
  union all
  select from messaging.messages e
  where e.instance_id = tenant and e.provider_message_id = provider_id and e.id <> settled
    and (e.is_typed_on_phone or e.confirmed_by_echo);
  if found then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
    perform messaging.note_contact(addressee);
  else
    perform messaging.touch_addressees(array[addressee], clock);
  end if;
  return array[settled];
end;
$$;
revoke all
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
to service_role;

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
    from messaging.contacts c
    where m.id = any (settled) and c.id = any (array[m.contact_id])
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s
  order by (s.message).id;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;

-- Makes recipients of batches skipped for a reason, whatever they were, and keeps the batches' counts.
-- `places`: [{batch, index}]. Locks the batches in the order of their ids.
create or replace function messaging.skip_recipients(places jsonb, reason text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform from messaging.batches b
  where b.id = any (array(select (p->>'batch')::uuid from jsonb_array_elements(places) as p))
  order by b.id
  for no key update;
  with skipped as (
    update messaging.batch_recipients r
    set status = 'skipped', reason = skip_recipients.reason, draft = null
    from jsonb_to_recordset(places) as p(batch uuid, index integer)
    cross join lateral (
      select f.status from messaging.batch_recipients f
      where f.batch_id = p.batch and f.index = p.index
      offset 0
    ) as former
    where r.batch_id = any (array[p.batch]) and r.index = any (array[p.index])
    returning r.batch_id, former.status as former_status
  ),
  counted as (
    select s.batch_id, count(*) filter (where s.former_status <> 'skipped') as skipped,
      count(*) filter (where s.former_status = 'pending') as pending
    from skipped s
    group by s.batch_id
  )
  update messaging.batches b
  set skipped_count = b.skipped_count + c.skipped, pending_count = b.pending_count - c.pending
  from counted c
  where b.id = any (array[c.batch_id]);
end;
$$;
revoke all on function messaging.skip_recipients(jsonb, text) from public, anon, authenticated;
grant execute on function messaging.skip_recipients(jsonb, text) to service_role;

-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see begin_idempotent).
-- Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, 40001.
create or replace function public.create_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  new_id constant uuid := gen_random_uuid();
  stored record;
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.batches (
    id, instance_id, name, source, purpose, validation, interval_seconds, start_at, expires_at,
    created_at
  )
  values (
    new_id, (request->>'instanceId')::uuid, request->>'name', request->'source', request->>'purpose',
    request->>'validation', (request->>'intervalSeconds')::integer,
    (request->>'startAt')::timestamptz, (request->>'expiresAt')::timestamptz,
    date_trunc('milliseconds', clock_timestamp())
  );
  stored := messaging.add_recipients(new_id, request->'entries', request->'errors');
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', new_id,
    'status', (stored.batch).status,
    'added', stored.added,
    'duplicates', stored.duplicates,
    'errors', stored.errors
  ));
end;
$$;
revoke all on function public.create_batch(jsonb) from public, anon, authenticated;
grant execute on function public.create_batch(jsonb) to service_role;

-- batches-api: adds recipients to a draft. `request`: instanceId, batchId, entries (see add_recipients),
-- errors, idempotency. Returns {batchId, status, added, duplicates, errors}.
-- Errors: MI007, MI008, MI027, MI028 (no draft), MI029 (more than 100,000), 40001.
create or replace function public.extend_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch messaging.batches;
  stored record;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := messaging.find_batch(request);
  stored := messaging.add_recipients(batch.id, request->'entries', request->'errors');
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', batch.id,
    'status', (stored.batch).status,
    'added', stored.added,
    'duplicates', stored.duplicates,
    'errors', stored.errors
  ));
end;
$$;
revoke all on function public.extend_batch(jsonb) from public, anon, authenticated;
grant execute on function public.extend_batch(jsonb) to service_role;

-- batches-api: the record of one batch. `request`: instanceId, batchId. Errors: MI027.
create or replace function public.get_batch(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return messaging.describe_batch(messaging.find_batch(request));
end;
$$;
revoke all on function public.get_batch(jsonb) from public, anon, authenticated;
grant execute on function public.get_batch(jsonb) to service_role;

-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Errors: MI027.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  zone constant text := (select i.time_zone from messaging.instances i where i.id = batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  items jsonb;
  next jsonb;
begin
  with page as (
    select r as recipient, m as message, told.status, r.index,
      row_number() over (order by r.index) as number
    from messaging.batch_recipients r
    left join lateral (
      select f.* from messaging.messages f where f.id = r.message_id offset 0
    ) as m on true
    cross join lateral (
      select messaging.recipient_status(batch, r, m.status) as status
    ) as told
    where r.batch_id = batch.id and r.index > coalesce((request->'after'->>'index')::integer, -1)
      and (request->>'status' is null or told.status = request->>'status')
    order by r.index
    limit page_size + 1
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'index', p.index,
      'contactId', (p.recipient).contact_id,
      'phone', coalesce((p.recipient).phone, c.phone),
      'status', p.status,
      'reason', (p.recipient).reason,
      'messageId', (p.recipient).message_id,
      'scheduledFor', messaging.iso_in_zone(
        case when p.status <> 'pending' then (p.message).scheduled_for end, zone
      ),
      'lastError', (p.message).last_error
    ) order by p.index) filter (where p.number <= page_size), '[]'),
    case when count(*) > page_size then
      jsonb_build_object('index', max(p.index) filter (where p.number <= page_size))
    end
  into items, next
  from page p
  left join lateral (
    select f.phone from messaging.contacts f where f.id = (p.recipient).contact_id offset 0
  ) as c on true;
  return jsonb_build_object('items', items, 'next', next);
end;
$$;
revoke all on function public.list_batch_recipients(jsonb) from public, anon, authenticated;
grant execute on function public.list_batch_recipients(jsonb) to service_role;

-- batches-api: the batches of an instance, oldest first, a page at a time. `request`: instanceId, limit,
-- status (NULL for any), `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_batches(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', b.created_at, 'id', b.id, 'record', messaging.describe_batch(b)
      )
      from messaging.batches b
      where b.instance_id = (request->>'instanceId')::uuid
        and (b.created_at, b.id) > (page.after_at, page.after_id)
        and (request->>'status' is null or b.status = request->>'status')
      order by b.created_at, b.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_batches(jsonb) from public, anon, authenticated;
grant execute on function public.list_batches(jsonb) to service_role;

-- messages-api: messages of an instance, sent and received, in the order in which they were stored, a page
-- at a time. `request`: instanceId, limit, `after` as returned in `next`, and filters, each NULL for any:
-- contactId, cardId, batchId, status (as describe_message tells it), direction, since and until (both
-- included, in the milliseconds that answers show). Returns {items, next}.
-- A page reads at most `most_read` messages: where few of many match, it has fewer items than `limit`, or
-- none, and `next` all the same. It reads them in growing steps, by the way that message_list_path chooses.
-- Errors: MI014, MI031.
-- Plans must not depend on statistics: hence the settings below.
create or replace function public.list_messages(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  most_read constant integer := 5000;
  page constant record := messaging.begin_page(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_contact constant uuid := (
    messaging.find_contact_by_id(of_instance, (request->>'contactId')::uuid)
  ).id;
  of_card constant text := request->>'cardId';
  of_batch constant uuid := request->>'batchId';
  of_direction constant text := request->>'direction';
  of_status constant text := request->>'status';
  -- A queued message that is claimed is `sending`.
  stored_status constant text := case of_status when 'sending' then 'queued' else of_status end;
  before constant timestamptz := coalesce(
    (request->>'until')::timestamptz + interval '1 millisecond', 'infinity'
  );
  since constant timestamptz := (request->>'since')::timestamptz;
  zone constant text := (select i.time_zone from messaging.instances i where i.id = of_instance);
  path text;
  last_at timestamptz := page.after_at;
  last_id uuid := page.after_id;
  step integer := page.size + 1;
  step_read integer;
  all_read integer := 0;
  last_read jsonb;
  found_now jsonb[];
  found_all jsonb[] := '{}';
begin
  if request->>'contactId' is not null and of_contact is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  path := messaging.message_list_path(request, of_contact, most_read);
  if path in ('contact', 'queue') then
    step := most_read;
  end if;
  if since > last_at then
    last_at := since;
    last_id := '00000000-0000-0000-0000-000000000000';
  end if;
  loop
    with scanned as materialized (
      (
        select m from messaging.messages m
        where path = 'instance' and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'batch' and m.batch_id = of_batch and m.instance_id = of_instance
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) > (last_at, last_id) and m.created_at < before
        order by m.created_at, m.id
        limit step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and m.contact_id = of_contact
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue'
        ) as few
        where ((few.m).created_at, (few.m).id) > (last_at, last_id) and (few.m).created_at < before
        order by (few.m).created_at, (few.m).id
        limit step
      )
    ),
    matching as (
      select s.m
      from scanned s
      where (of_contact is null or (s.m).contact_id = of_contact)
        and (of_batch is null or (s.m).batch_id = of_batch)
        and (of_card is null or (s.m).card_id = of_card)
        and (of_direction is null or (s.m).direction = of_direction)
        and (of_status is null or (s.m).status in (of_status, stored_status))
        and (
          coalesce(of_status, '') not in ('queued', 'sending')
          or (of_status = 'sending') = ((s.m).status = 'sending' or exists (
            select from messaging.message_queue q
            where q.message_id = (s.m).id and q.claim_token is not null
          ))
        )
      order by (s.m).created_at, (s.m).id
      limit page.size + 1 - cardinality(found_all)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', (f.m).created_at, 'id', (f.m).id,
          'record', case
            when (f.m).status = 'queued' then messaging.describe_message(f.m)
            when (f.m).media_id is not null
              then messaging.message_record(f.m, zone, false)
                || messaging.message_media((f.m).media_id, (f.m).content)
            else messaging.message_record(f.m, zone, false)
          end
        )
        from matching f
        order by (f.m).created_at, (f.m).id
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', (s.m).created_at, 'id', (s.m).id)
        from scanned s
        order by (s.m).created_at desc, (s.m).id desc
        limit 1
      )
    into found_now, step_read, last_read;
    found_all := found_all || found_now;
    exit when cardinality(found_all) > page.size or step_read < step;
    all_read := all_read + step_read;
    if all_read >= most_read then
      return messaging.build_page(found_all, page.size) || jsonb_build_object('next', last_read);
    end if;
    last_at := (last_read->>'createdAt')::timestamptz;
    last_id := (last_read->>'id')::uuid;
    step := least(step * 4, most_read - all_read);
  end loop;
  return messaging.build_page(found_all, page.size);
end;
$$;
revoke all on function public.list_messages(jsonb) from public, anon, authenticated;
grant execute on function public.list_messages(jsonb) to service_role;

-- batches-api: what recipients are filled from before they are stored. `request`: instanceId, tokenId,
-- batchId or NULL, templateId or NULL, entries [{phone | contactId | userId} | NULL].
-- Returns {batch {source, purpose, validation, recipientCount} or NULL, template or NULL, contacts}:
-- `template` as find_template_to_send gives it, of the entries' contacts {contactId, name, phone}, or NULL
-- for whom no contact is known. Writes and locks nothing.
-- Errors: MI027, MI028 (recipients are added to drafts alone).
create or replace function public.prepare_batch_recipients(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  batch messaging.batches;
  template messaging.message_templates;
begin
  if request->>'batchId' is not null then
    batch := messaging.find_batch(request);
    if batch.status <> 'draft' then
      raise exception using errcode = 'MI028', message = 'batch_state';
    end if;
  end if;
  select t.* into template
  from messaging.instances i
  join messaging.message_templates t on t.workspace_id = i.workspace_id
  where i.id = of_instance and t.id = (request->>'templateId')::uuid;
  return jsonb_build_object(
    'batch', case when batch.id is not null then jsonb_build_object(
      'source', batch.source,
      'purpose', batch.purpose,
      'validation', batch.validation,
      'recipientCount', batch.recipient_count
    ) end,
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contacts', (
      select coalesce(jsonb_agg(person.told order by e.place), '[]')
      from jsonb_array_elements(request->'entries') with ordinality as e(entry, place)
      left join lateral (
        select jsonb_build_object(
          'contactId', c.id, 'name', c.name, 'phone', messaging.contact_display_phone(c)
        ) as told
        from messaging.contacts c
        where c.id = messaging.entry_contact(
          of_instance,
          (e.entry->>'contactId')::uuid,
          messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId'))
        )
        offset 0
      ) as person on true
    )
  );
end;
$$;
revoke all on function public.prepare_batch_recipients(jsonb) from public, anon, authenticated;
grant execute on function public.prepare_batch_recipients(jsonb) to service_role;

alter type messaging.message_snapshot add attribute batch_id uuid;

alter table messaging.messages add column if not exists batch_id uuid;

comment on column messaging.messages.batch_id is
  'The batch that it was sent for; NULL for all others.';

create index if not exists messages_batch on messaging.messages (batch_id, created_at) where batch_id is not null;

-- What of a batch is still to leave: a handful of rows.
create index if not exists messages_batch_waiting on messaging.messages (batch_id)
where batch_id is not null and status = 'queued';
