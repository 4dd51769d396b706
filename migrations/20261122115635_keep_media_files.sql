set local lock_timeout = '3s';
set local check_function_bodies = off;

-- Widens what the former release writes.
alter table messaging.outbox
drop constraint outbox_kind_known,
add constraint outbox_kind_known check (
  kind in (
    'assignment_email', 'endpoint_disabled_email', 'agent_reply', 'media_fetch', 'media_delete',
    'media_transcription'
  )
) not valid;

-- Files of messages: those that arrive, and those that callers upload. The row is there before the file,
-- so that every file in the storage has a row, or an outbox row that deletes it (see delete_media_files).
-- The file itself lies under storage_path in the private storage, never in the database.
create table messaging.media (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid,
  origin text not null,
  kind text not null,
  status text not null default 'pending',
  mime_type text,
  size bigint,
  sha256 text,
  filename text,
  storage_path text,
  source jsonb,
  transcript text,
  last_error jsonb,
  provider_upload_id text,
  provider_uploaded_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  stored_at timestamptz,
  constraint media_origin_known check (origin in ('channel', 'upload')),
  constraint media_kind_known check (kind in ('image', 'audio', 'video', 'document')),
  constraint media_status_known check (status in ('pending', 'stored', 'failed', 'expired')),
  constraint media_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint media_stored_is_described
    check (
      status != 'stored'
      or storage_path is not null
      and mime_type is not null
      and size is not null
      and sha256 is not null
      and stored_at is not null
    )
)
with (fillfactor = 70);
create index media_contact on messaging.media (contact_id) where contact_id is not null;
create index media_age on messaging.media (instance_id, created_at, id);
create index media_unfinished on messaging.media (created_at) where status = 'pending';
alter table messaging.media enable row level security;
revoke all on table messaging.media from public, anon, authenticated;
grant select, insert, update, delete on table messaging.media to service_role;
comment on column messaging.media.contact_id is
  'Whose file it is; NULL for an upload, which may go to many. No foreign key: a merge moves it.';
comment on column messaging.media.origin is
  'channel: the provider has it, and it is fetched from there. upload: a caller gave it.';
comment on column messaging.media.kind is 'The type of its message, which its limits depend on.';
comment on column messaging.media.mime_type is
  'As the provider declares it; once stored, what the content is.';
comment on column messaging.media.sha256 is
  'Of the content, in hexadecimal. Before it is stored: what the channel says that it is.';
comment on column messaging.media.storage_path is
  'Where the file lies, or will. NULL when it is gone.';
comment on column messaging.media.source is
  'Where the provider has it: {url} or {id}, and what else its fetching needs.';
comment on column messaging.media.transcript is 'What is said in a voice message.';
comment on column messaging.media.last_error is 'Why it is not there: {code, message}.';
comment on column messaging.media.provider_upload_id is
  'The official channel''s id of the file, where it was uploaded there.';

-- Adds the file of a message that a provider reports, and promises to fetch it at once. `file`: what the
-- event says of it, {source, mimeType, sha256 (hex), size, filename}, all but source optional.
-- `kind`: the type of the message. The caller stores the id with the message, in the same transaction.
create or replace function messaging.add_channel_media(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  kind text,
  file jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.media (
    id, instance_id, contact_id, origin, kind, mime_type, size, sha256, filename, storage_path,
    source, created_at
  )
  values (
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    'channel', add_channel_media.kind, file->>'mimeType', (file->>'size')::bigint,
    file->>'sha256', file->>'filename',
    messaging.media_path(add_channel_media.instance_id, add_channel_media.media_id),
    file->'source', clock_timestamp()
  );
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_fetch',
    jsonb_build_object('instanceId', i.id, 'mediaId', add_channel_media.media_id)
  from messaging.instances i
  where i.id = add_channel_media.instance_id;
end;
$$;
revoke all
on function messaging.add_channel_media(uuid, uuid, uuid, text, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.add_channel_media(uuid, uuid, uuid, text, jsonb)
to service_role;

-- Makes the private bucket for files where Supabase Storage is part of the database; a bucket that is
-- there already becomes private. Elsewhere it does nothing: the local stack keeps files in a folder.
-- Returns whether there is one. 100 MB is the longest file that a channel takes.
create or replace function messaging.create_media_bucket()
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if to_regclass('storage.buckets') is null then
    return false;
  end if;
  -- As text: a database without Storage can hold this function too.
  execute $bucket$
    insert into storage.buckets (id, name, public, file_size_limit)
    values ('messaging-media', 'messaging-media', false, 104857600)
    on conflict (id) do update set public = false, file_size_limit = excluded.file_size_limit
  $bucket$;
  return true;
end;
$$;
revoke all on function messaging.create_media_bucket() from public, anon, authenticated;

-- Promises to delete files from the storage: outbox rows, 100 files each. A file whose fetching may be
-- under way (`may_be_coming`) is deleted when that has ended for certain: it may take two minutes.
create or replace function messaging.delete_media_files(
  instance_id uuid,
  paths text[],
  may_be_coming boolean
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload, run_at)
  select i.workspace_id, 'media_delete',
    jsonb_build_object('instanceId', i.id, 'paths', to_jsonb(portion.paths)),
    clock_timestamp() + case when may_be_coming then interval '5 minutes' else interval '0' end
  from (
    select array_agg(p.path order by p.place) as paths
    from unnest(delete_media_files.paths) with ordinality as p(path, place)
    where p.path is not null
    group by (p.place - 1) / 100
  ) as portion
  join messaging.instances i on i.id = delete_media_files.instance_id;
end;
$$;
revoke all
on function messaging.delete_media_files(uuid, text[], boolean)
from public, anon, authenticated;
grant execute on function messaging.delete_media_files(uuid, text[], boolean) to service_role;

-- The one record of a message, sent or received, as messages-api reports it. A claim counts as
-- `sending`; what waits says when it may leave now, and what holds it (see expected_departure).
-- For a message that is known not to wait, message_record alone says the same without reading anything.
create or replace function messaging.describe_message(message messaging.messages)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  state record;
  shown messaging.messages := message;
begin
  select i.time_zone, q.claim_token is not null as is_claimed, expected.*
  into strict state
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.leaves_at, e.held_by
    from messaging.dispatch d
    cross join lateral messaging.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
  if state.is_waiting then
    shown.scheduled_for := state.leaves_at;
    shown.held_by := state.held_by;
  end if;
  if message.media_id is null then
    return messaging.message_record(shown, state.time_zone, state.is_claimed);
  end if;
  return messaging.message_record(shown, state.time_zone, state.is_claimed)
    || messaging.message_media(message.media_id, message.content);
end;
$$;
revoke all
on function messaging.describe_message(messaging.messages)
from public, anon, authenticated;
grant execute on function messaging.describe_message(messaging.messages) to service_role;

-- Part of an erasure: deletes at most `max_rows` of a contact's messages with all that hangs on them, and
-- keeps hashes of their ids where a webhook may still name them (see erased_messages).
-- A message that a worker holds stays until it is settled or its lease is over: its outcome, and the echo
-- that some channels send of it, must find it. `is_unsent_only`: only those that have not left.
-- Their files go with them, unless others have got the same ones.
-- Returns {messages, media, phones}: how many, and the spellings of the phone that their calls used.
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
  files uuid[];
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
  files := messaging.media_of_messages(ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids) returning m.phone_given
  )
  select jsonb_build_object(
    'messages', count(*),
    'phones', coalesce(jsonb_agg(distinct g.phone_given) filter (where g.phone_given is not null), '[]')
  )
  into erased
  from gone g;
  erased := erased || jsonb_build_object('media', messaging.forget_media(files));
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
    erasure.counts := messaging.add_counts(erasure.counts, jsonb_build_object(
      'media', messaging.forget_media(messaging.media_of_contact(contact.id))
    ));
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

-- Lets files go whose time is over: each stays as `expired`, without its file, its source and its words,
-- so that its messages say what was there. Files that are gone already stay as they are.
-- Returns how many it changed.
create or replace function messaging.expire_media(media_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  former record;
  expired integer := 0;
begin
  for former in
    with locked as (
      select m.id, m.instance_id, m.storage_path, m.status = 'pending' as may_be_coming
      from messaging.media m
      where m.id = any (media_ids) and m.status in ('pending', 'stored')
      order by m.id
      for no key update
    ),
    changed as (
      update messaging.media m
      set status = 'expired', storage_path = null, source = null, filename = null,
        transcript = null, provider_upload_id = null, provider_uploaded_at = null,
        last_error = '{"code": "retention", "message": "The file is past the retention time."}'
      from locked
      where m.id = any (array[locked.id])
      returning m.id
    )
    select l.instance_id, l.may_be_coming, array_agg(l.storage_path) as paths, count(*) as files
    from locked l
    join changed c on c.id = l.id
    group by l.instance_id, l.may_be_coming
  loop
    perform messaging.delete_media_files(former.instance_id, former.paths, former.may_be_coming);
    expired := expired + former.files;
  end loop;
  return expired;
end;
$$;
revoke all on function messaging.expire_media(uuid[]) from public, anon, authenticated;
grant execute on function messaging.expire_media(uuid[]) to service_role;

-- Cuts an event's data so that the whole event stays below 20,000 bytes, and says so in `isTruncated`:
-- first the longest text of its members, and of the objects among them, then the next one.
-- An event has at most 300 bytes beside its data, and a signed link of 500 takes the place of mediaUrl.
create or replace function messaging.fit_event_data(data jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  max_bytes constant integer := 19200;
  fitted jsonb := data;
  excess integer;
  longest record;
begin
  -- A text takes at most six times its size as JSON. Most data are small: spares writing them out.
  if pg_column_size(data) <= 3000 then
    return data;
  end if;
  loop
    excess := octet_length(fitted::text) - max_bytes;
    exit when excess <= 0;
    fitted := fitted || '{"isTruncated": true}';
    select leaf.path, leaf.value into longest
    from (
      select array[own.key] as path, own.value #>> '{}' as value
      from jsonb_each(fitted) as own
      where jsonb_typeof(own.value) = 'string'
      union all
      select array[own.key, inner_one.key], inner_one.value #>> '{}'
      from jsonb_each(fitted) as own
      cross join lateral jsonb_each(
        case when jsonb_typeof(own.value) = 'object' then own.value else '{}' end
      ) as inner_one
      where jsonb_typeof(inner_one.value) = 'string'
    ) as leaf
    order by octet_length(to_jsonb(leaf.value)::text) desc
    limit 1;
    exit when longest.path is null or longest.value = '';
    -- A character may take six bytes: cuts too little rather than too much, and looks again.
    fitted := jsonb_set(fitted, longest.path, to_jsonb(
      left(longest.value, greatest(char_length(longest.value) - greatest(excess / 6, 1), 0))
    ));
  end loop;
  return fitted;
end;
$$;
revoke all on function messaging.fit_event_data(jsonb) from public, anon, authenticated;
grant execute on function messaging.fit_event_data(jsonb) to service_role;

-- Deletes files with everything that is known of them: the rows at once, the files by the outbox, within
-- seconds; those that are being fetched when that has ended. Returns how many it deleted.
-- The caller deletes the messages that name them, or has deleted them.
create or replace function messaging.forget_media(media_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  former record;
  forgotten integer := 0;
begin
  for former in
    with deleted as (
      delete from messaging.media m
      where m.id = any (media_ids)
      returning m.instance_id, m.storage_path, m.status = 'pending' as may_be_coming
    )
    select d.instance_id, d.may_be_coming, array_agg(d.storage_path) as paths, count(*) as files
    from deleted d
    group by d.instance_id, d.may_be_coming
  loop
    perform messaging.delete_media_files(former.instance_id, former.paths, former.may_be_coming);
    forgotten := forgotten + former.files;
  end loop;
  return forgotten;
end;
$$;
revoke all on function messaging.forget_media(uuid[]) from public, anon, authenticated;
grant execute on function messaging.forget_media(uuid[]) to service_role;

-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return array(
    select m.id from messaging.media m where m.contact_id = media_of_contact.contact_id
    union
    select own.media_id
    from messaging.messages own
    where own.contact_id = media_of_contact.contact_id and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id
          and other.contact_id <> media_of_contact.contact_id
      )
  );
end;
$$;
revoke all on function messaging.media_of_contact(uuid) from public, anon, authenticated;
grant execute on function messaging.media_of_contact(uuid) to service_role;

-- The files that only these messages name. For forget_media, before the messages are deleted.
create or replace function messaging.media_of_messages(message_ids uuid[])
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return array(
    select distinct own.media_id
    from messaging.messages own
    where own.id = any (message_ids) and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id and other.id <> all (message_ids)
      )
  );
end;
$$;
revoke all on function messaging.media_of_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.media_of_messages(uuid[]) to service_role;

-- Where a file lies in the storage. It names nobody, and a file that is stored again replaces itself.
create or replace function messaging.media_path(instance_id uuid, media_id uuid)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select instance_id || '/' || media_id;
$$;
revoke all on function messaging.media_path(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.media_path(uuid, uuid) to service_role;

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

-- The data of a message's event: the message's record (see message_record) as it was then, its contact,
-- and of a received message what its content refers to. Reads no table.
create or replace function messaging.message_event_data(
  type text,
  message messaging.message_snapshot,
  time_zone text
)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  data jsonb := messaging.message_record(
    jsonb_populate_record(null::messaging.messages, to_jsonb(message)), time_zone, false
  ) || jsonb_build_object('contact', jsonb_build_object(
    'contactId', message.contact_id,
    'phone', message.contact_phone,
    'name', message.contact_name
  ));
begin
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  elsif type = 'message.received' then
    data := data || jsonb_build_object(
      'choice', message.content->'choice',
      'quotedMessageId', message.quoted_message_id
    );
  end if;
  return messaging.fit_event_data(data);
end;
$$;
revoke all
on function messaging.message_event_data(text, messaging.message_snapshot, text)
from public, anon, authenticated;
grant execute
on function messaging.message_event_data(text, messaging.message_snapshot, text)
to service_role;

-- What a record shows of a message's file: {mediaId, mediaStatus, mediaUrl}. mediaUrl is the URL that the
-- sending call gave, or the provider's own of a message from before this service kept files; who answers
-- puts a signed link in its place where there is a mediaId. NULL for a message without a file.
create or replace function messaging.message_media(media_id uuid, content jsonb)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  if media_id is not null then
    return jsonb_build_object(
      'mediaId', media_id,
      'mediaStatus', coalesce(
        (select m.status from messaging.media m where m.id = message_media.media_id), 'expired'
      ),
      'mediaUrl', null
    );
  end if;
  if content->>'mediaUrl' is not null then
    return jsonb_build_object(
      'mediaId', null, 'mediaStatus', null, 'mediaUrl', content->>'mediaUrl'
    );
  end if;
  return null;
end;
$$;
revoke all on function messaging.message_media(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.message_media(uuid, jsonb) to service_role;

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
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end
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
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end
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
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end
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

alter type messaging.message_snapshot add attribute media jsonb;

alter table messaging.messages add column if not exists media_id uuid;

comment on column messaging.message_snapshot.media is
  'What message_media tells of its file; NULL for none.';

comment on column messaging.messages.media_id is
  'Its file (see media); NULL for none, and for files that this service does not keep. No foreign key: it would cost every deleted file a look-up.';

create index if not exists messages_media on messaging.messages (media_id) where media_id is not null;

-- On the platform files are kept in Supabase Storage from here on.
do $$
begin
  perform messaging.create_media_bucket();
end;
$$;
