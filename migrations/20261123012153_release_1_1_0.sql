-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.

set local lock_timeout = '3s';

set local check_function_bodies = off;

drop function messaging.describe_rate_limit(integer,timestamp with time zone,bigint,boolean);

drop function messaging.enqueue_message(uuid,messaging.instances,integer,timestamp with time zone,interval);

drop function messaging.fitted_slots(messaging.instances,messaging.slot_moves);

drop function messaging.place_message(uuid,messaging.instances,jsonb,interval);

drop function messaging.settle_plain_acceptances(jsonb,timestamp with time zone);

-- What the role that migrates creates belongs to service_role and to nobody else, so no file grants
-- anything. The platform's own defaults would let anon and authenticated execute every function of
-- public and touch every table there.
alter default privileges revoke execute on functions from public;

alter default privileges in schema public revoke all on tables from anon, authenticated;

alter default privileges in schema public revoke all on sequences from anon, authenticated;

alter default privileges in schema public revoke execute on functions from anon, authenticated;

alter default privileges in schema public grant execute on functions to service_role;

alter default privileges in schema messaging grant execute on functions to service_role;

alter default privileges
in schema messaging
grant select, insert, update, delete on tables to service_role;

-- The key by which a phone identifies one person (decisions, section 3); for identity alone, never
-- an address. Brazil: a mobile without its ninth digit gets it. Mexico: 521 = 52. Argentina: 549 = 54.
-- shared/model/phone.ts has the same rule as identityKeyOf; a test compares the two.
-- The prefix is compared first: most phones then need no regular expression, which costs ten times as
-- much.
create or replace function messaging.phone_identity_key(phone text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case
    when phone like '55%' and length(phone) = 12 and phone ~ '^55[0-9]{2}[6-9][0-9]{7}$' then left(phone, 4) || '9' || substr(phone, 5)
    when phone like '521%' and phone ~ '^521[0-9]{10}$' then '52' || substr(phone, 4)
    when phone like '549%' and phone ~ '^549[0-9]{10}$' then '54' || substr(phone, 4)
    else phone
  end;
end;
$$;

-- The keys by which the folded words of a contact are found: a hash of each three characters in a row;
-- and, for searches of one or two characters, of the one and two with which each word begins. A sign
-- such as "%" counts as a beginning too. A key says which contacts may fit; their words decide.
-- The instance is in the hash: a look-up reads nothing of other instances.
-- A loop over the characters: as one statement it takes five times as long, with each new contact.
create or replace function messaging.search_keys(instance_id uuid, words text)
returns bigint[]
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
declare
  seed constant bigint := uuid_hash_extended(instance_id, 0);
  letters constant text[] := string_to_array(words, null);
  follows_word_letter boolean := false;
  is_word_letter boolean;
  keys bigint[] := '{}';
begin
  for place in 1 .. cardinality(letters) loop
    is_word_letter := letters[place] collate "C" between '0' and '9'
      or letters[place] collate "C" between 'a' and 'z';
    if not (follows_word_letter and is_word_letter) then
      keys := keys || hashtextextended('^' || letters[place], seed);
      if place < cardinality(letters) then
        keys := keys || hashtextextended('^' || letters[place] || letters[place + 1], seed);
      end if;
    end if;
    if place > 2 then
      keys := keys
        || hashtextextended(letters[place - 2] || letters[place - 1] || letters[place], seed);
    end if;
    follows_word_letter := is_word_letter;
  end loop;
  return keys;
end;
$$;

-- Whether `content` has the shape that its message type needs: an option list or the choice of one of its
-- rows, a tapped button, a template; for any other type no such list or template, and a file only where the
-- type is one of files. What else a received message holds stands beside it. A received file may have
-- neither URL nor id, where the provider tells none. What a sent message needs is checked before it is
-- stored (shared/model/message_content.ts).
create or replace function messaging.is_message_content(message_type text, content jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if content is null then
    return message_type not in ('option_list', 'choice', 'template');
  end if;
  if jsonb_typeof(content) <> 'object' or content = '{}' then
    return false;
  end if;
  return coalesce(
    case message_type
      when 'option_list' then jsonb_typeof(content->'optionList') = 'object'
        or jsonb_typeof(content->'choice'->'title') = 'string'
      when 'choice' then jsonb_typeof(content->'choice'->'title') = 'string'
      when 'template' then jsonb_typeof(content->'template') = 'object'
      else not content ?| array['optionList', 'template', 'choice'] and case
        when message_type in ('image', 'audio', 'video', 'document', 'sticker', 'voice')
          then jsonb_typeof(coalesce(content->'mediaUrl', '""')) = 'string'
        else not content ?| array['mediaUrl', 'mediaId', 'mediaFilename']
      end
    end,
    false
  );
end;
$$;

-- Whether the columns of a message's state agree: known values, `received` for inbound messages and
-- only for them, an instant for everything that was sent or received, and a content that fits the type
-- (see is_message_content).
-- One function instead of several CHECK constraints: Postgres parses constraints again for each
-- statement that writes a message, which took a sixth of the time of queuing one. Branches instead of
-- one expression: each expression is prepared again in each transaction, if it is reached.
create or replace function messaging.is_message_state(
  direction text,
  status text,
  mode text,
  held_by text,
  sent_at timestamptz,
  message_type text,
  content jsonb
)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if sent_at is null and status in ('sent', 'delivered', 'read', 'received') then
    return false;
  end if;
  if direction = 'outbound' then
    if status not in (
      'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed', 'expired'
    ) then
      return false;
    end if;
  elsif direction <> 'inbound' or status <> 'received' then
    return false;
  end if;
  if mode not in ('sent', 'queued', 'scheduled') then
    return false;
  end if;
  if held_by not in (
    'interval', 'window', 'holiday', 'delay', 'daily_limit', 'new_contacts', 'warm_up'
  ) then
    return false;
  end if;
  if message_type = 'text' and content is null then
    return true;
  end if;
  return messaging.is_message_content(message_type, content);
end;
$$;

-- What an event keeps of a message: its row as it was then, as far as message_record shows it, and its
-- contact's name, phone and other identities. Freezing it costs a send a tenth of what it costs to write the record out,
-- so that is left to the reading of the event: see message_event_data.
-- A type of its own, not that of the table: no column with a default could be added to the table then.
-- The attributes of the table are named as there.
create type messaging.message_snapshot as (
  id uuid,
  direction text,
  status text,
  message_type text,
  message text,
  content jsonb,
  card_id text,
  metadata jsonb,
  contact_id uuid,
  conversation_id uuid,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  created_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  attempts smallint,
  last_error jsonb,
  contact_name text,
  contact_phone text,
  quoted_message_id uuid,
  media jsonb,
  batch_id uuid,
  quoted_provider_message_id text,
  author jsonb,
  is_group boolean,
  chat_name text,
  sent_by text,
  is_typed_on_phone boolean,
  edited_at timestamptz,
  deleted_at timestamptz,
  channel_status text,
  contact_identities jsonb,
  purpose text,
  cancel_key text,
  expires_at timestamptz
);
comment on column messaging.message_snapshot.content is
  'Of a message that a person wrote, the contact or an employee on the phone; else NULL.';
comment on column messaging.message_snapshot.contact_phone is 'As contact_display_phone.';
comment on column messaging.message_snapshot.contact_identities is
  'As shown_identities; NULL for a contact that has none.';
comment on column messaging.message_snapshot.media is
  'What message_media tells of its file; NULL for none.';

-- A recipient whose turn walk_batches looks at: `reason` says why it gets no message, whatever its slot.
create type messaging.batch_candidate as (
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  is_new boolean,
  not_before timestamptz,
  reachable_until timestamptz
);
comment on type messaging.batch_candidate is
  'is_new and not_before as take_protected_slot decides them; after reachable_until the channel''s window is closed for this message.';

-- What walk_batches finds for a recipient: its slot, or why it gets none.
create type messaging.batch_step as (
  batch_id uuid,
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  slot timestamptz
);

-- One row per contact: when something that reading it or its conversation shows has changed last, and
-- what its last message was. `updatedSince` reads it in the order of (updated_at, contact_id).
-- A table of its own: a send writes this narrow row, and contacts keep their small updates.
-- Has no foreign key to contacts: the row of a merged or erased contact stays, as its tombstone.
-- A row is added with its contact, by a trigger, whatever creates the contact. It is the last row that
-- a transaction locks, in the order of contact_id: a transaction that holds one waits for nothing but a rate limit.
create table messaging.contact_activity (
  contact_id uuid primary key,
  instance_id uuid not null,
  updated_at timestamptz not null,
  last_message_at timestamptz,
  awaits_reply boolean not null default false,
  merged_into uuid,
  erased_at timestamptz
);
create index contact_activity_updated on messaging.contact_activity (
  instance_id,
  updated_at,
  contact_id
);
create index contact_activity_awaits_reply on messaging.contact_activity (instance_id, contact_id)
where awaits_reply;
create index contact_activity_merged on messaging.contact_activity (merged_into)
where merged_into is not null;
alter table messaging.contact_activity enable row level security;
comment on column messaging.contact_activity.updated_at is
  'In whole milliseconds, taken as change_instant says: readers rely on its order.';
comment on column messaging.contact_activity.last_message_at is
  'When the last message was sent or received; a message that waits or has failed does not count.';
comment on column messaging.contact_activity.awaits_reply is
  'Whether the last message is the contact''s.';
comment on column messaging.contact_activity.merged_into is
  'The contact that this one was merged into: always a living one, never another tombstone.';

-- What became true of an instance's messages, contacts, conversations and connection, written in the
-- transaction that made it true. Read by the feed (read_events) and by the webhooks' dispatcher.
--
-- Reading misses nothing, although transactions commit in another order than that of their numbers, and
-- no writer waits for another one:
--   A writer calls hold_event_floor before it draws its first number. That reads the number that was
--   drawn last, its floor, and holds it as a shared advisory lock until its rows are visible: Postgres
--   releases locks after it has made the transaction's rows visible.
--   A reader calls event_horizon, then reads the rows up to the horizon, in this order: the number that
--   was drawn last; the smallest floor of the instance's writers; the rows.
--   A writer that took its lock after the reader looked at the locks draws numbers above the first. A
--   writer whose lock the reader saw draws numbers above its floor. A writer that had released its lock
--   before is visible. So nothing up to the smaller of the two can still appear.
-- A gap in the numbers (a transaction that rolled back, another instance's event) is never waited for. A
-- slow transaction delays only the events of its own instance.
-- The events of one message carry its order: their numbers are drawn under the lock of its row.
create sequence messaging.event_sequence as bigint;
revoke all on sequence messaging.event_sequence from public, anon, authenticated;
grant usage, select on sequence messaging.event_sequence to service_role;

-- No foreign keys: each would cost every send a look-up. Events of an instance or a contact that is gone
-- stay until their retention is over, or until the person's data are erased.
create table messaging.events (
  sequence bigint primary key default nextval('messaging.event_sequence'),
  id uuid not null default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid,
  type text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  data jsonb,
  message messaging.message_snapshot,
  constraint events_are_about_something check (num_nonnulls(data, message) = 1)
);
create index events_of_instance on messaging.events (instance_id, sequence);
-- To find what is stored about a person.
create index events_of_contact on messaging.events (contact_id)
where contact_id is not null;
alter table messaging.events enable row level security;
comment on column messaging.events.type is 'See shared/model/event_types.ts.';
comment on column messaging.events.recorded_at is 'When it became true; `timestamp` of the event.';
comment on column messaging.events.data is
  'The state at that moment; never changed, whatever becomes of what it is about. See message.';
comment on column messaging.events.message is
  'Of message.* events, instead of data, which is made from it when it is read: see describe_event.';

-- A new outbound message, as add_outbound_messages stores it.
create type messaging.outbound_message as (
  id uuid,
  instance_id uuid,
  contact_id uuid,
  conversation_id uuid,
  draft jsonb,
  assigned_to uuid,
  agent_id uuid,
  mode text,
  interval_seconds integer,
  scheduled_for timestamptz,
  held_by text,
  phone_given text,
  batch_id uuid,
  timing jsonb,
  claim_token uuid,
  lease_seconds double precision
);
comment on column messaging.outbound_message.draft is 'As `message` of accept_message.';
comment on column messaging.outbound_message.timing is
  'As `delivery.timing` of accept_message, or NULL.';
comment on column messaging.outbound_message.claim_token is
  'Of an immediate message, which its caller sends within lease_seconds; NULL for one that was queued.';
comment on column messaging.outbound_message.assigned_to is
  'The operator of the conversation, who wrote the message where the draft says so.';

-- Whether one instance's messages go out: see instance_states. refresh_metrics passes arrays of it.
create type messaging.instance_state as (
  instance_id uuid,
  provider text,
  status text,
  hold_until timestamptz,
  oldest_due timestamptz,
  waiting bigint,
  in_flight bigint,
  unconfirmed bigint
);

-- Totals of what happened, for Prometheus: they only grow, also while rows are purged. Sends and
-- webhooks never write here: refresh_metrics counts the rows that were settled since it last looked.
create table messaging.metric_counters (
  name text not null,
  labels jsonb not null default '{}',
  counted numeric not null default 0,
  reported numeric not null default 0,
  changed_at timestamptz not null default now(),
  constraint metric_counters_pkey primary key (name, labels)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.metric_counters enable row level security;
comment on column messaging.metric_counters.counted is
  'What has certainly been counted once: everything until metric_snapshots.counted_until.';
comment on column messaging.metric_counters.reported is
  'The total as last reported, with what has happened since. Never lowered.';

-- What the last refresh_metrics has found. One row, so that simultaneous scrapes share it.
create table messaging.metric_snapshots (
  is_only boolean primary key default true,
  counted_until timestamptz not null default '-infinity',
  taken_at timestamptz not null default '-infinity',
  fresh_until timestamptz not null default '-infinity',
  refresh_seconds double precision not null default 0,
  samples jsonb,
  health jsonb,
  constraint metric_snapshots_one_row check (is_only)
)
with (fillfactor = 50);
alter table messaging.metric_snapshots enable row level security;
comment on column messaging.metric_snapshots.samples is
  'The samples as [name, labels, value], in the order in which they are reported.';
comment on column messaging.metric_snapshots.health is 'The answer of get_service_health.';

-- The key of the HMACs of kept_denials: one row, made with the first. Sealed by the API under its
-- credential keys, and resealed with the credentials when those are rotated: the HMACs stay valid.
create table messaging.denial_key (
  is_only boolean primary key default true,
  sealed_key text not null,
  constraint denial_key_one_row check (is_only)
);
alter table messaging.denial_key enable row level security;
comment on column messaging.denial_key.sealed_key is
  'AES-256-GCM sealed by the API; the database never sees it open.';

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
  seed text not null,
  known_from integer not null default 0,
  known_day date,
  turns integer not null default 0,
  counted_from integer not null default 1,
  pause_reason text,
  pause_error jsonb,
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
comment on column messaging.batches.purpose is
  'marketing, utility or authentication as the call or the template says; NULL is service.';
comment on column messaging.batches.seed is
  'What the jitter is drawn from, with the index. It follows from what the batch is: a dry run of the creating call knows it.';
comment on column messaging.batches.start_at is
  'No slot lies before it. It does not start the batch.';
comment on column messaging.batches.first_pending is
  'No recipient before this index is pending: where the search for the next one begins.';
comment on column messaging.batches.waiting_message is
  'The message that the batch was given last: no other one follows while it waits.';
comment on column messaging.batches.known_from is
  'On known_day, a day of the instance, every pending recipient before this index waits for another day, as a new contact: where the search for one that does not begins.';
comment on column messaging.batches.turns is
  'How many messages the batch was given: the turn of the last one.';
comment on column messaging.batches.counted_from is
  'Failures of earlier turns do not pause the batch: it has been started, resumed or retried since.';
comment on column messaging.batches.pause_reason is
  'Why the batch paused by itself: see batch_failure. NULL for all others.';
comment on column messaging.batches.pause_error is
  'The last error that it paused for, as in messages.last_error.';
comment on column messaging.batches.served_at is
  'When the batch was given a message last: running batches of an instance take turns by it.';

-- Where an instance's events are sent to: webhooks. At most 10 live ones an instance (see
-- create_event_endpoint).
-- A deleted endpoint stays until purge_expired has deleted its deliveries, which may be a million.
create table messaging.event_endpoints (
  id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  url text not null,
  types text[],
  description text,
  is_active boolean not null default true,
  disabled_reason text,
  disabled_at timestamptz,
  sealed_secret text not null,
  sealed_previous_secret text,
  previous_secret_until timestamptz,
  told_through bigint not null,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint event_endpoints_url_length check (char_length(url) between 1 and 2048),
  constraint event_endpoints_description_length check (char_length(description) <= 200),
  constraint event_endpoints_disabled_reason_known check (disabled_reason in ('gone', 'failing')),
  constraint event_endpoints_deleted_is_inactive check (deleted_at is null or not is_active)
)
with (fillfactor = 70);
create index event_endpoints_of_instance on messaging.event_endpoints (instance_id, created_at, id);
create index event_endpoints_active on messaging.event_endpoints (id) where is_active;
create index event_endpoints_deleted on messaging.event_endpoints (deleted_at)
where deleted_at is not null;
alter table messaging.event_endpoints enable row level security;
comment on column messaging.event_endpoints.types is 'Which events it takes; NULL for all.';
comment on column messaging.event_endpoints.sealed_secret is
  'Signs the deliveries. AES-256-GCM sealed by the API; the database never sees it open.';
comment on column messaging.event_endpoints.told_through is
  'The last event that fan_out_events has looked at for it.';
comment on column messaging.event_endpoints.failing_since is
  'The first failure after the last success; NULL where the last attempt succeeded.';

-- What the feed knows of an instance beside its events. The row is made by the first reading.
create table messaging.event_streams (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  cursor_key uuid not null default gen_random_uuid(),
  purged_through bigint not null default 0
);
alter table messaging.event_streams enable row level security;
comment on column messaging.event_streams.cursor_key is
  'Seals the instance''s cursors: see seal_event_cursor. It never leaves the database.';
comment on column messaging.event_streams.purged_through is
  'The last event whose retention is over. A cursor before it has missed something.';

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
create index media_kept on messaging.media (instance_id, created_at)
where status in ('pending', 'stored');
create index media_unfinished on messaging.media (created_at) where status = 'pending';
-- Uploads that no message names yet.
create index media_expiring on messaging.media (expires_at)
where status = 'stored' and expires_at is not null;
alter table messaging.media enable row level security;
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

-- What an instance with protection has sent and promised, by its own (local) day. Changed only under the
-- instance's row of pacing, so that no two enqueues count past each other. Instances without protection
-- have no rows.
-- A waiting message counts on the day of its slot, also when that day is over: what is overdue takes the
-- next places, see begin_walk. A claim makes it sent on the day of the claim.
create table messaging.paced_days (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  day date not null,
  sent integer not null default 0,
  sent_new integer not null default 0,
  waiting integer not null default 0,
  waiting_new integer not null default 0,
  last_left_at timestamptz,
  starts_at timestamptz,
  is_over boolean not null default false,
  constraint paced_days_pkey primary key (instance_id, day)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.paced_days enable row level security;
comment on column messaging.paced_days.sent_new is
  'How many of them went to a contact to whom nothing had been sent and who had never written.';
comment on column messaging.paced_days.last_left_at is
  'When the message of the day''s last slot will have left.';
comment on column messaging.paced_days.starts_at is
  'Until when a message of the day before must have left, by the interval of the day''s first slot.';
comment on column messaging.paced_days.is_over is
  'A message found no time left on this day: the next ones go behind it, on a later day.';
-- A walk over an instance's slots, in order: see next_slot. The arrays are about its days, from
-- `first_day`; an instance without protection has none, and `last_left_at` says all.
create type messaging.slot_walk as (
  clock timestamptz,
  last_left_at timestamptz,
  opens_at timestamptz,
  closes_at timestamptz,
  jitter_seconds integer,
  daily_limit integer,
  new_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  first_day date,
  taken integer[],
  taken_new integer[],
  left_at timestamptz[],
  starts_at timestamptz[],
  is_over boolean[],
  opened_at timestamptz[],
  closed_at timestamptz[],
  known_from integer,
  known_reason text,
  new_from integer,
  new_reason text,
  slot timestamptz,
  day date,
  interval_seconds integer,
  held_by text
);
comment on column messaging.slot_walk.clock is
  'No slot lies before. A forecast moves it forward, never back.';
comment on column messaging.slot_walk.opens_at is
  'From here until closes_at the send window is known to be open; opened_at and closed_at say so of a day.';
comment on column messaging.slot_walk.known_from is
  'The first day, counted from 1, that may have a place for a known contact; new_from for a new one. The reasons say what closed the days before.';

-- The people of a batch, in the order of the list, with what each of them is sent: `draft`, frozen when it
-- was accepted, and emptied into the message once that exists. `status`: `pending`, `accepted` (the message
-- exists and tells the rest) or `skipped`, for `reason`. A pending recipient with a message had it taken
-- back by a pause, or is to be tried again; one that is skipped then keeps it, ended.
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
  turn integer,
  card_id text,
  primary key (batch_id, index),
  constraint batch_recipients_status_known check (status in ('pending', 'accepted', 'skipped'))
)
with (fillfactor = 80);
create index batch_recipients_contact on messaging.batch_recipients (contact_id, batch_id)
where contact_id is not null;
create index batch_recipients_pending on messaging.batch_recipients (batch_id, index)
where status = 'pending';
create index batch_recipients_untold on messaging.batch_recipients (batch_id)
where status != 'accepted' and message_id is not null;
create index batch_recipients_turns on messaging.batch_recipients (batch_id, turn)
where turn is not null;
alter table messaging.batch_recipients enable row level security;
comment on column messaging.batch_recipients.phone is
  'As the list has it: where the message goes until an address is proven.';
comment on column messaging.batch_recipients.turn is
  'When its message was placed in the queue last, counted through the batch: the order in which they leave.';
comment on column messaging.batch_recipients.draft is
  '{messageType, message, content, mediaId, cardId, metadata}; NULL for a skipped entry with errors.';

-- Every statement about a contact's consent to marketing, also those that changed nothing: the proof of
-- what the contact has said. Rows are only added. A merge gives them to the surviving contact, and they
-- go with their contact.
create table messaging.consent_log (
  id bigint generated always as identity primary key,
  instance_id uuid not null,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  marketing text not null,
  said_at timestamptz not null,
  source text not null,
  evidence jsonb,
  message_id uuid,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint consent_log_marketing_known check (marketing in ('granted', 'denied', 'unknown'))
);
create index consent_log_contact on messaging.consent_log (contact_id, id);
alter table messaging.consent_log enable row level security;
revoke all on table messaging.consent_log from public, anon, authenticated, service_role;
grant select, insert, update (contact_id) on table messaging.consent_log to service_role;
comment on column messaging.consent_log.source is
  'api or what the caller gave; keyword, user_preferences or 131050 where the contact said it by the channel.';
comment on column messaging.consent_log.message_id is
  'The message whose whole text was a keyword. The agent does not see it.';

-- What the list of contacts reads: their order, and the words that `q` looks in. Narrow rows in the
-- order of creation; written when a contact is created or one of these fields changes.
-- `created_at` is the contact's own and stays, though a merge may give the contact an earlier one:
-- pages keep their order.
create table messaging.contact_search (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  created_at timestamptz not null,
  words text not null
);
create index contact_search_page on messaging.contact_search (instance_id, created_at, contact_id);
-- The keys carry their instance: other instances' contacts make no look-up dearer.
create index contact_search_keys on messaging.contact_search using gin (
  messaging.search_keys(instance_id, words)
);
alter table messaging.contact_search enable row level security;
comment on column messaging.contact_search.words is
  'Name, e-mail, company and phones, folded by fold_text, one on each line.';

-- What is sent to an endpoint: at most one row for an event and an endpoint, however often it is sent.
-- Rows are written by the dispatcher (fan_out_events), never by what records an event.
-- A pending row is due at next_attempt_at. Claiming it moves that to the end of the lease, so that the
-- delivery of a worker that died is due again: at least once, never lost.
-- A row that failed while a worker was calling, because its endpoint was disabled, keeps its claim, and
-- the worker still records what came of the call.
create table messaging.event_deliveries (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references messaging.event_endpoints (id)
    on delete cascade,
  sequence bigint not null,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending',
  tries smallint not null default 0,
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  claim_token uuid,
  created_at timestamptz not null default now(),
  constraint event_deliveries_once unique (endpoint_id, sequence),
  constraint event_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint event_deliveries_due_when_pending
    check ((status = 'pending') = (next_attempt_at is not null))
)
with (fillfactor = 80);
create index event_deliveries_due on messaging.event_deliveries (endpoint_id, next_attempt_at)
where next_attempt_at is not null;
create index event_deliveries_age on messaging.event_deliveries (created_at);
alter table messaging.event_deliveries enable row level security;
comment on column messaging.event_deliveries.sequence is
  'Of the event, which may be purged before.';
comment on column messaging.event_deliveries.tries is
  'Attempts since it became pending: its place in the schedule, see delivery_pause.';
comment on column messaging.event_deliveries.attempts is
  'The last 20 attempts: [{at, status, error, durationMs, answer}].';

-- Events that an endpoint shall be sent once more: fan_out_events works through them in batches, as it
-- does with new events, and deletes the row at the end.
create table messaging.event_replays (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references messaging.event_endpoints (id)
    on delete cascade,
  told_through bigint not null,
  through bigint not null,
  since timestamptz not null,
  until timestamptz not null,
  types text[],
  created_at timestamptz not null default now()
);
create unique index event_replays_of_endpoint on messaging.event_replays (endpoint_id);
alter table messaging.event_replays enable row level security;
comment on column messaging.event_replays.told_through is
  'The last event that was looked at; `through` is the last one to look at.';

-- Sends that the function mcp has admitted, for the hourly limit of a token. A call that is repeated has
-- the same key, and counts once. Kept for two days: see admit_mcp_send.
create table messaging.mcp_sends (
  token_id uuid not null references messaging.client_tokens (id)
    on delete cascade,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  call_key text not null,
  admitted_at timestamptz not null default now(),
  primary key (token_id, call_key)
);
create index mcp_sends_admitted on messaging.mcp_sends (token_id, admitted_at);
create index mcp_sends_instance on messaging.mcp_sends (instance_id);
alter table messaging.mcp_sends enable row level security;

alter table messaging.pacing add column if not exists is_protected boolean default false not null;

alter table messaging.workspaces add column if not exists alert_email text;

alter table messaging.chat_transfer_log alter column to_operator_id drop not null;

alter table messaging.provider_events add column if not exists is_kept_longer boolean default false not null;

alter table messaging.contact_addresses add column if not exists replaced_by text;

alter table messaging.dispatch add column if not exists operator_hold_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.client_tokens add column if not exists scopes text[];

alter table messaging.dispatch add column if not exists operator_held_at timestamp with time zone;

alter table messaging.slot_moves add column if not exists walk messaging.slot_walk;

alter table messaging.client_tokens add column if not exists mcp_recipients text default 'known'::text not null;

alter table messaging.dispatch add column if not exists operator_hold_reason text;

alter table messaging.client_tokens add column if not exists mcp_max_sends_per_hour integer default 30 not null;

alter table messaging.conversations add column if not exists is_merged boolean default false not null;

alter table messaging.dispatch add column if not exists connection text;

alter table messaging.dispatch add column if not exists connection_told_at timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.dispatch add column if not exists disconnected_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.message_queue add column if not exists is_new boolean;

alter table messaging.message_templates add column if not exists category text;

alter table messaging.dispatch add column if not exists disconnected_at timestamp with time zone;

alter table messaging.message_queue add column if not exists counted_on date;

alter table messaging.dispatch add column if not exists disconnected_reason text;

alter table messaging.dispatch add column if not exists told_disconnected_at timestamp with time zone;

alter table messaging.dispatch add column if not exists suspected_at timestamp with time zone;

alter table messaging.dispatch add column if not exists trusted_from timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter type messaging.plain_event add attribute quoted_message_id uuid;

alter table messaging.dispatch add column if not exists channel_limit text;

alter type messaging.plain_event add attribute media_id uuid;

alter table messaging.dispatch add column if not exists channel_limit_at timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.instances add column if not exists opt_out_keywords text[] default '{STOP,SAIR,PARAR,DESCADASTRAR}'::text[] not null;

alter type messaging.plain_event add attribute file jsonb;

alter table messaging.dispatch add column if not exists feeds_batches boolean default false not null;

alter table messaging.instances add column if not exists opt_out_resume_keywords text[] default '{START,VOLTAR}'::text[] not null;

alter type messaging.plain_event add attribute quoted_provider_message_id text;

alter type messaging.settlement add attribute called_after_ms integer;

alter table messaging.contacts add column if not exists consent_marketing text default 'unknown'::text not null;

alter table messaging.dispatch add column if not exists channel_change text;

alter table messaging.instances add column if not exists opt_out_confirmation text default 'Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.'::text;

alter type messaging.plain_event add attribute author jsonb;

alter type messaging.settlement add attribute channel_status text;

alter table messaging.contacts add column if not exists consent_at timestamp with time zone;

alter table messaging.dispatch add column if not exists departs_at timestamp with time zone;

alter table messaging.instances add column if not exists protection jsonb;

alter type messaging.plain_event add attribute contact_id uuid;

alter table messaging.contacts add column if not exists consent_source text;

alter table messaging.instances add column if not exists retention_messages_days integer;

alter table messaging.contacts add column if not exists merged_into uuid;

alter table messaging.instances add column if not exists retention_media_days integer;

alter table messaging.instances add column if not exists retention_provider_events_days integer;

alter table messaging.instances add column if not exists transcribe_voice text default 'agent'::text not null;

alter table messaging.messages add column if not exists metadata jsonb;

alter table messaging.messages add column if not exists purpose text;

alter table messaging.messages add column if not exists batch_id uuid;

alter table messaging.messages add column if not exists quoted_message_id uuid;

alter table messaging.messages add column if not exists media_id uuid;

alter table messaging.messages add column if not exists expires_at timestamp with time zone;

alter table messaging.messages add column if not exists cancel_key text;

alter table messaging.messages add column if not exists deleted_at timestamp with time zone;

alter table messaging.messages add column if not exists edited_at timestamp with time zone;

alter table messaging.messages add column if not exists quoted_provider_message_id text;

alter table messaging.messages add column if not exists author jsonb;

alter table messaging.messages add column if not exists channel_status text;

alter table messaging.messages add column if not exists pauses_agent boolean default true not null;

-- An instance's protection after a change: what is given replaces what is set, member by member; a null
-- member removes it, and null the whole. NULL where nothing remains.
create or replace function messaging.changed_protection(protection jsonb, changes jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when jsonb_typeof(changes) = 'object'
      then nullif(jsonb_strip_nulls(coalesce(protection, '{}') || changes), '{}')
  end;
$$;

-- accept_message: counts a recorded call against its token's allowance, last, since the row of the
-- allowance is then locked until commit. `token_id`: the client that the transaction has
-- authenticated; NULL where the caller did so before, and has counted the call.
-- Returns `recorded`, with rateLimit (see describe_rate_limit; NULL where there is no limit) if it was
-- counted here. Errors: MI022 where nothing is left of the allowance.
create or replace function messaging.count_recorded_call(
  recorded jsonb,
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute;
  whole_at timestamptz;
  seconds_left double precision;
begin
  if token_id is null then
    return recorded;
  elsif requests_per_minute is null then
    return recorded || '{"rateLimit": null}';
  end if;
  -- spend_requests, written out for a token that has called before: an update starts faster than an
  -- upsert, which stays for the first call.
  update messaging.rate_limits r
  set whole_at = greatest(r.whole_at, clock_timestamp()) + share
  where r.token_id = count_recorded_call.token_id
    and r.function_name = count_recorded_call.function_name
    and r.whole_at + share <= clock_timestamp() + interval '1 minute'
  returning r.whole_at into whole_at;
  if whole_at is null then
    whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  end if;
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  seconds_left := messaging.allowance_seconds_left(
    requests_per_minute, whole_at, 0, clock_timestamp()
  );
  return recorded || jsonb_build_object(
    'rateLimit', messaging.describe_rate_limit(requests_per_minute, seconds_left, true)
  );
end;
$$;

-- Counts a request against its token's allowance of `requests_per_minute` for the function (see
-- spend_requests); NULL is no limit. Returns what describe_rate_limit says; NULL where there is no limit.
create or replace function messaging.count_request(
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  whole_at timestamptz;
begin
  if requests_per_minute is null then
    return null;
  end if;
  whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  if whole_at is not null then
    return messaging.describe_rate_limit(
      requests_per_minute,
      messaging.allowance_seconds_left(requests_per_minute, whole_at, 0, clock_timestamp()), true
    );
  end if;
  select r.whole_at into whole_at
  from messaging.rate_limits r
  where r.token_id = count_request.token_id and r.function_name = count_request.function_name;
  return messaging.describe_rate_limit(
    requests_per_minute,
    messaging.allowance_seconds_left(requests_per_minute, whole_at, 0, clock_timestamp()), false
  );
end;
$$;

-- admin-api: a token as a response shows it: never its hash. A token without scopes of its own has them
-- all.
create or replace function messaging.describe_client_token(token messaging.client_tokens)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'scopes', coalesce(
      to_jsonb(token.scopes),
      '["send", "contacts", "conversations", "history", "events", "media", "batches", "erase"]'
    ),
    'mcp', jsonb_build_object(
      'recipients', token.mcp_recipients, 'maxSendsPerHour', token.mcp_max_sends_per_hour
    ),
    'expiresAt', messaging.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', messaging.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(token.created_at, 'UTC')
  );
$$;

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
    'transcribeVoice', instance.transcribe_voice,
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;

-- admin-api: a workspace as a response shows it.
create or replace function messaging.describe_workspace(workspace messaging.workspaces)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'alertEmail', workspace.alert_email,
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;

-- Writes when tokens were last used. Waits for nobody: a row that is locked keeps its instant.
create or replace function messaging.note_token_use(token_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.client_tokens t set last_used_at = clock_timestamp()
  where t.id = any (array(
    select u.id from messaging.client_tokens u
    where u.id = any (token_ids)
    for no key update skip locked
  ));
end;
$$;

-- {issues} where an instance's protection contradicts itself: a warm-up that begins above its target
-- (see day_limit); else NULL.
create or replace function messaging.protection_issues(protection jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  target constant integer := coalesce((protection->>'dailyLimit')::integer, 1000);
begin
  return case
    when (protection->'warmUp'->>'startPerDay')::integer > target then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'protection.warmUp.startPerDay',
        'message', format('must be at most %s, to which the warm-up rises', target)
      )))
  end;
end;
$$;

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
    transcribe_voice = coalesce(settings->>'transcribeVoice', i.transcribe_voice),
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

-- Authenticates a client token. `request`: tokenHash, functionName; counts the request against the
-- token's allowance for the function.
-- Returns {tokenId, scopes (NULL for all; the caller refuses what they do not include), instance, instanceVersion, rateLimit (see count_request)}; tokenId is NULL for an
-- unknown, expired or revoked token. The version is another one after every change of the instance, its
-- credentials among them: the row's xmin. The instance's `references` are the names that a request may use for it (UUID,
-- embed key, business instance id): the caller compares them, so that no body is read before the token
-- is accepted. Writes the token's last use at most once a minute.
create or replace function public.authenticate_client(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  clock constant timestamptz := clock_timestamp();
  token messaging.client_tokens;
  instance messaging.instances;
  instance_version text;
begin
  select t.* into token
  from messaging.client_tokens t
  where t.token_hash = request->>'tokenHash'
    and messaging.is_token_valid(t, clock);
  if not found then
    return jsonb_build_object(
      'tokenId', null, 'scopes', null, 'instance', null, 'instanceVersion', null, 'rateLimit', null
    );
  end if;
  if messaging.is_token_use_due(token.last_used_at, clock) then
    perform messaging.note_token_use(array[token.id]);
  end if;
  select i.* into strict instance from messaging.instances i where i.id = token.instance_id;
  select i.xmin::text into instance_version from messaging.instances i where i.id = token.instance_id;
  return jsonb_build_object(
    'tokenId', token.id,
    'scopes', token.scopes,
    'instanceVersion', instance_version,
    'rateLimit', messaging.count_request(
      token.id, request->>'functionName', instance.requests_per_minute
    ),
    'instance', jsonb_build_object(
      'instanceId', instance.id,
      'name', instance.name,
      'provider', instance.provider,
      'providerClass', instance.provider_class,
      'sealedProviderConfig', instance.sealed_provider_config,
      'gatewayInstanceId', instance.gateway_instance_id,
      'connectedPhone', instance.connected_phone,
      'timeZone', instance.time_zone,
      'references', jsonb_build_array(
        instance.id,
        instance.embed_key,
        coalesce(instance.business_instance_id, instance.gateway_instance_id)
      )
    )
  );
end;
$$;

-- Authenticates several client tokens at once, as authenticate_client does one. `request`: calls, the
-- requests of authenticate_client. Returns {results}, in the order of the calls.
-- The calls of one token for one function are one count of as many: each gets its own `remaining`.
-- Where the allowance does not suffice for all of them, they are counted one by one.
-- Locks tokens (skipping locked ones), then rate limits in the order of their keys: two groups never
-- wait for each other. Errors: 55P03 where one is not free in time: each call must be made by itself.
-- Plans must not depend on statistics: there may be ten tokens or a million. Joins by
-- `= any (array[...])`: see claim_due_messages.
create or replace function public.authenticate_clients(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '100ms'
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  calls constant jsonb := request->'calls';
  start constant timestamptz := clock_timestamp();
  tokens messaging.client_tokens[];
  unused uuid[];
  counted messaging.rate_limits[];
  counted_at timestamptz;
begin
  select array_agg(t),
    array_agg(t.id) filter (
      where messaging.is_token_use_due(t.last_used_at, start)
    )
  into tokens, unused
  from messaging.client_tokens t
  where t.token_hash = any (array(select c->>'tokenHash' from jsonb_array_elements(calls) as c))
    and messaging.is_token_valid(t, start);
  if unused is not null then
    perform messaging.note_token_use(unused);
  end if;

  -- As spend_requests, for all tokens in one statement.
  with asked as (
    select t.id as token_id, c."functionName" as function_name,
      interval '1 minute' / i.requests_per_minute
        * least(count(*), i.requests_per_minute) as share
    from jsonb_to_recordset(calls) as c("tokenHash" text, "functionName" text)
    join unnest(tokens) as t on t.token_hash = c."tokenHash"
    join messaging.instances i on i.id = any (array[t.instance_id])
    where i.requests_per_minute is not null
    group by t.id, c."functionName", i.requests_per_minute
  ), counting as (
    insert into messaging.rate_limits as r (token_id, function_name, whole_at)
    select a.token_id, a.function_name, start + a.share from asked a
    order by a.token_id, a.function_name
    on conflict on constraint rate_limits_pkey do update
    set whole_at = greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
    where greatest(r.whole_at, clock_timestamp()) + (excluded.whole_at - start)
      <= clock_timestamp() + interval '1 minute'
    returning r.*
  )
  select array_agg(row(k.*)::messaging.rate_limits) into counted from counting k;

  counted_at := clock_timestamp();
  return (
    with clients as materialized (
      select t.id as token_id, t.token_hash, t.scopes, i.requests_per_minute, i.xmin::text as instance_version,
        jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'provider', i.provider,
          'providerClass', i.provider_class,
          'sealedProviderConfig', i.sealed_provider_config,
          'gatewayInstanceId', i.gateway_instance_id,
          'connectedPhone', i.connected_phone,
          'timeZone', i.time_zone,
          'references', jsonb_build_array(
            i.id, i.embed_key, coalesce(i.business_instance_id, i.gateway_instance_id)
          )
        ) as instance
      from unnest(tokens) as t
      join messaging.instances i on i.id = any (array[t.instance_id])
    ), numbered as (
      select c.place, c.call->>'functionName' as function_name, client.*,
        row_number() over same_count as number,
        count(*) over (partition by client.token_id, c.call->>'functionName') as total
      from jsonb_array_elements(calls) with ordinality as c(call, place)
      left join clients client on client.token_hash = c.call->>'tokenHash'
      window same_count as (
        partition by client.token_id, c.call->>'functionName' order by c.place
      )
    )
    select jsonb_build_object('results', jsonb_agg(
      jsonb_build_object(
        'tokenId', n.token_id,
        'scopes', n.scopes,
        'instance', n.instance,
        'instanceVersion', n.instance_version,
        'rateLimit', case
          when n.requests_per_minute is null then null
          when k.token_id is null or n.number > n.requests_per_minute
            then messaging.count_request(n.token_id, n.function_name, n.requests_per_minute)
          else messaging.describe_rate_limit(
            n.requests_per_minute,
            messaging.allowance_seconds_left(
              n.requests_per_minute, k.whole_at,
              least(n.total, n.requests_per_minute) - n.number, counted_at
            ),
            true
          )
        end
      )
      order by n.place
    ))
    from numbered n
    left join unnest(counted) as k
      on k.token_id = n.token_id and k.function_name = n.function_name
  );
end;
$$;

-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, scopes (NULL or absent for all), mcp {recipients, maxSendsPerHour} (absent for the defaults), sealedToken (kept with the outcome alone, so that a
-- repeated call can be given the token again), idempotency (see begin_idempotent).
-- Returns the token's record, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  token messaging.client_tokens;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.client_tokens (
    id, instance_id, token_hash, label, expires_at, scopes, mcp_recipients, mcp_max_sends_per_hour
  )
  values (
    (request->>'tokenId')::uuid, instance.id, request->>'tokenHash', request->>'label',
    (request->>'expiresAt')::timestamptz,
    case when jsonb_typeof(request->'scopes') = 'array' then
      array(select jsonb_array_elements_text(request->'scopes'))
    end,
    coalesce(request#>>'{mcp,recipients}', 'known'),
    coalesce((request#>>'{mcp,maxSendsPerHour}')::integer, 30)
  )
  returning * into token;
  outcome := messaging.describe_client_token(token);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedToken', request->>'sealedToken')
  );
  return outcome;
end;
$$;

-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, provider, embedKey, all
--   settings (see write_instance_settings), idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone or the protection contradicts itself, or {taken}:
--   the field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  replayed jsonb;
  violated text;
  taken text;
begin
  if not messaging.is_time_zone(request->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  if messaging.protection_issues(request->'protection') is not null then
    return messaging.protection_issues(request->'protection');
  end if;
  begin
    replayed := messaging.begin_idempotent(request);
    if replayed is not null then
      return replayed;
    end if;
    workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      messaging.phone_identity_key(request->>'connectedPhone'), request->>'timeZone'
    )
    returning * into instance;
    instance := messaging.write_instance_settings(instance.id, request);
    insert into messaging.pacing (instance_id, is_protected)
    values (instance.id, instance.protection is not null);
    insert into messaging.dispatch (instance_id) values (instance.id);
    return messaging.keep_outcome(request, messaging.describe_instance(instance));
  exception when unique_violation then
    -- Leaving the block rolls the idempotency key back too: nothing was executed under it.
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, request->>'businessInstanceId' is not null);
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
end;
$$;

-- admin-api: a new workspace. `request`: name, alertEmail, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.workspaces (name, alert_email)
  values (request->>'name', nullif(request->>'alertEmail', ''))
  returning * into workspace;
  return messaging.keep_outcome(request, messaging.describe_workspace(workspace));
end;
$$;

-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is checked again at once, so
-- that new credentials take effect without delay.
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid, or {taken}: the
-- field
--   whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
  refused jsonb;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  if changes ? 'protection' then
    refused := messaging.protection_issues(
      messaging.changed_protection(instance.protection, changes->'protection')
    );
    if refused is not null then
      return refused;
    end if;
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['protection', 'timeZone'] then
    perform messaging.begin_protection(instance);
  end if;
  if changes ?| array['sendWindow', 'timeZone'] or changes ? 'protection' and instance.protection is not null then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    -- Another session: what was told of the former one says nothing about it.
    perform messaging.forget_connection(array[instance.id]);
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;

-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, each optional; an
-- empty alertEmail removes it}. Returns the workspace. Error: MI013.
create or replace function public.update_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  workspace messaging.workspaces;
begin
  update messaging.workspaces w
  set name = coalesce(changes->>'name', w.name),
    alert_email = nullif(coalesce(changes->>'alertEmail', w.alert_email), '')
  where w.id = (request->>'workspaceId')::uuid
  returning w.* into workspace;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;

-- In how many seconds a token's allowance is whole again. `later`: how many requests were counted
-- together with this one and after it. date_part, because extract calculates in exact numbers, which
-- costs several times as much.
create or replace function messaging.allowance_seconds_left(
  requests_per_minute integer,
  whole_at timestamptz,
  later bigint,
  clock timestamptz
)
returns double precision
language sql
stable
return greatest(
  date_part('epoch', whole_at - clock) - later * 60.0::double precision / requests_per_minute,
  0
);

-- The state of a token's allowance that is whole in `seconds_left`: {limit, remaining, resetSeconds,
-- retryAfterSeconds}, seconds rounded up; the last is NULL where the request is allowed.
create or replace function messaging.describe_rate_limit(
  requests_per_minute integer,
  seconds_left double precision,
  is_allowed boolean
)
returns jsonb
language sql
stable
return jsonb_build_object(
  'limit',
  requests_per_minute,
  'remaining',
  case
    when is_allowed then floor((60 - seconds_left) / 60 * requests_per_minute + 1e-6)::integer
    else 0
  end,
  'resetSeconds',
  ceil(seconds_left)::integer,
  'retryAfterSeconds',
  case
    when not is_allowed then greatest(
      ceil(seconds_left + 60.0::double precision / requests_per_minute - 60),
      1
    )::integer
  end
);

-- Whether a token's use is to be noted: once a minute is enough for finding unused tokens.
create or replace function messaging.is_token_use_due(last_used_at timestamptz, clock timestamptz)
returns boolean
language sql
stable
return coalesce(last_used_at < clock - interval '1 minute', true);

-- Whether a client token opens its instance: neither revoked nor expired.
create or replace function messaging.is_token_valid(
  token messaging.client_tokens,
  clock timestamptz
)
returns boolean
language sql
immutable
return token.revoked_at is null and coalesce(token.expires_at > clock, true);

-- Whether a client token opens the sending calls of its instance.
create or replace function messaging.may_token_send(
  token messaging.client_tokens,
  clock timestamptz
)
returns boolean
language sql
immutable
return messaging.is_token_valid(token, clock) and coalesce('send' = any (token.scopes), true);

-- Trigger: gives new contacts their rows of contact_activity and contact_search. Once for each statement,
-- for all of them.
create or replace function messaging.add_contact_activity()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, changed.at
  from (select distinct n.instance_id from new_contacts n) as instances
  cross join lateral (select messaging.change_instant(instances.instance_id) offset 0) as changed(at)
  join new_contacts c on c.instance_id = instances.instance_id
  order by c.id
  on conflict do nothing;
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from new_contacts n
  join messaging.contacts c on c.id = any (array[n.id]);
  return null;
end;
$$;

-- Creates the contact of a person of whom nothing is known yet but the address that it went on under.
-- Errors: MI055 where another call has created it meanwhile.
create or replace function messaging.add_moved_contact(instance_id uuid, address text)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  insert into messaging.contacts (instance_id, phone, identity_key, origin)
  values (
    add_moved_contact.instance_id,
    case when messaging.is_phone(address) then address end,
    messaging.phone_identity_key(address), 'inbound'
  )
  on conflict on constraint contacts_identity do nothing
  returning * into contact;
  if contact.id is null then
    raise exception using errcode = 'MI055', message = 'created meanwhile';
  end if;
  perform messaging.record_new_contacts(array[contact.id]);
  return contact;
end;
$$;

-- What kind of identity an address is, by its form: phone, lid, user_id, parent_user_id, username; NULL
-- for what is no person's (a group). Usernames are stored as `username:<name>`: see identity_value.
create or replace function messaging.address_kind(address text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case
    when address ~ '^[0-9]+$' then 'phone'
    when address ~ '@lid$' then 'lid'
    when address like 'username:%' then 'username'
    when address ~ '^[A-Z]{2}\.ENT\.[0-9A-Za-z]{1,128}$' then 'parent_user_id'
    when address ~ '^[A-Z]{2}\.[0-9A-Za-z]{1,128}$' then 'user_id'
  end;
end;
$$;

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
  if found then
    perform messaging.note_contact(apply_tags.contact_id);
  end if;
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

-- The keys (see search_keys) that a contact has which a search for `folded` may find.
create or replace function messaging.asked_keys(instance_id uuid, folded text)
returns bigint[]
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select array_agg(distinct hashtextextended(piece, uuid_hash_extended(instance_id, 0)))
  from (
    select '^' || folded as piece where char_length(folded) < 3
    union all
    select substr(folded, place, 3)
    from generate_series(1, char_length(folded) - 2) as place
  ) as asked;
$$;

-- Gives a contact without a phone the phone that it has shown. From now on the phone is its identity.
-- A contact that has the phone already is the same person: the two are merged.
-- Returns the contact as it is now. Errors: MI055 where another call has merged one of them.
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
  if contact.phone is not null or not messaging.is_phone(phone) then
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
  perform messaging.note_contact(contact.id);
  return shown;
end;
$$;

-- Logs what was said about a contact's consent to marketing, and makes it the contact's consent.
-- `statement`: marketing, source, evidence, messageId, and saidAt where the channel told it: when the
-- contact said it. Of two such statements the later one counts, however late its webhook comes; a
-- statement without saidAt was made now. A statement of what is known already is logged, and changes
-- nothing: the consent keeps its instant and its source.
-- Returns whether the consent has changed, with its event recorded and the contact noted. Locks the
-- contact. Errors: MI055 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.change_consent(contact_id uuid, statement jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  said_at constant timestamptz := least((statement->>'saidAt')::timestamptz, clock);
  contact messaging.contacts;
begin
  select c.* into contact from messaging.contacts c
  where c.id = change_consent.contact_id and c.merged_into is null for no key update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  insert into messaging.consent_log (
    instance_id, contact_id, marketing, said_at, source, evidence, message_id
  ) values (
    contact.instance_id, contact.id, statement->>'marketing', coalesce(said_at, clock),
    statement->>'source', nullif(statement->'evidence', 'null'), (statement->>'messageId')::uuid
  );
  if contact.consent_marketing = statement->>'marketing'
    or contact.consent_source in ('keyword', 'user_preferences') and said_at < contact.consent_at
  then
    return false;
  end if;
  update messaging.contacts c
  set consent_marketing = statement->>'marketing', consent_at = coalesce(said_at, clock),
    consent_source = statement->>'source', updated_at = now()
  where c.id = contact.id
  returning c.* into contact;
  perform messaging.record_consent_event(contact);
  return true;
end;
$$;

-- The instant below which no change of an instance's contacts can appear any more: the lowest floor of
-- the transactions under way (see change_instant), or the present. A reader with `updatedSince` takes
-- the horizon first, and in a later statement the rows with updated_at below it.
-- The clock is read before the locks: who announces its floor after the look takes a later instant.
-- A floor is known by its low 32 bits, and lies within 24 days of the clock. One that was announced
-- between the two looks lies after the clock, and changes nothing.
create or replace function messaging.change_horizon(instance_id uuid)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  clock_ms constant bigint := floor(extract(epoch from clock) * 1000);
  distance bigint;
begin
  select min(
    -- As a signed difference of 32 bits.
    ((l.objid::bigint + 2147483648 - clock_ms + 2147483648) & 4294967295) - 2147483648
  ) into distance
  from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid = (uuid_hash(instance_id) # 1163284301)::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  return clock + least(distance, 0) * interval '1 millisecond';
end;
$$;

-- Where a message to the contact goes on this instance's channel: contact_send_address where the channel
-- can address it, else the phone last proven, else the phone as given. User ids (BSUID) exist on the
-- official channel alone, LIDs on gateways alone; `needs_phone` is for messages that go to phones only.
-- Errors: MI033 where there is no such address.
create or replace function messaging.channel_send_address(
  instance messaging.instances,
  contact messaging.contacts,
  phone_given text,
  needs_phone boolean
)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  is_official constant boolean := instance.provider_class = 'official';
  address text := messaging.contact_send_address(contact, phone_given);
begin
  if address ~ '^[0-9]+$' or (
    not needs_phone
    and address !~ case when is_official then '@lid$' else '^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$' end
  ) then
    return address;
  end if;
  address := coalesce(
    (select p.address from messaging.proven_address(contact.id, true) as p),
    phone_given,
    contact.phone
  );
  if address is null then
    raise exception using errcode = 'MI033', message = 'recipient_needs_phone';
  end if;
  return address;
end;
$$;

-- The phone to show for a contact: the one first given, unless the contact has announced another
-- number and has not written from an earlier one since. NULL for a contact that never showed a phone.
-- Only addresses of digits are phones: a changed user id is none, and who writes under a user id or LID
-- has taken no announced number back.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (select announced.phone from messaging.announced_phone(contact.id) as announced),
    contact.phone
  );
end;
$$;

-- By what a contact is known: [{kind, value, provenAt}], the newest proof first. `provenAt` is NULL for
-- what nothing has proven by itself: a phone as the API gave it, an identity shown beside the address.
create or replace function messaging.contact_identities(contact messaging.contacts)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'kind', identity.kind,
          'value', case
            when identity.kind = 'username' then substr(known.address, length('username:') + 1)
            else known.address
          end,
          'provenAt', case
            when isfinite(known.proven_at) then messaging.iso_in_zone(known.proven_at, 'UTC')
          end
        )
        order by known.proven_at desc nulls last, known.address
      ),
      '[]'
    )
    from (
      select a.address, a.proven_at
      from messaging.contact_addresses a
      where a.contact_id = contact.id
      union all
      select contact.phone, null
      where contact.phone is not null and not exists (
        select from messaging.contact_addresses a
        where a.contact_id = contact.id
          and a.identity_key = messaging.phone_identity_key(contact.phone)
      )
    ) as known
    cross join lateral (select messaging.address_kind(known.address)) as identity(kind)
    where identity.kind is not null
  );
end;
$$;

-- How list_contact_ids finds the contacts of a list. `contact`: the one that is asked for. `changes`:
-- contact_activity in its order, with updatedSince. `tag`, `operator`, `consent`: all that this filter
-- leaves, where they are at most `most`. `order`: contact_search in the order of creation.
-- `filters` as in list_contact_ids.
create or replace function messaging.contact_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := instance_id;
  of_tag constant uuid := (filters->>'tagId')::uuid;
  of_operator constant uuid := (filters->>'assignedTo')::uuid;
  of_consent constant text := filters->>'consent';
begin
  if filters ? 'contactId' then
    return 'contact';
  elsif filters ? 'updatedSince' then
    return 'changes';
  elsif of_tag is not null and (
    select count(*) <= most
    from (select from messaging.contact_tags g where g.tag_id = of_tag limit most + 1) as found
  ) then
    return 'tag';
  elsif of_operator is not null and (
    select count(*) <= most
    from (
      select from messaging.conversations v
      where v.instance_id = of_instance and v.assigned_to = of_operator
      limit most + 1
    ) as found
  ) then
    return 'operator';
  -- Nearly everybody's consent is unknown.
  elsif of_consent in ('granted', 'denied') and (
    select count(*) <= most
    from (
      select from messaging.contacts k
      where k.instance_id = of_instance and k.consent_marketing = of_consent
        and k.consent_marketing <> 'unknown'
      limit most + 1
    ) as found
  ) then
    return 'consent';
  end if;
  return 'order';
end;
$$;

-- The statement by which list_contact_ids reads a page: {ids, has_more, last_item, end_of_read}.
-- end_of_read {createdAt, id}: the last contact that was read, where a page that is not full, or a search,
-- has read all that it may ($12). The other parameters are those of list_contact_ids, in its order.
-- No plan may read all contacts, whatever the statistics: a search names nothing but the keys, "offset 0"
-- keeps a look-up to itself, and a sub-select does what EXISTS would.
create or replace function messaging.contact_list_query(path text, filters jsonb)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  in_order constant text := '
    select c.contact_id, c.created_at as at, c.words, false as is_deleted
    from messaging.contact_search c
    where c.instance_id = $1 and (c.created_at, c.contact_id) > ($2, $3)
    order by c.created_at, c.contact_id
    limit $12';
  by_change constant text := '
    select a.contact_id, a.updated_at as at,
      (select w.words from messaging.contact_search w where w.contact_id = a.contact_id) as words,
      a.merged_into is not null or a.erased_at is not null as is_deleted
    from messaging.contact_activity a
    where a.instance_id = $1 and (a.updated_at, a.contact_id) > ($2, $3)
      and a.updated_at >= $9 and a.updated_at < $10 %s
    order by a.updated_at, a.contact_id
    limit $12';
  by_id constant text := '
    select c.contact_id, c.created_at as at, c.words, false as is_deleted
    from (%s) as few
    cross join lateral (
      select k.* from messaging.contact_search k where k.contact_id = few.id offset 0
    ) as c
    where c.instance_id = $1';
  source constant text := case path
    when 'order' then in_order
    when 'changes' then format(by_change, '')
    when 'contact' then case
      when filters ? 'updatedSince' then format(by_change, 'and a.contact_id = $8')
      else format(by_id, 'select $8 as id')
    end
    when 'search' then '
      select c.contact_id, c.created_at as at, c.words, false as is_deleted
      from messaging.contact_search c
      where messaging.search_keys(c.instance_id, c.words) @> $13
      limit $12'
    when 'tag' then
      format(by_id, 'select g.contact_id as id from messaging.contact_tags g where g.tag_id = $6')
    when 'operator' then format(by_id, '
      select v.contact_id as id from messaging.conversations v
      where v.instance_id = $1 and v.assigned_to = $7')
    when 'consent' then format(by_id, '
      select k.id from messaging.contacts k
      where k.instance_id = $1 and k.consent_marketing = $11 and k.consent_marketing <> ''unknown''')
  end;
  conditions constant text := concat(
    case
      when char_length(messaging.fold_text(filters->>'q')) < 3
        then ' and s.words ~ messaging.search_pattern($5)'
      when filters ? 'q' then ' and strpos(s.words, $5) > 0'
    end,
    case when filters ? 'tagId' and path <> 'tag' then '
      and (select true from messaging.contact_tags g where g.contact_id = s.contact_id and g.tag_id = $6)'
    end,
    case when filters ? 'assignedTo' and path <> 'operator' then '
      and (select v.assigned_to from messaging.conversations v where v.contact_id = s.contact_id) = $7'
    end,
    case when filters ? 'consent' and path <> 'consent' then '
      and (select k.consent_marketing from messaging.contacts k where k.id = s.contact_id) = $11'
    end,
    case when filters ? 'referral' then format('
      and %L = (select count(*) > 0 from messaging.newest_referral(s.contact_id))', (filters->>'referral')::boolean)
    end
  );
begin
  return format(
    'with source as %1$s materialized (%2$s),
    matching as (
      select s.at, s.contact_id from source s
      where (s.at, s.contact_id) > ($2, $3) and (s.is_deleted or (true %3$s))
      order by s.at, s.contact_id
      limit $4 + 1
    ),
    page as (
      select m.at, m.contact_id from matching m order by m.at, m.contact_id limit $4
    ),
    filled as (
      select count(*) > $4 as has_more from matching
    )
    select
      array(select p.contact_id from page p order by p.at, p.contact_id) as ids,
      f.has_more,
      (
        select jsonb_build_object(''createdAt'', p.at, ''id'', p.contact_id) from page p
        order by p.at desc, p.contact_id desc
        limit 1
      ) as last_item,
      case when %4$s then (
        select jsonb_build_object(''createdAt'', r.at, ''id'', r.contact_id) from source r
        offset $12 - 1
        limit 1
      ) end as end_of_read
    from filled f',
    case when path = 'search' then '' else 'not' end, source, conditions,
    case when path = 'search' then 'true' when path in ('order', 'changes') then 'not f.has_more' else 'false' end
  );
end;
$$;

-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3), else its hidden identity.
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
    (select p.address from messaging.proven_address(contact.id, false) as p),
    phone_given,
    contact.phone,
    contact.identity_key
  );
end;
$$;

-- What contact.updated compares: every field of a contact that the API shows, by the API's names, and
-- its tags. The caller holds the contact locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.contact_state(contact_id uuid)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select jsonb_build_object(
    'phone', messaging.contact_display_phone(c),
    'tags', array(
      select t.tag_id from messaging.contact_tags t where t.contact_id = c.id order by t.tag_id
    )
  ) || messaging.contact_fields(c)
  from messaging.contacts c
  where c.id = contact_state.contact_id;
$$;

-- A contact's consent to marketing as answers and events show it: {marketing, at, source}.
create or replace function messaging.describe_consent(contact messaging.contacts, time_zone text)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'marketing', contact.consent_marketing,
    'at', messaging.iso_in_zone(contact.consent_at, time_zone),
    'source', contact.consent_source
  );
end;
$$;

-- Contacts as contacts-api tells them, in the order of `contact_ids`, in one statement: [{contactId, …}].
-- A merged or erased one is its tombstone {contactId, isDeleted, mergedInto}; unknown ids are left out.
create or replace function messaging.describe_contacts(
  instance messaging.instances,
  contact_ids uuid[]
)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  zone constant text := instance.time_zone;
begin
  return (
    select coalesce(
      jsonb_agg(
        case
          when c.id is null then jsonb_build_object(
            'contactId', a.contact_id, 'isDeleted', true, 'mergedInto', a.merged_into,
            'updatedAt', messaging.iso_in_zone(a.updated_at, zone)
          )
          else jsonb_build_object(
            'contactId', c.id,
            'phone', messaging.contact_display_phone(c),
            'tags', coalesce(tagged.names, '[]'),
            'origin', c.origin,
            'consent', messaging.describe_consent(c, zone),
            'identities', shown.identities,
            'window', case
              when instance.provider_class = 'official' then jsonb_build_object(
                'isOpen', coalesce(messaging.window_closes_at(c.last_inbound_at) >= clock, false),
                'closesAt', messaging.iso_in_zone(messaging.window_closes_at(c.last_inbound_at), zone)
              )
            end,
            'referral', ad.referral,
            'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, zone),
            'conversation', case
              when v.id is not null then jsonb_build_object(
                'conversationId', v.id,
                'status', v.status,
                'assignedTo', v.assigned_to,
                'departmentId', v.department_id,
                'portfolio', f.operator_id is not null,
                'lastMessageAt', messaging.iso_in_zone(a.last_message_at, zone)
              )
            end,
            'createdAt', messaging.iso_in_zone(c.created_at, zone),
            'updatedAt', messaging.iso_in_zone(coalesce(a.updated_at, c.updated_at), zone)
          ) || messaging.contact_fields(c)
        end
        order by wanted.place
      ),
      '[]'
    )
    from unnest(contact_ids) with ordinality as wanted(id, place)
    -- No index knows "is not distinct from": without statistics a plan may read all of the instance.
    left join messaging.contacts c
      on c.id = any (array[wanted.id]) and c.instance_id is not distinct from instance.id
    left join messaging.contact_activity a
      on a.contact_id = any (array[wanted.id]) and a.instance_id is not distinct from instance.id
    left join messaging.conversations v on v.contact_id = any (array[c.id])
    left join messaging.portfolios f on f.contact_id = any (array[c.id])
    left join messaging.agent_pauses p
      on p.contact_id = any (array[c.id]) and p.paused_until > clock
    left join lateral (
      select jsonb_agg(t.name order by lower(t.name)) as names
      from messaging.contact_tags g
      join messaging.tags t on t.id = any (array[g.tag_id])
      where g.contact_id = c.id
    ) as tagged on true
    left join lateral messaging.newest_referral(c.id) as ad on true
    left join lateral (select messaging.contact_identities(c) as identities) as shown on true
    where c.id is not null or a.merged_into is not null or a.erased_at is not null
  );
end;
$$;

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
    from messaging.contacts c
    -- Not a join, which would have a plan without either key while the tables seem to be empty.
    where c.id = (
      select a.contact_id from messaging.contact_addresses a
      where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key
    );
  end if;
  return contact;
end;
$$;

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

-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). A user id of the official channel (BSUID) in place of the phone is an address of the new
-- contact from the beginning, though nothing has proven it. Looks by identity key, then by address.
-- Simultaneous calls get the same contact: the unique index decides. A new contact waits for events under
-- way that may show whose address the phone is. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- Errors: MI055 where the contact was merged since it was found; the call must be repeated.
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
      find_or_add_contact.instance_id,
      case when messaging.is_phone(find_or_add_contact.phone) then find_or_add_contact.phone end,
      messaging.phone_identity_key(find_or_add_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      if contact.phone is null then
        insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
        values (
          find_or_add_contact.instance_id, find_or_add_contact.phone, contact.id, '-infinity'
        );
      end if;
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Nothing may be written to a contact that was merged meanwhile: it would be lost.
  perform from messaging.contacts c where c.id = contact.id and c.merged_into is null for key share;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;

-- The contact that a call is about: see find_recipient for `target`. A phone or a user id that no contact
-- has makes one: see find_or_add_contact. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- `target` may bring denialHashes: see take_denial_hashes.
-- Errors: MI031 for an unknown contactId; MI055 where the contact was merged since it was found; the call
-- must be repeated; MI037: see is_kept_denial.
create or replace function messaging.find_or_add_recipient(
  instance_id uuid,
  target jsonb,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  found_contact record;
begin
  if target->>'contactId' is null then
    perform messaging.take_denial_hashes(target);
    found_contact := messaging.find_or_add_contact(
      instance_id, coalesce(target->>'phone', target->>'userId')
    );
    contact := found_contact.contact;
    is_new := found_contact.is_new;
    return;
  end if;
  contact := messaging.find_recipient(instance_id, target);
  is_new := false;
  perform from messaging.contacts c where c.id = contact.id and c.merged_into is null for key share;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;

-- Finds the contact that a call is about. `target` names it by exactly one of phone, contactId and userId
-- (the official channel's id of a person who may hide the number). The id of a merged contact finds the
-- survivor. Returns a row of NULLs for an unknown phone or user id. Writes nothing.
-- Errors: MI031 for a contactId that the instance does not have; MI035 where its person was erased.
create or replace function messaging.find_recipient(instance_id uuid, target jsonb)
returns messaging.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
begin
  if target->>'contactId' is null then
    return messaging.find_contact(instance_id, coalesce(target->>'phone', target->>'userId'));
  end if;
  contact := messaging.find_contact_by_id(instance_id, (target->>'contactId')::uuid);
  if contact.id is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;

-- A text without regard to case and accents, as searches compare it: "João Ávila" is "joao avila".
-- An own function: unaccent is not immutable, and lies in another schema on each platform.
create or replace function messaging.fold_text(given text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
begin
  if given ~ '^[\x01-\x7f]*$' then
    return lower(given);
  end if;
  return lower(translate(
    regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g'), 'øØłŁđĐıß', 'oOlLdDis'
  ));
end;
$$;

-- Trigger: a contact whose name, e-mail, company or phone has changed is found by the new ones.
create or replace function messaging.follow_contact_search()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.refresh_contact_search(new.id);
  return null;
end;
$$;

-- Trigger: a message that changes is of the contact that its contact is now, before move_merged_messages
-- comes to it: what follows from the change is told of that one.
create or replace function messaging.follow_merge()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  return messaging.message_after_merge(new);
end;
$$;

-- merge_contacts: what the two contacts are known by of themselves, a phone as a call gave it or a hidden
-- identity, finds the surviving one from now on, though nothing has proven it. What is another
-- contact's proven address stays with that one.
create or replace function messaging.keep_own_addresses(kept_id uuid, gone_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select c.instance_id, own.address, kept_id, '-infinity'
  from messaging.contacts c
  cross join lateral (
    select c.phone as address
    union
    select c.identity_key
    -- A phone's own key is a spelling that nobody gave.
    where c.phone is null or c.identity_key <> messaging.phone_identity_key(c.phone)
  ) as own
  where c.id = gone_id and own.address is not null
    or c.id = kept_id and c.phone is null and own.address is not null
  on conflict do nothing;
end;
$$;

-- The contacts of a page: {ids, next}. `next` {createdAt, id}: where the next page begins; NULL on the last.
-- `filters` as in list_contacts, with tagId and contactId in place of tag and phone, and the operator's id
-- in assignedTo; `after_at` and `after_id`: the end of the page before.
-- With updatedSince: in the order of (updated_at, id), tombstones too, and nothing that a transaction
-- under way may still precede. Otherwise in the order of creation.
-- By the way that contact_list_path chooses. In an order it reads at most `most_read` contacts: where few
-- of many match, a page has fewer items than its size, or none, and `next` all the same. With `q` it goes
-- on: where so few match that more reading would not fill the page, the index of the words has them all
-- (unless it has `most_found`, many of them only alike); else it reads `most_searched`.
-- Plans must not depend on statistics: hence the settings. work_mem holds a search's bitmap: where it does
-- not fit, Postgres computes the keys of whole pages of rows.
create or replace function messaging.list_contact_ids(
  instance_id uuid,
  filters jsonb,
  after_at timestamptz,
  after_id uuid,
  page_size integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_indexscan = on
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set work_mem = '32MB'
as $$
declare
  most_read constant integer := 5000;
  most_found constant integer := 50000;
  most_searched constant integer := 25000;
  folded constant text := messaging.fold_text(filters->>'q');
  path text := messaging.contact_list_path(instance_id, filters, most_read);
  read_limit integer := most_read;
  horizon timestamptz;
  page record;
begin
  if filters ? 'updatedSince' then
    horizon := messaging.change_horizon(instance_id);
  end if;
  loop
    perform set_config('enable_indexscan', (path <> 'search')::text, true),
      set_config('enable_bitmapscan', (path = 'search')::text, true);
    execute messaging.contact_list_query(path, filters)
    into page
    using instance_id, after_at, after_id, page_size, folded,
      (filters->>'tagId')::uuid, (filters->>'assignedTo')::uuid, (filters->>'contactId')::uuid,
      (filters->>'updatedSince')::timestamptz, horizon, filters->>'consent', read_limit,
      messaging.asked_keys(instance_id, folded);
    exit when page.end_of_read is null or folded is null or path = 'changes'
      or read_limit = most_searched;
    if path = 'order' and cardinality(page.ids) < page_size * most_read / most_searched then
      path := 'search';
      read_limit := most_found;
    else
      path := 'order';
      read_limit := most_searched;
    end if;
  end loop;
  return jsonb_build_object(
    'ids', to_jsonb(page.ids),
    'next', case when page.has_more then page.last_item else page.end_of_read end
  );
end;
$$;

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
    select distinct messaging.address_lock_key(
      lock_addresses.instance_id, messaging.phone_identity_key(seen.address)
    ) as lock_key
    from unnest(addresses) as seen(address)
    order by lock_key
  ) as wanted;
end;
$$;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: notes, tags, addresses,
-- the messages that wait or are being sent, and as many others as a step moves; run_merges moves the rest.
-- Until then `gone` is a row that only its messages name: no call finds it, its id means `kept`, and who
-- reads the messages of `kept` reads those too (see merged_contact_ids).
-- Values of `kept` win; a name that was given wins over a profile name. Of two consents
-- `denied` wins, then the newer. The row of contact_activity of `gone` remains as its tombstone.
-- Locks both contacts, then both conversations: a transaction that writes to `gone` has either
-- committed, and its rows are moved, or finds no such contact and is repeated.
-- Records contact.merged, then what has become of `kept` by it.
-- Returns `kept` as it is now. Errors: MI055 where another call has merged one of them.
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
  perform from messaging.contacts c
  where c.id in (kept.id, gone.id) and c.merged_into is null
  order by c.id
  for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
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
  perform messaging.keep_own_addresses(kept.id, gone.id);
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
  delete from messaging.contact_tags t where t.contact_id = gone.id;
  delete from messaging.portfolios p where p.contact_id = gone.id;
  delete from messaging.agent_pauses p where p.contact_id = gone.id;
  delete from messaging.contact_search s where s.contact_id = gone.id;
  update messaging.contacts c
  set merged_into = kept.id, identity_key = 'merged:' || c.id
  where c.id = gone.id;
  update messaging.contacts c set merged_into = kept.id where c.merged_into = gone.id;
  -- The rest of what is under way settles on the survivor, and what waits goes to its address.
  update messaging.messages m
  set (contact_id, conversation_id, phone_given) = (
    select moved.contact_id, moved.conversation_id, moved.phone_given
    from messaging.message_after_merge(m) as moved
  )
  where m.id = any (array(
    select w.id
    from messaging.messages w
    join messaging.message_queue q on q.message_id = any (array[w.id])
    where w.contact_id = gone.id and w.sent_at is null
    order by w.id
    for no key update of w
  ));
  if merged.identity_key <> messaging.phone_identity_key(merged.phone) then
    -- From now on the phone is its identity, as by assign_contact_phone.
    update messaging.contacts c set identity_key = messaging.phone_identity_key(c.phone)
    where c.id = kept.id
    returning c.* into merged;
  end if;
  perform messaging.refresh_contact_search(merged.id);
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
  -- Before the rows of contact_activity are locked: a settlement of either contact waits for those.
  perform messaging.move_merged_messages(gone.id, 500);
  changed_at := messaging.change_instant(kept.instance_id);
  -- Tombstones are locked here, not last: what changes them holds the contact that is gone now.
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

-- merge_contacts: moves notes, transfers and the agent's knowledge from one conversation
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
  delete from messaging.agent_sessions s where s.conversation_id = gone.id;
  -- Holds the messages that still move, and is shown to nobody.
  update messaging.conversations c set is_merged = true where c.id = gone.id;
end;
$$;

-- The ids under which the messages of a contact are: its own, and those of contacts that were merged into
-- it and whose messages still move (see move_merged_messages).
create or replace function messaging.merged_contact_ids(contact_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return array(
    select merged_contact_ids.contact_id
    union all
    select c.id from messaging.contacts c where c.merged_into = merged_contact_ids.contact_id
  );
end;
$$;

-- A message as the one of the contact that its contact is now: as it is stored, but while it waits to be
-- moved after a merge (see move_merged_messages). What was not sent yet goes to the survivor's address, not
-- to the spelling of a number that it has left.
create or replace function messaging.message_after_merge(message messaging.messages)
returns messaging.messages
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  survivor record;
begin
  select v.contact_id, v.id into survivor
  from messaging.contacts c
  join messaging.conversations v on v.contact_id = any (array[c.merged_into])
  where c.id = message.contact_id and c.merged_into is not null;
  if found then
    message.contact_id := survivor.contact_id;
    message.conversation_id := survivor.id;
    if message.status = 'queued' then
      message.phone_given := null;
    end if;
  end if;
  return message;
end;
$$;

-- Moves at most `max_rows` messages, and as many files, of a contact that was merged to the one that it is
-- now; with the last of them the contact goes, and its conversation. Tells nothing: the merge has been told.
-- Never waits: what another transaction holds moves with the next step.
-- Returns whether nothing is left. The caller holds the contact, so that nobody writes to it; its survivor
-- cannot be deleted.
create or replace function messaging.move_merged_messages(merged uuid, max_rows integer)
returns boolean
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  ids uuid[] := array(
    select m.id from messaging.messages m
    where m.contact_id = merged
    limit max_rows
    for no key update skip locked
  );
begin
  update messaging.messages m
  set (contact_id, conversation_id, phone_given) = (
    select moved.contact_id, moved.conversation_id, moved.phone_given
    from messaging.message_after_merge(m) as moved
  )
  where m.id = any (ids);
  ids := array(
    select f.id from messaging.media f
    where f.contact_id = merged
    limit max_rows
    for no key update skip locked
  );
  update messaging.media f
  set contact_id = (select c.merged_into from messaging.contacts c where c.id = merged)
  where f.id = any (ids);
  if exists (select from messaging.messages m where m.contact_id = merged)
    or exists (select from messaging.media f where f.contact_id = merged) then
    return false;
  end if;
  delete from messaging.contacts c where c.id = merged;
  return true;
end;
$$;

-- Notes that this transaction has changed what reading a contact or its conversation shows.
-- The rows of contact_activity are locked last, and all in one order, so a step in the middle of a
-- transaction only notes its contact. Each RPC with such steps ends with touch_noted_contacts.
-- The note is a setting of the transaction: it goes with it, and with a savepoint that is rolled back.
create or replace function messaging.note_contact(contact_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := coalesce(current_setting('messaging.noted_contacts', true), '');
begin
  if strpos(noted, contact_id::text) = 0 then
    perform set_config('messaging.noted_contacts', noted || contact_id || ' ', true);
  end if;
end;
$$;

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

-- Writes into contact_activity what the last messages of these contacts are. The caller has locked their
-- rows, by touch_contacts. Of each contact it looks at the 50 newest messages; a reaction is none.
-- The channel tells an inbound message's time in whole seconds: one of the second in which we wrote
-- counts as the later one if it came after ours.
-- Plans must not depend on statistics.
create or replace function messaging.read_last_messages(touched messaging.contact_activity[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select t.contact_id, t.instance_id, t.updated_at, last.message_at,
    coalesce(
      last.inbound_at is not null and (
        last.outbound_at is null or last.inbound_at > last.outbound_at
        or last.inbound_at >= date_trunc('second', last.outbound_at)
          and last.inbound_stored_at >= last.outbound_at
      ),
      false
    )
  from unnest(touched) as t
  cross join lateral (
    select max(m.sent_at) as message_at,
      max(m.sent_at) filter (where m.direction = 'inbound') as inbound_at,
      max(m.created_at) filter (where m.direction = 'inbound') as inbound_stored_at,
      max(m.sent_at) filter (where m.direction = 'outbound') as outbound_at
    from (
      select n.*
      from unnest(messaging.merged_contact_ids(t.contact_id)) as own(contact_id)
      cross join lateral (
        select r.sent_at, r.created_at, r.direction
        from messaging.messages r
        where r.contact_id = own.contact_id and r.sent_at is not null
          and r.message_type <> 'reaction'
        order by r.sent_at desc
        limit 50
      ) as n
      order by n.sent_at desc
      limit 50
    ) as m
  ) as last
  on conflict on constraint contact_activity_pkey do update
  set last_message_at = excluded.last_message_at, awaits_reply = excluded.awaits_reply;
end;
$$;

-- Records that contacts have stopped marketing messages on the channel, as the errors of messages to them
-- mean (see shared/model/refusal_meaning.ts). `errors` stand beside their contacts. Locks the contacts in the
-- order of their ids. Errors: as in change_consent.
create or replace function messaging.record_channel_denials(contact_ids uuid[], errors jsonb[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.change_consent(
    told.contact_id,
    jsonb_build_object('marketing', 'denied', 'source', told.error->>'code')
  )
  from unnest(contact_ids, errors) as told(contact_id, error)
  where told.error->>'meaning' = 'contact_opted_out'
  order by told.contact_id;
end;
$$;

-- Records contact.consent_changed with the contact's consent as it is now, and notes the contact. The
-- caller holds the contact locked.
create or replace function messaging.record_consent_event(contact messaging.contacts)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.note_contact(contact.id);
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.consent_changed',
    jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'consent', messaging.describe_consent(contact, i.time_zone)
    )
  )
  from messaging.instances i
  where i.id = contact.instance_id;
end;
$$;

-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_contact_changes(
  instance_id uuid,
  contact_id uuid,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
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
  perform messaging.note_contact(contact_id);
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

-- Records contact.identity_changed: the provider has given a contact another user id. `event` as in
-- record_number_change.
create or replace function messaging.record_identity_change(contact messaging.contacts, event jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.identity_changed', jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'reason', 'user_id_changed',
      'userId', event->'newAddress',
      'previousUserId', event->'oldAddress'
    )
  );
end;
$$;

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
    select distinct living.instance_id
    from (
      select c.instance_id from messaging.contacts c where c.id = any (contact_ids)
      -- Its plan must not follow the order: that would read all contacts.
      offset 0
    ) as living
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

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- A changed user id is told once by contact.identity_changed, in however many places the provider tells it.
-- Returns whether anything changed. Errors: MI055 where another call has merged the contact.
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
  was_told boolean;
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
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  was_told := exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress')
      and a.replaced_by = event->>'newAddress'
  );
  if not is_user_id then
    contact := messaging.assign_contact_phone(contact, event->>'newAddress');
  end if;
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a
    set proven_at = '-infinity', replaced_by = event->>'newAddress'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  -- What was written before the change may come after it: it is of this person.
  insert into messaging.contact_addresses (
    instance_id, address, contact_id, proven_at, replaced_by
  )
  select record_number_change.instance_id, event->>'oldAddress', contact.id, '-infinity',
    case when is_user_id then event->>'newAddress' end
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
  if is_recorded and is_user_id and not was_told then
    perform messaging.record_identity_change(contact, event);
  end if;
  if is_recorded then
    perform messaging.note_contact(contact.id);
    perform messaging.refresh_contact_search(contact.id);
  end if;
  return is_recorded;
end;
$$;

-- Writes anew by which words a contact is found, where they have changed.
create or replace function messaging.refresh_contact_search(contact_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_search as s (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from messaging.contacts c
  where c.id = refresh_contact_search.contact_id
  on conflict on constraint contact_search_pkey do update set words = excluded.words
  where s.words <> excluded.words;
end;
$$;

-- Raises what send_refusal says: MI005 for a blocked contact, MI006 for a closed conversation window,
-- MI034 for marketing that the contact has denied. Without an instance no window counts.
create or replace function messaging.refuse_send(
  instance messaging.instances,
  contact messaging.contacts,
  message_type text,
  purpose text
)
returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  refusal constant text := messaging.send_refusal(
    contact.is_blocked, contact.consent_marketing, contact.last_inbound_at, instance.provider_class,
    message_type, purpose, clock_timestamp()
  );
begin
  if refusal = 'contact_blocked' then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  elsif refusal = 'outside_conversation_window' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window';
  elsif refusal = 'contact_opted_out' then
    raise exception using errcode = 'MI034', message = 'contact_opted_out';
  end if;
end;
$$;

-- The contact that a call is about, found or created: see find_or_add_recipient. Records contact.created
-- of a new one.
-- Errors: MI031 for an unknown contactId; MI055 where the contact was merged since it was found; the call
-- must be repeated.
create or replace function messaging.resolve_recipient(
  instance_id uuid,
  target jsonb,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  resolved constant record := messaging.find_or_add_recipient(instance_id, target);
begin
  contact := resolved.contact;
  is_new := resolved.is_new;
  if is_new then
    perform messaging.record_new_contacts(array[contact.id]);
  end if;
end;
$$;

-- The regular expression for what `q` asks for in folded words; every character is itself. One or two
-- characters are looked for where a word begins (see search_keys), more of them anywhere.
create or replace function messaging.search_pattern(folded text)
returns text
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select case when char_length(folded) < 3 and folded ~ '^[0-9a-z]' then '(^|[^0-9a-z])' else '' end
    || regexp_replace(folded, '([\\.^$*+?()|{}\[\]-])', '\\\1', 'g');
$$;

-- The words by which a contact is found: see contact_search.
create or replace function messaging.search_words(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return concat_ws(
    e'\n', contact.phone, nullif(messaging.contact_display_phone(contact), contact.phone),
    messaging.fold_text(contact.name), messaging.fold_text(contact.email),
    messaging.fold_text(contact.company)
  );
end;
$$;

-- By what a contact is known beside a phone, as messages and events show it: {userId, username, lid}, of
-- each the newest, NULL for none. A user id that another has replaced is shown no more.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.shown_identities(contact_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return (
    select jsonb_build_object(
      'userId', (array_agg(own.address order by own.proven_at desc, own.address)
        filter (where own.kind = 'user_id' and own.replaced_by is null))[1],
      'username', substr(
        (array_agg(own.address order by own.proven_at desc, own.address)
          filter (where own.kind = 'username'))[1],
        length('username:') + 1
      ),
      'lid', (array_agg(own.address order by own.proven_at desc, own.address)
        filter (where own.kind = 'lid'))[1]
    )
    from (
      select a.address, a.proven_at, a.replaced_by, messaging.address_kind(a.address) as kind
      from messaging.contact_addresses a
      where a.contact_id = shown_identities.contact_id
    ) as own
  );
end;
$$;

-- settle_messages: whether an answer of `results` shows something about a contact's address that is not
-- recorded yet; prove_answered_addresses would write nothing for the others, and assign_contact_phone
-- neither. Reads only. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.shows_new_address(results jsonb, clock timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  perform from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
  join messaging.messages m on m.id = any (array[r."messageId"])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral (
    select a.address, a.proven_at from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as newest on true
  where r."waId" is not null and (
    c.phone is null
    or newest.address is distinct from r."waId"
    or newest.proven_at < clock - interval '1 day'
  )
  limit 1;
  return found;
end;
$$;

-- As touch_contacts, for contacts to whom a message has just been sent. A statement of its own: the
-- callers are the settlements, which are hot, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select c.id, c.instance_id,
    messaging.change_instant(c.instance_id),
    touch_addressees.sent_at
  from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > excluded.last_message_at, false);
end;
$$;

-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- Returns their rows; none for a contact that is no more.
-- Locks their rows in the order of the ids. An upsert, because its look-up is always by the primary key;
-- an update's may be by another index where statistics are poor, in another order.
create or replace function messaging.touch_contacts(contact_ids uuid[])
returns setof messaging.contact_activity
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return query insert into messaging.contact_activity as a (contact_id, instance_id, updated_at)
  select living.id, living.instance_id, messaging.change_instant(living.instance_id)
  from (
    select distinct coalesce(c.merged_into, c.id) as id, c.instance_id
    from messaging.contacts c
    where c.id = any (contact_ids)
  ) as living
  order by living.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at)
  returning a.*;
end;
$$;

-- Touches the contacts that this transaction has noted (see note_contact), and reads anew what their
-- last messages are. The last step of an RPC that locks anything.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := current_setting('messaging.noted_contacts', true);
  touched messaging.contact_activity[];
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  touched := array(
    select t from messaging.touch_contacts(string_to_array(rtrim(noted), ' ')::uuid[]) as t
  );
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(touched);
end;
$$;

-- mcp: whether a send by a tool may go. `request`: instanceId, tokenId, callKey (of tool, intent and recipient),
-- and exactly one of phone, contactId and userId.
-- Returns {refusal, retryAfterSeconds}: `refusal` is NULL, `recipient_not_known` (the token may write to who
-- has a contact that no such call has made) or `hourly_limit`, of which a repeated call spends nothing.
-- A contact that a call makes has the origin `mcp`.
-- Locks the token, so that its calls are counted one after the other, then as resolve_recipient does.
-- Errors: MI031, MI035, MI055 (the call must be repeated), MI037: see find_or_add_recipient.
create or replace function public.admit_mcp_send(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_call constant text := request->>'callKey';
  token messaging.client_tokens;
  contact messaging.contacts;
  added record;
  sends integer;
  first_at timestamptz;
begin
  select t.* into strict token from messaging.client_tokens t
  where t.id = (request->>'tokenId')::uuid and t.instance_id = of_instance
  for no key update;
  contact := messaging.find_recipient(of_instance, request);
  if token.mcp_recipients = 'known' and (contact.id is null or contact.origin = 'mcp') then
    return jsonb_build_object('refusal', 'recipient_not_known', 'retryAfterSeconds', null);
  end if;
  delete from messaging.mcp_sends s
  where s.token_id = token.id and s.admitted_at < clock - interval '2 days';
  perform from messaging.mcp_sends s where s.token_id = token.id and s.call_key = of_call;
  if found then
    return jsonb_build_object('refusal', null, 'retryAfterSeconds', null);
  end if;
  select count(*), min(s.admitted_at) into sends, first_at
  from messaging.mcp_sends s
  where s.token_id = token.id and s.admitted_at > clock - interval '1 hour';
  if sends >= token.mcp_max_sends_per_hour then
    return jsonb_build_object(
      'refusal', 'hourly_limit',
      'retryAfterSeconds',
      coalesce(ceil(extract(epoch from first_at + interval '1 hour' - clock))::integer, 3600)
    );
  end if;
  insert into messaging.mcp_sends (token_id, instance_id, call_key, admitted_at)
  values (token.id, of_instance, of_call, clock);
  if contact.id is null then
    added := messaging.find_or_add_recipient(of_instance, request);
    if added.is_new then
      update messaging.contacts c set origin = 'mcp' where c.id = (added.contact).id;
      perform messaging.record_new_contacts(array[(added.contact).id]);
    end if;
  end if;
  return jsonb_build_object('refusal', null, 'retryAfterSeconds', null);
end;
$$;

-- contacts-api tags (specification 4.3): adds and removes tags of a contact, creating it when it is
-- missing. `request`: instanceId, phone | contactId | userId, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008, MI031.
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
  from messaging.resolve_recipient(instance_id, request) r;
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
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

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

-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, contactId or userId (one of them), tag, q, assignedTo (operator's UUID or e-mail), consent,
-- updatedSince (inclusive), referral (whether an ad or post brought it). An unknown phone, userId or tag has no contacts.
-- Returns {items, next}: items see describe_contacts; a page may be short, see list_contact_ids. Errors: MI001; MI031 and MI035 see find_recipient.
create or replace function public.list_contacts(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince', 'referral', request->>'referral'
  ));
  tag_id uuid;
  contact_id uuid;
  page jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if request->>'assignedTo' is not null then
    filters := filters || jsonb_build_object(
      'assignedTo', (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id
    );
  end if;
  if request->>'tag' is not null then
    select t.id into tag_id from messaging.tags t
    where t.instance_id = instance.id and lower(t.name) = lower(request->>'tag');
    filters := filters || jsonb_build_object('tagId', tag_id);
  end if;
  if coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null then
    contact_id := (messaging.find_recipient(instance.id, request)).id;
    filters := filters || jsonb_build_object('contactId', contact_id);
  end if;
  if filters @? '$.* ? (@ == null)' then
    return jsonb_build_object('items', jsonb '[]', 'next', null);
  end if;
  page := messaging.list_contact_ids(
    instance.id, filters,
    coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity'),
    coalesce((request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'),
    (request->>'limit')::integer
  );
  return jsonb_build_object(
    'items', messaging.describe_contacts(
      instance, array(select f.id::uuid from jsonb_array_elements_text(page->'ids') as f(id))
    ),
    'next', page->'next'
  );
end;
$$;

-- contacts-api merge: two contacts are one person. Everything of `contactId` moves to `intoContactId`,
-- which survives: see merge_contacts. `request`: instanceId, contactId, intoContactId, idempotency.
-- The ids of merged contacts mean their survivors, so that a call that is repeated, or crosses one in the
-- other direction, finds nothing left to do.
-- Returns the outcome: contactId, the survivor; or {replayed}.
-- Locks the addresses of both, so that events of the same person wait, then as merge_contacts.
-- Errors: MI007, MI008, MI031, MI035; MI055 where another call has merged one of them meanwhile.
create or replace function public.merge_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  gone messaging.contacts;
  kept messaging.contacts;
begin
  if replayed is not null then
    return replayed;
  end if;
  gone := messaging.find_recipient(
    of_instance, jsonb_build_object('contactId', request->'contactId')
  );
  kept := messaging.find_recipient(
    of_instance, jsonb_build_object('contactId', request->'intoContactId')
  );
  if gone.id <> kept.id then
    perform messaging.lock_addresses(of_instance, array(
      select a.address from messaging.contact_addresses a where a.contact_id in (gone.id, kept.id)
      union
      select own.address
      from unnest(array[gone.phone, gone.identity_key, kept.phone, kept.identity_key]) as own(address)
      where own.address is not null
    ));
    perform from messaging.contacts c where c.id in (gone.id, kept.id) order by c.id for update;
    perform messaging.refuse_erased(of_instance, gone.id);
    perform messaging.refuse_erased(of_instance, kept.id);
    kept := messaging.merge_contacts(kept, gone);
    perform messaging.touch_noted_contacts();
  end if;
  return messaging.keep_outcome(request, jsonb_build_object('contactId', kept.id));
end;
$$;

-- The dispatcher's part of merges: one step of one that is not done, of at most `request`.maxRows messages
-- (see move_merged_messages). One that another dispatcher has in hand, or whose contact is held, is passed
-- over. Returns {isComplete}: whether none is left that can go on.
-- Locks the survivor, then the merged contact, as a merge or an erasure of the survivor does: their first
-- lock is the survivor.
create or replace function public.run_merges(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  merge record;
begin
  for merge in
    select c.id, c.merged_into from messaging.contacts c
    where c.merged_into is not null
    order by c.merged_into
    limit 100
  loop
    perform from messaging.contacts k where k.id = merge.merged_into for key share skip locked;
    continue when not found;
    perform from messaging.contacts c
    where c.id = merge.id and c.merged_into = merge.merged_into
    for update skip locked;
    continue when not found;
    perform messaging.move_merged_messages(merge.id, (request->>'maxRows')::integer);
    return jsonb '{"isComplete": false}';
  end loop;
  return jsonb '{"isComplete": true}';
end;
$$;

-- contacts-api create and update (specification 4.3; decisions, section 3): creates the
-- contact that is named or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone | contactId | userId, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI031, MI020 (customLabels would exceed 64 KiB).
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
  from messaging.find_or_add_recipient(instance_id, request) r;
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
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- contacts-api consent: records what a contact has said about marketing messages; see change_consent.
-- `request`: instanceId, one of phone, contactId and userId, marketing, source, evidence, idempotency.
-- Creates the contact of an unknown phone or user id.
-- Returns the outcome: contactId, consent {marketing, at, source}; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_contact_consent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  contact messaging.contacts;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).* into contact
  from messaging.resolve_recipient((request->>'instanceId')::uuid, request) r;
  perform messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', request->'marketing',
      'source', request->'source',
      'evidence', request->'evidence'
    )
  );
  select jsonb_build_object(
    'contactId', c.id, 'consent', messaging.describe_consent(c, i.time_zone)
  )
  into outcome
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = contact.id;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- The advisory lock of an address: the addresses of an instance share 256 locks, because a delivery of
-- thousands must not exhaust the server's lock table. See lock_addresses.
create or replace function messaging.address_lock_key(instance_id uuid, identity_key text)
returns bigint
language sql
immutable
return hashtextextended('addresses ' || instance_id::text, 0) # (hashtext(identity_key) & 255);

-- The contacts that have one of these addresses, as their own or as one that was proven.
create or replace function messaging.address_owners(instance_id uuid, identity_keys text[])
returns table (contact_id uuid)
language sql
stable
begin atomic
  select owner.id
  from
    unnest(identity_keys) as seen (identity_key)
    cross join lateral (
      select c.id
      from messaging.contacts as c
      where c.instance_id = address_owners.instance_id and c.identity_key = seen.identity_key
      union all
      select a.contact_id
      from messaging.contact_addresses as a
      where a.instance_id = address_owners.instance_id and a.identity_key = seen.identity_key
    ) as owner;
end;

-- The number that a contact has announced as its new one, unless it has written from an earlier one
-- since; none where it has announced none. Only addresses of digits are phones: a changed user id is
-- none, and who writes under a user id or LID has taken no announced number back.
create or replace function messaging.announced_phone(contact_id uuid)
returns table (phone text)
language sql
stable
begin atomic
  select
    case
      when a.changed_by is not null then a.address
    end
  from messaging.contact_addresses as a
  where a.contact_id = announced_phone.contact_id and a.address ~ '^[0-9]+$'
  order by a.proven_at desc
  limit 1;
end;

-- The instant to store as updated_at of a contact that this transaction changes.
-- Transactions commit out of the order in which they took their instants. A reader that goes on from
-- the last instant that it saw would miss what commits later with an earlier one. So the transaction
-- announces a floor before it takes its instant: a shared advisory lock, whose second key is the floor
-- in milliseconds (its low 32 bits). It is held until the transaction's changes are visible.
-- change_horizon reads the floors: below the lowest nothing can appear any more. Writers never wait for
-- each other by it, and a slow transaction delays only the readers of its own instance.
-- The floor is taken first, then the instant, so that instant >= floor. Both are whole milliseconds, as
-- the API shows them: the condition is the floor, which comes first.
create or replace function messaging.change_instant(instance_id uuid)
returns timestamptz
language sql
volatile
return case
  when pg_advisory_xact_lock_shared(
    uuid_hash(instance_id) # 1163284301,
    (
      (floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648
    )::integer
  )::text is not null then date_trunc('milliseconds', clock_timestamp())
end;

-- The fields of a contact that calls write, by the API's names: what an answer shows of them, and what
-- contact.updated compares.
create or replace function messaging.contact_fields(contact messaging.contacts)
returns jsonb
language sql
stable
return jsonb_build_object(
  'name',
  contact.name,
  'email',
  contact.email,
  'company',
  contact.company,
  'jobTitle',
  contact.job_title,
  'notes',
  contact.notes,
  'utmSource',
  contact.utm_source,
  'utmMedium',
  contact.utm_medium,
  'utmCampaign',
  contact.utm_campaign,
  'customLabels',
  contact.custom_labels,
  'isFavorite',
  contact.is_favorite,
  'isArchived',
  contact.is_archived,
  'isBlocked',
  contact.is_blocked
);

-- Whether a message of this purpose is marketing to a contact that has denied it.
create or replace function messaging.denies_marketing(consent_marketing text, purpose text)
returns boolean
language sql
immutable
return coalesce(purpose = 'marketing' and consent_marketing = 'denied', false);

-- The identities of a contact beside its phones, as shown_identities; none where it has only phones.
create or replace function messaging.hidden_identities(contact_id uuid)
returns table (identities jsonb)
language sql
stable
begin atomic
  select messaging.shown_identities(a.contact_id)
  from messaging.contact_addresses as a
  where a.contact_id = hidden_identities.contact_id and a.address !~ '^[0-9]+$'
  limit 1;
end;

-- Whether an address is a phone; else it is a hidden identity (LID, BSUID).
create or replace function messaging.is_phone(address text)
returns boolean
language sql
immutable
return address ~ '^[0-9]{8,15}$';

-- Whether a message goes only while the conversation window is open: on the official channel, any but a
-- template.
create or replace function messaging.needs_open_window(provider_class text, message_type text)
returns boolean
language sql
immutable
return provider_class = 'official' and message_type != 'template';

-- The address of a contact that was last proven to work; none where none was. `is_phone_needed`: only
-- phones count. A row, so that it is looked up by its index wherever it is joined.
create or replace function messaging.proven_address(contact_id uuid, is_phone_needed boolean)
returns table (address text)
language sql
stable
begin atomic
  select a.address
  from messaging.contact_addresses as a
  where
    a.contact_id = proven_address.contact_id
    and a.proven_at > '-infinity'
    and (not is_phone_needed or a.address ~ '^[0-9]+$')
  order by a.proven_at desc
  limit 1;
end;

-- When the official channel's conversation window closes: 24 hours after the contact's last message. NULL
-- where none is known.
create or replace function messaging.window_closes_at(last_inbound_at timestamptz)
returns timestamptz
language sql
stable
return last_inbound_at + interval '24 hours';

-- Why a message may not go to a contact now, as the error's code; NULL where it may. In the order of
-- refusals: blocked; a closed window, where the contact's last message is known; marketing denied.
create or replace function messaging.send_refusal(
  is_blocked boolean,
  consent_marketing text,
  last_inbound_at timestamptz,
  provider_class text,
  message_type text,
  purpose text,
  clock timestamptz
)
returns text
language sql
stable
return case
  when is_blocked then 'contact_blocked'
  when messaging.needs_open_window(provider_class, message_type)
  and messaging.window_closes_at(last_inbound_at) < clock then 'outside_conversation_window'
  when messaging.denies_marketing(consent_marketing, purpose) then 'contact_opted_out'
end;

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

-- How list_conversations finds the conversations of a request. `instance`, `operator`, `department` and
-- `status`: by an index in the order of creation. `tag` and `awaiting`: all of them by an index of another
-- order, where they are at most `most`. `changes`: contact_activity in its order, with updatedSince.
-- Of several filters it takes one that at most `most` conversations pass.
-- `filters`: updatedSince, tagId, operatorId, departmentId, status, awaitingReply; NULL for any.
create or replace function messaging.conversation_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := instance_id;
  of_tag constant uuid := (filters->>'tagId')::uuid;
  of_operator constant uuid := (filters->>'operatorId')::uuid;
  of_department constant uuid := (filters->>'departmentId')::uuid;
  of_status constant text := filters->>'status';
  is_awaiting constant boolean := coalesce((filters->>'awaitingReply')::boolean, false);
  ordered text[] := array_remove(array[
    case when of_operator is not null then 'operator' end,
    case when of_department is not null then 'department' end,
    case when of_status is not null then 'status' end
  ], null);
  candidate text;
  counted integer;
begin
  if filters->>'updatedSince' is not null then
    return 'changes';
  end if;
  foreach candidate in array
    case when of_tag is not null then array['tag'] else '{}' end
    || case when is_awaiting then array['awaiting'] else '{}' end
    || case when cardinality(ordered) > 1 or of_tag is not null or is_awaiting then ordered else '{}' end
  loop
    if candidate = 'tag' then
      select count(*) into counted from (
        select from messaging.contact_tags g where g.tag_id = of_tag limit most + 1
      ) as found;
    elsif candidate = 'awaiting' then
      select count(*) into counted from (
        select from messaging.contact_activity a
        where a.instance_id = of_instance and a.awaits_reply
        limit most + 1
      ) as found;
    elsif candidate = 'operator' then
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.assigned_to = of_operator
        limit most + 1
      ) as found;
    elsif candidate = 'department' then
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.department_id = of_department
        limit most + 1
      ) as found;
    else
      select count(*) into counted from (
        select from messaging.conversations v
        where v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
        limit most + 1
      ) as found;
    end if;
    if counted <= most then
      return candidate;
    end if;
  end loop;
  return coalesce(ordered[1], 'instance');
end;
$$;

-- What the events of a conversation compare: its status, and what conversations-api assign changes. The
-- caller holds the conversation locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.conversation_state(conversation_id uuid)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
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

-- A conversation as conversations-api tells it, with instants in `zone`.
create or replace function messaging.describe_conversation(
  conversation messaging.conversations,
  zone text
)
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
begin
  return (
    select jsonb_build_object(
      'conversationId', conversation.id,
      'contactId', c.id,
      'contact', jsonb_build_object(
        'contactId', c.id, 'phone', messaging.contact_display_phone(c), 'name', c.name
      ),
      'status', conversation.status,
      'assignedTo', conversation.assigned_to,
      'departmentId', conversation.department_id,
      'portfolio', exists (select from messaging.portfolios f where f.contact_id = c.id),
      'awaitingReply', coalesce(a.awaits_reply, false),
      'lastMessageAt', messaging.iso_in_zone(a.last_message_at, zone),
      'referral', ad.referral,
      'aiAgentPausedUntil', messaging.iso_in_zone(
        (
          select p.paused_until from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ),
        zone
      ),
      'createdAt', messaging.iso_in_zone(conversation.created_at, zone),
      'updatedAt', messaging.iso_in_zone(
        coalesce(a.updated_at, conversation.updated_at), zone
      )
    )
    from messaging.contacts c
    left join messaging.contact_activity a on a.contact_id = c.id
    left join lateral messaging.newest_referral(c.id) as ad on true
    where c.id = conversation.contact_id
  );
end;
$$;

-- A conversation of an instance. An unknown id and one of another tenant are one error: MI032.
create or replace function messaging.find_conversation(instance_id uuid, conversation_id uuid)
returns messaging.conversations
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.id = find_conversation.conversation_id
    and c.instance_id = find_conversation.instance_id
    and not c.is_merged;
  if not found then
    raise exception using errcode = 'MI032', message = 'conversation_not_found';
  end if;
  return conversation;
end;
$$;

-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  state constant jsonb := messaging.conversation_state(conversation.id);
  ids constant jsonb := jsonb_build_object(
    'contactId', conversation.contact_id, 'conversationId', conversation.id
  );
begin
  if state <> before then
    perform messaging.note_contact(conversation.contact_id);
  end if;
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

-- The contact's one conversation, created `open` with the first operation that needs it.
create or replace function messaging.resolve_conversation(instance_id uuid, contact_id uuid)
returns messaging.conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.contact_id = resolve_conversation.contact_id;
  if found then
    return conversation;
  end if;
  insert into messaging.conversations (instance_id, contact_id)
  values (resolve_conversation.instance_id, resolve_conversation.contact_id)
  on conflict do nothing
  returning * into conversation;
  if conversation.id is not null then
    perform messaging.note_contact(resolve_conversation.contact_id);
  else
    select c.* into conversation
    from messaging.conversations c
    where c.contact_id = resolve_conversation.contact_id;
  end if;
  return conversation;
end;
$$;

-- Takes a conversation from its operator, logs and notes it as a transfer to nobody, and takes the contact
-- out of the operator's portfolio, which would hide it from the others. `conversation`: as it is now,
-- locked by the caller, with an operator.
create or replace function messaging.transfer_to_nobody(conversation messaging.conversations)
returns void
language plpgsql
set search_path = ''
as $$
declare
  before constant jsonb := messaging.conversation_state(conversation.id);
begin
  update messaging.conversations c
  set assigned_to = null, updated_at = now()
  where c.id = conversation.id;
  insert into messaging.chat_transfer_log
    (instance_id, conversation_id, from_operator_id, to_operator_id)
  values (conversation.instance_id, conversation.id, conversation.assigned_to, null);
  insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
  select conversation.instance_id, conversation.id,
    format('Conversa transferida de %s para ninguém.', o.name), true
  from messaging.operators o
  where o.id = conversation.assigned_to;
  delete from messaging.portfolios p where p.contact_id = conversation.contact_id;
  perform messaging.record_conversation_changes(conversation, before);
  perform messaging.touch_contacts(array[conversation.contact_id]);
end;
$$;

-- conversations-api: one conversation. `request`: instanceId, conversationId. Errors: MI032.
create or replace function public.get_conversation(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  return messaging.describe_conversation(
    messaging.find_conversation(instance.id, (request->>'conversationId')::uuid),
    instance.time_zone
  );
end;
$$;

-- conversations-api: the internal notes of a conversation, oldest first, a page at a time.
-- `request`: instanceId, conversationId, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI014, MI032.
create or replace function public.list_conversation_notes(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', n.created_at, 'id', n.id,
        'record', jsonb_build_object(
          'noteId', n.id,
          'note', n.note,
          'createdAt', messaging.iso_in_zone(n.created_at, instance.time_zone)
        )
      )
      from messaging.internal_notes n
      where n.conversation_id = conversation.id
        and (n.created_at, n.id) > (page.after_at, page.after_id)
      order by n.created_at, n.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- conversations-api: the transfers of a conversation from one operator to another or to nobody, oldest
-- first, a page at a time. `request`: instanceId, conversationId, limit, `after` as returned in `next`.
-- Returns {items, next}. Errors: MI014, MI032.
create or replace function public.list_conversation_transfers(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', t.transferred_at, 'id', t.id,
        'record', jsonb_build_object(
          'fromOperatorId', t.from_operator_id,
          'toOperatorId', t.to_operator_id,
          'createdAt', messaging.iso_in_zone(t.transferred_at, instance.time_zone)
        )
      )
      from messaging.chat_transfer_log t
      where t.conversation_id = conversation.id
        and (t.transferred_at, t.id) > (page.after_at, page.after_id)
      order by t.transferred_at, t.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- conversations-api: conversations of an instance, a page at a time, in the order of creation; with
-- updatedSince (inclusive) in the order of (updated_at, contact), with the tombstones of contacts that are
-- merged or erased, and without what a transaction under way may still precede (see change_horizon).
-- `request`: instanceId, limit, `after` as returned in `next`, and filters, each NULL for any: status,
-- assignedTo (an operator's UUID or e-mail), departmentId, tag, awaitingReply, referral (whether an ad or
-- post brought the contact), updatedSince.
-- Returns {items, next}: see describe_conversation. Errors: MI001, MI002, MI014.
-- A page reads at most `most_read` conversations: where few of many match, it has fewer items than `limit`,
-- or none, and `next` all the same. It reads them in growing steps, by the way that
-- conversation_list_path chooses. Plans must not depend on statistics: hence the settings below, and
-- "= any (array[...])", of which no plan makes a hash of all rows.
create or replace function public.list_conversations(request jsonb)
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
  most_read constant integer := 5000;
  page constant record := messaging.begin_page(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_status constant text := request->>'status';
  of_department constant uuid := (request->>'departmentId')::uuid;
  is_referred constant boolean := (request->>'referral')::boolean;
  is_awaiting constant boolean := (request->>'awaitingReply')::boolean;
  since constant timestamptz := coalesce((request->>'updatedSince')::timestamptz, '-infinity');
  horizon constant timestamptz := case
    when request->>'updatedSince' is not null then messaging.change_horizon(of_instance)
  end;
  instance messaging.instances;
  of_operator uuid;
  of_tag uuid;
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
  select i.* into strict instance from messaging.instances i where i.id = of_instance;
  if request->>'assignedTo' is not null then
    of_operator := (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id;
  end if;
  if of_department is not null and not exists (
    select from messaging.departments d
    where d.id = of_department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  if request->>'tag' is not null then
    select t.id into of_tag from messaging.tags t
    where t.instance_id = of_instance and lower(t.name) = lower(request->>'tag');
    if not found and request->>'updatedSince' is null then
      return messaging.build_page(found_all, page.size);
    end if;
  end if;
  path := messaging.conversation_list_path(
    of_instance, request || jsonb_build_object('operatorId', of_operator, 'tagId', of_tag), most_read
  );
  if path in ('tag', 'awaiting') then
    step := most_read;
  end if;
  loop
    with scanned as materialized (
      (
        select v.created_at as at, v.id, v, false as is_deleted, null::uuid as merged_into
        from messaging.conversations v
        where path = 'instance' and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and v.instance_id = of_instance and v.assigned_to = of_operator
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from (
          select g.contact_id from messaging.contact_tags g
          where path = 'tag' and g.tag_id = of_tag
          union all
          select a.contact_id from messaging.contact_activity a
          where path = 'awaiting' and a.instance_id = of_instance and a.awaits_reply
        ) as few
        join messaging.conversations v on v.contact_id = any (array[few.contact_id])
        where (v.created_at, v.id) > (last_at, last_id)
        order by v.created_at, v.id
        limit step
      )
      union all
      (
        select changed.at, changed.contact_id, v, changed.is_deleted, changed.merged_into
        from (
          select a.updated_at as at, a.contact_id, a.merged_into,
            a.merged_into is not null or a.erased_at is not null as is_deleted
          from messaging.contact_activity a
          where path = 'changes' and a.instance_id = of_instance
            and (a.updated_at, a.contact_id) > (last_at, last_id)
            and a.updated_at >= since and a.updated_at < horizon
          order by a.updated_at, a.contact_id
          limit step
        ) as changed
        left join messaging.conversations v on v.contact_id = any (array[changed.contact_id])
      )
    ),
    matching as (
      select s.at, s.id, s.v, s.is_deleted, s.merged_into
      from scanned s
      where s.is_deleted
        or (s.v).id is not null
        and not (s.v).is_merged
        and (of_status is null or (s.v).status = of_status)
        and (of_operator is null or (s.v).assigned_to = of_operator)
        and (of_department is null or (s.v).department_id = of_department)
        and (
          request->>'tag' is null
          or exists (
            select from messaging.contact_tags g
            where g.contact_id = any (array[(s.v).contact_id]) and g.tag_id = of_tag
          )
        )
        and (
          is_awaiting is null
          or is_awaiting = exists (
            select from messaging.contact_activity a
            where a.contact_id = any (array[(s.v).contact_id]) and a.awaits_reply
          )
        )
        and (
          is_referred is null
          or is_referred = exists (select from messaging.newest_referral((s.v).contact_id))
        )
      order by s.at, s.id
      limit page.size + 1 - cardinality(found_all)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', f.at, 'id', f.id,
          'record', case
            when f.is_deleted then jsonb_build_object(
              'contactId', f.id,
              'isDeleted', true,
              'mergedInto', f.merged_into,
              'updatedAt', messaging.iso_in_zone(f.at, instance.time_zone)
            )
            else messaging.describe_conversation(f.v, instance.time_zone)
          end
        )
        from matching f
        order by f.at, f.id
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', s.at, 'id', s.id)
        from scanned s
        order by s.at desc, s.id desc
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

-- conversations-api note (specification 4.1): an internal note, never sent to the customer.
-- `request`: instanceId, phone | contactId | userId, note, idempotency.
-- Returns the outcome: contactId, conversationId, noteId; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.note_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_recipient(instance_id, request) r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'noteId', messaging.add_internal_note(instance_id, conversation.id, request->>'note')
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone | contactId | userId, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008, MI031.
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
  from messaging.resolve_recipient(instance_id, request) r;
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
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- conversations-api unassign: takes a contact's conversation from its operator. That is a transfer to
-- nobody: it is logged, noted, and takes the contact out of the operator's portfolio. Without an operator
-- nothing changes. `request`: instanceId, one of phone, contactId and userId, idempotency. Locks the
-- conversation. Returns the outcome: contactId, assignedTo (NULL), previousAssignedTo; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.unassign_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id from messaging.resolve_recipient(instance_id, request) r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  select c.* into conversation
  from messaging.conversations c where c.id = conversation.id for no key update;
  if conversation.assigned_to is not null then
    perform messaging.transfer_to_nobody(conversation);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object(
    'contactId', contact_id,
    'assignedTo', null,
    'previousAssignedTo', conversation.assigned_to
  ));
end;
$$;

-- Whether an agent is about to answer in a conversation: its answer waits or is being made, and neither a
-- pause nor a block nor a switch keeps it from being sent, as read_agent_turn decides.
create or replace function messaging.expects_agent_reply(conversation_id uuid)
returns boolean
language sql
stable
set search_path = ''
as $$
  select exists (
    select from messaging.conversations c
    join messaging.contacts p on p.id = c.contact_id
    join messaging.ai_agents a on a.id = messaging.conversation_agent(c) and a.is_active
    where c.id = expects_agent_reply.conversation_id and not p.is_blocked
      and exists (
        select from messaging.outbox o
        where o.conversation_id = any (array[c.id]) and o.kind = 'agent_reply' and o.status = 'pending'
      )
      and not exists (
        select from messaging.agent_pauses s
        where s.contact_id = p.id and s.paused_until > clock_timestamp()
      )
  );
$$;

-- Whether a message that is accepted now leaves before a pause of the agent that begins now would be over:
-- only then does accepting it pause the agent. What leaves later pauses it when it leaves, see
-- restart_agent_pauses. `delivery` as in accept_message. Of a message for the paced queue the slot is a
-- forecast, which locks nothing: calls at the same time may make it later.
create or replace function messaging.leaves_in_pause(instance messaging.instances, delivery jsonb)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  pause_ends_at constant timestamptz := messaging.agent_pause_ends_at(clock);
  not_before constant timestamptz := messaging.earliest_departure(delivery, clock);
  walk messaging.slot_walk;
begin
  if not_before > pause_ends_at then
    return false;
  end if;
  -- Spares the forecast where nothing can pause.
  if (delivery->>'queued')::boolean is not true or not exists (
    select from messaging.ai_agents a where a.instance_id = instance.id and a.is_active
  ) then
    return true;
  end if;
  walk := messaging.next_slot(
    instance, messaging.begin_walk(instance, clock), (delivery->>'intervalSeconds')::integer,
    not_before, interval '0', null, false
  );
  return walk.slot <= pause_ends_at;
end;
$$;

-- Pauses the instance's agent for a contact, until
-- agent_pause_ends_at. Does nothing where the instance has no active agent or that instant is past.
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
  if messaging.agent_pause_ends_at(written_at) <= clock_timestamp() or not exists (
    select from messaging.ai_agents a
    where a.instance_id = pause_agent.instance_id and a.is_active
  ) then
    return null;
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  values (
    pause_agent.contact_id, pause_agent.instance_id, messaging.agent_pause_ends_at(written_at)
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

-- Records agent.paused for contacts whose pause the caller has just begun or prolonged. NULL ids mean
-- none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_agent_pauses(contact_ids uuid[])
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

-- settle_messages: pauses the agents now that the messages have left. Where they left soon after, the
-- pauses began when the calls were accepted: see leaves_in_pause.
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
    array_agg(s.contact_id), array_agg(s.instance_id), messaging.agent_pause_ends_at(clock)
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

-- conversations-api agent-pause: the agent's pause for a contact. For an unknown phone or user id
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId,
-- phone | contactId | userId. Errors: MI031.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  return messaging.describe_agent_pause(
    instance, (messaging.find_recipient(instance.id, request)).id
  );
end;
$$;

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
    and c.instance_id = (request->>'instanceId')::uuid
    and not c.is_merged;
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

-- What fills the variables of the text that opens a conversation, besides what its call brings.
-- `request`: instanceId, phone | contactId | userId. Writes nothing. Errors: MI031.
-- Returns {collectedData, name, phone}: as the contact is known, all empty for an unknown one.
create or replace function public.read_agent_variables(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts := messaging.find_recipient(
    (request->>'instanceId')::uuid, request
  );
begin
  return jsonb_build_object(
    'collectedData', coalesce((
      select s.collected_data
      from messaging.conversations c
      join messaging.agent_sessions s on s.conversation_id = c.id
      where c.contact_id = contact.id
    ), '{}'),
    'name', contact.name,
    'phone', messaging.contact_display_phone(contact)
  );
end;
$$;

-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone | contactId | userId, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008, MI031.
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
  from messaging.resolve_recipient(instance.id, request) r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[known_contact_id]);
    perform messaging.note_contact(known_contact_id);
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id
    returning p.paused_until into paused_until;
    if found then
      perform messaging.note_contact(known_contact_id);
    end if;
    -- A pause that has ended by time is not resumed by the call.
    if paused_until > clock_timestamp() then
      perform messaging.record_event(
        instance.id, known_contact_id, 'agent.resumed',
        jsonb_build_object('contactId', known_contact_id, 'pausedUntil', null)
      );
    end if;
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;

-- When the agent's pause ends that begins with a person's message (specification, section 3).
create or replace function messaging.agent_pause_ends_at(written_at timestamptz)
returns timestamptz
language sql
stable
return written_at + interval '30 minutes';

-- admin-api: a template as a response shows it.
create or replace function messaging.describe_message_template(template messaging.message_templates)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'templateId', template.id,
    'workspaceId', template.workspace_id,
    'instanceId', template.instance_id,
    'name', template.name,
    'language', template.language,
    'parameterFormat', template.parameter_format,
    'components', template.components,
    'category', template.category,
    'providerStatus', template.provider_status,
    'providerTemplateId', template.provider_template_id,
    'createdAt', messaging.iso_in_zone(template.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(template.updated_at, 'UTC')
  );
$$;

-- Records template.status_changed for templates whose status at the provider the caller has just changed:
-- one event for the instance that a template belongs to, and one for each instance of the workspace
-- where it belongs to the workspace alone. NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_template_changes(template_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
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

-- admin-api: a new template, of a workspace or of one of its instances. `request`: workspaceId
-- (follows from the instance when NULL), instanceId or NULL, name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, idempotency (see begin_idempotent).
-- Returns the template, {replayed}, or {issues} when the instance is not the workspace's.
-- Errors: MI007, MI008, MI013, MI014.
create or replace function public.create_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  template messaging.message_templates;
  replayed jsonb;
begin
  if request->>'instanceId' is not null then
    instance := messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  workspace := messaging.find_workspace(
    coalesce((request->>'workspaceId')::uuid, instance.workspace_id)
  );
  if instance.workspace_id <> workspace.id then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId', 'message', 'belongs to another workspace'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.message_templates (
    workspace_id, instance_id, name, language, parameter_format, components, provider_status,
    provider_template_id, category
  )
  values (
    workspace.id, instance.id, request->>'name', request->>'language',
    request->>'parameterFormat', request->'components', request->>'providerStatus',
    request->>'providerTemplateId', request->>'category'
  )
  returning * into template;
  return messaging.keep_outcome(request, messaging.describe_message_template(template));
end;
$$;

-- What send-template-message needs before it can render. `request`: tokenId, templateId, phone |
-- contactId | userId,
-- idempotency (see begin_idempotent). Returns {template, contact, known}: NULL template
-- unless the workspace of the token's instance has it, NULL contact for one that the token's
-- instance does not know; known is what an earlier call with the same key came to
-- (see describe_kept_outcome).
-- Writes nothing. Errors: MI007, MI008.
create or replace function public.find_template_to_send(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  template messaging.message_templates;
  contact messaging.contacts;
  known jsonb := messaging.recall_idempotent(request)->'replayed';
begin
  select i.* into strict instance
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.id = (request->>'tokenId')::uuid;
  select r.* into template
  from messaging.message_templates r
  where r.id = (request->>'templateId')::uuid and r.workspace_id = instance.workspace_id;
  contact := case
    when request->>'contactId' is null then messaging.find_recipient(instance.id, request)
    -- Where the id is unknown, the faults of the template come first.
    else messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)
  end;
  return jsonb_build_object(
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end,
    'known', known
  );
end;
$$;

-- admin-api and mcp: templates, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, instanceId or NULL for all, sendableBy (an instance: its own, and
-- its workspace's that are no other instance's) or NULL, limit,
-- `after` as returned in `next`. Returns {items, next}. Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
  sender constant uuid := (request->>'sendableBy')::uuid;
  of_workspace constant uuid := coalesce(
    (select i.workspace_id from messaging.instances i where i.id = sender),
    (request->>'workspaceId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_message_template(r)
      )
      from messaging.message_templates r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (of_workspace is null or r.workspace_id = of_workspace)
        and (sender is null or coalesce(r.instance_id, sender) = sender)
        and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- admin-api: makes the stored templates of an instance what its provider's complete list says.
-- `request`: instanceId, idempotency (see begin_idempotent), askedAt (before the list was read: what
-- a webhook, a person or another sync has decided since is newer than the list), templates
-- [{providerTemplateId, name, language, parameterFormat, components, category, providerStatus}], each provider id once.
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
      e.components, e.category, e."providerStatus" as status
    from jsonb_to_recordset(request->'templates') as e(
      "providerTemplateId" text, name text, language text, "parameterFormat" text,
      components jsonb, category text, "providerStatus" text
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
      select l.name, l.language, l.format, l.components, coalesce(l.category, r.category) as category
      where r.defined_at <= asked_at
      union all
      select r.name, r.language, r.parameter_format, r.components, r.category
      where r.defined_at > asked_at
    ) as definition
  ),
  updated as (
    update messaging.message_templates r
    set name = m.name, language = m.language, parameter_format = m.format,
      components = m.components, category = m.category, provider_status = m.status, provider_template_id = m.id,
      updated_at = greatest(r.updated_at, asked_at), defined_at = greatest(r.defined_at, asked_at)
    from matched m
    where r.workspace_id = instance.workspace_id and r.id = m.template_id
      and (
        r.name, r.language, r.parameter_format, r.components, r.category, r.provider_status,
        r.provider_template_id
      ) is distinct from (
        m.name, m.language, m.format, m.components, m.category, m.status, m.id
      )
    returning r.id, m.status is distinct from m.former_status as is_decided
  ),
  created as (
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, provider_status,
      provider_template_id, updated_at, defined_at, category
    )
    select instance.workspace_id, instance.id, l.name, l.language, l.format, l.components, l.status,
      l.id, asked_at, asked_at, l.category
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

-- admin-api: changes a template. `request`: templateId, changes {name, language, parameterFormat,
-- components, category, providerStatus, providerTemplateId, each optional; null clears the last three}.
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
    category = case when changes ? 'category' then changes->>'category' else r.category end,
    provider_status = case
      when changes ? 'providerStatus' then changes->>'providerStatus' else r.provider_status
    end,
    provider_template_id = case
      when changes ? 'providerTemplateId' then changes->>'providerTemplateId'
      else r.provider_template_id
    end,
    updated_at = now(),
    defined_at = case
      when changes ?| array['name', 'language', 'parameterFormat', 'components', 'category']
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

-- Decides the answer to a call with a known `Idempotency-Key` (decisions, section 5).
-- Returns {outcome, response, message, messageId, isAttemptDue}:
--   response is the first answer while it is still right, else NULL;
--   message is the message as it is now (see describe_message, and isRetryable) where the first
--     answer is no longer right, else NULL;
--   isAttemptDue says that the immediate send had a temporary refusal and may be tried again: see
--     attempt_again.
-- A successful first answer stays right unless the message was canceled or has expired since. A refusal or an unknown
-- outcome stays right until the message is attempted again or its state changes. Writes nothing.
-- Errors: MI007 (a call to the provider is under way).
create or replace function messaging.describe_kept_outcome(known messaging.idempotency_keys)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
  queued messaging.message_queue;
  is_immediate constant boolean := known.outcome->>'mode' = 'sent';
  status constant integer := (known.response->>'status')::integer;
  stands boolean;
  may_be_retried boolean;
begin
  select m.* into message from messaging.messages m where m.id = known.message_id;
  select q.* into queued from messaging.message_queue q where q.message_id = known.message_id;
  may_be_retried := message.is_retryable
    and coalesce(message.expires_at > clock_timestamp(), true);
  stands := case
    when message.id is null or status = 200 then true
    when not is_immediate then message.status not in ('canceled', 'expired')
    when status is null or queued.message_id is not null or known.attempt <> message.attempts then false
    when message.status = 'failed' then status <> 504 and not may_be_retried
    else message.status = 'unconfirmed' and status = 504
  end;
  -- In flight means a claim within its lease: after the lease no worker has the message.
  if not stands and queued.lease_until > clock_timestamp() then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  return jsonb_build_object(
    'outcome', known.outcome,
    'response', case when stands then known.response end,
    'messageId', known.message_id,
    'message', case when not stands then
      messaging.describe_message(message) || jsonb_build_object('isRetryable', may_be_retried)
    end,
    'isAttemptDue', not stands and is_immediate and message.status = 'failed'
      and may_be_retried and queued.message_id is null
  );
end;
$$;

-- Records those of the `calls` that are plain (see plain_acceptances) in few statements, each for all of
-- them: most of what an accepted message costs is the start of statements.
-- Returns the results as accept_message gives them, in the order of the calls, with NULL for each call
-- of which nothing was written.
-- Serves batches alone: a single call costs less by record_plain_call.
-- Locks and errors: see accept_messages.
-- Plans must not depend on statistics: the tables may hold ten rows or millions. The steps inherit the
-- settings below.
create or replace function messaging.accept_plain_calls(calls jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  plain messaging.acceptance[] := messaging.lock_free_contacts(
    messaging.plain_acceptances(calls, null)
  );
  has_keys boolean;
  is_incomplete boolean;
  used_tokens uuid[];
  changed uuid[];
begin
  if plain is null then
    return (select jsonb_agg(null::jsonb) from jsonb_array_elements(calls));
  end if;
  select bool_or(p.idempotency is not null),
    bool_or(p.conversation_id is null or p.has_active_agent),
    array_agg(p.token_id) filter (where p.token_id is not null and p.is_token_use_due),
    -- Who gets a conversation or whose agent is paused; a new contact needs no further note.
    array_agg(distinct p.contact_id) filter (
      where p.contact_id is not null and (p.conversation_id is null or p.has_active_agent)
    )
  into has_keys, is_incomplete, used_tokens, changed
  from unnest(plain) as p;
  if used_tokens is not null then
    perform messaging.note_token_use(used_tokens);
  end if;
  if has_keys then
    plain := messaging.take_keys(plain);
  end if;
  if is_incomplete then
    plain := messaging.complete_acceptances(calls, plain);
  end if;
  perform messaging.write_acceptances(plain);
  if changed is not null then
    perform messaging.touch_contacts(changed);
  end if;
  return messaging.describe_acceptances(plain, jsonb_array_length(calls));
end;
$$;

-- Stores new outbound messages, of sending calls, batches and keywords. An immediate message (`sent`) gets
-- its row of the queue here: claimed by its caller, and tried once. The others have theirs already, see
-- place_message: of one call all are immediate, or none. The caller holds the contacts.
create or replace function messaging.add_outbound_messages(messages messaging.outbound_message[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  insert into messaging.messages (
    id, instance_id, contact_id, conversation_id, direction, message_type, message, content, card_id,
    sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
    held_by, phone_given, metadata, purpose, batch_id, media_id, pauses_agent, expires_at,
    cancel_key, created_at
  )
  select m.id, m.instance_id, m.contact_id, m.conversation_id, 'outbound', m.draft->>'messageType',
    m.draft->>'message', nullif(m.draft->'content', 'null'), m.draft->>'cardId', m.draft->>'sentBy',
    case when m.draft->>'sentBy' = 'operator' then m.assigned_to end, m.agent_id,
    (m.draft->>'delayTypingMs')::integer, m.mode, m.interval_seconds,
    case m.mode when 'sent' then 'sending' else 'queued' end, m.scheduled_for, m.held_by,
    m.phone_given, nullif(m.draft->'metadata', 'null'), m.draft->>'purpose', m.batch_id,
    (m.draft->>'mediaId')::uuid, m.draft->>'pausesAgent' is null,
    (m.timing->>'expiresAt')::timestamptz, m.timing->>'cancelKey',
    -- Not the transaction's instant: a keyword's answer stands after the contact's word.
    clock
  from unnest(messages) as m;
  if messages[1].claim_token is null then
    return;
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  select m.id, m.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease.ends_at, 1, 1,
    m.claim_token, lease.ends_at
  from unnest(messages) as m
  cross join lateral (select clock + make_interval(secs => m.lease_seconds)) as lease(ends_at);
end;
$$;

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Records its event, and message.sent before it where the message had not been sent as far as was known.
-- A failure that may pause its batch is noted (see pause_failing_batches).
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
  was_unsent boolean;
  types text[];
  gone messaging.message_queue;
begin
  select m.status, m.sent_at is null into former_status, was_unsent
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
  update messaging.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled', 'expired')
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
    -- Providers tell whole seconds, which may lie before the message.
    failed_at = case
      when advance_message.status = 'failed' then greatest(occurred_at, m.created_at)
    end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  where m.id = advance_message.message_id
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
  returning m.instance_id, m.contact_id, was_unsent and m.sent_at is not null
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
  if advance_message.status = 'failed' then
    perform messaging.record_channel_denials(array[moved_contact_id], array[error]);
    perform messaging.note_batch_failures(array[m.id])
    from messaging.messages m
    where m.id = advance_message.message_id and messaging.may_pause_batch(m);
  end if;
  if is_newly_sent then
    perform messaging.note_contact(moved_contact_id);
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null
  returning q.* into gone;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.give_back_places(array[gone]);
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;

-- Claims the message of a repeated call for another immediate attempt, after a refusal that its provider
-- calls temporary (decisions, section 5, Idempotency-Key). It is the same message: its stored content is
-- sent, and nothing else of the call is done again but the pause of the agent, as with any accepted call.
-- `request` is accept_message's; `known` is what begin_idempotent said, isAttemptDue.
-- Returns {attempted: {outcome, message (see claimed_messages)}}: the caller holds the claim for
-- leaseSeconds and must settle it.
-- Locks the message; the caller holds the key, so that of two equal calls one attempts.
-- Errors: MI005, MI006, MI034 (as for a first attempt); MI007 (another one came first, by retry_message or a
-- delivery event).
create or replace function messaging.attempt_again(request jsonb, known jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  instance messaging.instances;
  outcome jsonb := known->'outcome';
  lease_until timestamptz;
  paused_until timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = (known->>'messageId')::uuid
  for no key update;
  message := messaging.message_after_merge(message);
  if message.id is null or message.status <> 'failed' or not message.is_retryable
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  perform messaging.refuse_send(instance, contact, message.message_type, message.purpose);
  lease_until := clock_timestamp() + make_interval(
    secs => (request->'delivery'->>'leaseSeconds')::double precision
  );
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  values (
    message.id, instance.id, 'unpaced', clock_timestamp(), lease_until, 1, 1, gen_random_uuid(),
    lease_until
  );
  update messaging.messages m
  set status = 'sending', failed_at = null, confirmed_by_echo = false
  where m.id = message.id;
  if message.agent_id is null and message.sent_by is distinct from 'ai_agent'
    and message.pauses_agent then
    paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
    outcome := outcome || jsonb_build_object(
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
    );
    if paused_until is not null then
      perform messaging.touch_contacts(array[contact.id]);
    end if;
  end if;
  perform messaging.keep_outcome(request, outcome, message.id);
  return jsonb_build_object('attempted', jsonb_build_object(
    'outcome', outcome,
    'message', messaging.claimed_messages(array[message.id])->0
  ));
end;
$$;

-- accept_message and move_message: refuses instants that are not ahead: sendAt up to 35 days, and past by a
-- minute at most (callers' clocks differ); expiresAt in the future, and after the message is to leave: it
-- would expire in silence. Checked when the call is recorded, not when it is read: a repeated call gets its
-- first answer however late it is repeated. `delivery` as in accept_message.
-- Errors: MI041, MI042, MI043, MI057.
create or replace function messaging.check_timing(delivery jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  send_at constant timestamptz := (delivery->'timing'->>'sendAt')::timestamptz;
  expires_at constant timestamptz := (delivery->'timing'->>'expiresAt')::timestamptz;
begin
  if send_at < clock - interval '1 minute' then
    raise exception using errcode = 'MI041', message = 'sendAt is past';
  end if;
  -- 35 times 24 hours, whatever the local clocks do meanwhile.
  if send_at > clock + interval '840 hours' then
    raise exception using errcode = 'MI042', message = 'sendAt is too far ahead';
  end if;
  if expires_at <= clock then
    raise exception using errcode = 'MI043', message = 'expiresAt is past';
  end if;
  if expires_at <= messaging.earliest_departure(delivery, clock) then
    raise exception using errcode = 'MI057', message = 'expiresAt is before the message leaves';
  end if;
end;
$$;

-- accept_messages: creates what the plain calls still lack, contacts and conversations, and pauses the
-- agents. Calls for one new phone get one contact. `calls` and `plain` as in plain_acceptances. Returns
-- `plain` as it is then.
-- Locks, each in one order for all callers: addresses of new contacts, contacts, conversations, agent
-- pauses.
-- Errors: MI055 where a contact was merged or blocked meanwhile; the batch must be repeated.
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
    and c.merged_into is null
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
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  return messaging.pause_accepted_agents(completed);
end;
$$;

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
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null
        and m.pauses_agent as pauses_agent,
      r."calledAfterMs",
      r."channelStatus"
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text, "channelStatus" text,
      "calledAfterMs" integer
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

-- accept_messages: the results of the plain calls in the order of the request, with NULL for each of the
-- `calls` that is not among them. Counts the calls that this transaction has authenticated: those of one
-- token and function at once, and each gets what then remains for it.
-- Locks rate limits, in one order for all batches, after everything else: they are held while the
-- transaction commits.
-- Errors: MI022 where an allowance does not suffice for all of them.
create or replace function messaging.describe_acceptances(
  plain messaging.acceptance[],
  calls integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  counted_at timestamptz;
  limits jsonb := '{}';
  spent record;
  whole_at timestamptz;
begin
  for spent in
    select p.token_id, p.function_name, p.requests_per_minute, array_agg(p.place order by p.place) as places
    from unnest(plain) as p
    where p.token_id is not null
    group by p.token_id, p.function_name, p.requests_per_minute
    order by p.token_id, p.function_name
  loop
    whole_at := null;
    if spent.requests_per_minute is not null then
      whole_at := messaging.spend_requests(
        spent.token_id, spent.function_name, spent.requests_per_minute, cardinality(spent.places)
      );
      if whole_at is null then
        raise exception using errcode = 'MI022', message = 'authenticate_anew';
      end if;
    end if;
    counted_at := clock_timestamp();
    limits := limits || (
      select jsonb_object_agg(counted.place, jsonb_build_object('rateLimit', case
        when whole_at is not null then messaging.describe_rate_limit(
          spent.requests_per_minute,
          messaging.allowance_seconds_left(
            spent.requests_per_minute, whole_at, cardinality(spent.places) - counted.number,
            counted_at
          ),
          true
        )
      end))
      from unnest(spent.places) with ordinality as counted(place, number)
    );
  end loop;
  return (
    select jsonb_agg(
      case when p.place is not null then
        messaging.describe_acceptance(p.message_id, p.contact_id, p.conversation_id, p.paused_until, p.time_zone)
          || jsonb_build_object('claimToken', p.claim_token, 'to', coalesce(p.send_address, p.phone))
          || coalesce(limits->p.place::text, '{}')
      end
      order by numbers.place
    )
    from generate_series(1, describe_acceptances.calls) as numbers(place)
    left join unnest(plain) as p on p.place = numbers.place
  );
end;
$$;

-- The one record of a message, sent or received, with its contact, as messages-api reports it. A claim counts as
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
  shown messaging.messages := messaging.message_after_merge(message);
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
    return messaging.message_record(shown, state.time_zone, state.is_claimed)
      || messaging.read_message_contact(shown.contact_id);
  end if;
  return messaging.message_record(shown, state.time_zone, state.is_claimed)
    || messaging.read_message_contact(shown.contact_id)
    || messaging.message_media(message.media_id, message.content)
    || messaging.received_file_error(message);
end;
$$;

-- The outbound message of an instance that a path names (see find_message_id), locked. `request`:
-- instanceId, messageId.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request) and m.direction = 'outbound'
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.message_after_merge(message);
end;
$$;

-- The id of the message that a path names: by our id, else by the provider's. `request`: instanceId,
-- messageId as the path has it. NULL where the instance has none, or several under that id of the provider.
create or replace function messaging.find_message_id(request jsonb)
returns uuid
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  named constant text := request->>'messageId';
  of_instance constant uuid := request->>'instanceId';
  found_id uuid;
begin
  if named ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select m.id into found_id
    from messaging.messages m
    where m.id = named::uuid and m.instance_id = of_instance;
  end if;
  if found_id is null then
    select min(m.id::text)::uuid into found_id
    from messaging.messages m
    where m.instance_id = of_instance and m.provider_message_id = named
    having count(*) = 1;
  end if;
  return found_id;
end;
$$;

-- When a message that has just been queued or scheduled may leave, and what moved it, where its instance is
-- held at its slot: see expected_departure.
create or replace function messaging.held_departure(
  message_id uuid,
  instance messaging.instances,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  select e.leaves_at, e.held_by into slot, held_by
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  join messaging.dispatch d on d.instance_id = q.instance_id
  cross join lateral messaging.expected_departure(q, m, instance, d) as e
  where q.message_id = held_departure.message_id;
end;
$$;

-- settle_messages: locks what the answers name, before the queue: the provider's message ids, so that a
-- delivery event and the settling of its message never miss each other, then the addresses that
-- the contacts do not have yet, then those contacts in the order of their ids: who merges or erases one
-- holds it, and goes on to its messages. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.lock_answers(results jsonb, shows_addresses boolean)
returns void
language plpgsql
set search_path = ''
as $$
declare
  answered uuid[];
  contact_ids uuid[];
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct messaging.provider_message_lock_key(
      m.instance_id, r."providerMessageId"
    ) as lock_key
    from jsonb_to_recordset(results) as r("messageId" uuid, "providerMessageId" text)
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."providerMessageId" is not null
    order by lock_key
  ) as wanted;
  if not shows_addresses then
    return;
  end if;
  perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
  from (
    select m.instance_id, r."waId" as address
    from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    cross join lateral (
      select own.instance_id, own.contact_id
      from messaging.messages own
      where own.id = r."messageId"
      offset 0
    ) as m
    where r."waId" is not null and not exists (
      select from messaging.contact_addresses a
      where a.instance_id = m.instance_id
        and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
    )
  ) as shown
  group by shown.instance_id
  order by shown.instance_id;
  answered := array(
    select r."messageId" from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    where r."waId" is not null
  );
  loop
    contact_ids := array(
      select distinct m.contact_id from messaging.messages m where m.id = any (answered)
    );
    perform from messaging.contacts c where c.id = any (contact_ids) order by c.id for update;
    -- A merge that this has waited for has moved the messages.
    exit when not exists (
      select from messaging.messages m
      where m.id = any (answered) and m.contact_id <> all (contact_ids)
    );
  end loop;
end;
$$;

-- accept_messages: locks the contacts of the plain calls, in the order of their ids, against merges and
-- erasures. Returns the calls whose contact is locked now or unknown yet. Never waits: whose contact
-- another transaction holds, or has merged meanwhile, is left out.
create or replace function messaging.lock_free_contacts(plain messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    with locked as materialized (
      select c.id from messaging.contacts c
      where c.id = any (array(select p.contact_id from unnest(plain) as p))
        and c.merged_into is null
      order by c.id
      for key share skip locked
    )
    select array_agg(p order by p.place)
    from unnest(plain) as p
    where p.contact_id is null or p.contact_id = any (array(select l.id from locked l))
  );
end;
$$;

-- Serialises transactions about the same provider message until they commit, so that a delivery event
-- and the settling of its send never miss each other. Takes instances and provider message ids in
-- pairs. All callers lock in one order. The messages of an instance share 256 locks: a delivery of
-- thousands must not exhaust the server's lock table.
create or replace function messaging.lock_provider_messages(
  instance_ids uuid[],
  provider_message_ids text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct messaging.provider_message_lock_key(
      pair.instance_id, pair.provider_message_id
    ) as lock_key
    from unnest(instance_ids, provider_message_ids) as pair(instance_id, provider_message_id)
    where pair.provider_message_id is not null
    order by lock_key
  ) as wanted;
end;
$$;

-- The contact as a message's record and its events show it: {contact: {contactId, phone, name, userId,
-- username, lid}}. `identities` as shown_identities; NULL for none. Reads no table.
create or replace function messaging.message_contact(
  contact_id uuid,
  phone text,
  name text,
  identities jsonb
)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object('contact', jsonb_build_object(
    'contactId', contact_id,
    'phone', phone,
    'name', name,
    'userId', identities->'userId',
    'username', identities->'username',
    'lid', identities->'lid'
  ));
end;
$$;

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
      select from messaging.messages m
      where m.contact_id = any (messaging.merged_contact_ids(of_contact))
      limit most + 1
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

-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once. Of a message that waits it
-- shows its slot as stored; describe_message knows what else may hold it. Of a message with a media_id
-- message_media knows the rest: add it. So add read_message_contact, its contact.
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
    'quotedMessageId', message.quoted_message_id,
    'quotedProviderMessageId', message.quoted_provider_message_id,
    'isGroup', coalesce(message.is_group, false),
    'chatName', message.chat_name,
    'author', message.author,
    'sentBy', message.sent_by,
    'isTypedOnPhone', coalesce(message.is_typed_on_phone, false),
    'cardId', message.card_id,
    'batchId', message.batch_id,
    'purpose', messaging.told_purpose(message.purpose),
    'cancelKey', message.cancel_key,
    'metadata', coalesce(message.metadata, '{}'),
    'mediaId', message.media_id,
    'mediaStatus', null,
    'mediaUrl', message.content->>'mediaUrl',
    'mediaFilename', message.content->>'mediaFilename',
    'mediaMimeType', null,
    'mediaSize', null,
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'channelStatus', case when message.status = 'sent' then message.channel_status end,
    'scheduledFor', messaging.iso_in_zone(message.scheduled_for, time_zone),
    'heldBy', case
      when message.status = 'queued' and is_claimed is not true then message.held_by
    end,
    'expiresAt', messaging.iso_in_zone(message.expires_at, time_zone),
    'createdAt', messaging.iso_in_zone(message.created_at, time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, time_zone),
    'editedAt', messaging.iso_in_zone(message.edited_at, time_zone),
    'deletedAt', messaging.iso_in_zone(message.deleted_at, time_zone),
    'attempts', message.attempts + case when is_claimed then 1 else 0 end,
    'lastError', messaging.shown_error(message.last_error)
  ) || messaging.shown_parts(message.content);
end;
$$;

-- The table of what a provider's event (sent, delivered, read, failed) may change: under which condition
-- it moves an outbound message out of `status`. NULL for a pair that is not listed: such an event is
-- late or repeated, and changes nothing. Each condition compares the event's provider message id with
-- the id that the message has:
--   always           whatever the ids are
--   new_id           not the same id: one that is known before an attempt ends is an earlier attempt's
--   claimed_new_id   as new_id, and a worker has the message in hand
--   same_id          not another id: that is an earlier attempt's
--   other_id         another id, and both are known
-- advance_message applies it.
create or replace function messaging.message_transition(status text, event text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case status || ' > ' || event
    -- Waits in the queue, or a paced message in flight.
    when 'queued > sent'           then 'new_id'          -- it left, though its answer was lost
    when 'queued > delivered'      then 'always'          -- the customer has it
    when 'queued > read'           then 'always'          -- the customer has it
    when 'queued > failed'         then 'claimed_new_id'  -- while it only waits it cannot have failed
    -- An immediate message in flight.
    when 'sending > sent'          then 'new_id'          -- the event came before the answer
    when 'sending > delivered'     then 'always'          -- the event came before the answer
    when 'sending > read'          then 'always'          -- the event came before the answer
    when 'sending > failed'        then 'new_id'          -- the event came before the answer
    -- The outcome of its call is unknown: the event tells it.
    when 'unconfirmed > sent'      then 'new_id'          -- it left
    when 'unconfirmed > delivered' then 'always'          -- it left
    when 'unconfirmed > read'      then 'always'          -- it left
    when 'unconfirmed > failed'    then 'new_id'          -- it did not leave
    -- The provider has accepted it.
    when 'sent > delivered'        then 'always'          -- forward
    when 'sent > read'             then 'always'          -- forward; not every provider tells both
    when 'sent > failed'           then 'same_id'         -- the attempt that was accepted has failed
    -- Has arrived: it cannot fail any more.
    when 'delivered > read'        then 'always'          -- forward
    -- Left the queue unsent, and had left after all.
    when 'canceled > sent'         then 'new_id'          -- a claim was settled too late
    when 'canceled > delivered'    then 'always'          -- the customer has it
    when 'canceled > read'         then 'always'          -- the customer has it
    when 'expired > sent'          then 'new_id'          -- a claim was settled too late
    when 'expired > delivered'     then 'always'          -- the customer has it
    when 'expired > read'          then 'always'          -- the customer has it
    -- One attempt has failed; only that another attempt has arrived counts.
    when 'failed > delivered'      then 'other_id'        -- the customer has it
    when 'failed > read'           then 'other_id'        -- the customer has it
  end;
end;
$$;

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
    array_agg(p.contact_id), array_agg(p.instance_id), messaging.agent_pause_ends_at(clock_timestamp())
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

-- Puts an accepted message that does not leave at once where its delivery requires: `queued` into the paced
-- lane, `scheduled` (delayed, for an instant of the caller's, or deferred to the dispatcher) into the
-- unpaced lane. See accept_message for `delivery`, enqueue_message for `typing`. The caller stores it with
-- add_outbound_messages.
create or replace function messaging.place_message(
  message_id uuid,
  instance messaging.instances,
  delivery jsonb,
  typing interval,
  contact_id uuid,
  out mode text,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  send_at constant timestamptz := date_trunc(
    'milliseconds', (delivery->'timing'->>'sendAt')::timestamptz
  );
  not_before constant timestamptz := messaging.earliest_departure(delivery, clock);
  is_delayed constant boolean := not_before > clock;
  enqueued record;
  is_new boolean;
  counted_on date;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    if send_at > clock then
      enqueued := messaging.enqueue_message_later(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    else
      enqueued := messaging.enqueue_message(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    end if;
    slot := enqueued.slot;
    held_by := coalesce(enqueued.held_by, case when is_delayed then 'delay' end);
  else
    mode := 'scheduled';
    slot := not_before;
    held_by := case when is_delayed then 'delay' end;
    if instance.protection is not null then
      select c.is_new, c.counted_on into is_new, counted_on
      from messaging.count_unpaced_send(instance.id, contact_id, slot) c;
    end if;
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, is_new, counted_on
    )
    values (
      message_id, instance.id, 'unpaced', slot, slot, is_new, counted_on
    );
  end if;
end;
$$;

-- move_message: puts a message back into its lane of the queue, due at `send_at`. `gone` is its row as it
-- was. The caller holds the message and pacing. Errors: MI010.
create or replace function messaging.place_moved_message(
  message messaging.messages,
  instance messaging.instances,
  gone messaging.message_queue,
  send_at timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  slot timestamptz := greatest(send_at, clock);
  reason text;
  counted record;
begin
  if gone.lane = 'paced' or gone.interval_seconds > 0 then
    -- The message's own interval: that of its row may hold a jitter.
    if slot > clock then
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message_later(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    else
      select e.slot, e.held_by into slot, reason
      from messaging.enqueue_message(
        message.id, instance, message.interval_seconds, slot, typing, message.contact_id
      ) e;
    end if;
    update messaging.message_queue q
    set attempts = gone.attempts, max_attempts = gone.max_attempts
    where q.message_id = message.id and gone.attempts > 0;
  else
    counted := messaging.count_unpaced_send(instance.id, message.contact_id, slot);
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, is_new,
      counted_on
    )
    values (
      message.id, instance.id, 'unpaced', slot, slot, gone.max_attempts, gone.attempts,
      counted.is_new, counted.counted_on
    );
  end if;
  update messaging.messages m
  set scheduled_for = slot,
    held_by = coalesce(reason, case when send_at > clock then 'delay' end)
  where m.id = message.id;
end;
$$;

-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[]
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        exists (
          select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
        ),
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        messaging.is_token_use_due(t.last_used_at, clock),
        call.idempotency, call.message, call.delivery,
        coalesce(former.message_id, gen_random_uuid()),
        coalesce(former.claim_token, gen_random_uuid()),
        coalesce(own.id, shown.id), v.id,
        v.assigned_to,
        nullif(call.phone, coalesce(own.phone, shown.phone)),
        sending.address,
        former.paused_until
      )::messaging.acceptance
      order by call.place
    )
    from rows from (
      jsonb_to_recordset(calls) as (
        "instanceId" uuid, phone text, idempotency jsonb, message jsonb, delivery jsonb,
        authentication jsonb
      ),
      jsonb_array_elements(calls)
    ) with ordinality as call (
      instance_id, phone, idempotency, message, delivery, authentication, request, place
    )
    left join unnest(known) as former on former.place = call.place
    -- "offset 0" keeps each look-up to itself: whatever the statistics, it has both columns of its key.
    cross join lateral (
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.protection,
        n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.id, k.last_used_at
      from messaging.client_tokens k
      where k.token_hash = call.authentication->>'tokenHash' and k.instance_id = i.id
        and messaging.may_token_send(k, clock)
        and i.version = call.authentication->>'instanceVersion'
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.last_inbound_at
      from messaging.contacts c
      where own.id is null and c.id = (
        select a.contact_id from messaging.contact_addresses a
        where a.instance_id = i.id and a.identity_key = wanted.identity_key
      )
      offset 0
    ) as shown on true
    left join lateral (
      select c.id, c.assigned_to
      from messaging.conversations c
      where c.contact_id = coalesce(own.id, shown.id)
      offset 0
    ) as v on true
    left join lateral messaging.proven_address(coalesce(own.id, shown.id), false) as sending on true
    where messaging.is_bare_message(call.request)
      and (call.delivery->>'queued')::boolean is not true
      and (call.delivery->>'isDeferred')::boolean is not true
      and coalesce((call.delivery->>'delaySeconds')::double precision, 0) <= 0
      and call.delivery->>'timing' is null
      -- Its sends are counted, one by one: see count_unpaced_send.
      and i.protection is null
      and call.message->>'pausesAgent' is null
      and messaging.send_refusal(
        coalesce(own.is_blocked, shown.is_blocked),
        coalesce(own.consent_marketing, shown.consent_marketing),
        coalesce(own.last_inbound_at, shown.last_inbound_at),
        i.provider_class, call.message->>'messageType', call.message->>'purpose', clock
      ) is null
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;

-- The contact of a message as it is now: see message_contact.
create or replace function messaging.read_message_contact(contact_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select messaging.message_contact(
      c.id, messaging.contact_display_phone(c), c.name, messaging.shown_identities(c.id)
    )
    from messaging.contacts c
    where c.id = read_message_contact.contact_id
  );
end;
$$;

-- accept_message: finds or creates what a call is about, step by step: any call that the one statement of
-- accept_message does not answer. The contact, its conversation, the address, the assignment, and the
-- agent. `request` and the errors are accept_message's.
create or replace function messaging.resolve_send(
  instance messaging.instances,
  request jsonb,
  out contact_id uuid,
  out phone text,
  out conversation_id uuid,
  out assigned_to uuid,
  out address text,
  out assignment jsonb,
  out agent_id uuid
)
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
begin
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft is not null then
    perform messaging.refuse_send(instance, contact, draft->>'messageType', draft->>'purpose');
    address := messaging.channel_send_address(
      instance, contact, request->>'phone', draft->>'needsPhone' is not null
    );
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;
  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    perform messaging.take_agent_turn(
      conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
      (request->'agent'->>'answersThrough')::bigint
    );
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;
  contact_id := contact.id;
  phone := contact.phone;
  conversation_id := conversation.id;
  assigned_to := coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to);
end;
$$;

-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted. Records the events of
-- those that became `sent`, `failed` or `unconfirmed`, and notes whose failure may pause their batch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  types text[];
  failed uuid[];
begin
  with changed as (
    update messaging.messages m
    set attempts = least(m.attempts::integer + (not s.is_unsent)::integer, 32767),
      lost_claim_token = case when s.outcome = 'unknown' then s.claim_token end,
      last_error = case
        when m.status = 'failed' and not s.is_revived then m.last_error
        when s.outcome <> 'accepted' then s.error
      end,
      provider_message_id = coalesce(s.provider_message_id, m.provider_message_id),
      channel_status = s.channel_status,
      status = case
        when s.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when s.is_retried then 'queued'
        when s.outcome = 'accepted' then 'sent'
        when s.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then s.is_retryable
        else m.is_retryable
      end,
      sent_at = case when s.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not s.is_revived then m.failed_at
        when s.outcome = 'rejected' and not s.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when s.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    from unnest(settlements) as s
    cross join lateral (
      select f.status from messaging.messages f where f.id = s.message_id offset 0
    ) as former
    where m.id = any (array[s.message_id])
    returning m.id, m.status, former.status as former_status,
      messaging.may_pause_batch(m) and s.outcome = 'rejected' and not s.has_old_credentials as may_pause_batch
  )
  select array_agg(c.id order by c.id) filter (where is_new.status),
    array_agg('message.' || c.status order by c.id) filter (where is_new.status),
    array_agg(c.id) filter (where c.may_pause_batch)
  into ids, types, failed
  from changed c
  cross join lateral (
    select c.status <> c.former_status and c.status in ('sent', 'failed', 'unconfirmed') as status
  ) as is_new;
  perform messaging.record_message_events(ids, types);
  perform messaging.note_batch_failures(failed);
end;
$$;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: one statement for both would cost a send 1.10 times as many
-- instructions. `result` as in settle_messages, without an address.
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
  has_news boolean;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  -- The floor of the message's event, as hold_event_floor takes it, without a statement of its own.
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id),
    messaging.lock_event_floor(q.instance_id)
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      or pg_advisory_xact_lock(
        messaging.provider_message_lock_key(q.instance_id, provider_id)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  perform from messaging.provider_news(tenant, provider_id, settled);
  has_news := found;
  with settled_row as (
    delete from messaging.message_queue q where q.message_id = settled
  ),
  sent as (
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
    returning m.instance_id, messaging.snapshot_message(
      m,
      c.name,
      coalesce((select a.phone from messaging.announced_phone(c.id) as a), c.phone),
      (select h.identities from messaging.hidden_identities(c.id) as h),
      false
    ) as message
  ),
  told as (
    insert into messaging.events (instance_id, contact_id, type, message)
    select s.instance_id, (s.message).contact_id, 'message.sent', s.message
    from sent s
  )
  update messaging.contact_activity a
  set updated_at = greatest(
      a.updated_at,
      messaging.change_instant(a.instance_id)
    ),
    last_message_at = greatest(a.last_message_at, clock),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > clock, false)
  where a.contact_id = addressee and not has_news;
  if has_news then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
    perform messaging.note_contact(addressee);
  end if;
  return array[settled];
end;
$$;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled; `addressees`: their contacts. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends; with the provider's id of the message.
-- The caller settles the other results, whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb,
  clock timestamptz,
  out settled uuid[],
  out addressees uuid[],
  out settlements messaging.settlement[]
)
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  told jsonb;
  instances uuid[];
begin
  select array_agg((r->>'messageId')::uuid), jsonb_object_agg((r->>'messageId')::uuid, r)
  into ids, told
  from jsonb_array_elements(results) as r;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(locked.contact_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        locked.provider_id, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent, locked.called_after_ms, null
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, addressees, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      coalesce(told #>> array[q.message_id::text, 'providerMessageId'], m.provider_message_id)
        as provider_id,
      (told #>> array[q.message_id::text, 'calledAfterMs'])::integer as called_after_ms,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null
        and m.pauses_agent as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = (told #>> array[q.message_id::text, 'claimToken'])::uuid
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
        told #>> array[m.id::text, 'providerMessageId'], m.provider_message_id
      ),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = any (settled) and c.id = any (array[m.contact_id])
    returning m.instance_id, messaging.snapshot_message(
      m,
      c.name,
      coalesce((select a.phone from messaging.announced_phone(c.id) as a), c.phone),
      (select h.identities from messaging.hidden_identities(c.id) as h),
      false
    ) as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s
  order by (s.message).id;
end;
$$;

-- Takes back messages whose claims ended although their workers had not called the provider: another
-- process has made them `unconfirmed`, but nothing was sent. A queued or scheduled message waits again.
-- An immediate send fails, and may be retried; so does a message whose send window never opens now.
-- Only while the message is in doubt by that very claim: since then a delivery event, a person or
-- another attempt may have decided otherwise.
-- `results`: as settle_messages takes them. Returns the ids of those that were taken back.
-- Locks the messages, then pacing (see requeue_message).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.take_back_unsent(results jsonb)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  unsent record;
  taken_back uuid[] := '{}';
begin
  for unsent in
    select m as message, r.error
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, error jsonb, "isUnsent" boolean
    )
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."isUnsent" and m.status = 'unconfirmed' and m.lost_claim_token = r."claimToken"
    order by m.instance_id, m.id
    for no key update of m
  loop
    update messaging.messages m
    set status = 'failed', failed_at = clock_timestamp(), unconfirmed_at = null,
      is_retryable = true, last_error = unsent.error, lost_claim_token = null,
      -- The end of the claim was counted as an attempt.
      attempts = greatest(m.attempts - 1, 0)
    where m.id = (unsent.message).id;
    begin
      if (unsent.message).mode in ('queued', 'scheduled') then
        perform messaging.requeue_message(unsent.message);
      end if;
    exception when sqlstate 'MI010' then
      null;
    end;
    perform messaging.record_message_events(array[m.id], array['message.failed'])
    from messaging.messages m
    where m.id = (unsent.message).id and m.status = 'failed';
    taken_back := taken_back || (unsent.message).id;
  end loop;
  return taken_back;
end;
$$;

-- Takes waiting messages out of the queue for good: they become `status`, canceled or expired. A message
-- in flight stays: its claim says what becomes of it. Their slots are given back (see give_back_slots).
-- Returns the ids of those that were withdrawn.
-- The caller holds the messages. Locks pacing, then dispatch. Tries the queue rows without waiting: their
-- holders are about to send the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.withdraw_messages(message_ids uuid[], status text)
returns uuid[]
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
  instance_ids uuid[];
  withdrawn uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(distinct m.instance_id) into instance_ids
  from messaging.messages m
  where m.id = any (message_ids);
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids)
  order by p.instance_id
  for no key update;
  with waiting as materialized (
    select w.message_id
    from messaging.message_queue w
    where w.message_id = any (message_ids) and w.claim_token is null
    for update skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q order by (taken.q).message_id) into gone from taken;
  if gone is null then
    return '{}';
  end if;
  withdrawn := array(select g.message_id from unnest(gone) as g);
  update messaging.messages m
  set status = withdraw_messages.status,
    canceled_at = case when withdraw_messages.status = 'canceled' then clock end
  where m.id = any (withdrawn);
  perform messaging.record_message_events(
    withdrawn, array['message.' || withdraw_messages.status]
  );
  perform messaging.give_back_slots(gone);
  perform messaging.refresh_dispatch(instance_ids);
  return withdrawn;
end;
$$;

-- accept_messages: stores the messages of the plain calls with their claims, and the outcomes under the
-- calls' keys. The caller holds the contacts.
create or replace function messaging.write_acceptances(plain messaging.acceptance[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.add_outbound_messages(array(
    select row(
      p.message_id, p.instance_id, p.contact_id, p.conversation_id, p.message, p.operator_id, null,
      'sent', (p.delivery->>'intervalSeconds')::integer, null, null, p.phone_given, null, null,
      p.claim_token, (p.delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message
    from unnest(plain) as p
  ));
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    update messaging.idempotency_keys k
    set outcome = messaging.describe_acceptance(p.message_id, p.contact_id, p.conversation_id, p.paused_until, p.time_zone)
    from unnest(plain) as p
    where k.scope = any (array[p.idempotency->>'scope'])
      and k.key = any (array[p.idempotency->>'key']);
  end if;
end;
$$;

-- Records a sending call in one transaction: contact, conversation, assignment, message, slot, agent
-- pause, idempotency key. No provider is called before it has committed.
-- `request`: instanceId, phone | contactId | userId (see find_recipient), idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, mediaId, cardId, metadata, purpose, sentBy, delayTypingMs,
--     needsPhone, pausesAgent (false or absent)} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn); or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once; timing {sendAt, expiresAt, cancelKey} where one of them is given,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also
-- claimToken and `to`, the address: the caller holds the claim for leaseSeconds and must settle it. Or
-- {replayed: ...} for a known key, and {attempted: ...} where that key's message is to be tried again
-- (see attempt_again). With authentication also rateLimit (see describe_rate_limit).
-- One statement finds what a bare message (see is_bare_message) to a known contact needs; resolve_send what
-- any other call does. What a call costs is mostly the start of its statements. Plans must not depend on
-- statistics: there may be ten contacts or a million. The steps inherit the settings below.
-- Locks, in this order: key, contact, conversation, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI031 (contactId), MI033 (no phone), MI034 (marketing to a contact that has denied it), MI018 (the
-- agent is to be silent), MI022 (the caller must authenticate anew), MI041,
-- MI042, MI043 and MI057 (timing), MI051 to MI054 (the file: see take_media).
create or replace function public.accept_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft constant jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  timing constant jsonb := nullif(delivery->'timing', 'null');
  authentication constant jsonb := nullif(request->'authentication', 'null');
  given_phone constant text := request->>'phone';
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := clock_timestamp();
  is_bare constant boolean := messaging.is_bare_message(request);
  wanted_key constant text := case when is_bare then messaging.phone_identity_key(given_phone) end;
  is_immediate constant boolean := draft is not null
    and (delivery->>'queued')::boolean is not true and (delivery->>'isDeferred')::boolean is not true
    and messaging.earliest_departure(delivery, clock) <= clock;
  message_id constant uuid := case when draft is not null then gen_random_uuid() end;
  claim_token constant uuid := case when is_immediate then gen_random_uuid() end;
  known record;
  is_known boolean;
  resolved record;
  assignment jsonb;
  agent_id uuid;
  recorded jsonb;
  paused_until timestamptz;
  is_pausing boolean := false;
  mode text := case when draft is null then 'assign_only' else 'sent' end;
  placed record;
  slot timestamptz;
  held_by text;
begin
  select i.id as instance_id, case when is_bare and not is_immediate then i end as instance,
    i.time_zone, i.requests_per_minute, i.protection is not null as is_protected, t.id as token_id,
    messaging.is_token_use_due(t.last_used_at, clock) as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.instances i
  left join messaging.contacts c
    on c.instance_id = i.id and c.identity_key = wanted_key
    and messaging.send_refusal(
      c.is_blocked, c.consent_marketing, c.last_inbound_at, i.provider_class,
      draft->>'messageType', draft->>'purpose', clock
    ) is null
  left join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = authentication->>'tokenHash' and t.instance_id = i.id
    and messaging.may_token_send(t, clock)
    and i.xmin::text = authentication->>'instanceVersion'
  left join lateral messaging.proven_address(c.id, false) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where i.id = (request->>'instanceId')::uuid;
  if authentication is not null and known.token_id is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  elsif known.token_id is not null and known.is_token_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;
  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is not null then
    return messaging.count_recorded_call(
      recorded, known.token_id, authentication->>'functionName', known.requests_per_minute
    );
  end if;

  if timing is not null and draft is not null then
    perform messaging.check_timing(delivery);
  end if;
  is_known := known.conversation_id is not null;
  if is_known then
    perform from messaging.contacts c
    where c.id = known.contact_id and c.merged_into is null
    for key share;
    if not found then
      raise exception using errcode = 'MI055', message = 'merged meanwhile';
    end if;
  else
    known.instance := (select i from messaging.instances i where i.id = known.instance_id);
    resolved := messaging.resolve_send(known.instance, request);
    known.contact_id := resolved.contact_id;
    known.phone := resolved.phone;
    known.conversation_id := resolved.conversation_id;
    known.assigned_to := resolved.assigned_to;
    known.address := resolved.address;
    assignment := resolved.assignment;
    agent_id := resolved.agent_id;
  end if;

  if known.has_agent then
    is_pausing := draft is not null and agent_id is null
      and draft->>'sentBy' is distinct from 'ai_agent' and draft->>'pausesAgent' is null
      and (is_immediate or messaging.leaves_in_pause(known.instance, delivery));
    if is_pausing then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    else
      select p.paused_until into paused_until from messaging.agent_pauses p
      where p.contact_id = known.contact_id and p.paused_until > clock;
    end if;
  end if;
  if is_immediate then
    if known.is_protected then
      perform messaging.count_unpaced_send(known.instance_id, known.contact_id, clock);
    end if;
  elsif draft is not null then
    placed := messaging.place_message(
      message_id, known.instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0), known.contact_id
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
  end if;
  if draft is not null then
    perform messaging.add_outbound_messages(array[row(
      message_id, known.instance_id, known.contact_id, known.conversation_id, draft,
      known.assigned_to, agent_id, mode, (delivery->>'intervalSeconds')::integer, slot, held_by,
      nullif(given_phone, known.phone), null, timing, claim_token,
      (delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message]);
  end if;
  if slot is not null then
    perform from messaging.dispatch d
    where d.instance_id = known.instance_id and messaging.is_held_at(d, slot);
    if found then
      placed := messaging.held_departure(message_id, known.instance);
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
  end if;
  if is_known and is_pausing and paused_until is not null then
    perform messaging.touch_contacts(array[known.contact_id]);
  elsif not is_known then
    if is_pausing and paused_until is not null then
      perform messaging.note_contact(known.contact_id);
    end if;
    perform messaging.touch_noted_contacts();
  end if;

  recorded := jsonb_build_object(
    'mode', mode,
    'contactId', known.contact_id,
    'conversationId', known.conversation_id,
    'agentId', agent_id,
    'assignment', assignment,
    'messageId', message_id,
    'status', case mode when 'assign_only' then null when 'sent' then 'sending' else 'queued' end,
    'scheduledFor', messaging.iso_in_zone(slot, known.time_zone),
    'heldBy', held_by,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, known.time_zone),
    'claimToken', claim_token,
    'to', case when is_immediate then coalesce(known.address, given_phone) end
  );
  if has_key then
    perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, authentication->>'functionName', known.requests_per_minute
  );
end;
$$;

-- Records up to 32 sending calls in one transaction, those of them that are plain: see
-- plain_acceptances.
-- `request`: calls, each as the request of accept_message.
-- Returns {results}, one for each call: what accept_message returns, or NULL for a call of which nothing
-- was written. Those go through accept_message: what is not plain, what is to be refused, a known
-- `Idempotency-Key`, the second of two equal ones, and what would wait for its contact: a batch has calls
-- of many tenants.
-- Locks known contacts that are free, and then in the order of accept_message, and within each kind in one
-- order for all batches: keys, addresses of new contacts, contacts, conversations, agent pauses, rate
-- limits. Others hold those for some milliseconds; where it takes longer, the batch gives up.
-- Errors: 55P03 where a lock is not free, MI055 where a contact was merged or blocked meanwhile, and MI022
-- where a token may not make all its calls of the batch: each must go through accept_message.
create or replace function public.accept_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '100ms'
as $$
begin
  if jsonb_array_length(request->'calls') > 32 then
    raise exception 'at most 32 calls';
  end if;
  return jsonb_build_object('results', messaging.accept_plain_calls(request->'calls'));
end;
$$;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as withdraw_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  message := messaging.find_message(request);
  if message.status = 'canceled' then
    return messaging.describe_message(message);
  end if;
  if message.status <> 'queued' then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable', detail = message.status;
  end if;
  if cardinality(messaging.withdraw_messages(array[message.id], 'canceled')) = 0 then
    -- The message of a paused batch waits without a place in the queue.
    if messaging.end_messages_taken_back(array[message.id], 'canceled') = 0 then
      raise exception using errcode = 'MI011', message = 'message_not_cancelable', detail = 'sending';
    end if;
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;

-- messages-api: cancels all messages that still wait under a cancelKey. `request`: instanceId, cancelKey.
-- What is being sent, or has another state, stays. Returns {canceled}: how many.
-- Locks the messages in the order of their ids, then as withdraw_messages.
create or replace function public.cancel_messages_by_key(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  waiting uuid[];
begin
  select array_agg(l.id) into waiting
  from (
    select m.id
    from messaging.messages m
    where m.instance_id = (request->>'instanceId')::uuid and m.cancel_key = request->>'cancelKey'
      and m.status = 'queued'
    order by m.id
    for no key update
  ) as l;
  return jsonb_build_object('canceled', case
    when waiting is null then 0
    else cardinality(messaging.withdraw_messages(waiting, 'canceled'))
  end);
end;
$$;

-- messages-api: the record of one message, sent or received. `request`: instanceId, messageId (see
-- find_message_id).
-- Errors: MI004.
create or replace function public.get_message(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request);
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.describe_message(message);
end;
$$;

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
  of_contacts constant uuid[] := messaging.merged_contact_ids(of_contact);
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
          where path = 'contact' and m.contact_id = any (of_contacts)
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
      select messaging.message_after_merge(s.m) as m
      from scanned s
      where (of_contact is null or (s.m).contact_id = any (of_contacts))
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
                || messaging.read_message_contact((f.m).contact_id)
                || messaging.message_media((f.m).media_id, (f.m).content)
                || messaging.received_file_error(f.m)
            else messaging.message_record(f.m, zone, false)
              || messaging.read_message_contact((f.m).contact_id)
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

-- messages-api: moves a message that still waits to another instant, and its end. `request`: instanceId,
-- messageId, sendAt and expiresAt, each NULL for as it is. A paced message gets the slot that an enqueue at that time gives (see enqueue_message_later),
-- and its former one is given back; any other is due then. What waited to be tried again waits until then.
-- Locks the message, then pacing. Tries the queue row without waiting: its holder is about to send the
-- message. Returns describe_message.
-- Errors: MI004; MI010; MI041, MI042, MI043 and MI057 (instants); MI044 (in flight, or settled already).
create or replace function public.move_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  instance messaging.instances;
  waiting messaging.message_queue;
  new_end timestamptz;
begin
  message := messaging.find_message(request);
  if message.status <> 'queued' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = message.status;
  end if;
  new_end := coalesce((request->>'expiresAt')::timestamptz, message.expires_at);
  perform messaging.check_timing(jsonb_build_object('timing', jsonb_build_object(
    'sendAt', request->>'sendAt', 'expiresAt', new_end
  )));
  if request->>'sendAt' is null and new_end <= message.scheduled_for then
    raise exception using errcode = 'MI057', message = 'expiresAt is before the message leaves';
  end if;
  perform from messaging.pacing p where p.instance_id = message.instance_id for no key update;
  select w.* into waiting
  from messaging.message_queue w
  where w.message_id = message.id and w.claim_token is null
  for update skip locked;
  if not found then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'sending';
  end if;
  update messaging.messages m set expires_at = new_end where m.id = message.id;
  if request->>'sendAt' is not null then
    delete from messaging.message_queue q where q.message_id = message.id;
    perform messaging.give_back_slots(array[waiting]);
    select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
    perform messaging.place_moved_message(
      message, instance, waiting, date_trunc('milliseconds', (request->>'sendAt')::timestamptz)
    );
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;

-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI034 (the contact has denied marketing by now); MI007; MI008; MI012 (any other state; its
-- expires_at has come; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
create or replace function public.retry_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  message := messaging.find_message(request);
  if message.status not in ('failed', 'unconfirmed') or message.expires_at <= clock_timestamp()
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable', detail = case
      when message.status not in ('failed', 'unconfirmed') then message.status
      when message.expires_at <= clock_timestamp() then 'expired'
      else 'sending'
    end;
  end if;
  select c.* into contact from messaging.contacts c where c.id = message.contact_id;
  -- A closed window does not refuse it: whether the contact has written since, the channel knows.
  perform messaging.refuse_send(null, contact, message.message_type, message.purpose);
  perform messaging.requeue_message(message);
  -- What had been sent, and failed, is no longer the last message.
  if message.sent_at is not null then
    perform messaging.note_contact(message.contact_id);
    perform messaging.touch_noted_contacts();
  end if;
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
end;
$$;

-- Settles several immediate sends at once, as settle_messages does one. `request`: calls, the requests
-- of settle_messages. Returns {results}, in the order of the calls; null for a call that it does not
-- take: any that is not about one accepted message, and the second of two about the same message.
-- Locks as settle_messages does, then idempotency keys in their order. Errors: 55P03 where a lock is not
-- free in time: the calls are of many tenants, and go through settle_messages one by one.
create or replace function public.settle_message_calls(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '100ms'
set plan_cache_mode = force_generic_plan
as $$
declare
  calls constant jsonb := request->'calls';
  places bigint[];
  results jsonb;
  settled jsonb;
begin
  -- In the order of the messages, in which their rows are locked.
  select array_agg(plain.place), jsonb_agg(plain.result order by plain.message_id)
  into places, results
  from (
    select distinct on (c.call #>> '{results,0,messageId}')
      c.place, c.call #> '{results,0}' as result, c.call #>> '{results,0,messageId}' as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where jsonb_array_length(c.call->'results') = 1
      and c.call #>> '{results,0,outcome}' = 'accepted'
    order by c.call #>> '{results,0,messageId}', c.place
  ) as plain;
  if places is not null then
    settled := public.settle_messages(jsonb_build_object('results', results))->'settled';
  end if;
  perform messaging.keep_response(kept.idempotency, kept.response, array[kept.message_id])
  from (
    select c.call->'idempotency' as idempotency, c.call->'response' as response,
      (c.call #>> '{results,0,messageId}')::uuid as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where c.place = any (places)
      and settled ? (c.call #>> '{results,0,messageId}')
      and nullif(c.call->'response', 'null') is not null
    order by c.call #>> '{idempotency,scope}', c.call #>> '{idempotency,key}'
  ) as kept;
  return jsonb_build_object('results', (
    select jsonb_agg(
      case when c.place = any (places) then jsonb_build_object(
        'settled',
        case
          when settled ? (c.call #>> '{results,0,messageId}')
            then jsonb_build_array(c.call #>> '{results,0,messageId}')
          else jsonb_build_array()
        end
      ) end
      order by c.place
    )
    from jsonb_array_elements(calls) with ordinality as c(call, place)
  ));
end;
$$;

-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, channelStatus (what the provider says of a message that it keeps back),
--   error {code, message, meaning (see shared/model/refusal_meaning.ts)}, retryable, retryAfterMs, scope, isOutage, isUnsent (the provider was not
--   called), calledAfterMs (how long after the claim the call began; NULL for not known),
--   sealedProviderConfig (the credentials of the call; NULL for not known)}], and for an immediate send
--   `response` {status, body (as text)} with `idempotency`
--   {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider accepted the message is true however late it is reported, and so is that it was not called
-- (see take_back_unsent).
-- A status only moves forward, since a delivery event may have come before. A temporary refusal goes
-- back to the queue while attempts are left; a refusal of scope `instance` holds the whole instance.
-- An outage (session gone, credentials, account: not a rate limit) costs no attempt, so that it does
-- not use up the attempts of a backlog; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Acceptances that show no new address and are not kept back take a short way: one immediate send settle_plain_acceptance, all
-- others settle_plain_acceptances. All else, and whatever these leave, is decided one by one.
-- Locks, in this order: provider message ids, addresses that are new and the contacts that they are of,
-- queue rows, messages, agent pauses, pacing, batches that pause, dispatch, and where an address turns out to be another
-- contact's, that one. Rows of one table in the order of their ids, so that two calls about the same
-- messages never wait for each other.
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
  is_short constant boolean := not shows_addresses
    and not results @? '$[*].channelStatus ? (@ != null)';
  short_way record;
  decided messaging.settlement[];
  settlements messaging.settlement[];
  plain uuid[];
  settled uuid[];
  late uuid[];
  has_news boolean;
begin
  if is_short and jsonb_array_length(results) = 1 then
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
  if is_short and not results @? '$[*] ? (@.outcome != "accepted")' then
    short_way := messaging.settle_plain_acceptances(results, clock);
    plain := short_way.settled;
    settled := plain;
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
    if results @? '$[*].error.meaning' then
      perform messaging.record_channel_denials(array_agg(s.contact_id), array_agg(s.error))
      from unnest(decided) as s;
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

  -- What follows for the agent, the message's own events, and its instance's queue.
  has_news := exists (
    select from messaging.messages m
    cross join lateral messaging.provider_news(m.instance_id, m.provider_message_id, m.id) as n
    where m.id = any (settled || late)
  );
  if settlements is not null then
    perform messaging.restart_agent_pauses(settlements, clock);
  end if;
  if has_news then
    perform messaging.apply_unmatched_statuses(settled || late);
  end if;
  perform messaging.pause_failing_batches();
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
    perform messaging.note_contact(s.contact_id) from unnest(decided) as s
    where s.outcome = 'accepted';
    perform messaging.note_contact(m.contact_id) from messaging.messages m
    where m.id = any (plain);
  elsif plain is not null then
    perform messaging.touch_addressees(short_way.addressees, clock);
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;

-- Before when a message never leaves: now, and what its delivery (see accept_message) asks for.
create or replace function messaging.earliest_departure(delivery jsonb, clock timestamptz)
returns timestamptz
language sql
stable
return greatest(
  clock + make_interval(secs => coalesce((delivery ->> 'delaySeconds')::double precision, 0)),
  date_trunc('milliseconds', (delivery -> 'timing' ->> 'sendAt')::timestamptz)
);

-- Whether a sending call (`request` of accept_message) is a message and nothing else: of a person or a
-- system, to a phone, without an assignment, an agent or a file of ours.
create or replace function messaging.is_bare_message(request jsonb)
returns boolean
language sql
immutable
return coalesce(
  request ->> 'phone' is not null
  and request -> 'message' ->> 'messageType' is not null
  and request ->> 'assignment' is null
  and request ->> 'agent' is null
  and request -> 'message' ->> 'sentBy' is distinct from 'ai_agent'
  and request -> 'message' ->> 'mediaId' is null
  and request -> 'message' ->> 'needsPhone' is null,
  false
);

-- The ad or post that brought a contact last: `referral` of its newest message that has one. No row for a
-- contact that none has brought.
create or replace function messaging.newest_referral(contact_id uuid)
returns table (referral jsonb)
language sql
stable
begin atomic
  select m.content -> 'referral'
  from messaging.messages as m
  where m.contact_id = newest_referral.contact_id and m.content ? 'referral'
  order by m.sent_at desc, m.created_at desc
  limit 1;
end;

-- The advisory lock of a provider's message id: the messages of an instance share 256 locks, because a
-- delivery of thousands must not exhaust the server's lock table. See lock_provider_messages.
create or replace function messaging.provider_message_lock_key(
  instance_id uuid,
  provider_message_id text
)
returns bigint
language sql
immutable
return hashtextextended(instance_id::text, 0) # (hashtext(provider_message_id) & 255);

-- What came under a provider's id before the id was this message's: delivery events that were kept, and
-- messages that an echo told of. See apply_unmatched_statuses, merge_echo_duplicates.
create or replace function messaging.provider_news(
  instance_id uuid,
  provider_message_id text,
  message_id uuid
)
returns table (told_id uuid)
language sql
stable
begin atomic
  select null::uuid
  from messaging.unmatched_statuses as u
  where
    u.instance_id = provider_news.instance_id
    and u.provider_message_id = provider_news.provider_message_id
  union all
  select e.id
  from messaging.messages as e
  where
    e.instance_id = provider_news.instance_id
    and e.provider_message_id = provider_news.provider_message_id
    and e.id != provider_news.message_id
    and (e.is_typed_on_phone or e.confirmed_by_echo);
end;

-- A message's last error as callers see it. What it means beyond the message is for SQL alone.
create or replace function messaging.shown_error(error jsonb)
returns jsonb
language sql
immutable
return error - 'meaning';

-- What a record shows of a message's `content`: the parts of a received message that it has
-- (shared/model/received_parts.ts), and always `choice`. Its file has members of its own; what an instance has
-- sent is not repeated.
create or replace function messaging.shown_parts(content jsonb)
returns jsonb
language sql
immutable
return '{"choice": null}'::jsonb || coalesce(
  content - array['mediaUrl', 'mediaId', 'mediaFilename', 'optionList', 'template'],
  '{}'
);

-- The purpose of a message as answers show it: the caller's, or `service`. This service's own answer to a
-- keyword is one.
create or replace function messaging.told_purpose(purpose text)
returns text
language sql
immutable
return case
  when purpose in ('marketing', 'utility', 'authentication') then purpose
  else 'service'
end;

-- How long a delivery waits after its `tries`th failure; NULL after the last one, the eighth. Jitter of
-- a tenth spreads the attempts of many deliveries that failed at once. What a receiver asks for by
-- `Retry-After` counts up to a day, where it is longer.
create or replace function messaging.delivery_pause(tries integer, retry_after_ms bigint)
returns interval
language sql
volatile
set search_path = ''
as $$
select greatest(
    (array[
      interval '5 seconds', interval '5 minutes', interval '30 minutes', interval '2 hours',
      interval '5 hours', interval '10 hours', interval '10 hours'
    ])[tries] * (0.9 + 0.2 * random()),
    interval '1 millisecond' * least(coalesce(retry_after_ms, 0), 86400000)
  )
  where tries <= 7;
$$;

-- An attempt as a delivery keeps it. `result`: status, error, durationMs, answer.
create or replace function messaging.describe_attempt(result jsonb, ended_at timestamptz)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'at', messaging.iso_in_zone(
      ended_at - interval '1 millisecond' * (result->>'durationMs')::integer, 'UTC'
    ),
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs',
    'answer', result->'answer'
  );
$$;

-- An event as the feed and the webhooks give it. Instants of a message are told in the time zone that
-- its instance has now; in UTC, where the instance is gone.
create or replace function messaging.describe_event(event messaging.events)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', 'evt_' || replace(event.id::text, '-', ''),
    'type', event.type,
    'timestamp', to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'instanceId', event.instance_id,
    'sequence', event.sequence,
    'data', coalesce(
      event.data,
      messaging.message_event_data(
        event.type,
        event.message,
        coalesce(
          (select i.time_zone from messaging.instances i where i.id = event.instance_id), 'UTC'
        )
      )
    )
  );
end;
$$;

-- events-api: a delivery as a response shows it.
create or replace function messaging.describe_event_delivery(delivery messaging.event_deliveries)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'deliveryId', delivery.id,
    'endpointId', delivery.endpoint_id,
    'eventId', 'evt_' || replace(delivery.event_id::text, '-', ''),
    'type', delivery.type,
    'status', delivery.status,
    'attempts', delivery.attempts,
    'nextAttemptAt', messaging.iso_in_zone(delivery.next_attempt_at, 'UTC'),
    'createdAt', messaging.iso_in_zone(delivery.created_at, 'UTC')
  );
$$;

-- events-api: an endpoint as a response shows it, without its secrets.
create or replace function messaging.describe_event_endpoint(endpoint messaging.event_endpoints)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'instanceId', endpoint.instance_id,
    'url', endpoint.url,
    'types', to_jsonb(endpoint.types),
    'description', endpoint.description,
    'isActive', endpoint.is_active,
    'disabledReason', endpoint.disabled_reason,
    'disabledAt', messaging.iso_in_zone(endpoint.disabled_at, 'UTC'),
    'failingSince', messaging.iso_in_zone(endpoint.failing_since, 'UTC'),
    'previousSecretUntil', case
      when endpoint.previous_secret_until > clock_timestamp()
        then messaging.iso_in_zone(endpoint.previous_secret_until, 'UTC')
    end,
    'createdAt', messaging.iso_in_zone(endpoint.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(endpoint.updated_at, 'UTC')
  );
$$;

-- What a worker needs to call an endpoint: where it is, and the secrets that sign now.
create or replace function messaging.describe_event_target(endpoint messaging.event_endpoints)
returns jsonb
language sql
stable
set search_path = ''
as $$
select jsonb_build_object(
    'endpointId', endpoint.id,
    'url', endpoint.url,
    'sealedSecrets', jsonb_build_array(endpoint.sealed_secret) || case
      when endpoint.previous_secret_until > clock_timestamp()
        then jsonb_build_array(endpoint.sealed_previous_secret)
      else '[]'
    end
  );
$$;

-- Disables an endpoint that the caller has locked: `gone` (it answered 410) or `failing` (nothing but
-- failures for 5 days). Tells it by an event, and by an e-mail to the workspace's alert address.
create or replace function messaging.disable_event_endpoint(
  endpoint messaging.event_endpoints,
  reason text
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.event_endpoints e
  set is_active = false, disabled_reason = reason, disabled_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where e.id = endpoint.id;
  perform messaging.fail_pending_deliveries(endpoint.id);
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'endpoint_disabled_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'endpointId', endpoint.id,
    'description', endpoint.description,
    'url', endpoint.url,
    'reason', reason,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = endpoint.instance_id and w.alert_email is not null;
  perform messaging.record_event(
    endpoint.instance_id, null, 'endpoint.disabled',
    jsonb_build_object('endpointId', endpoint.id, 'reason', reason)
  );
end;
$$;

-- The endpoints that have a delivery due at `clock`, by the index of what waits: it goes from one endpoint to
-- the next, so its cost follows the endpoints that wait for something, not all there are, and not how much
-- each waits for.
create or replace function messaging.endpoints_with_due_deliveries(clock timestamptz)
returns setof uuid
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query
  with recursive waiting as (
    (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at is not null
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    )
    union all
    select n.endpoint_id, n.next_attempt_at
    from waiting w
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at is not null and d.endpoint_id > w.endpoint_id
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    ) as n
  )
  select w.endpoint_id from waiting w where w.next_attempt_at <= clock;
end;
$$;

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

-- The results of settle_event_deliveries, read: what the receiver said, and what it means.
create or replace function messaging.event_results(request jsonb)
returns table (
  delivery_id uuid,
  claim_token uuid,
  is_success boolean,
  is_gone boolean,
  retry_after_ms bigint,
  attempt jsonb
)
language sql
immutable
set search_path = ''
as $$
  select (r.result->>'deliveryId')::uuid, (r.result->>'claimToken')::uuid,
    coalesce((r.result->>'status')::integer between 200 and 299, false),
    coalesce((r.result->>'status')::integer = 410, false),
    (r.result->>'retryAfterMs')::bigint,
    r.result
  from jsonb_array_elements(request->'results') as r(result);
$$;

-- What the feed knows of an instance beside its events; made by the first reading.
create or replace function messaging.event_stream(instance_id uuid)
returns messaging.event_streams
language plpgsql
set search_path = ''
as $$
declare
  stream messaging.event_streams;
begin
  select s.* into stream from messaging.event_streams s
  where s.instance_id = event_stream.instance_id;
  if not found then
    insert into messaging.event_streams (instance_id) values (event_stream.instance_id)
    on conflict do nothing;
    select s.* into strict stream from messaging.event_streams s
    where s.instance_id = event_stream.instance_id;
  end if;
  return stream;
end;
$$;

-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second. In one statement for
-- all endpoints: one for each of them took six times as long.
create or replace function messaging.event_work()
returns text
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  if not exists (select from messaging.event_endpoints e where e.is_active) then
    return 'none';
  end if;
  return case
    when exists (
        select from messaging.endpoints_with_due_deliveries(clock) as due(id)
        join messaging.event_endpoints e on e.id = any (array[due.id])
        where e.is_active
      )
      or exists (
        select from messaging.event_replays r
        join messaging.event_endpoints e on e.id = any (array[r.endpoint_id])
        where e.is_active
      )
      or exists (
        select from messaging.event_endpoints e
        -- A sub-select, because a plan may read all events for an EXISTS.
        where e.is_active and (
          select true from messaging.events v
          where (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
            and (v.instance_id, v.sequence) <= (e.instance_id, 9223372036854775807)
          limit 1
        )
      )
      then 'due'
    else 'idle'
  end;
end;
$$;

-- Ends what an endpoint still waits for, because it is not active any more. A replay sends it again.
-- The caller has locked the endpoint.
create or replace function messaging.fail_pending_deliveries(endpoint_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update messaging.event_deliveries d
  set status = 'failed', next_attempt_at = null
  where d.endpoint_id = fail_pending_deliveries.endpoint_id and d.next_attempt_at is not null;
  delete from messaging.event_replays r
  where r.endpoint_id = fail_pending_deliveries.endpoint_id;
end;
$$;

-- Makes the deliveries of what was recorded since the last time, for every active endpoint that has
-- something, at most `max_events` looked at for each. An endpoint that another dispatcher is at is left
-- to it.
create or replace function messaging.fan_out_events(max_events integer)
returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  for endpoint in
    select e.*
    from messaging.event_endpoints e
    where e.is_active and (
      exists (
        select from messaging.events v
        where v.instance_id = e.instance_id
          and (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
      )
      or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
    )
    for no key update of e skip locked
  loop
    perform messaging.fan_out_new_events(endpoint, max_events);
    perform messaging.fan_out_replay(endpoint, max_events);
  end loop;
end;
$$;

-- Makes deliveries of the next events of an endpoint that the caller has locked, at most `max_events`
-- looked at. The statements must stay in this order: see the head of tables/events.sql.
-- Events are found by both columns of their index: see read_events.
-- `endpoint.test` goes to the endpoint that was tested, by that call, and to no other.
create or replace function messaging.fan_out_new_events(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(endpoint.instance_id);
  wanted bigint[];
  last_read bigint;
begin
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and (endpoint.types is null or page.type = any (endpoint.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, endpoint.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, horizon)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if last_read is null then
    return;
  end if;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, null);
  end if;
  update messaging.event_endpoints e set told_through = last_read where e.id = endpoint.id;
end;
$$;

-- Makes deliveries of the next events that an endpoint, which the caller has locked, shall be sent once
-- more, at most `max_events` looked at. Waits while as many of its deliveries are due: what is replayed
-- must not stand before what is new.
create or replace function messaging.fan_out_replay(
  endpoint messaging.event_endpoints,
  max_events integer
)
returns void
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  replay messaging.event_replays;
  wanted bigint[];
  last_read bigint;
begin
  select r.* into replay
  from messaging.event_replays r
  where r.endpoint_id = endpoint.id
  for update;
  if not found or (
    select count(*) = max_events
    from (
      select from messaging.event_deliveries d
      where d.endpoint_id = endpoint.id and d.next_attempt_at <= clock_timestamp()
      limit max_events
    ) as due
  ) then
    return;
  end if;
  select
    array_agg(page.sequence) filter (
      where page.type <> 'endpoint.test'
        and page.recorded_at >= replay.since and page.recorded_at <= replay.until
        and (endpoint.types is null or page.type = any (endpoint.types))
        and (replay.types is null or page.type = any (replay.types))
    ),
    max(page.sequence)
  into wanted, last_read
  from (
    select e.sequence, e.type, e.recorded_at from messaging.events e
    where (e.instance_id, e.sequence) > (endpoint.instance_id, replay.told_through)
      and (e.instance_id, e.sequence) <= (endpoint.instance_id, replay.through)
    order by e.instance_id, e.sequence
    limit max_events
  ) as page;
  if wanted is not null then
    perform messaging.queue_event_deliveries(endpoint.id, wanted, clock_timestamp());
  end if;
  if last_read is null or last_read >= replay.through then
    delete from messaging.event_replays r where r.id = replay.id;
  else
    update messaging.event_replays r set told_through = last_read where r.id = replay.id;
  end if;
end;
$$;

-- An instance's endpoint, locked against every change beside the caller's. `request`: instanceId,
-- endpointId. Error: MI024, for a deleted one and another instance's alike.
create or replace function messaging.find_event_endpoint(request jsonb)
returns messaging.event_endpoints
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return endpoint;
end;
$$;

-- Cuts an event's data so that the whole event stays below 20,000 bytes, and says so in `isTruncated`:
-- first the longest text or list of its members, and of the objects among them, then the next one. A list
-- loses the second half of its items.
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
    select leaf.path, leaf.part, leaf.part #>> '{}' as value,
      jsonb_typeof(leaf.part) = 'array' as is_list
    into longest
    from (
      select array[own.key] as path, own.value as part
      from jsonb_each(fitted) as own
      where jsonb_typeof(own.value) in ('string', 'array')
      union all
      select array[own.key, inner_one.key], inner_one.value
      from jsonb_each(fitted) as own
      cross join lateral jsonb_each(
        case when jsonb_typeof(own.value) = 'object' then own.value else '{}' end
      ) as inner_one
      where jsonb_typeof(inner_one.value) in ('string', 'array')
    ) as leaf
    order by octet_length(leaf.part::text) desc
    limit 1;
    exit when longest.path is null or longest.value in ('', '[]');
    if longest.is_list then
      fitted := jsonb_set(fitted, longest.path, coalesce(
        (
          select jsonb_agg(item.value order by item.place)
          from jsonb_array_elements(longest.part) with ordinality as item(value, place)
          where item.place <= jsonb_array_length(longest.part) / 2
        ),
        '[]'
      ));
      continue;
    end if;
    -- A character may take six bytes: cuts too little rather than too much, and looks again.
    fitted := jsonb_set(fitted, longest.path, to_jsonb(
      left(longest.value, greatest(char_length(longest.value) - greatest(excess / 6, 1), 0))
    ));
  end loop;
  return fitted;
end;
$$;

-- Must be called before the transaction draws its first event number for the instance, in a statement
-- of its own: see the head of tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances.
create or replace function messaging.hold_event_floor(instance_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
begin
  if held = '*' or strpos(held, instance_id::text) > 0 then
    return;
  end if;
  perform
    messaging.lock_event_floor(instance_id),
    set_config('messaging.event_floors', held || instance_id::text, true);
end;
$$;

-- hold_event_floor for several instances, in one statement for all that have none yet. For more than a
-- hundred one lock stands for all instances, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. NULL ids mean none.
create or replace function messaging.hold_event_floors(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  held constant text := coalesce(current_setting('messaging.event_floors', true), '');
  missing constant uuid[] := case
    when held = '*' then '{}'
    else array(
      select distinct i.instance_id from unnest(instance_ids) as i(instance_id)
      where strpos(held, i.instance_id::text) = 0
    )
  end;
begin
  if cardinality(missing) = 0 then
    return;
  elsif cardinality(instance_ids) > 100 then
    perform messaging.lock_event_floor(null);
    perform set_config('messaging.event_floors', '*', true);
  else
    perform messaging.lock_event_floor(m.instance_id) from unnest(missing) as m(instance_id);
    perform set_config('messaging.event_floors', held || array_to_string(missing, ''), true);
  end if;
end;
$$;

-- The number of the instance's last event that is visible; 0 where it has none. What begins now begins
-- after it. Never a horizon, and found by both
-- columns of the index: see read_events.
create or replace function messaging.last_event(instance_id uuid)
returns bigint
language plpgsql
set search_path = ''
set enable_sort = off
as $$
declare
  horizon constant bigint := messaging.event_horizon(instance_id);
begin
  return coalesce((
    select e.sequence from messaging.events e
    where (e.instance_id, e.sequence) >= (last_event.instance_id, 0)
      and (e.instance_id, e.sequence) <= (last_event.instance_id, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1
  ), 0);
end;
$$;

-- The data of a message's event: the message's record (see message_record) and its contact as they were
-- then. Reads no table.
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
  ) || messaging.message_contact(
    message.contact_id, message.contact_phone, message.contact_name, message.contact_identities
  );
begin
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  end if;
  return messaging.fit_event_data(data);
end;
$$;

-- The number that a cursor of the feed holds; NULL for what seal_event_cursor has not made with this
-- key.
create or replace function messaging.open_event_cursor(cursor text, cursor_key uuid)
returns bigint
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  number bigint;
begin
  if cursor !~ '^[0-9A-Za-z_-]{28}$' then
    return null;
  end if;
  number := ('x' || encode(
    substring(decode(translate(cursor, '-_', '+/'), 'base64') from 1 for 8), 'hex'
  ))::bit(64)::bigint;
  return case when messaging.seal_event_cursor(number, cursor_key) = cursor then number end;
end;
$$;

-- Part of purge_expired: deletes deliveries after 30 days, and those of deleted endpoints, then the
-- endpoints; at most `max_rows` of each. Returns how many rows of the larger kind: below `max_rows`,
-- nothing is left.
create or replace function messaging.purge_event_deliveries(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  old_rows integer;
  orphans integer;
begin
  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select e.ctid from messaging.event_deliveries e
    where e.created_at <= clock - interval '30 days'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics old_rows = row_count;

  delete from messaging.event_deliveries d
  where d.ctid = any (array(
    select x.ctid
    from messaging.event_endpoints e
    join messaging.event_deliveries x on x.endpoint_id = e.id
    where e.deleted_at <= clock
    limit max_rows for update of x skip locked
  ));
  get diagnostics orphans = row_count;

  delete from messaging.event_endpoints e
  where e.deleted_at <= clock
    and not exists (select from messaging.event_deliveries d where d.endpoint_id = e.id);
  return greatest(old_rows, orphans);
end;
$$;

-- purge_expired: deletes events that are older than 30 days, the oldest first, at most `max_rows`, and notes
-- how far each instance's feed is gone: a cursor before that has missed something. Numbers rise with
-- time, so it reads from the lowest number on, and no further than the rows that it may delete. Returns
-- how many it deleted. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_events(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  deleted integer;
begin
  with oldest as materialized (
    select e.ctid, e.recorded_at from messaging.events e
    order by e.sequence
    limit max_rows
  ), due as materialized (
    -- Locks only these: a lock writes its row, and mostly no row is due.
    select e.ctid from messaging.events e
    where e.ctid = any (array(
      select o.ctid from oldest o where o.recorded_at <= clock - interval '30 days'
    ))
    for update skip locked
  ), gone as (
    delete from messaging.events e
    where e.ctid = any (array(select d.ctid from due d))
    returning e.instance_id, e.sequence
  ), noted as (
    insert into messaging.event_streams as s (instance_id, purged_through)
    select g.instance_id, max(g.sequence)
    from gone g
    where exists (select from messaging.instances i where i.id = g.instance_id)
    group by g.instance_id
    order by g.instance_id
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through)
  )
  select count(*) into deleted from gone;
  return deleted;
end;
$$;

-- Makes deliveries of these events to an endpoint that the caller has locked. A delivery that exists
-- and is over becomes pending again, from the beginning of the schedule; one that is pending stays, and
-- is due now where nobody calls. Null `due_at`: as old as its event, so that deliveries leave in the
-- events' order.
create or replace function messaging.queue_event_deliveries(
  of_endpoint uuid,
  sequences bigint[],
  due_at timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.event_deliveries as d (
    endpoint_id, sequence, event_id, type, next_attempt_at
  )
  select of_endpoint, e.sequence, e.id, e.type, coalesce(due_at, e.recorded_at)
  from unnest(sequences) as named(sequence)
  -- Each by its key. The callers read in order without a sort: a join would take its order from all
  -- events there are.
  cross join lateral (
    select v.sequence, v.id, v.type, v.recorded_at from messaging.events v
    where v.sequence = named.sequence
    offset 0
  ) as e
  on conflict on constraint event_deliveries_once do update
  set status = 'pending',
    tries = case when d.status = 'pending' then d.tries else 0 end,
    claim_token = case when d.status = 'pending' then d.claim_token end,
    next_attempt_at = case
      when d.status = 'pending' and d.claim_token is not null then d.next_attempt_at
      else clock_timestamp()
    end;
end;
$$;

-- Records one event in the transaction that makes it true. `data`: the event's data, complete; it is
-- cut to what an event may hold (see fit_event_data). `contact_id`: the person it is about, if any.
-- Call it when the rows it is about are locked and changed, so that events stand in the order in which
-- they became true. For message.* use record_message_events.
create or replace function messaging.record_event(
  instance_id uuid,
  contact_id uuid,
  type text,
  data jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.hold_event_floor(record_event.instance_id);
  insert into messaging.events (instance_id, contact_id, type, data)
  values (
    record_event.instance_id, record_event.contact_id, record_event.type,
    messaging.fit_event_data(record_event.data)
  );
end;
$$;

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
  select m.instance_id, m.contact_id, told.type,
    messaging.snapshot_message(m, c.name, c.phone, c.identities, is_claimed)
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select told.*
    from messaging.messages r
    cross join lateral messaging.message_after_merge(r) as told
    where r.id = named.message_id
    offset 0
  ) as m
  cross join lateral (
    select p.name,
      coalesce((select a.phone from messaging.announced_phone(p.id) as a), p.phone) as phone,
      (select h.identities from messaging.hidden_identities(p.id) as h) as identities
    from messaging.contacts p
    where p.id = m.contact_id
    offset 0
  ) as c
  order by named.place;
end;
$$;

-- A cursor of the feed: the number after which to go on, sealed with the instance's key, so that no
-- number can be made up and no cursor of another instance is taken. 21 bytes in base64url.
create or replace function messaging.seal_event_cursor(sequence bigint, cursor_key uuid)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select translate(
    encode(
      int8send(sequence)
        || substring(sha256(uuid_send(cursor_key) || int8send(sequence)) from 1 for 13),
      'base64'
    ),
    '+/', '-_'
  );
$$;

-- events-api: records `endpoint.test`, which the caller sends to the endpoint at once, whether it is
-- active or not, and then tells finish_endpoint_test. `request`: instanceId, endpointId, idempotency.
-- Returns {sequence, eventId, body, target} (see claim_event_deliveries), or {replayed}: the outcome of
-- the first call with the key. Errors: MI007, MI008, MI024.
create or replace function public.begin_endpoint_test(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
  event messaging.events;
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  perform messaging.hold_event_floor(endpoint.instance_id);
  insert into messaging.events (instance_id, type, data)
  values (
    endpoint.instance_id, 'endpoint.test', jsonb_build_object('endpointId', endpoint.id)
  )
  returning * into event;
  return jsonb_build_object(
    'sequence', event.sequence,
    'eventId', messaging.describe_event(event)->>'id',
    'body', messaging.describe_event(event)::text,
    'target', messaging.describe_event_target(endpoint)
  );
end;
$$;

-- Makes the deliveries of what was recorded (fan_out_events), then claims due ones for a worker until
-- their lease ends; settle_event_deliveries requires the claim. Never waits for a lock.
-- `request`: maxDeliveries; leaseSeconds; perEndpoint and perFailingEndpoint, how many of one endpoint
-- whose last attempt succeeded, or did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery whose event is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  claimable uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  claimable := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.endpoints_with_due_deliveries(clock) as due(id)
      join messaging.event_endpoints e on e.id = any (array[due.id])
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active
    ) as waiting
    order by waiting.turn
    limit (request->>'maxDeliveries')::integer
  );
  if claimable = '{}' then
    return jsonb '{"deliveries": [], "targets": []}';
  end if;
  with claimed as (
    update messaging.event_deliveries d
    set claim_token = gen_random_uuid(),
      next_attempt_at = clock
        + make_interval(secs => (request->>'leaseSeconds')::double precision)
    from messaging.events v
    where d.id = any (claimable) and v.sequence = d.sequence
    returning d.id, d.claim_token, d.endpoint_id, messaging.describe_event(v) as event
  ),
  gone as (
    update messaging.event_deliveries d
    set status = 'failed', next_attempt_at = null, claim_token = null
    where d.id = any (claimable)
      and not exists (select from messaging.events v where v.sequence = d.sequence)
  )
  select jsonb_build_object(
    'deliveries', coalesce(jsonb_agg(
      jsonb_build_object(
        'deliveryId', c.id,
        'claimToken', c.claim_token,
        'endpointId', c.endpoint_id,
        'eventId', c.event->>'id',
        'body', c.event::text
      )
      order by (c.event->>'sequence')::bigint
    ), '[]'),
    'targets', coalesce((
      select jsonb_agg(messaging.describe_event_target(e))
      from messaging.event_endpoints e
      where e.id in (select t.endpoint_id from claimed t)
    ), '[]')
  )
  into answer
  from claimed c;
  return answer;
end;
$$;

-- events-api: a new endpoint, which takes the events from now on. `request`: instanceId, endpointId, url,
-- types (NULL for all), description, sealedSecret (also kept with the outcome, so that a repeated call
-- can be given the secret again), idempotency (see begin_idempotent).
-- The instance's row is locked while its endpoints are counted.
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI023 (there are 10).
create or replace function public.create_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform from messaging.instances i where i.id = of_instance for no key update;
  if (
    select count(*) >= 10 from messaging.event_endpoints e
    where e.instance_id = of_instance and e.deleted_at is null
  ) then
    raise exception using errcode = 'MI023', message = 'too_many_endpoints';
  end if;
  insert into messaging.event_endpoints (
    id, instance_id, url, types, description, sealed_secret, told_through
  )
  values (
    (request->>'endpointId')::uuid, of_instance, request->>'url',
    case when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
    end,
    request->>'description', request->>'sealedSecret', messaging.last_event(of_instance)
  )
  returning * into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;

-- events-api: deletes an endpoint, its secrets at once, its deliveries at the next purge_expired: no
-- call shows them any more. `request`: instanceId, endpointId. Returns the endpoint. Error: MI024.
create or replace function public.delete_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  endpoint := messaging.find_event_endpoint(request);
  delete from messaging.event_replays r where r.endpoint_id = endpoint.id;
  update messaging.event_endpoints e
  set deleted_at = clock_timestamp(), is_active = false, sealed_secret = '',
    sealed_previous_secret = null, previous_secret_until = null
  where e.id = endpoint.id
  returning e.* into endpoint;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;

-- events-api: stores what came of a test, as a delivery that is over: it is not tried again, and says
-- nothing about the endpoint's other deliveries. `request`: instanceId, endpointId, sequence, result (see
-- settle_event_deliveries), idempotency.
-- Returns {delivered, status, error, durationMs}, or {replayed}. Errors: MI007, MI008.
create or replace function public.finish_endpoint_test(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  result constant jsonb := request->'result';
  is_delivered constant boolean :=
    coalesce((result->>'status')::integer between 200 and 299, false);
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.event_deliveries (endpoint_id, sequence, event_id, type, status, attempts)
  select e.id, v.sequence, v.id, v.type,
    case when is_delivered then 'delivered' else 'failed' end,
    jsonb_build_array(messaging.describe_attempt(result, clock_timestamp()))
  from messaging.event_endpoints e
  join messaging.events v on v.sequence = (request->>'sequence')::bigint
  where e.id = (request->>'endpointId')::uuid and e.deleted_at is null;
  return messaging.keep_outcome(request, jsonb_build_object(
    'delivered', is_delivered,
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs'
  ));
end;
$$;

-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  endpoint messaging.event_endpoints;
begin
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = (request->>'endpointId')::uuid
    and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null;
  if not found then
    raise exception using errcode = 'MI024', message = 'endpoint_not_found';
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;

-- admin-api: webhook endpoints with a secret that is sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{endpointId, sealedSecret, sealedPreviousSecret}], total, unreadable: [endpointId]}: the
-- last have a secret that is sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_endpoint_secrets_under_old_keys(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_ids constant text[] := array(select jsonb_array_elements_text(request->'keyIds'));
  max_items constant integer := (request->>'limit')::integer;
begin
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object(
            'endpointId', f.id,
            'sealedSecret', f.sealed_secret,
            'sealedPreviousSecret', f.sealed_previous_secret
          )
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select e.id, e.sealed_secret, e.sealed_previous_secret, seals.used <@ key_ids as is_readable,
        row_number() over (
          partition by seals.used <@ key_ids order by e.created_at, e.id
        ) as place
      from messaging.event_endpoints e
      cross join lateral (
        select array[
          split_part(e.sealed_secret, '.', 2),
          split_part(coalesce(e.sealed_previous_secret, e.sealed_secret), '.', 2)
        ] as used
      ) as seals
      where e.deleted_at is null and seals.used <> array[key_ids[1], key_ids[1]]
    ) as f
  );
end;
$$;

-- events-api: the deliveries to an endpoint, the newest event first, a page at a time.
-- `request`: instanceId, endpointId, status (NULL for any), limit, `after` {sequence} as returned in
-- `next`. Returns {items, next}. Error: MI024.
create or replace function public.list_event_deliveries(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  below constant bigint := coalesce(
    (request->'after'->>'sequence')::bigint, 9223372036854775807
  );
  found_rows messaging.event_deliveries[];
begin
  perform public.get_event_endpoint(request);
  found_rows := array(
    select d
    from messaging.event_deliveries d
    where d.endpoint_id = (request->>'endpointId')::uuid and d.sequence < below
      and (request->>'status' is null or d.status = request->>'status')
    order by d.sequence desc
    limit page_size + 1
  );
  return jsonb_build_object(
    'items', coalesce((
      select jsonb_agg(messaging.describe_event_delivery(d) order by d.sequence desc)
      from unnest(found_rows[:page_size]) as d
    ), '[]'),
    'next', case when cardinality(found_rows) > page_size
      then jsonb_build_object('sequence', found_rows[page_size].sequence)
    end
  );
end;
$$;

-- events-api: the endpoints of an instance, oldest first, a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_event_endpoints(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_event_endpoint(r)
      )
      from messaging.event_endpoints r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and r.instance_id = (request->>'instanceId')::uuid and r.deleted_at is null
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- events-api: one page of an instance's feed, oldest first. `request`: instanceId; after: a cursor, or
-- `oldest`, or NULL for now; types: NULL for all; limit.
-- Returns {state: `ok`, items (see describe_event), nextCursor, hasMore}; or {state: `unknown_cursor`};
-- or {state: `expired`, oldestCursor} where events after the cursor are gone.
-- A page has at most 2 MiB of data. At most 5,000 events are read per call, however few of them are of
-- the types: the next call goes on behind them. So hasMore says that there are events behind the page,
-- and where it is false, that none of the types is.
-- A cursor is always the number of an event that was read, never the horizon: numbers that no committed
-- transaction has used may be drawn again after a crash of the server.
-- A sweep may delete events at any time, so how far the feed is gone is read again after the events: what
-- it deleted between the two statements is answered as `expired`, never passed over. A reader of `oldest`
-- has missed nothing, and reads again.
-- Events are found by comparing both columns of their index: by the instance alone, a plan may go by
-- the primary key and read every other instance's events.
-- The statements must stay in this order: see the head of tables/events.sql.
create or replace function public.read_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  given_cursor constant text := request->>'after';
  wanted constant text[] := case
    when nullif(request->'types', 'null') is not null
      then array(select jsonb_array_elements_text(request->'types'))
  end;
  page_size constant integer := (request->>'limit')::integer;
  max_bytes constant integer := 2 * 1024 * 1024;
  max_reads constant integer := 5000;
  stream constant messaging.event_streams := messaging.event_stream(of_instance);
  position bigint;
  began_at bigint;
  purged_through bigint;
  horizon bigint;
  event messaging.events;
  item jsonb;
  items jsonb[] := '{}';
  bytes integer := 0;
  reads integer := 0;
  has_more boolean := false;
begin
  if given_cursor = 'oldest' then
    position := stream.purged_through;
  elsif given_cursor is not null then
    position := messaging.open_event_cursor(given_cursor, stream.cursor_key);
    if position is null then
      return jsonb_build_object('state', 'unknown_cursor');
    end if;
  end if;
  began_at := position;
  horizon := messaging.event_horizon(of_instance);
  if position is null then
    select e.sequence into position from messaging.events e
    where (e.instance_id, e.sequence) >= (of_instance, 0)
      and (e.instance_id, e.sequence) <= (of_instance, horizon)
    order by e.instance_id desc, e.sequence desc
    limit 1;
  else
    for event in
      select e.* from messaging.events e
      where (e.instance_id, e.sequence) > (of_instance, position)
        and (e.instance_id, e.sequence) <= (of_instance, horizon)
      order by e.instance_id, e.sequence
      limit max_reads + 1
    loop
      reads := reads + 1;
      if wanted is null or event.type = any (wanted) then
        item := messaging.describe_event(event);
        bytes := bytes + octet_length(item::text);
        has_more := cardinality(items) = page_size or (bytes > max_bytes and items <> '{}');
        exit when has_more;
        items := items || item;
      end if;
      has_more := reads > max_reads;
      exit when has_more;
      position := event.sequence;
    end loop;
  end if;
  purged_through := (messaging.event_stream(of_instance)).purged_through;
  if began_at < purged_through and given_cursor = 'oldest' then
    return public.read_events(request);
  elsif began_at < purged_through then
    return jsonb_build_object(
      'state', 'expired',
      'oldestCursor', messaging.seal_event_cursor(purged_through, stream.cursor_key)
    );
  end if;
  return jsonb_build_object(
    'state', 'ok',
    'items', to_jsonb(items),
    'nextCursor', messaging.seal_event_cursor(coalesce(position, purged_through), stream.cursor_key),
    'hasMore', has_more
  );
end;
$$;

-- admin-api: stores secrets of webhook endpoints that were sealed again. `request`: items [{endpointId,
-- formerSecret, formerPreviousSecret, sealedSecret, sealedPreviousSecret}]. Secrets that no longer equal
-- the former ones have been rotated meanwhile and stay.
-- Returns {replaced}: of how many endpoints.
create or replace function public.replace_endpoint_secrets(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  replaced integer;
begin
  update messaging.event_endpoints e
  set sealed_secret = item."sealedSecret", sealed_previous_secret = item."sealedPreviousSecret"
  from jsonb_to_recordset(request->'items') as item(
    "endpointId" uuid, "formerSecret" text, "formerPreviousSecret" text, "sealedSecret" text,
    "sealedPreviousSecret" text
  )
  where e.id = item."endpointId" and e.sealed_secret = item."formerSecret"
    and e.sealed_previous_secret is not distinct from item."formerPreviousSecret";
  get diagnostics replaced = row_count;
  return jsonb_build_object('replaced', replaced);
end;
$$;

-- events-api: sends the events of a time to an endpoint once more, those of its types (and of `types`,
-- where given). The dispatcher makes the deliveries (fan_out_events); until it has, the endpoint takes no
-- other replay: each one could be of all events of 30 days. `request`: instanceId, endpointId,
-- since, until (NULL for now), types (NULL for all), idempotency (see begin_idempotent).
-- Returns {count}, or {replayed}. Errors: MI007, MI008, MI024, MI026 (not active),
-- MI056 (another one waits).
create or replace function public.replay_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  since constant timestamptz := (request->>'since')::timestamptz;
  until constant timestamptz := coalesce((request->>'until')::timestamptz, clock_timestamp());
  types constant text[] := case
    when jsonb_typeof(request->'types') = 'array'
      then array(select jsonb_array_elements_text(request->'types'))
  end;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  horizon bigint;
  events record;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  if exists (select from messaging.event_replays r where r.endpoint_id = endpoint.id) then
    raise exception using errcode = 'MI056', message = 'replay_pending';
  end if;
  horizon := messaging.event_horizon(endpoint.instance_id);
  select count(*) as amount, min(e.sequence) as first, max(e.sequence) as last
  into events
  from messaging.events e
  where e.instance_id = endpoint.instance_id and e.sequence <= horizon
    and e.recorded_at >= since and e.recorded_at <= until
    and e.type <> 'endpoint.test'
    and (endpoint.types is null or e.type = any (endpoint.types))
    and (types is null or e.type = any (types));
  if events.amount > 0 then
    insert into messaging.event_replays (endpoint_id, told_through, through, since, until, types)
    values (endpoint.id, events.first - 1, events.last, since, until, types);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object('count', events.amount));
end;
$$;

-- events-api: sends a delivery again, from the beginning of the schedule. One that is pending is due now.
-- `request`: instanceId, deliveryId, idempotency (see begin_idempotent).
-- Returns the delivery, or {replayed}. Errors: MI007, MI008, MI025 (no such delivery, or its event is
-- purged), MI026 (its endpoint is not active).
create or replace function public.resend_event_delivery(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  delivery messaging.event_deliveries;
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select d.* into delivery
  from messaging.event_deliveries d
  where d.id = (request->>'deliveryId')::uuid;
  -- The endpoint is locked first, as everywhere.
  select e.* into endpoint
  from messaging.event_endpoints e
  where e.id = delivery.endpoint_id and e.instance_id = (request->>'instanceId')::uuid
    and e.deleted_at is null
  for no key update;
  if not found
    or not exists (select from messaging.events v where v.sequence = delivery.sequence) then
    raise exception using errcode = 'MI025', message = 'delivery_not_found';
  end if;
  if not endpoint.is_active then
    raise exception using errcode = 'MI026', message = 'endpoint_not_active';
  end if;
  perform messaging.queue_event_deliveries(
    endpoint.id, array[delivery.sequence], clock_timestamp()
  );
  select d.* into delivery from messaging.event_deliveries d where d.id = delivery.id;
  return messaging.keep_outcome(request, messaging.describe_event_delivery(delivery));
end;
$$;

-- events-api: gives an endpoint a new secret; the former one signs too for gracePeriodSeconds. Of several
-- rotations within one period the last former secret counts. `request`: instanceId, endpointId,
-- sealedSecret (also kept with the outcome), gracePeriodSeconds, idempotency (see begin_idempotent).
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI024.
create or replace function public.rotate_endpoint_secret(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  grace constant interval := make_interval(secs => (request->>'gracePeriodSeconds')::integer);
  endpoint messaging.event_endpoints;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set sealed_secret = request->>'sealedSecret',
    sealed_previous_secret = case when grace > interval '0' then e.sealed_secret end,
    previous_secret_until = case when grace > interval '0' then clock_timestamp() + grace end,
    updated_at = clock_timestamp()
  where e.id = endpoint.id
  returning e.* into endpoint;
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;

-- Records what came of claimed deliveries. `request`: results [{deliveryId, claimToken, status (of HTTP,
-- NULL without an answer), error, durationMs, answer, retryAfterMs}].
-- 2xx is delivered. 410 disables the endpoint at once; so does a failure after 5 days of nothing but
-- failures. Else the delivery is tried again (see delivery_pause), and failed after the last time.
-- Results without a claim change nothing: another worker has taken the delivery over.
-- Locks the endpoints that change, by id, then the deliveries.
-- Returns {settled}: how many.
create or replace function public.settle_event_deliveries(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  locked uuid[];
  outcomes jsonb;
  endpoint messaging.event_endpoints;
begin
  locked := array(
    select e.id
    from messaging.event_endpoints e
    where e.id in (
        select d.endpoint_id
        from messaging.event_results(request) r
        join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
        where r.is_gone or r.is_success = (e.failing_since is not null)
          or (not r.is_success and e.failing_since <= clock - interval '5 days')
      )
    order by e.id
    for no key update of e
  );
  with decided as (
    select d.id, r.is_success, r.is_gone, r.attempt,
      case
        when d.status = 'pending' and not r.is_success and not r.is_gone
          then messaging.delivery_pause(d.tries + 1, r.retry_after_ms)
      end as pause
    from messaging.event_results(request) r
    join messaging.event_deliveries d on d.id = r.delivery_id and d.claim_token = r.claim_token
    for no key update of d
  ),
  settled as (
    update messaging.event_deliveries d
    set status = case
        when x.is_success then 'delivered'
        when x.pause is null then 'failed'
        else 'pending'
      end,
      next_attempt_at = clock + x.pause,
      tries = d.tries + 1,
      attempts = case when jsonb_array_length(d.attempts) < 20 then d.attempts else d.attempts - 0 end
        || messaging.describe_attempt(x.attempt, clock),
      claim_token = null
    from decided x
    where d.id = x.id
    returning d.endpoint_id, x.is_success, x.is_gone
  )
  select jsonb_object_agg(o.endpoint_id, o.outcome) into outcomes
  from (
    select t.endpoint_id, jsonb_build_object(
      'settled', count(*), 'isSuccess', bool_or(t.is_success), 'isGone', bool_or(t.is_gone)
    ) as outcome
    from settled t
    group by t.endpoint_id
  ) as o;
  for endpoint in
    update messaging.event_endpoints e
    set failing_since = case
      when not (outcomes->e.id::text->>'isSuccess')::boolean then coalesce(e.failing_since, clock)
    end
    where e.id = any (locked) and outcomes ? e.id::text
    returning e.*
  loop
    if endpoint.is_active and (
      (outcomes->endpoint.id::text->>'isGone')::boolean
      or endpoint.failing_since <= clock - interval '5 days'
    ) then
      perform messaging.disable_event_endpoint(
        endpoint,
        case when (outcomes->endpoint.id::text->>'isGone')::boolean then 'gone' else 'failing' end
      );
    end if;
  end loop;
  return jsonb_build_object('settled', coalesce(
    (select sum((o.value->>'settled')::integer) from jsonb_each(outcomes) as o), 0
  ));
end;
$$;

-- events-api: changes an endpoint. `request`: instanceId, endpointId, changes {url, types, description,
-- isActive, each optional}. An endpoint that becomes active takes the events from now on; one that is no
-- longer active gives up what it waits for. Returns the endpoint. Error: MI024.
create or replace function public.update_event_endpoint(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  former messaging.event_endpoints;
  endpoint messaging.event_endpoints;
begin
  former := messaging.find_event_endpoint(request);
  update messaging.event_endpoints e
  set url = coalesce(changes->>'url', e.url),
    types = case
      when changes ? 'types' then array(select jsonb_array_elements_text(changes->'types'))
      else e.types
    end,
    description = case
      when changes ? 'description' then nullif(changes->>'description', '') else e.description
    end,
    is_active = coalesce((changes->>'isActive')::boolean, e.is_active),
    -- Another address has not failed yet.
    failing_since = case
      when changes->>'url' <> e.url or (changes->>'isActive')::boolean and not e.is_active then null
      else e.failing_since
    end,
    updated_at = clock_timestamp()
  where e.id = former.id
  returning e.* into endpoint;
  if endpoint.is_active and not former.is_active then
    update messaging.event_endpoints e
    set disabled_reason = null, disabled_at = null,
      told_through = messaging.last_event(e.instance_id)
    where e.id = endpoint.id
    returning e.* into endpoint;
  elsif former.is_active and not endpoint.is_active then
    perform messaging.fail_pending_deliveries(endpoint.id);
    update messaging.event_endpoints e set disabled_at = clock_timestamp()
    where e.id = endpoint.id
    returning e.* into endpoint;
  end if;
  return messaging.describe_event_endpoint(endpoint);
end;
$$;

-- Takes the floor of an instance's writer: a shared advisory lock of two numbers, the instance's hash and
-- the low 32 bits of the event number that was drawn last. No one takes it exclusively, so nothing waits.
-- (Advisory locks of one number are taken elsewhere.) NULL stands for all instances: every reader looks
-- at the key 0. Returns an empty text, so that a condition can take it. See the head of tables/events.sql.
create or replace function messaging.lock_event_floor(instance_id uuid)
returns text
language sql
volatile
return pg_advisory_xact_lock_shared(
  coalesce(uuid_hash(instance_id), 0),
  coalesce(pg_sequence_last_value('messaging.event_sequence'), 0)::bit(32)::integer
)::text;

-- What a record shows of a message's file: {mediaId, mediaStatus, mediaUrl, mediaFilename, mediaMimeType,
-- mediaSize}. Type and size are what the provider says, once the file is stored what it is. mediaUrl is the URL that the
-- sending call gave, or the provider's own of a message from before this service kept files; who answers
-- puts a signed link in its place where there is a mediaId. NULL for a message without a file.
create or replace function messaging.message_media(media_id uuid, content jsonb)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  file record;
begin
  if media_id is not null then
    select m.status, m.filename, m.mime_type, m.size into file
    from messaging.media m where m.id = message_media.media_id;
    return jsonb_build_object(
      'mediaId', media_id,
      'mediaStatus', coalesce(file.status, 'expired'),
      'mediaUrl', null,
      'mediaFilename', coalesce(content->>'mediaFilename', file.filename),
      'mediaMimeType', file.mime_type,
      'mediaSize', file.size
    );
  end if;
  if content->>'mediaUrl' is not null or content->>'mediaFilename' is not null then
    return jsonb_build_object(
      'mediaId', null, 'mediaStatus', null, 'mediaUrl', content->>'mediaUrl',
      'mediaFilename', content->>'mediaFilename', 'mediaMimeType', null, 'mediaSize', null
    );
  end if;
  return null;
end;
$$;

-- What an event keeps of a message: see tables/message_snapshot.sql. `contact_phone` as
-- contact_display_phone, `contact_identities` as hidden_identities. `is_claimed`: whether the message is
-- still in a worker's hands.
create or replace function messaging.snapshot_message(
  message messaging.messages,
  contact_name text,
  contact_phone text,
  contact_identities jsonb,
  is_claimed boolean
)
returns messaging.message_snapshot
language sql
stable
return row(
  message.id,
  message.direction,
  case
    when is_claimed
    and message.status = 'queued' then 'sending'
    else message.status
  end,
  message.message_type,
  message.message,
  case
    when message.direction = 'inbound'
    or message.is_typed_on_phone then message.content
  end,
  message.card_id,
  message.metadata,
  message.contact_id,
  message.conversation_id,
  message.provider_message_id,
  message.scheduled_for,
  message.held_by,
  message.created_at,
  message.sent_at,
  message.delivered_at,
  message.read_at,
  message.failed_at,
  message.attempts + is_claimed::integer,
  message.last_error,
  contact_name,
  contact_phone,
  message.quoted_message_id,
  case
    when message.content is not null
    or message.media_id is not null then messaging.message_media(message.media_id, message.content)
  end,
  message.batch_id,
  message.quoted_provider_message_id,
  message.author,
  message.is_group,
  message.chat_name,
  message.sent_by,
  message.is_typed_on_phone,
  message.edited_at,
  message.deleted_at,
  message.channel_status,
  contact_identities,
  message.purpose,
  message.cancel_key,
  message.expires_at
)::messaging.message_snapshot;

-- Counts what an instance's protection counts: called when its protection or its time zone has changed,
-- before plan_slot_moves, which counts what waits. What was sent today is counted once, from the
-- messages; after that, each claim and each immediate send counts itself. Without protection nothing
-- is kept. The caller holds the pacing row.
create or replace function messaging.begin_protection(instance messaging.instances)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  today constant date := (clock_timestamp() at time zone instance.time_zone)::date;
  midnight constant timestamptz := today::timestamp at time zone instance.time_zone;
begin
  update messaging.pacing p
  set is_protected = instance.protection is not null
  where p.instance_id = instance.id;
  if instance.protection is null then
    delete from messaging.paced_days d where d.instance_id = instance.id;
    return;
  end if;
  if not exists (select from messaging.paced_days d where d.instance_id = instance.id) then
    insert into messaging.paced_days (instance_id, day, sent, sent_new)
    select instance.id, today, coalesce(sum(s.messages), 0), count(*) filter (where s.is_new)
    from (
      select count(*) as messages, not exists (
        select from messaging.messages before
        where before.contact_id = m.contact_id and before.sent_at < midnight
      ) as is_new
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.status <> 'failed'
        and m.sent_at >= midnight and not m.is_typed_on_phone
      group by m.contact_id
    ) as s;
  end if;
  if instance.protection ? 'newContactsPerDay' then
    update messaging.message_queue q
    set is_new = w.is_new
    from (
      select p.message_id,
        row_number() over (partition by m.contact_id order by p.scheduled_at, p.position) = 1
          and messaging.is_new_contact(m.contact_id) as is_new
      from messaging.message_queue p
      join messaging.messages m on m.id = any (array[p.message_id])
      where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    ) as w
    where q.message_id = any (array[w.message_id]) and q.is_new is distinct from w.is_new;
  end if;
end;
$$;

-- The state from which next_slot gives an instance's next slots at `clock`, as it is stored now. What is
-- overdue takes places of the first day. Reads pacing and paced_days, and locks nothing: an enqueue
-- holds the pacing row, a forecast may be overtaken.
create or replace function messaging.begin_walk(instance messaging.instances, clock timestamptz)
returns messaging.slot_walk
language plpgsql
stable
set search_path = ''
as $$
declare
  walk messaging.slot_walk;
  counted messaging.paced_days;
  place integer;
begin
  walk.clock := begin_walk.clock;
  if instance.protection is null then
    select p.last_slot_at into walk.last_left_at
    from messaging.pacing p where p.instance_id = instance.id;
    return walk;
  end if;
  walk.jitter_seconds := (instance.protection->>'jitterSeconds')::integer;
  walk.daily_limit := (instance.protection->>'dailyLimit')::integer;
  walk.new_limit := (instance.protection->>'newContactsPerDay')::integer;
  walk.warm_up_start := (instance.protection->'warmUp'->>'startPerDay')::integer;
  walk.warm_up_days := (instance.protection->'warmUp'->>'rampDays')::integer;
  walk.warm_up_from := messaging.warm_up_from(instance);
  walk.first_day := (clock at time zone instance.time_zone)::date;
  walk.known_from := 1;
  walk.new_from := 1;
  for counted in
    select d.* from messaging.paced_days d where d.instance_id = instance.id order by d.day
  loop
    place := counted.day - walk.first_day + 1;
    if place < 1 then
      walk.last_left_at := greatest(walk.last_left_at, counted.last_left_at);
      walk.taken[1] := coalesce(walk.taken[1], 0) + counted.waiting;
      walk.taken_new[1] := coalesce(walk.taken_new[1], 0) + counted.waiting_new;
    else
      walk.taken[place] := coalesce(walk.taken[place], 0) + counted.waiting + counted.sent;
      walk.taken_new[place] := coalesce(walk.taken_new[place], 0)
        + counted.waiting_new + counted.sent_new;
      walk.left_at[place] := counted.last_left_at;
      walk.starts_at[place] := counted.starts_at;
      walk.is_over[place] := counted.is_over;
    end if;
  end loop;
  return walk;
end;
$$;

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is given back: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  instance_ids uuid[];
  canceled uuid[];
  rows_gone messaging.message_queue[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q
  )
  select array_agg((gone.q).message_id), array_agg(gone.q) into canceled, rows_gone from gone;
  perform messaging.give_back_places(rows_gone);
  update messaging.messages m
  set status = 'canceled', canceled_at = clock_timestamp()
  where m.id = any (canceled);
  perform messaging.record_message_events(canceled, array['message.canceled']);
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;

-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window. Returns the ids.
-- Heads of instances with protection are left to claim_protected_messages.
-- A head whose expires_at has come is ended instead, and the next claim takes the one behind it.
-- An instance that is due but has nothing to send now gets its new due time: see postpone_dispatch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_paced_messages(
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  claimed_ids uuid[];
  stalled uuid[];
  protected uuid[];
  late uuid[];
begin
  with due as materialized (
    select d.instance_id, d.paced_from
    from messaging.dispatch d
    where d.in_flight is null and d.next_due_at <= clock
    order by d.next_due_at
    limit max_messages
    for no key update skip locked
  ),
  head as (
    select due.instance_id, leaving.message_id, leaving.typing, leaving.is_late,
      i.protection is not null as is_protected
    from due
    join messaging.instances i on i.id = any (array[due.instance_id])
    left join lateral (
      select q.message_id, q.interval_seconds
      from messaging.message_queue q
      where q.instance_id = due.instance_id and q.lane = 'paced' and q.claim_token is null
        and q.scheduled_at <= clock
      order by q.scheduled_at, q.position
      limit 1
      for no key update skip locked
    ) as h on true
    left join lateral (
      select m.id as message_id, shown.typing, coalesce(m.expires_at <= clock, false) as is_late
      from messaging.messages m
      cross join lateral (
        select interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
      ) as shown
      where m.id = h.message_id
        -- The due time may have been another head's, with a shorter interval.
        and due.paced_from + make_interval(secs => h.interval_seconds) <= clock
        -- is_send_window_open, whose look at the holidays would cost as much as finding the message.
        and messaging.is_window_time(i, (clock + shown.typing) at time zone i.time_zone)
        and not exists (
          select from messaging.holidays holiday
          where holiday.instance_id = i.id
            and holiday.day = ((clock + shown.typing) at time zone i.time_zone)::date
        )
        and (shown.typing = interval '0' or messaging.is_send_window_open(i, clock))
    ) as leaving on true
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing
    from head
    where q.message_id = any (array[head.message_id]) and not head.is_protected
      and not head.is_late
    returning q.message_id, q.instance_id, q.lease_until, head.typing
  ),
  marked as (
    -- An instance that is less than 50 ms late keeps the grid of its slots: the delay is not added to
    -- the next message. Beyond that the interval counts from now, and as soon as it is known from the
    -- call: see departed_at.
    update messaging.dispatch d
    set in_flight = claimed.message_id,
      lease_until = claimed.lease_until,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + claimed.typing,
      departs_at = clock + claimed.typing
    from claimed
    where d.instance_id = any (array[claimed.instance_id])
    returning d.in_flight
  )
  select
    (select array_agg(marked.in_flight) from marked),
    (
      select array_agg(head.instance_id) from head
      where head.message_id is null or head.is_late
    ),
    (
      select array_agg(head.message_id) from head
      where head.is_protected and not head.is_late
    ),
    (select array_agg(head.message_id) from head where head.is_late)
  into claimed_ids, stalled, protected, late;

  if protected is not null then
    claimed_ids := claimed_ids || messaging.claim_protected_messages(protected, lease, clock);
  end if;

  if late is not null then
    perform messaging.expire_due_messages(late, clock);
  end if;
  if stalled is not null then
    perform messaging.postpone_dispatch(stalled, clock);
  end if;
  return claimed_ids;
end;
$$;

-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them. A queue that was held over midnight must not burst, and immediate sends may have
-- taken places that were promised: where no place is left, the waiting messages get new slots (see
-- plan_slot_moves), which the dispatcher's maintenance does. The caller has locked dispatch and the queue
-- rows. Tries the pacing rows without waiting: an enqueue locks the two in the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[],
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  head record;
  walk messaging.slot_walk;
  counts_as_new boolean;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing,
      (clock at time zone i.time_zone)::date as today
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    counts_as_new := coalesce(head.takes_new, false) and messaging.is_new_contact(head.contact_id);
    walk := messaging.begin_walk(head.instance, clock);
    select array[d.sent], array[d.sent_new] into walk.taken, walk.taken_new
    from messaging.paced_days d
    where d.instance_id = head.instance_id and d.day = head.today;
    if messaging.refused_place(walk, 1, counts_as_new) is not null then
      perform messaging.request_slot_plan(head.instance_id, clock);
      continue;
    end if;

    update messaging.paced_days d
    set waiting = greatest(d.waiting - 1, 0),
      waiting_new = greatest(d.waiting_new - coalesce(head.takes_new, false)::integer, 0)
    where d.instance_id = head.instance_id
      and d.day = (head.scheduled_at at time zone (head.instance).time_zone)::date;
    insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
    values (head.instance_id, head.today, 1, counts_as_new::integer)
    on conflict on constraint paced_days_pkey do update
    set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = head.today,
      is_new = counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    where d.instance_id = head.instance_id;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds or
-- that is disconnected until that ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer,
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  claimed_ids uuid[];
  held_ids uuid[];
  to_be_paced uuid[];
  due_ids uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      greatest(d.operator_hold_until, d.disconnected_until) > clock
        and not due.is_to_be_paced as is_held
    from due
    join messaging.dispatch d on d.instance_id = any (array[due.instance_id])
  ),
  claimed as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      visible_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from checked
    join messaging.messages m on m.id = any (array[checked.message_id])
    where q.message_id = any (array[checked.message_id]) and not checked.is_held
      and not checked.is_to_be_paced and coalesce(m.expires_at > clock, true)
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced
    )
  into claimed_ids, held_ids, to_be_paced, due_ids;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  -- What was due and not claimed has come to its expires_at.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
  end if;
  return claimed_ids;
end;
$$;

-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(handed order by handed."scheduledAt")), '[]')
    from (
      select m.id as "messageId",
        q.claim_token as "claimToken",
        q.scheduled_at as "scheduledAt",
        i.id as "instanceId",
        i.provider,
        i.sealed_provider_config as "sealedProviderConfig",
        c.is_blocked as "isContactBlocked",
        messaging.denies_marketing(c.consent_marketing, m.purpose) as "isOptedOut",
        -- Only the agent's deferred answers: a caller cancels its own delayed messages.
        m.agent_id is not null and m.mode = 'scheduled' and m.held_by is distinct from 'delay'
          and exists (
          select from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        coalesce(
          (
            -- The official channel sends a code to a phone alone.
            select p.address
            from messaging.proven_address(
              c.id, m.message_type = 'template' and m.purpose is not distinct from 'authentication'
            ) as p
          ),
          m.phone_given,
          c.phone,
          c.identity_key
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.content,
        m.delay_typing_ms as "delayTypingMs",
        case when m.media_id is not null then messaging.file_to_send(m.media_id) end as file
      from unnest(claimed_messages.message_ids) as claimed(message_id)
      join messaging.message_queue q on q.message_id = any (array[claimed.message_id])
      join messaging.messages m on m.id = any (array[claimed.message_id])
      join messaging.contacts c on c.id = any (array[m.contact_id])
      join messaging.instances i on i.id = any (array[m.instance_id])
    ) as handed
  );
end;
$$;

-- Counts a message that leaves when its caller says, at once or after a delay, on the day that it is due:
-- it takes a place of that day's limits, and is never held by them. Only for instances with protection.
-- Locks pacing.
create or replace function messaging.count_unpaced_send(
  instance_id uuid,
  contact_id uuid,
  due_at timestamptz,
  out counted_on date,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  perform from messaging.pacing p
  where p.instance_id = count_unpaced_send.instance_id for no key update;
  instance := messaging.find_instance(instance_id);
  if instance.protection is null then
    return;
  end if;
  counted_on := (due_at at time zone instance.time_zone)::date;
  is_new := instance.protection ? 'newContactsPerDay' and messaging.is_new_contact(contact_id);
  insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
  values (instance.id, counted_on, 1, is_new::integer)
  on conflict on constraint paced_days_pkey do update
  set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
end;
$$;

-- How many messages an instance may send on a day: its daily limit, or what its warm-up allows where
-- that is less. NULL is no limit. On day n of the warm-up, from 0, start + (target - start) * n / days,
-- rounded down; the target is the daily limit, or 1,000. The warm-up ends with the day that allows the
-- target.
create or replace function messaging.day_limit(
  daily_limit integer,
  warm_up_start integer,
  warm_up_days integer,
  warm_up_from date,
  day date
)
returns integer
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  n constant bigint := greatest(day - warm_up_from, 0);
  target constant integer := coalesce(daily_limit, 1000);
begin
  if warm_up_days is null or n > warm_up_days then
    return daily_limit;
  end if;
  return warm_up_start + (target - warm_up_start) * n / warm_up_days;
end;
$$;

-- What an instance's protection allows on its present day, and what of it is taken: {day, limit, limitedBy,
-- sent, waiting, newContacts {limit, sent, waiting}}; `waiting` has a slot today, or is overdue. `limit` is
-- NULL for none, newContacts where they are not limited. NULL without protection.
create or replace function messaging.describe_day(instance messaging.instances, clock timestamptz)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  walk constant messaging.slot_walk := messaging.begin_walk(instance, clock);
  allowed integer;
  today messaging.paced_days;
begin
  if instance.protection is null then
    return null;
  end if;
  allowed := messaging.day_limit(
    walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from, walk.first_day
  );
  select d.* into today
  from messaging.paced_days d where d.instance_id = instance.id and d.day = walk.first_day;
  return jsonb_build_object(
    'day', walk.first_day,
    'limit', allowed,
    'limitedBy', case
      when allowed is distinct from walk.daily_limit then 'warm_up'
      when allowed is not null then 'daily_limit'
    end,
    'sent', coalesce(today.sent, 0),
    'waiting', coalesce(walk.taken[1], 0) - coalesce(today.sent, 0),
    'newContacts', case
      when walk.new_limit is not null then jsonb_build_object(
        'limit', walk.new_limit,
        'sent', coalesce(today.sent_new, 0),
        'waiting', coalesce(walk.taken_new[1], 0) - coalesce(today.sent_new, 0)
      )
    end
  );
end;
$$;

-- settle_may_have_left: makes messages `unconfirmed`, with `may_have_left` as their last error: those that
-- wait, and those whose claim is over. They are settled like a call whose outcome is unknown, so that a
-- delivery event or an echo that comes later finds them. Messages whose claim is still open stay.
-- Returns how many.
create or replace function messaging.doubt_restored_messages(message_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance_ids uuid[];
  results jsonb;
begin
  perform from messaging.message_queue q
  where q.message_id = any (doubt_restored_messages.message_ids)
  order by q.message_id
  for no key update;
  update messaging.message_queue q
  set claim_token = gen_random_uuid(), lease_until = clock
  where q.message_id = any (doubt_restored_messages.message_ids) and q.claim_token is null;
  select array_agg(distinct q.instance_id), jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
  ))
  into instance_ids, results
  from messaging.message_queue q
  where q.message_id = any (doubt_restored_messages.message_ids) and q.lease_until <= clock;
  if results is null then
    return 0;
  end if;
  perform public.settle_messages(jsonb_build_object('results', results));
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(instance_ids);
  return jsonb_array_length(results);
end;
$$;

-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, `daily_limit`, `new_contacts`, `warm_up`, or NULL.
-- With protection the rules of next_slot hold; `jitter_seed` is the message's id where it is not given.
-- Without, they are written out here: others wait for this row.
create or replace function messaging.enqueue_message(
  message_id uuid,
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  contact_id uuid default null,
  jitter_seed text default null,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  is_paced boolean;
  is_on_holiday boolean;
  has_one_before boolean;
  is_protected boolean := instance.protection is not null;
  is_new boolean;
begin
  if not is_protected then
    -- The clock is read under the lock: Postgres computes the new row version after the wait.
    update messaging.pacing p
    set last_slot_at = greatest(
      not_before,
      date_trunc('milliseconds', clock_timestamp()),
      p.last_slot_at + make_interval(secs => interval_seconds)
    ) + typing
    where p.instance_id = instance.id
    returning p.last_slot_at - typing, p.is_protected, exists (
      select from messaging.holidays h
      where h.instance_id = p.instance_id
        and h.day = ((p.last_slot_at - typing) at time zone instance.time_zone)::date
    ) into strict slot, is_protected, is_on_holiday;
  end if;
  if is_protected then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    select t.slot, t.held_by, t.pace, t.is_new into slot, held_by, interval_seconds, is_new
    from messaging.take_protected_slot(
      instance.id, contact_id, interval_seconds, not_before, typing,
      coalesce(jitter_seed, message_id::text)
    ) t;
  else
    is_paced := slot > greatest(not_before, date_trunc('milliseconds', clock_timestamp()));
    if is_on_holiday or not messaging.is_window_time(instance, slot at time zone instance.time_zone)
      or typing > interval '0' and not messaging.is_send_window_open(instance, slot + typing) then
      select f.slot, f.held_by into slot, held_by
      from messaging.fit_send_window(instance, slot, typing) f;
      update messaging.pacing p set last_slot_at = enqueue_message.slot + typing
      where p.instance_id = instance.id;
    end if;
    if held_by is null and is_paced then
      held_by := 'interval';
    end if;
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, interval_seconds, is_new
  )
  values (
    enqueue_message.message_id, instance.id, 'paced', slot, enqueue_message.interval_seconds, is_new
  )
  returning exists (
    select from messaging.message_queue q
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and q.scheduled_at <= slot
  ) into has_one_before;
  -- Lowers the due time, and only for a new head: a message behind another one leaves after it. Without
  -- need no lock is taken that would make a claim skip the instance.
  if not has_one_before then
    update messaging.dispatch d
    set next_due_at = messaging.next_due_at(d, slot, enqueue_message.interval_seconds)
    where d.instance_id = instance.id
      and d.next_due_at > messaging.next_due_at(d, slot, enqueue_message.interval_seconds);
  end if;
end;
$$;

-- Queues a message for an instant that the caller chose, `not_before`: it gets the slot that an enqueue at
-- that time gives. Where the slots given out reach that far, that is a slot behind them, now. Otherwise a
-- slot now would stand in a gap, and everything queued after it would wait for weeks: the message waits in
-- the unpaced lane with its `interval_seconds`, and the dispatcher enqueues it just before its slot (see
-- enqueue_waiting_messages). `slot` is the slot it is promised by the same rules: the first one, in the send
-- window, one interval from those of other messages that wait so, on a day whose limits have a place beside
-- them and what is queued. It takes none until it is enqueued: messages queued meanwhile may make it later.
-- `held_by` as enqueue_message. Locks pacing, so that simultaneous calls are promised different slots.
-- Errors: MI010.
create or replace function messaging.enqueue_message_later(
  message_id uuid,
  instance messaging.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  contact_id uuid,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
as $$
declare
  -- So that the message is enqueued when its slot comes.
  lead constant interval := interval '2 seconds';
  after_last timestamptz;
begin
  select p.last_slot_at + make_interval(secs => interval_seconds) into strict after_last
  from messaging.pacing p
  where p.instance_id = instance.id
  for no key update;
  if after_last >= not_before or not_before <= clock_timestamp() + lead then
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message_id, instance, interval_seconds, not_before, typing, contact_id
    ) e;
    return;
  end if;
  select f.slot, f.held_by into slot, held_by
  from messaging.free_slot_later(
    instance, message_id, contact_id, interval_seconds, not_before, typing
  ) f;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, interval_seconds
  )
  values (
    enqueue_message_later.message_id, instance.id, 'unpaced', slot, slot - lead,
    enqueue_message_later.interval_seconds
  );
end;
$$;

-- claim_due_messages: gives messages that waited for an instant of the caller's their slots in the paced
-- queue (see enqueue_message_later), in the order of the slots they were promised. The caller holds their
-- queue rows. Never waits for messages and pacing rows: what another session holds is left for later.
create or replace function messaging.enqueue_waiting_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  waiting record;
  instance messaging.instances;
  enqueued record;
begin
  for waiting in
    select q.instance_id, q.message_id, q.scheduled_at, q.interval_seconds, q.attempts,
      q.max_attempts, m.contact_id, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.pacing p on p.instance_id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id, q.scheduled_at, q.position
    for no key update of m, p skip locked
  loop
    if instance.id is distinct from waiting.instance_id then
      select i.* into strict instance from messaging.instances i where i.id = waiting.instance_id;
    end if;
    begin
      delete from messaging.message_queue q where q.message_id = waiting.message_id;
      select e.slot, e.held_by into strict enqueued
      from messaging.enqueue_message(
        waiting.message_id, instance, waiting.interval_seconds, waiting.scheduled_at, waiting.typing,
        waiting.contact_id
      ) e;
      update messaging.message_queue q
      set attempts = waiting.attempts, max_attempts = waiting.max_attempts
      where q.message_id = waiting.message_id and waiting.attempts > 0;
      update messaging.messages m
      set scheduled_for = enqueued.slot,
        held_by = coalesce(enqueued.held_by, m.held_by)
      where m.id = waiting.message_id;
    exception when sqlstate 'MI010' then
      -- A window that never opens is looked at daily, as by postpone_dispatch.
      update messaging.message_queue q
      set visible_at = clock + interval '1 day'
      where q.message_id = waiting.message_id;
    end;
  end loop;
end;
$$;

-- When a waiting message may leave as things are, and what holds it until then: its slot, one interval
-- after the message that left last, the end of its instance's hold, the send window (which its typing
-- must not outlast). For an unpaced message: its due time, unless it is to be paced (see enqueue_message_later). Messages before it in the queue are not
-- counted. While an operator's hold or a lost connection keeps it, that is the reason; `leaves_at` is NULL where the hold has
-- no end.
create or replace function messaging.expected_departure(
  queued messaging.message_queue,
  message messaging.messages,
  instance messaging.instances,
  dispatch messaging.dispatch,
  out leaves_at timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  after_last constant timestamptz :=
    dispatch.paced_from + make_interval(secs => queued.interval_seconds);
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  is_paced boolean;
  kept_until timestamptz;
  is_kept boolean;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  held_by := message.held_by;
  is_paced := queued.lane = 'paced' or queued.interval_seconds > 0;
  if is_paced then
    if after_last > leaves_at then
      leaves_at := after_last;
      held_by := 'interval';
    end if;
    leaves_at := greatest(leaves_at, dispatch.hold_until);
  end if;
  -- What lasts longer says the reason; of two without an end, the operator's hold.
  kept_until := greatest(dispatch.operator_hold_until, dispatch.disconnected_until);
  is_kept := kept_until > greatest(leaves_at, clock_timestamp());
  if is_kept then
    held_by := case
      when dispatch.operator_hold_until = kept_until then 'operator_hold' else 'disconnected'
    end;
    leaves_at := case when isfinite(kept_until) then kept_until end;
  end if;
  if not is_paced or leaves_at is null then
    return;
  end if;
  looked_at := greatest(leaves_at, clock_timestamp());
  if messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if not is_kept then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
  end if;
end;
$$;

-- claim_due_messages: ends messages that were due after their expires_at: they become `expired` instead
-- of being claimed. The caller holds their queue rows. What another session holds is left for later:
-- nothing waits here. The caller sees to it that the instance gets its next due time.
create or replace function messaging.expire_due_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  late uuid[];
  gone messaging.message_queue[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    join messaging.pacing p on p.instance_id = any (array[m.instance_id])
    where m.id = any (message_ids) and m.status = 'queued' and m.expires_at <= clock
    order by m.instance_id, m.id
    for no key update of m, p skip locked
  ) as l;
  if late is null then
    return;
  end if;
  with taken as (
    delete from messaging.message_queue q where q.message_id = any (late)
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  update messaging.messages m set status = 'expired' where m.id = any (late);
  perform messaging.record_message_events(late, array['message.expired']);
  perform messaging.give_back_slots(gone);
end;
$$;

-- Computes the slots of a stretch of an instance's waiting messages under its present send window, in
-- order. A message that would leave while the window is closed moves to its opening; the messages
-- behind it move as far as their intervals require. No slot becomes earlier. Where the window never
-- opens again the remaining messages keep their slots.
-- `clock`: an earlier slot is treated as `clock`. `left_before`: when the message before the stretch
-- will have left, NULL where it does not move. In a row, `held_by` is NULL where the message keeps its
-- slot, and `left_at` is NULL until a message has moved: up to there all keep what they were promised.
-- With protection the limits of the days hold too, see next_slot: the walk goes on from the stretch's, or
-- begins from what is stored. `walk`: its state before the row, of every `walk_every`th row from the first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.fitted_slots(
  instance messaging.instances,
  stretch messaging.slot_moves,
  walk_every integer default null
)
returns table (
  message_id uuid,
  scheduled_at timestamptz,
  queue_position bigint,
  slot timestamptz,
  held_by text,
  left_at timestamptz,
  is_new boolean,
  interval_seconds integer,
  walk messaging.slot_walk
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  waiting record;
  looked_at timestamptz;
  open_until timestamptz := '-infinity';
  is_protected constant boolean := instance.protection is not null;
  state messaging.slot_walk := stretch.walk;
  rows_before integer := 0;
begin
  left_at := stretch.left_at;
  if is_protected and state.first_day is null then
    state := messaging.begin_walk(instance, stretch.planned_at);
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.position, q.interval_seconds,
      is_protected and q.is_new and messaging.is_new_contact(m.contact_id) as is_new,
      make_interval(secs => q.interval_seconds) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      and (q.scheduled_at, q.position) >= (stretch.from_at, stretch.from_position)
      and (q.scheduled_at, q.position) < (stretch.until_at, stretch.until_position)
    order by q.scheduled_at, q.position
  loop
    message_id := waiting.message_id;
    scheduled_at := waiting.scheduled_at;
    queue_position := waiting.position;
    if is_protected then
      is_new := waiting.is_new;
      interval_seconds := waiting.interval_seconds;
      walk := case when rows_before % walk_every = 0 then state end;
      rows_before := rows_before + 1;
      begin
        state := messaging.next_slot(
          instance, state, interval_seconds, scheduled_at, waiting.typing, null, coalesce(is_new, false)
        );
      exception when sqlstate 'MI010' then
        return;
      end;
      slot := greatest(state.slot, scheduled_at);
      held_by := case
        when slot > greatest(scheduled_at, stretch.planned_at) then coalesce(state.held_by, 'interval')
      end;
      if held_by is null then
        slot := scheduled_at;
      end if;
      left_at := slot + waiting.typing;
      return next;
      continue;
    end if;
    slot := greatest(waiting.scheduled_at, left_at + waiting.pace);
    held_by := case when slot > waiting.scheduled_at then 'interval' end;
    looked_at := greatest(slot, stretch.planned_at);
    -- Slots only grow, so one look serves until the window closes.
    if looked_at + waiting.typing >= open_until then
      if not messaging.is_send_window_open(instance, looked_at)
        or not messaging.is_send_window_open(instance, looked_at + waiting.typing) then
        begin
          select f.slot, f.held_by into slot, held_by
          from messaging.fit_send_window(instance, looked_at, waiting.typing) f;
        exception when sqlstate 'MI010' then
          return;
        end;
        looked_at := slot;
      end if;
      open_until := messaging.window_open_until(instance, looked_at);
    end if;
    if held_by is not null or left_at is not null then
      left_at := slot + waiting.typing;
    end if;
    return next;
  end loop;
end;
$$;

-- What was told about the connections of instances holds no longer: their credentials are new, or an
-- operator releases them. The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_connection(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  perform messaging.resume_unpaced_messages(d.instance_id, d.disconnected_until, clock)
  from messaging.dispatch d
  where d.instance_id = any (instance_ids) and d.disconnected_until > clock;
  update messaging.dispatch d
  set connection = null, connection_told_at = '-infinity', disconnected_until = '-infinity',
    disconnected_at = null, disconnected_reason = null
  where d.instance_id = any (instance_ids);
end;
$$;

-- enqueue_message_later: the first slot from `not_before` on that spaced_slot_later gives, with the jitter that
-- the message will have, on a day whose limits have a place, as far as is known now. `held_by` says what moved
-- it, or NULL. Errors: MI010.
create or replace function messaging.free_slot_later(
  instance messaging.instances,
  message_id uuid,
  contact_id uuid,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  jitter_seconds constant integer := (instance.protection->>'jitterSeconds')::integer;
  pace constant interval := make_interval(
    secs => interval_seconds + messaging.jitter_of(message_id::text, jitter_seconds)
  );
  walk messaging.slot_walk;
  is_new boolean;
  day date;
  refusal text;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.spaced_slot_later(instance, pace, jitter_seconds, not_before, typing) f;
  if instance.protection is null then
    return;
  end if;
  walk := messaging.begin_walk(instance, date_trunc('milliseconds', clock_timestamp()));
  loop
    -- A further message to a new contact takes no place of its own.
    is_new := walk.new_limit is not null and messaging.is_new_contact(contact_id) and not exists (
      select from messaging.messages m
      join messaging.message_queue q on q.message_id = any (array[m.id])
      where m.contact_id = free_slot_later.contact_id and m.status = 'queued'
        and q.scheduled_at <= slot
    );
    day := (slot at time zone instance.time_zone)::date;
    refusal := messaging.refused_day_later(instance, walk, day, is_new);
    exit when refusal is null;
    select f.slot, refusal into slot, held_by
    from messaging.spaced_slot_later(
      instance, pace, jitter_seconds, (day + 1)::timestamp at time zone instance.time_zone, typing
    ) f;
  end loop;
end;
$$;

-- Gives back the places in the days' counts of messages that were taken out of the queue unsent:
-- canceled, expired, moved, or arrived after all. `gone`: their rows as they were, without a claim. The
-- last slot of a day is free again; any other stays unused, so that no other message moves. Costs next to
-- nothing where no instance has protection. The caller holds the pacing rows.
create or replace function messaging.give_back_places(gone messaging.message_queue[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  freed record;
begin
  for freed in
    select g.instance_id, g.lane, g.is_new, i.time_zone,
      coalesce(g.counted_on, (g.scheduled_at at time zone i.time_zone)::date) as day,
      g.counted_on is not null as is_sent
    from unnest(gone) as g
    join messaging.instances i on i.id = any (array[g.instance_id])
    where i.protection is not null
    order by g.scheduled_at desc
  loop
    if freed.is_sent then
      update messaging.paced_days d
      set sent = greatest(d.sent - 1, 0),
        sent_new = greatest(d.sent_new - coalesce(freed.is_new, false)::integer, 0)
      where d.instance_id = freed.instance_id and d.day = freed.day;
    elsif freed.lane = 'paced' then
      update messaging.paced_days d
      set waiting = greatest(d.waiting - 1, 0),
        waiting_new = greatest(d.waiting_new - coalesce(freed.is_new, false)::integer, 0),
        last_left_at = messaging.last_departure_of_day(
          freed.instance_id, freed.day, freed.time_zone
        ),
        is_over = false
      where d.instance_id = freed.instance_id and d.day = freed.day;
    end if;
  end loop;
end;
$$;

-- Gives back what rows that were taken out of the queue unsent had: the instance's last slot, and the
-- places in its days' counts (see give_back_places). Any other slot stays unused, so that no other message
-- moves. `gone`: the rows as they were, without a claim. The caller holds the pacing rows.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.give_back_slots(gone messaging.message_queue[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = p.instance_id and q.lane = 'paced'
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  from unnest(gone) as g
  join messaging.messages m on m.id = any (array[g.message_id])
  where g.lane = 'paced' and p.instance_id = any (array[g.instance_id])
    and p.last_slot_at = g.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0);
  perform messaging.give_back_places(gone);
end;
$$;

-- Whether an instance's channel has delivered anything after the first of these messages was sent: a
-- message received, or a confirmation. By the order of the newest 500 events; where they do not reach
-- back to that message, of these.
create or replace function messaging.has_confirmed_after(instance_id uuid, message_ids uuid[])
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return exists (
    with newest as materialized (
      select e.sequence, e.type, (e.message).id as message_id
      from messaging.events e
      where e.instance_id = has_confirmed_after.instance_id
      order by e.sequence desc
      limit 500
    )
    select from newest n
    where n.type in ('message.received', 'message.delivered', 'message.read')
      and n.sequence > coalesce(
        (
          select min(f.sequence) from newest f
          where f.type = 'message.sent' and f.message_id = any (message_ids)
        ),
        0
      )
  );
end;
$$;

-- Whether an instance's channel has delivered anything since: a message received, or a confirmation. Of
-- the newest 500 events.
create or replace function messaging.has_confirmed_since(instance_id uuid, since timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return exists (
    select from (
      select e.type, e.recorded_at
      from messaging.events e
      where e.instance_id = has_confirmed_since.instance_id
      order by e.sequence desc
      limit 500
    ) as newest
    where newest.recorded_at > since
      and newest.type in ('message.received', 'message.delivered', 'message.read')
  );
end;
$$;

-- Whether the instance's queue sends on that local day: one of its weekdays and no holiday.
create or replace function messaging.is_business_day(instance messaging.instances, local_day date)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return messaging.is_window_day(instance, local_day)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = local_day
    );
end;
$$;

-- Whether nothing was ever sent to a contact, and it never wrote.
create or replace function messaging.is_new_contact(contact_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return not exists (
    select from messaging.contacts c
    where c.id = is_new_contact.contact_id and c.last_inbound_at is not null
  ) and not exists (
    select from messaging.contact_activity a
    where a.contact_id = is_new_contact.contact_id and a.last_message_at is not null
  ) and not exists (
    select from messaging.messages m
    where m.contact_id = is_new_contact.contact_id and m.sent_at is not null
  );
end;
$$;

-- Whether a paced message of the instance may leave at that instant.
create or replace function messaging.is_send_window_open(
  instance messaging.instances,
  instant timestamptz
)
returns boolean
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  clock constant timestamp := instant at time zone instance.time_zone;
begin
  return messaging.is_window_time(instance, clock)
    and not exists (
      select from messaging.holidays h
      where h.instance_id = instance.id and h.day = clock::date
    );
end;
$$;

-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count.
-- Reads the newest messages and events, in their indexes.
create or replace function messaging.is_suspect(
  instance_id uuid,
  trusted_from timestamptz,
  clock timestamptz
)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  streak constant integer := 20;
  ids uuid[];
  has_confirmed boolean;
  first_at timestamptz;
begin
  select array_agg(newest.id), bool_or(newest.is_confirmed), min(newest.sent_at)
  into ids, has_confirmed, first_at
  from (
    -- What a person typed on the phone came from the channel: it is alive.
    select m.id, m.sent_at, m.status <> 'sent' or m.is_typed_on_phone as is_confirmed
    from messaging.messages m
    where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
      and m.sent_at is not null and m.status <> 'failed'
    order by m.sent_at desc
    limit streak
  ) as newest;
  if coalesce(cardinality(ids), 0) < streak or has_confirmed
    or first_at > clock - interval '10 minutes' or first_at <= trusted_from then
    return false;
  end if;
  return not messaging.has_confirmed_after(instance_id, ids) and exists (
    select from (
      select m.status
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed' and m.id <> all (ids)
        and m.sent_at <= first_at
      order by m.sent_at desc
      limit 1000
    ) as earlier
    where earlier.status in ('delivered', 'read')
  );
end;
$$;

-- An instant as ISO 8601 with milliseconds and the offset that the zone has then; NULL stays NULL.
create or replace function messaging.iso_in_zone(instant timestamptz, time_zone text)
returns text
language plpgsql
stable
strict
parallel safe
set search_path = ''
as $$
declare
  local constant timestamp := instant at time zone time_zone;
  shift constant interval := local - (instant at time zone 'UTC');
begin
  -- Without a subquery, whose start would cost several times as much.
  return to_char(local, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
    || case when shift < interval '0' then '-' else '+' end
    || to_char(greatest(shift, -shift), 'HH24:MI');
end;
$$;

-- When the last of an instance's messages with a slot on that local day will have left, or the one that
-- left last where it was on that day. NULL where there is none.
create or replace function messaging.last_departure_of_day(
  instance_id uuid,
  day date,
  time_zone text
)
returns timestamptz
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = last_departure_of_day.instance_id and q.lane = 'paced'
        and q.scheduled_at >= day::timestamp at time zone time_zone
        and q.scheduled_at < (day + 1)::timestamp at time zone time_zone
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (
      select d.paced_from from messaging.dispatch d
      where d.instance_id = last_departure_of_day.instance_id and isfinite(d.paced_from)
        and (d.paced_from at time zone time_zone)::date = day
    )
  );
end;
$$;

-- After a restore: the messages of the dump that may have left since, from the database that was dumped.
-- `state`: `waiting` (in the queue, due by `due_by`), `in_flight` (claimed when the dump was made),
-- `unconfirmed` (in doubt: by a claim that ended since, or sent again by itself where onUnconfirmed is
-- `retry`). `since`: the instant of the dump; what was accepted after it was accepted here. Messages that
-- an operator has settled (see settle_may_have_left) are not listed again.
-- `of_instance`: NULL for all instances. Instance by instance, so that other tenants' rows are not read.
create or replace function messaging.messages_that_may_have_left(
  since timestamptz,
  due_by timestamptz,
  of_instance uuid
)
returns table (
  message_id uuid,
  instance_id uuid,
  created_at timestamptz,
  due_at timestamptz,
  state text
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  clock constant timestamptz := clock_timestamp();
  wanted uuid[] := array[of_instance];
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  return query
  select q.message_id, q.instance_id, m.created_at, q.scheduled_at,
    case when q.claim_token is null then 'waiting' else 'in_flight' end
  from unnest(wanted) as i(id)
  cross join lateral messaging.queue_of_instance(i.id) as q
  -- OFFSET 0: a join might begin with the messages of all instances, here and below.
  cross join lateral (
    select a.created_at from messaging.messages a
    where a.id = q.message_id
    offset 0
  ) as m
  where (q.claim_token is not null or q.scheduled_at <= due_by) and m.created_at <= since
  union all
  select m.id, m.instance_id, m.created_at, m.unconfirmed_at, 'unconfirmed'
  from unnest(wanted) as w(id)
  join messaging.instances i on i.id = w.id
  cross join lateral (
    select u.* from messaging.messages u
    where u.instance_id = i.id and u.status = 'unconfirmed'
    offset 0
  ) as m
  where m.created_at <= since
    and (
      m.unconfirmed_at > since
      or i.on_unconfirmed = 'retry' and m.unconfirmed_at > clock - interval '1 day'
        and m.attempts < 6
    )
    and m.last_error->>'code' is distinct from 'may_have_left';
end;
$$;

-- The one place of the slot rules: from the state of an instance's slots it yields the next slot, and the
-- state behind it. An enqueue takes one step from what is stored (see take_protected_slot), a changed
-- window or limit walks over the waiting messages (see fitted_slots), a forecast walks ahead of the time.
--
--   walk := messaging.begin_walk(instance, clock);
--   walk := messaging.next_slot(instance, walk, 60, not_before, interval '0', seed, false);
--   -- walk.slot, walk.held_by, walk.interval_seconds (with the jitter), walk.day
--
-- The slot is the later of `not_before`, the walk's clock, and one interval after the slot before; in the
-- send window, with `typing` after it. `not_before` may be NULL. `held_by` says what moved the slot.
-- With protection (see paced_days):
-- - The interval grows by a whole number of seconds from 0 to jitterSeconds, which `jitter_seed` alone
--   decides (no jitter where it is NULL). The queue row keeps that interval: a claim, a late queue and a
--   changed window respect it too.
-- - A day that has no place left passes the message on to the next one. A message to a contact that
--   `is_new` also needs one of the day's places for new contacts; those to known contacts pass it.
-- - Within a day a slot lies behind all others of the day. Where a message finds no time left on a day,
--   that day is over for all that come after it.
-- Takes constant time, however many days are full: a walk remembers from where on there may be a place.
-- Assigned, not selected, it costs no statement. Errors: MI010.
create or replace function messaging.next_slot(
  instance messaging.instances,
  walk messaging.slot_walk,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  jitter_seed text,
  is_new boolean
)
returns messaging.slot_walk
language plpgsql
stable
set search_path = ''
as $$
declare
  earliest constant timestamptz := greatest(not_before, walk.clock);
  candidate timestamptz := earliest;
  pace interval;
  -- Whether nothing that comes later in the walk may leave on this day before the candidate.
  is_first boolean;
  pointer integer;
  pointer_reason text;
  place integer;
  behind timestamptz;
  fitted_place integer;
  allowed integer;
  refusal text;
  reason text;
  moved_by text;
begin
  walk.interval_seconds := interval_seconds;
  if walk.first_day is null then
    walk.slot := greatest(earliest, walk.last_left_at + make_interval(secs => interval_seconds));
    walk.held_by := case when walk.slot > earliest then 'interval' end;
    if coalesce(walk.slot < walk.opens_at or walk.slot + typing >= walk.closes_at, true) then
      select f.slot, coalesce(f.held_by, walk.held_by) into walk.slot, walk.held_by
      from messaging.fit_send_window(instance, walk.slot, typing) f;
      walk.opens_at := walk.slot;
      walk.closes_at := messaging.window_open_until(instance, walk.slot);
    end if;
    walk.last_left_at := walk.slot + typing;
    return walk;
  end if;

  -- With protection: the first day with a place and the time for it. Days are counted from 1, the walk's
  -- first.
  if walk.jitter_seconds > 0 and jitter_seed is not null then
    walk.interval_seconds := interval_seconds
      + messaging.jitter_of(jitter_seed, walk.jitter_seconds);
  end if;
  pace := make_interval(secs => walk.interval_seconds);
  place := (earliest at time zone instance.time_zone)::date - walk.first_day + 1;
  is_first := earliest = walk.clock;
  if is_new then
    pointer := walk.new_from;
    pointer_reason := walk.new_reason;
  else
    pointer := walk.known_from;
    pointer_reason := walk.known_reason;
  end if;
  if place < pointer then
    place := pointer;
    reason := pointer_reason;
    candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
    is_first := true;
  end if;
  loop
    -- refused_place, written out: called, it would copy the walk.
    allowed := walk.daily_limit;
    if walk.warm_up_days is not null then
      allowed := messaging.day_limit(
        allowed, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from, walk.first_day + place - 1
      );
    end if;
    refusal := case
      when walk.taken[place] >= allowed
        then case when allowed is distinct from walk.daily_limit then 'warm_up' else 'daily_limit' end
      when is_new and walk.taken_new[place] >= walk.new_limit then 'new_contacts'
    end;
    if refusal is not null or walk.is_over[place] then
      reason := coalesce(refusal, reason);
      place := place + 1;
      if pointer = place - 1 then
        pointer := place;
        pointer_reason := reason;
      end if;
      candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
      is_first := true;
      continue;
    end if;

    behind := greatest(
      walk.left_at[place], case place when 1 then walk.last_left_at else walk.left_at[place - 1] end
    ) + pace;
    walk.slot := greatest(candidate, behind);
    if coalesce(
      walk.slot < walk.opened_at[place] or walk.slot + typing >= walk.closed_at[place], true
    ) then
      select f.slot, f.held_by into candidate, moved_by
      from messaging.fit_send_window(instance, walk.slot, typing) f;
      reason := coalesce(reason, moved_by);
      fitted_place := (candidate at time zone instance.time_zone)::date - walk.first_day + 1;
      if fitted_place > place then
        if behind = walk.slot then
          walk.is_over[place] := true;
        elsif is_first and pointer = place then
          pointer := fitted_place;
          pointer_reason := reason;
        end if;
        place := fitted_place;
        is_first := true;
        continue;
      end if;
      walk.slot := candidate;
      walk.opened_at[place] := walk.slot;
      walk.closed_at[place] := messaging.window_open_until(instance, walk.slot);
    end if;

    -- The first message of the next day needs its interval too.
    exit when coalesce(walk.slot + typing <= walk.starts_at[place + 1], true);
    if behind = walk.slot then
      walk.is_over[place] := true;
    end if;
    place := place + 1;
    candidate := (walk.first_day + place - 1)::timestamp at time zone instance.time_zone;
    is_first := false;
  end loop;

  walk.taken[place] := coalesce(walk.taken[place], 0) + 1;
  if is_new then
    walk.taken_new[place] := coalesce(walk.taken_new[place], 0) + 1;
    walk.new_from := pointer;
    walk.new_reason := pointer_reason;
  else
    walk.known_from := pointer;
    walk.known_reason := pointer_reason;
  end if;
  walk.left_at[place] := walk.slot + typing;
  walk.starts_at[place] := least(walk.starts_at[place], walk.slot - pace);
  walk.day := walk.first_day + place - 1;
  walk.held_by := coalesce(reason, case when walk.slot > earliest then 'interval' end);
  return walk;
end;
$$;

-- When the next message is due: how long the dispatcher may sleep. NULL for never.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.next_wake_up()
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  return nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    )
  ), 'infinity');
end;
$$;

-- After a restore: e-mails and agents' replies that were promised before the dump and may have gone out
-- since, from the database that was dumped (see messages_that_may_have_left).
-- Those of one instance are found through its workspace.
create or replace function messaging.outbox_that_may_have_left(since timestamptz, of_instance uuid)
returns table (outbox_id uuid, instance_id uuid, kind text)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  if of_instance is null then
    return query
    select o.id, (o.payload->>'instanceId')::uuid, o.kind
    from messaging.outbox o
    where o.settled_at is null and o.created_at <= since;
  else
    return query
    select o.id, of_instance, o.kind
    from messaging.instances i
    -- OFFSET 0: with the date beside it, the index of all workspaces' rows by age looks cheaper.
    cross join lateral (
      select w.* from messaging.outbox w
      where w.workspace_id = i.workspace_id
      offset 0
    ) as o
    where i.id = of_instance and o.status = 'pending' and o.created_at <= since
      and o.payload->>'instanceId' = of_instance::text;
  end if;
end;
$$;

-- Plans new slots for an instance's waiting messages that would leave while its present send window is
-- closed, or on a day whose limits leave no place for them (see paced_days, which it counts anew), and for the messages behind them (see fitted_slots). Moves up to 4,000 messages at once. The
-- dispatcher moves the rest 2,000 at a time (move_waiting_slots), so that no call takes as long as the
-- queue.
-- The last messages move first: slots only become later, so the order holds at every moment. A claim
-- checks window and interval itself, so a message that has not moved yet still leaves in order and in
-- time. Messages queued from now on get slots behind the last planned one. Replaces an earlier plan.
-- The caller holds the pacing row. Locks dispatch and the messages that it moves.
create or replace function messaging.plan_slot_moves(instance messaging.instances)
returns void
language plpgsql
set search_path = ''
as $$
declare
  stretch_length constant integer := 2000;
  max_stretches_at_once constant integer := 2;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  whole constant messaging.slot_moves :=
    (instance.id, 0, '-infinity', 0, 'infinity', 0, null, clock, null)::messaging.slot_moves;
  last_left_at timestamptz;
  stretches integer;
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s where s.instance_id = instance.id;
  if instance.protection is not null then
    -- What waits is counted anew, below.
    update messaging.paced_days d
    set waiting = 0, waiting_new = 0, starts_at = null, is_over = false,
      last_left_at = (
        select last.paced_from from messaging.dispatch last
        where last.instance_id = instance.id and isfinite(last.paced_from)
          and (last.paced_from at time zone instance.time_zone)::date = d.day
      )
    where d.instance_id = instance.id;
  end if;
  with fitted as materialized (
    select f.*, row_number() over in_order as number, lag(f.left_at) over in_order as left_before
    from messaging.fitted_slots(instance, whole, stretch_length) f
    window in_order as (order by f.scheduled_at, f.queue_position)
  ),
  stretch as (
    select (f.number - 1) / stretch_length as place,
      (array_agg(f.scheduled_at order by f.number))[1] as from_at,
      (array_agg(f.queue_position order by f.number))[1] as from_position,
      (array_agg(f.left_before order by f.number))[1] as left_at,
      (array_agg(f.walk order by f.number))[1] as walk,
      bool_or(f.held_by is not null) as is_moved
    from fitted f
    group by place
  ),
  bounded as (
    select s.*,
      lead(s.from_at, 1, 'infinity') over (order by s.place) as until_at,
      lead(s.from_position, 1, 0) over (order by s.place) as until_position
    from stretch s
  ),
  planned as (
    insert into messaging.slot_moves (
      instance_id, place, from_at, from_position, until_at, until_position, left_at, planned_at,
      walk
    )
    select instance.id, b.place, b.from_at, b.from_position, b.until_at, b.until_position, b.left_at,
      clock, b.walk
    from bounded b
    where b.is_moved
    returning place
  ),
  counted as (
    insert into messaging.paced_days as d (
      instance_id, day, waiting, waiting_new, last_left_at, starts_at
    )
    select instance.id, (f.slot at time zone instance.time_zone)::date, count(*),
      count(*) filter (where f.is_new), max(f.left_at),
      min(f.slot - make_interval(secs => f.interval_seconds))
    from fitted f
    where instance.protection is not null
    group by 2
    on conflict on constraint paced_days_pkey do update
    set waiting = excluded.waiting, waiting_new = excluded.waiting_new,
      last_left_at = greatest(d.last_left_at, excluded.last_left_at),
      starts_at = excluded.starts_at
  )
  select (select max(f.left_at) from fitted f), (select count(*) from planned)
  into last_left_at, stretches;
  update messaging.pacing p set last_slot_at = greatest(p.last_slot_at, last_left_at)
  where p.instance_id = instance.id;
  if stretches <= max_stretches_at_once then
    while messaging.move_slots(instance) is not null loop
    end loop;
  end if;
end;
$$;

-- claim_due_messages: makes the due unpaced messages of instances whose provider hangs invisible for ten
-- seconds, oldest first, so that a claim reads those of the others. A bounded number a claim.
-- Skips what another session holds. Plans: see claim_due_messages, whose settings it inherits.
create or replace function messaging.postpone_crowding_messages(
  instance_ids uuid[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  with crowding as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
      and q.instance_id = any (postpone_crowding_messages.instance_ids)
    order by q.visible_at
    limit 1000
    for no key update skip locked
  )
  update messaging.message_queue q
  set visible_at = clock + interval '10 seconds'
  from crowding
  where q.message_id = any (array[crowding.message_id]);
end;
$$;

-- Makes unpaced messages of instances that an operator holds or that are disconnected invisible until that ends, so that a
-- claim reads each of them once. The caller has locked the queue rows. Tries the dispatch rows without
-- waiting; their locks keep a release from overlooking what is postponed here: it waits for them before
-- it looks (see set_operator_hold).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_held_messages(message_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  with held as (
    select d.instance_id, greatest(d.operator_hold_until, d.disconnected_until) as ends_at
    from messaging.dispatch d
    where greatest(d.operator_hold_until, d.disconnected_until) > clock and d.instance_id in (
      select q.instance_id
      from unnest(postpone_held_messages.message_ids) as late(message_id)
      join messaging.message_queue q on q.message_id = any (array[late.message_id])
    )
    order by d.instance_id
    for share skip locked
  )
  update messaging.message_queue q
  set visible_at = held.ends_at
  from held
  where q.message_id = any (postpone_held_messages.message_ids)
    and q.instance_id = any (array[held.instance_id])
    and q.claim_token is null;
end;
$$;

-- The queue rows of an instance. Each lane is read by its own index, so that other tenants' queues are not
-- read.
create or replace function messaging.queue_of_instance(of_instance uuid)
returns setof messaging.message_queue
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return query
  select p.* from messaging.message_queue p
  where p.instance_id = of_instance and p.lane = 'paced'
  union all
  select u.* from messaging.message_queue u
  where u.instance_id = of_instance and u.lane = 'unpaced';
end;
$$;

-- Records instance.held for instances that the caller has just held, or holds for longer, with the end
-- of all that holds them: NULL where they are held until they are released. `reasons`: why, in the order
-- of the instances.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_instance_holds(instance_ids uuid[], reasons text[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
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

-- Counts anew what waits for instances with protection (see paced_days), where it is not as counted: a
-- message that was deleted with its person took its place along. Deletes days that are long over. Never
-- waits for a lock: an instance that another session holds, or whose slots are being moved, is left for
-- the next time.
create or replace function messaging.recount_days(clock timestamptz)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  instance messaging.instances;
begin
  for instance in
    select i.*
    from messaging.pacing p
    join messaging.instances i on i.id = any (array[p.instance_id])
    where p.is_protected and i.protection is not null
      and not exists (select from messaging.slot_moves s where s.instance_id = p.instance_id)
    order by p.instance_id
    for no key update of p skip locked
  loop
    update messaging.paced_days d
    set waiting = coalesce(counted.waiting, 0), waiting_new = coalesce(counted.waiting_new, 0)
    from messaging.paced_days known
    left join (
      select (q.scheduled_at at time zone instance.time_zone)::date as day, count(*) as waiting,
        count(*) filter (where q.is_new) as waiting_new
      from messaging.message_queue q
      where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
      group by 1
    ) as counted on counted.day = known.day
    where known.instance_id = instance.id and d.instance_id = instance.id and d.day = known.day
      and (d.waiting, d.waiting_new)
        is distinct from (coalesce(counted.waiting, 0), coalesce(counted.waiting_new, 0));
    delete from messaging.paced_days d
    where d.instance_id = instance.id and d.waiting = 0
      and d.day < (clock at time zone instance.time_zone)::date - 7;
  end loop;
end;
$$;

-- free_slot_later: why a day has no place for a message that waits for an instant on it: refused_place, with
-- the messages that wait so counted too; NULL where it has. `walk`: from begin_walk. `is_new`: whether the
-- message needs one of the day's places for new contacts.
create or replace function messaging.refused_day_later(
  instance messaging.instances,
  walk messaging.slot_walk,
  day date,
  is_new boolean
)
returns text
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
  place constant integer := day - walk.first_day + 1;
  starts_at constant timestamptz := day::timestamp at time zone instance.time_zone;
  ends_at constant timestamptz := (day + 1)::timestamp at time zone instance.time_zone;
begin
  walk.taken[place] := coalesce(walk.taken[place], 0) + (
    select count(*)
    from messaging.message_queue q
    where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
      and q.scheduled_at >= starts_at and q.scheduled_at < ends_at
  );
  if is_new then
    walk.taken_new[place] := coalesce(walk.taken_new[place], 0) + (
      select count(distinct m.contact_id)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
        and q.scheduled_at >= starts_at and q.scheduled_at < ends_at
        and messaging.is_new_contact(m.contact_id)
    );
  end if;
  return messaging.refused_place(walk, place, is_new);
end;
$$;

-- next_slot: why a day of the walk, counted from 1, has no place for a message: `daily_limit`,
-- `warm_up` or `new_contacts`; NULL where it has.
create or replace function messaging.refused_place(
  walk messaging.slot_walk,
  place integer,
  is_new boolean
)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  allowed constant integer := messaging.day_limit(
    walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from,
    walk.first_day + place - 1
  );
begin
  return case
    when walk.taken[place] >= allowed
      then case when allowed is distinct from walk.daily_limit then 'warm_up' else 'daily_limit' end
    when is_new and walk.taken_new[place] >= walk.new_limit then 'new_contacts'
  end;
end;
$$;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, outcome and
-- called_after_ms for the pace (see departed_at), and to hold the instance retry_at, is_outage and sealed_provider_config: a refusal of credentials that have been
-- replaced holds nothing. Records instance.held where a hold begins or is prolonged.
-- Gives the running batches of released instances their next message.
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
  has_returned boolean;
  feeding uuid[];
  clock constant timestamptz := clock_timestamp();
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.return_places(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
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

  with freed as (
  update messaging.dispatch d
  set in_flight = null,
    lease_until = null,
    paced_from = messaging.departed_at(d, s.outcome, s.called_after_ms, clock),
    next_due_at = greatest(
      messaging.next_due_at(d, head.scheduled_at, head.interval_seconds),
      messaging.departed_at(d, s.outcome, s.called_after_ms, clock)
        + make_interval(secs => head.interval_seconds)
    )
  from unnest(settlements) as s
  left join lateral messaging.head_of_queue(s.instance_id) as head on true
  -- "is true" keeps the plan off the index of everything in flight.
  where s.lane = 'paced' and d.instance_id = any (array[s.instance_id]) and (d.in_flight = s.message_id) is true
  returning d.instance_id, d.feeds_batches
  )
  select array_agg(f.instance_id order by f.instance_id) into feeding from freed f where f.feeds_batches;

  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
  if feeding is not null then
    perform messaging.feed_after_settling(feeding);
  end if;
end;
$$;

-- Has the dispatcher's maintenance plan new slots for an instance whose head finds no place today: see
-- move_waiting_slots. Until then nothing of the instance is claimed; five seconds at most, so that a
-- plan that moves nothing cannot stop the queue.
create or replace function messaging.request_slot_plan(instance_id uuid, clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.slot_moves (
    instance_id, place, from_at, from_position, until_at, until_position, planned_at
  )
  values (request_slot_plan.instance_id, -1, '-infinity', 0, 'infinity', 0, clock)
  on conflict on constraint slot_moves_pkey do nothing;
  update messaging.dispatch d
  set next_due_at = clock + interval '5 seconds'
  where d.instance_id = request_slot_plan.instance_id;
end;
$$;

-- Puts a failed or unconfirmed message back into the queue: a queued message into the paced lane with
-- a new slot, any other into the unpaced lane, due at once. The caller holds the message's row and has
-- checked its state.
create or replace function messaging.requeue_message(message messaging.messages)
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  slot timestamptz := clock;
  held_by text := message.held_by;
begin
  if message.mode = 'queued' then
    select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      message.id, instance, message.interval_seconds, clock,
      interval '1 millisecond' * coalesce(message.delay_typing_ms, 0), message.contact_id
    ) e;
  else
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (message.id, message.instance_id, 'unpaced', clock, clock);
  end if;
  update messaging.messages m
  set status = 'queued', scheduled_for = requeued.slot, held_by = requeued.held_by,
    confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null
  from (select slot, held_by) as requeued
  where m.id = message.id;
end;
$$;

-- An instance is connected again: its unpaced messages that the lost connection has postponed to
-- `postponed_to` are due at their own time, and those whose time has passed leave ten seconds apart, so
-- that they are no burst. The caller holds dispatch.
create or replace function messaging.resume_unpaced_messages(
  instance_id uuid,
  postponed_to timestamptz,
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  update messaging.message_queue q
  set visible_at = case
    when late.scheduled_at > clock then late.scheduled_at
    else clock + (late.place - 1) * interval '10 seconds'
  end
  from (
    select u.message_id, u.scheduled_at,
      row_number() over (order by u.scheduled_at, u.position) as place
    from messaging.message_queue u
    where u.instance_id = resume_unpaced_messages.instance_id and u.lane = 'unpaced'
      and u.claim_token is null and u.interval_seconds = 0
      and (u.visible_at = postponed_to or u.scheduled_at <= clock and u.visible_at <= clock)
  ) as late
  where q.message_id = any (array[late.message_id]) and q.claim_token is null;
end;
$$;

-- Claimed messages that go back into the paced queue unsent no longer count on the day of their claim,
-- but on that of their slot. The caller holds the pacing rows.
create or replace function messaging.return_places(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  back record;
begin
  for back in
    select q.message_id, q.instance_id, q.counted_on, q.is_new,
      (q.scheduled_at at time zone i.time_zone)::date as day
    from messaging.message_queue q
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids) and q.lane = 'paced' and q.claim_token is null
      and q.counted_on is not null
    order by q.message_id
  loop
    update messaging.message_queue q set counted_on = null where q.message_id = back.message_id;
    update messaging.paced_days d
    set sent = greatest(d.sent - 1, 0),
      sent_new = greatest(d.sent_new - coalesce(back.is_new, false)::integer, 0)
    where d.instance_id = back.instance_id and d.day = back.counted_on;
    insert into messaging.paced_days as d (instance_id, day, waiting, waiting_new)
    values (back.instance_id, back.day, 1, coalesce(back.is_new, false)::integer)
    on conflict on constraint paced_days_pkey do update
    set waiting = d.waiting + 1, waiting_new = d.waiting_new + excluded.waiting_new;
  end loop;
end;
$$;

-- Holds instances for an operator until `hold_until` (infinity: until they are released), or releases
-- them (-infinity). What the dispatcher would send for them waits: paced messages by their due time (see
-- next_due_at), unpaced ones and outbox rows when a claim comes upon them. What a former hold has
-- postponed is due at its own time again.
-- A message that was claimed before may still leave: this ends no claim.
-- A release also says that the instance is to be trusted: see hold_suspects.
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
    trusted_from = case when d.suspected_at is not null then clock else d.trusted_from end,
    suspected_at = null,
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

-- free_slot_later: the first slot from `not_before` on that lies in the send window and keeps its distance
-- from the messages that wait for their instants: one interval after the one before it, and the next one's
-- interval before that. The intervals hold the jitter; `jitter_seconds` is NULL for none. `held_by` says what
-- moved it, or NULL. Errors: MI010.
create or replace function messaging.spaced_slot_later(
  instance messaging.instances,
  pace interval,
  jitter_seconds integer,
  not_before timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
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
  -- No interval and no typing is longer, but for the jitter.
  reach constant interval := interval '61 minutes' + make_interval(secs => coalesce(jitter_seconds, 0));
  other record;
  ends_at timestamptz;
  open_until timestamptz;
begin
  select f.slot, f.held_by into slot, held_by
  from messaging.fit_send_window(instance, not_before, typing) f;
  open_until := messaging.window_open_until(instance, slot);
  for other in
    select q.scheduled_at, make_interval(
        secs => q.interval_seconds + messaging.jitter_of(q.message_id::text, jitter_seconds)
      ) as pace,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = instance.id and q.lane = 'unpaced' and q.interval_seconds > 0
      and q.scheduled_at > slot - reach
    order by q.scheduled_at, q.position
  loop
    exit when other.scheduled_at > slot + typing + reach;
    ends_at := other.scheduled_at + other.typing;
    if slot < ends_at + pace and other.scheduled_at < slot + typing + other.pace then
      slot := ends_at + pace;
      held_by := 'interval';
      if slot + typing >= open_until then
        select f.slot, coalesce(f.held_by, 'interval') into slot, held_by
        from messaging.fit_send_window(instance, slot, typing) f;
        open_until := messaging.window_open_until(instance, slot);
      end if;
    end if;
  end loop;
end;
$$;

-- enqueue_message of an instance with protection: takes the next slot, and counts it. The caller holds
-- the pacing row. `pace`: the interval with the jitter. `is_new`: whether the message takes one of the
-- day's places for new contacts; a further message to a new contact takes none, and leaves after the
-- first. Errors: MI010.
create or replace function messaging.take_protected_slot(
  instance_id uuid,
  contact_id uuid,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  jitter_seed text,
  out slot timestamptz,
  out held_by text,
  out pace integer,
  out is_new boolean
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- Read under the lock: the limits may have changed since the caller's look.
  instance constant messaging.instances := messaging.find_instance(instance_id);
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  known_over constant boolean[] := walk.is_over;
  first_slot timestamptz;
  first_reason text;
begin
  is_new := walk.new_limit is not null and contact_id is not null
    and messaging.is_new_contact(contact_id);
  if is_new then
    select q.scheduled_at, m.held_by into first_slot, first_reason
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = take_protected_slot.contact_id and m.sent_at is null
      and m.status = 'queued' and q.is_new
    order by q.scheduled_at desc
    limit 1;
    is_new := not found;
  end if;
  walk := messaging.next_slot(
    instance, walk, interval_seconds, greatest(not_before, first_slot), typing, jitter_seed,
    is_new
  );
  slot := walk.slot;
  pace := walk.interval_seconds;
  held_by := case
    when coalesce(walk.held_by, 'interval') = 'interval' and first_slot > greatest(not_before, clock)
      then coalesce(first_reason, walk.held_by)
    else walk.held_by
  end;
  update messaging.pacing p
  set last_slot_at = greatest(p.last_slot_at, slot + typing)
  where p.instance_id = instance.id;
  if instance.protection is null then
    return;
  end if;
  insert into messaging.paced_days as d (
    instance_id, day, waiting, waiting_new, last_left_at, starts_at
  )
  values (
    instance.id, walk.day, 1, is_new::integer, slot + typing, slot - make_interval(secs => pace)
  )
  on conflict on constraint paced_days_pkey do update
  set waiting = d.waiting + 1,
    waiting_new = d.waiting_new + excluded.waiting_new,
    last_left_at = excluded.last_left_at,
    starts_at = least(d.starts_at, excluded.starts_at);
  if walk.is_over is distinct from known_over then
    update messaging.paced_days d
    set is_over = true
    where d.instance_id = instance.id and d.day >= walk.first_day
      and walk.is_over[d.day - walk.first_day + 1] and not d.is_over;
  end if;
end;
$$;

-- Releases suspect instances (see hold_suspects) whose channel has confirmed or delivered something since.
-- Costs a look at an empty index where none is suspect. Never waits for a lock: what another session holds
-- is left to hold_suspects. Returns how many were released.
create or replace function messaging.trust_confirmed_instances()
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  released uuid[];
begin
  perform from messaging.dispatch d where d.suspected_at is not null limit 1;
  if not found then
    return 0;
  end if;
  select array_agg(l.instance_id) into released
  from (
    select d.instance_id
    from messaging.dispatch d
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where d.suspected_at is not null
      and messaging.has_confirmed_since(d.instance_id, d.suspected_at)
    order by d.instance_id
    for no key update of d, p skip locked
  ) as l;
  if released is not null then
    perform messaging.set_operator_hold(released, '-infinity', null);
  end if;
  return coalesce(cardinality(released), 0);
end;
$$;

-- Day 0 of an instance's warm-up, its own (local) day: NULL without one. `startedAt` is an instant, or
-- that day itself.
create or replace function messaging.warm_up_from(instance messaging.instances)
returns date
language plpgsql
stable
parallel safe
set search_path = ''
as $$
declare
  started_at constant text := instance.protection->'warmUp'->>'startedAt';
begin
  if length(started_at) = 10 then
    return started_at::date;
  end if;
  return (started_at::timestamptz at time zone instance.time_zone)::date;
end;
$$;

-- Why an instance's send window is closed at an instant: `holiday` where the weekday is a business
-- day, else `window`.
create or replace function messaging.window_closed_reason(
  instance messaging.instances,
  instant timestamptz
)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  local_day constant date := (instant at time zone instance.time_zone)::date;
begin
  return case
    when exists (
      select from messaging.holidays h where h.instance_id = instance.id and h.day = local_day
    ) and messaging.is_window_day(instance, local_day) then 'holiday'
    else 'window'
  end;
end;
$$;

-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it), crowdingInstances: the
-- ids of instances that have as many calls waiting for their provider as one may have; NULL for none.
-- Their unpaced messages wait (see postpone_crowding_messages).
-- Returns {messages, nextDueInMs, isOutboxDue, webhooks}: nextDueInMs says in how long something is due
-- that was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work, webhooks what event_work says. Never waits for a lock: what another session holds is left for later.
-- An outbox row that is due counts for isOutboxDue alone. For nextDueInMs it would be due at once for as
-- long as its worker has no room for it: 50 polls a second beside received files, most of their cost.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
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
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  message_due_at constant timestamptz := messaging.next_wake_up();
  outbox_due_at constant timestamptz := (
    select o.run_at from messaging.outbox o where o.settled_at is null order by o.run_at limit 1
  );
  is_outbox_due constant boolean := coalesce(outbox_due_at <= clock, false);
  max_paced integer;
  paced uuid[];
  unpaced uuid[];
begin
  -- An idle poll ends here: with claims that find nothing it took four times as long.
  if message_due_at is null or message_due_at > clock then
    return jsonb_build_object(
      'messages', jsonb '[]',
      'nextDueInMs', extract(
        epoch from least(message_due_at, case when not is_outbox_due then outbox_due_at end) - clock
      ) * 1000,
      'isOutboxDue', is_outbox_due,
      'webhooks', messaging.event_work()
    );
  end if;
  if request->>'crowdingInstances' is not null then
    perform messaging.postpone_crowding_messages(
      array(select jsonb_array_elements_text(request->'crowdingInstances')::uuid), clock
    );
  end if;
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced), 0), lease, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() ignores NULL, which must stay NULL.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from least(
        messaging.next_wake_up(), case when not is_outbox_due then outbox_due_at end
      ) as due(at)
    ),
    'isOutboxDue', is_outbox_due,
    'webhooks', messaging.event_work()
  );
end;
$$;

-- Ends claims whose lease is over. Their worker died before it recorded the outcome, so it is unknown
-- whether the provider was called: the message becomes `unconfirmed` and is not sent again by itself.
-- Ends at most `request`.maxMessages a call. Returns {expired}: how many. Every run of the dispatcher
-- calls this, so it also counts the runs: metrics shows when the last one was.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.expire_claims(request jsonb)
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
  expired jsonb;
  settled integer := 0;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at <= clock and q.claim_token is not null
      order by q.visible_at
      limit (request->>'maxMessages')::integer
    )
  )
  select jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was sending this message ended before it recorded the outcome.'
    )
  )) into expired
  from lapsed
  join messaging.message_queue q on q.message_id = any (array[lapsed.message_id])
  where q.claim_token is not null and q.lease_until <= clock;
  if expired is null then
    -- A message in flight that was deleted with its contact is never settled: release its instance.
    perform messaging.release_instances(array_agg(jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced',
        'outcome', 'unknown'
      )
    )))
    from messaging.dispatch d
    where d.in_flight is not null and d.lease_until <= clock
      and not exists (select from messaging.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
  else
    settled := jsonb_array_length(
      public.settle_messages(jsonb_build_object('results', expired))->'settled'
    );
    perform messaging.count_metric('messaging_claim_expiries_total', settled);
  end if;
  perform messaging.count_metric('messaging_maintenance_runs_total', 1);
  return jsonb_build_object('expired', settled);
end;
$$;

-- Ends messages that wait beyond their expires_at: they become `expired`, the oldest first, at most
-- `request`.maxMessages a call. A message in flight stays, and one that another session holds is left
-- for later. Returns {expired}: how many.
-- Claims look at expires_at too (see expire_due_messages): this is for what was not due by then, and for
-- messages of paused batches, which have no place in the queue.
-- Locks the messages, then as withdraw_messages, then batches.
create or replace function public.expire_messages(request jsonb)
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
  late uuid[];
begin
  select array_agg(l.id) into late
  from (
    select m.id
    from messaging.messages m
    where m.expires_at <= clock and m.status = 'queued'
      and (
        exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is null
        )
        or m.batch_id is not null and not exists (
          select from messaging.message_queue q where q.message_id = m.id
        )
      )
    order by m.expires_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  ) as l;
  return jsonb_build_object('expired', case
    when late is null then 0
    else cardinality(messaging.withdraw_messages(late, 'expired'))
      + messaging.end_messages_taken_back(late, 'expired')
  end);
end;
$$;

-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldUntil, holdReason,
-- connection, channelLimit, protection (see describe_day), lastSuccessAt, lastFailure
-- {at, status, code, message}.
-- `status`: `held` while the provider refuses the whole instance or an operator holds it (heldUntil is
-- NULL where that has no end), `disconnected` while its connection is lost, else `late` when something that may
-- leave is over a minute late (no dispatcher runs, or the provider is slow), else `ok`.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.get_instance_health(request jsonb)
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
  instance messaging.instances;
  dispatch messaging.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  is_held_by_operator boolean;
  is_disconnected boolean;
  held_until timestamptz;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  is_window_open := messaging.is_send_window_open(instance, clock);
  is_held_by_operator := dispatch.operator_hold_until > clock;
  is_disconnected := dispatch.disconnected_until > clock;
  held_until := greatest(dispatch.hold_until, dispatch.operator_hold_until);
  -- Each lane is read by its own index, so that other tenants' queues are not read.
  select count(*) filter (where q.claim_token is null), count(q.claim_token), min(q.lease_until)
  into queue_depth, in_flight, first_lease_end
  from (
    select p.claim_token, p.lease_until from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced'
    union all
    select u.claim_token, u.lease_until from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced'
  ) as q;
  -- A paced message is late only when neither its turn, its window nor a hold keeps it. A claim whose
  -- lease is over is late too: its worker died.
  select min(due.since) into oldest_due
  from (
    select dispatch.next_due_at as since
    where dispatch.in_flight is null and is_window_open
    union all
    (
      select q.scheduled_at from messaging.message_queue q
      where q.instance_id = instance.id and q.lane = 'unpaced' and q.claim_token is null
        and not is_held_by_operator and not is_disconnected
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at into failure
  from messaging.messages m
  where m.instance_id = instance.id and coalesce(m.failed_at, m.unconfirmed_at) is not null
  order by coalesce(m.failed_at, m.unconfirmed_at) desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when is_held_by_operator then 'held'
      when is_disconnected then 'disconnected'
      when held_until > clock then 'held'
      when oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    'oldestDueAt', messaging.iso_in_zone(oldest_due, instance.time_zone),
    'oldestDueSeconds', floor(extract(epoch from clock - oldest_due)),
    'nextDueAt', messaging.iso_in_zone(
      case when isfinite(dispatch.next_due_at) then dispatch.next_due_at end, instance.time_zone
    ),
    'queueDepth', queue_depth,
    'inFlight', in_flight,
    'unconfirmed', (
      select count(*) from messaging.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
    ),
    'isWindowOpen', is_window_open,
    'heldUntil', messaging.iso_in_zone(
      case when held_until > clock and isfinite(held_until) then held_until end,
      instance.time_zone
    ),
    'holdReason', case
      when is_held_by_operator then dispatch.operator_hold_reason
      when dispatch.hold_until > clock then 'provider_refused'
    end,
    'connection', jsonb_build_object(
      'state', case
        when is_disconnected then 'disconnected'
        else coalesce(nullif(dispatch.connection, 'disconnected'), 'unknown')
      end,
      'since', case
        when is_disconnected then messaging.iso_in_zone(dispatch.disconnected_at, instance.time_zone)
      end,
      'until', case
        when is_disconnected and isfinite(dispatch.disconnected_until)
          then messaging.iso_in_zone(dispatch.disconnected_until, instance.time_zone)
      end,
      'reason', case when is_disconnected then dispatch.disconnected_reason end
    ),
    'channelLimit', dispatch.channel_limit,
    'protection', messaging.describe_day(instance, clock),
    'lastSuccessAt', (
      select messaging.iso_in_zone(m.sent_at, instance.time_zone)
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ),
    'lastFailure', case when failure.at is not null then jsonb_build_object(
      'at', messaging.iso_in_zone(failure.at, instance.time_zone),
      'status', failure.status,
      'code', failure.last_error->>'code',
      'message', failure.last_error->>'message'
    ) end
  );
end;
$$;

-- admin-api: an operator holds the queue of an instance, or of every instance that exists: nothing that
-- the dispatcher sends leaves (paced, delayed and retried messages, agents' replies, e-mails), while
-- immediate sends go out and inbound messages are taken. A new hold replaces the former one.
-- `request`: instanceId or NULL for all, until (NULL: until it is released), reason, idempotency.
-- Returns {instances, inFlight, heldUntil, reason}: how many instances are held now by this call, and
-- how many of their messages had been claimed before, which may still leave; {issues} where `until` is
-- not ahead, or {replayed}. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.hold_queue(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  hold_until constant timestamptz := coalesce((request->>'until')::timestamptz, 'infinity');
  held uuid[];
  replayed jsonb;
begin
  if hold_until <= clock_timestamp() then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'until', 'message', 'must be in the future'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is null then
    select array_agg(i.id) into held from messaging.instances i;
  else
    held := array[(messaging.find_instance((request->>'instanceId')::uuid)).id];
  end if;
  perform messaging.set_operator_hold(held, hold_until, request->>'reason');
  return messaging.keep_outcome(request, jsonb_build_object(
    'instances', coalesce(cardinality(held), 0),
    'inFlight', (
      select count(q.claim_token)
      from unnest(held) as of_hold(instance_id)
      cross join lateral messaging.queue_of_instance(of_hold.instance_id) as q
    ),
    'heldUntil', messaging.iso_in_zone(
      case when isfinite(hold_until) then hold_until end, 'UTC'
    ),
    'reason', request->>'reason'
  ));
end;
$$;

-- Holds instances that accept messages and confirm none any more (see is_suspect), until something is
-- confirmed or received, or an operator releases them; and releases those that have confirmed. An
-- instance that is held or disconnected already is left alone. `request`: maxInstances.
-- Returns {held, released}: how many. Looks at the newest messages of each instance, in their index:
-- called once a run of the dispatcher. Without jit: see rescue_stalled_instances.
-- Locks as set_operator_hold; never waits for pacing.
create or replace function public.hold_suspects(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  released constant integer := messaging.trust_confirmed_instances();
  held uuid[];
begin
  select array_agg(l.instance_id) into held
  from (
    select p.instance_id
    from messaging.dispatch d
    cross join lateral (
      -- Most instances have sent nothing lately, or their last message is confirmed.
      select m.status, m.sent_at
      from messaging.messages m
      where m.instance_id = d.instance_id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ) as last
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where d.operator_hold_until <= clock and d.disconnected_until <= clock
      and last.status = 'sent' and last.sent_at > clock - interval '1 day'
      and messaging.is_suspect(d.instance_id, d.trusted_from, clock)
    order by p.instance_id
    limit (request->>'maxInstances')::integer
    for no key update of p skip locked
  ) as l;
  if held is not null then
    perform messaging.set_operator_hold(held, 'infinity', 'suspect');
    update messaging.dispatch d
    set suspected_at = clock
    where d.instance_id = any (held);
  end if;
  return jsonb_build_object('held', coalesce(cardinality(held), 0), 'released', released);
end;
$$;

-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted uuid[] := array[of_instance];
  instances jsonb;
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'instanceId', i.id, 'name', i.name, 'waiting', c.waiting, 'inFlight', c.in_flight,
      'unconfirmed', c.unconfirmed, 'emails', c.emails, 'agentReplies', c.agent_replies
    )
    order by i.created_at, i.id
  ), '[]') into instances
  from (
    select u.instance_id,
      count(*) filter (where u.kind = 'waiting') as waiting,
      count(*) filter (where u.kind = 'in_flight') as in_flight,
      count(*) filter (where u.kind = 'unconfirmed') as unconfirmed,
      count(*) filter (where u.kind in (
        'assignment_email', 'endpoint_disabled_email', 'instance_disconnected_email',
        'batch_paused_email'
      )) as emails,
      count(*) filter (where u.kind = 'agent_reply') as agent_replies
    from (
      select m.instance_id, m.state as kind
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      union all
      select o.instance_id, o.kind
      from messaging.outbox_that_may_have_left(since, of_instance) as o
    ) as u
    group by u.instance_id
  ) as c
  join messaging.instances i on i.id = c.instance_id;
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', l.created_at, 'id', l.message_id,
        'record', jsonb_build_object(
          'messageId', l.message_id,
          'instanceId', l.instance_id,
          'contactId', m.contact_id,
          'messageType', m.message_type,
          'state', l.state,
          'dueAt', messaging.iso_in_zone(l.due_at, 'UTC'),
          'createdAt', messaging.iso_in_zone(l.created_at, 'UTC')
        )
      )
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as l
      cross join lateral (
        select p.contact_id, p.message_type from messaging.messages p
        where p.id = l.message_id
        offset 0
      ) as m
      where (l.created_at, l.message_id) > (page.after_at, page.after_id)
      order by l.created_at, l.message_id
      limit page.size + 1
    ),
    page.size
  ) || jsonb_build_object(
    'since', messaging.iso_in_zone(since, 'UTC'),
    'until', messaging.iso_in_zone(due_by, 'UTC'),
    'total', (
      select coalesce(sum(
        (i->>'waiting')::bigint + (i->>'inFlight')::bigint + (i->>'unconfirmed')::bigint
      ), 0)
      from jsonb_array_elements(instances) as i
    ),
    'acceptedSince', (
      select count(*)
      from unnest(wanted) as w(id)
      cross join lateral messaging.queue_of_instance(w.id) as q
      -- OFFSET 0: a join might begin with the messages of all tenants, of which few are so new.
      cross join lateral (
        select a.created_at from messaging.messages a
        where a.id = q.message_id
        offset 0
      ) as m
      where m.created_at > since
    ),
    'instances', instances
  );
end;
$$;

-- messages-api: the waiting messages of an instance, in order. `request`: instanceId, limit, and
-- `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next, protection (see describe_day)}. An item's `position` is its place in the queue, from 1; for
-- `scheduledFor` and `heldBy` see expected_departure.
-- Each lane is read by its own index and the two are merged, so that other tenants' queues are not
-- read.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.list_message_queue(request jsonb)
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
  instance messaging.instances;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  dispatch messaging.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  select count(*), count(*) filter (
    where (q.scheduled_at, q.position) <= (after_at, after_position)
  )
  into total, passed
  from (
    select p.scheduled_at, p.position from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    union all
    select u.scheduled_at, u.position from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
  ) as q;
  with next_paced as (
    select p as queued
    from messaging.message_queue p
    where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
      and (p.scheduled_at, p.position) > (after_at, after_position)
    order by p.scheduled_at, p.position
    limit page_size + 1
  ),
  next_unpaced as (
    select u as queued
    from messaging.message_queue u
    where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
      and (u.scheduled_at, u.position) > (after_at, after_position)
    order by u.scheduled_at, u.position
    limit page_size + 1
  ),
  page as (
    select q.queued, (q.queued).message_id, (q.queued).scheduled_at, (q.queued).position,
      row_number() over (
        order by (q.queued).scheduled_at, (q.queued).position
      ) as row_number
    from (table next_paced union all table next_unpaced) as q
    order by (q.queued).scheduled_at, (q.queued).position
    limit page_size + 1
  )
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', m.id,
          'phone', coalesce(m.phone_given, c.phone),
          'messageType', m.message_type,
          'scheduledFor', messaging.iso_in_zone(expected.leaves_at, instance.time_zone),
          'heldBy', expected.held_by,
          'position', passed + page.row_number
        )
        order by page.row_number
      ) filter (where page.row_number <= page_size),
      '[]'
    ),
    case when count(*) > page_size then (
      select jsonb_build_object('scheduledAt', last.scheduled_at, 'position', last.position)
      from page last where last.row_number = page_size
    ) end
  into items, next
  from page
  join messaging.messages m on m.id = page.message_id
  join messaging.contacts c on c.id = m.contact_id
  cross join lateral messaging.expected_departure(
    page.queued, m, instance, dispatch
  ) as expected;
  return jsonb_build_object(
    'items', items,
    'total', total,
    'next', next,
    'protection', messaging.describe_day(instance, clock_timestamp())
  );
end;
$$;

-- admin-api: the instances that an operator holds, in the order of their holds, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}. An item says how many messages
-- wait and how many were claimed before the hold and are not settled yet.
create or replace function public.list_queue_holds(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
  clock constant timestamptz := clock_timestamp();
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', d.operator_held_at, 'id', i.id,
        'record', jsonb_build_object(
          'instanceId', i.id,
          'name', i.name,
          'heldAt', messaging.iso_in_zone(d.operator_held_at, 'UTC'),
          'heldUntil', messaging.iso_in_zone(
            case when isfinite(d.operator_hold_until) then d.operator_hold_until end, 'UTC'
          ),
          'reason', d.operator_hold_reason,
          'waiting', queue.waiting,
          'inFlight', queue.in_flight
        )
      )
      from messaging.dispatch d
      join messaging.instances i on i.id = d.instance_id
      cross join lateral (
        select count(*) filter (where q.claim_token is null) as waiting,
          count(q.claim_token) as in_flight
        from messaging.queue_of_instance(i.id) as q
      ) as queue
      where d.operator_hold_until > clock
        and (d.operator_held_at, i.id) > (page.after_at, page.after_id)
      order by d.operator_held_at, i.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free; or plans them, where a claim has asked for it (request_slot_plan).
-- `request`: nothing. Returns {moved, isComplete}: how many slots,
-- and whether no stretch is left. Locks pacing, dispatch, queue rows, messages; waits for dispatch
-- alone, which is never locked for long.
create or replace function public.move_waiting_slots(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  chosen uuid;
  moved bigint := 0;
begin
  select p.instance_id into chosen
  from messaging.pacing p
  where p.instance_id = any (array(select distinct s.instance_id from messaging.slot_moves s))
  order by p.instance_id
  limit 1
  for no key update skip locked;
  if chosen is not null then
    if exists (
      select from messaging.slot_moves s where s.instance_id = chosen and s.place = -1
    ) then
      perform messaging.plan_slot_moves(messaging.find_instance(chosen));
    else
      moved := coalesce(messaging.move_slots(messaging.find_instance(chosen)), 0);
    end if;
    perform messaging.refresh_dispatch(array[chosen]);
  end if;
  return jsonb_build_object(
    'moved', moved, 'isComplete', not exists (select from messaging.slot_moves)
  );
end;
$$;

-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table. What is
-- purged by age alone stands in the table below; the functions after it know what an instance says
-- (retention), what is still in use, and which files go with it.
-- Also counts anew what waits under limits (see recount_days).
-- Contacts, notes and logs belong to the user and stay, and so do messages and files by default.
-- Never waits for a lock, but see purge_messages. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  purges constant text[] := array[
    'purge_provider_events', 'purge_events', 'purge_uploads', 'purge_event_deliveries',
    'purge_told_messages', 'purge_media', 'purge_messages', 'purge_batches'
  ];
  aged record;
  purge text;
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  for aged in
    select a.*
    from (
      values
        ('idempotency_keys', 'created_at', interval '24 hours', 'true'),
        ('unmatched_statuses', 'received_at', interval '7 days', 'true'),
        ('outbox', 'settled_at', interval '7 days', $condition$status = 'done'$condition$),
        -- A person should see them.
        ('outbox', 'settled_at', interval '90 days', $condition$status = 'dead'$condition$),
        ('erased_messages', 'erased_at', interval '30 days', 'true')
    ) as a (table_name, since, age, condition)
  loop
    execute format(
      'delete from messaging.%1$I d where d.ctid = any (array(
        select e.ctid from messaging.%1$I e where %3$s and e.%2$I <= $1
        order by e.%2$I limit $2 for update skip locked
      ))',
      aged.table_name, aged.since, aged.condition
    ) using clock - aged.age, max_rows;
    get diagnostics deleted = row_count;
    purged := purged + deleted;
    is_complete := is_complete and deleted < max_rows;
  end loop;
  perform messaging.recount_days(clock);
  foreach purge in array purges loop
    execute format('select messaging.%I($1, $2)', purge) into deleted using max_rows, clock;
    purged := purged + deleted;
    is_complete := is_complete and deleted < max_rows;
  end loop;
  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;

-- admin-api: ends an operator's hold of an instance, or of all instances that are held. What has become
-- due meanwhile leaves at the instance's pace and inside its window. `request`: instanceId or NULL for
-- all, idempotency. Returns {instances}: how many were held; or {replayed}. A hold by the provider's
-- refusal goes on. An instance that is named is also taken as connected again: its provider's word
-- that it is may have been lost. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.release_queue(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  wanted_id uuid;
  held uuid[];
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is not null then
    wanted_id := (messaging.find_instance((request->>'instanceId')::uuid)).id;
  end if;
  select array_agg(d.instance_id) into held
  from messaging.dispatch d
  where d.operator_hold_until > clock
    and (wanted_id is null or d.instance_id = wanted_id);
  if exists (
    select from messaging.dispatch d
    where d.instance_id = wanted_id and d.disconnected_until > clock
  ) then
    perform from messaging.pacing p where p.instance_id = wanted_id for no key update;
    perform messaging.forget_connection(array[wanted_id]);
    held := array[wanted_id];
  end if;
  perform messaging.set_operator_hold(held, '-infinity', null);
  return messaging.keep_outcome(
    request, jsonb_build_object('instances', coalesce(cardinality(held), 0))
  );
end;
$$;

-- Finds stalled instances, which have waiting messages and no due time, and makes them due again. A
-- safety net for lost wake-ups: none is ever expected, and the dispatcher logs each.
-- Handles at most `request`.maxInstances a call. Returns {woken}: how many.
-- Steps from instance to instance through message_queue_head, so that neither long queues nor
-- instances with an empty queue cost anything. Without jit: what is switched off has no other way in one
-- place, and its price alone would have the plan compiled at every call.
create or replace function public.rescue_stalled_instances(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  stalled uuid[];
begin
  select array_agg(s.instance_id order by s.instance_id) into stalled
  from (
    with recursive queued as (
      (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced'
        order by q.instance_id
        limit 1
      )
      union all
      select (
        select q.instance_id from messaging.message_queue q
        where q.lane = 'paced' and q.instance_id > before.instance_id
        order by q.instance_id
        limit 1
      )
      from queued before
      where before.instance_id is not null
    )
    select d.instance_id
    from queued
    join messaging.dispatch d on d.instance_id = queued.instance_id
    cross join lateral messaging.head_of_queue(d.instance_id) as head
    -- A hold without an end is no lost wake-up.
    where d.in_flight is null and d.next_due_at = 'infinity' and d.operator_hold_until < 'infinity'
      and d.disconnected_until < 'infinity'
    limit (request->>'maxInstances')::integer
  ) as s;
  if stalled is null then
    return jsonb_build_object('woken', 0);
  end if;
  perform from messaging.pacing p
  where p.instance_id = any (stalled) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(stalled);
  return jsonb_build_object('woken', cardinality(stalled));
end;
$$;

-- Sends messages again that stayed unconfirmed for 15 minutes, on instances with onUnconfirmed =
-- `retry` (decisions, section 5), while attempts are left. Not after a day: a person decides about
-- messages that were held back for so long. A message that cannot be queued now (its window never
-- opens) stays and stops no other. Handles at most `request`.maxMessages a call. Returns {requeued}:
-- how many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  max_messages constant integer := (request->>'maxMessages')::integer;
  message messaging.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from messaging.instances i
    -- Instance by instance: unconfirmed messages of instances that hold them are not read.
    cross join lateral (
      select u.* from messaging.messages u
      where u.instance_id = i.id
        and u.status = 'unconfirmed'
        and u.unconfirmed_at <= clock - interval '15 minutes'
        and u.unconfirmed_at > clock - interval '1 day'
        and u.attempts < 6
        and coalesce(u.expires_at > clock, true)
        -- An operator has decided about these after a restore: see settle_may_have_left.
        and u.last_error->>'code' is distinct from 'may_have_left'
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
      and not exists (
        select from messaging.dispatch d
        where d.instance_id = i.id
          and greatest(d.operator_hold_until, d.disconnected_until) > clock
      )
    -- Locks pacing rows in the order of the instances, as everywhere.
    order by i.id, m.unconfirmed_at
    limit max_messages
  loop
    begin
      perform messaging.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;

-- admin-api: after a restore, settles what may have left since the dump, a batch at a time: at most
-- maxMessages messages and as many outbox rows.
-- `request`: since, until, instanceId (as list_may_have_left), maxMessages, idempotency, and `action`:
--   unconfirmed: whether they left is unknown. They are not sent again by themselves.
--   cancel: waiting messages become `canceled`.
--   keep: waiting messages stay and leave once the queue is released; so do e-mails and replies.
-- Whatever was in flight when the dump was made becomes `unconfirmed` under each action, once its lease is
-- over. A message that was `unconfirmed` already stays so, and is not retried by itself, but for `keep`.
-- E-mails and agents' replies become `dead` with `may_have_left`, but for `keep`.
-- Returns {unconfirmed, canceled, outboxRows, remaining}: what this call has settled, and how many
-- messages and outbox rows the action has still to settle; or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.settle_may_have_left(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  action constant text := request->>'action';
  max_rows constant integer := (request->>'maxMessages')::integer;
  to_doubt constant text[] := case action
    when 'unconfirmed' then '{waiting,in_flight}'::text[] else '{in_flight}' end;
  waiting uuid[];
  doubted uuid[];
  known uuid[];
  canceled integer := 0;
  unconfirmed integer := 0;
  outbox_rows integer := 0;
  replayed jsonb;
begin
  if of_instance is not null then
    perform messaging.find_instance(of_instance);
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;

  select
    array_agg(l.message_id) filter (where l.state = 'waiting' and action = 'cancel'),
    array_agg(l.message_id) filter (where l.state = any (to_doubt)),
    array_agg(l.message_id) filter (where l.state = 'unconfirmed' and action <> 'keep')
  into waiting, doubted, known
  from (
    select m.message_id, m.state
    from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
    left join messaging.message_queue q on q.message_id = m.message_id
    where (action <> 'keep' or m.state = 'in_flight')
      and (q.lease_until is null or q.lease_until <= clock)
    order by m.created_at, m.message_id
    limit max_rows
  ) as l;
  if waiting is not null then
    canceled := messaging.cancel_restored_messages(waiting);
  end if;
  if doubted is not null then
    unconfirmed := messaging.doubt_restored_messages(doubted);
  end if;
  with marked as (
    update messaging.messages m
    set last_error = jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
    where m.id = any (known) and m.status = 'unconfirmed'
    returning m.id
  )
  select unconfirmed + count(*) into unconfirmed from marked;
  if action <> 'keep' then
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'may_have_left', settled_at = clock
    where o.status = 'pending' and o.id = any (array(
      select r.outbox_id
      from messaging.outbox_that_may_have_left(since, of_instance) as r
      limit max_rows
    ));
    get diagnostics outbox_rows = row_count;
  end if;

  return messaging.keep_outcome(request, jsonb_build_object(
    'unconfirmed', unconfirmed,
    'canceled', canceled,
    'outboxRows', outbox_rows,
    'remaining', (
      select count(*)
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      where action <> 'keep' or m.state = 'in_flight'
    ) + case when action = 'keep' then 0 else (
      select count(*) from messaging.outbox_that_may_have_left(since, of_instance)
    ) end
  ));
end;
$$;

-- When what an instance had in flight left, as its pace counts it: when its call began, and its typing had
-- been shown. After an unknown outcome the end of what may have been its call, which is over when its lease
-- is. A call that began at most 50 ms late keeps the grid of the slots: the delay is not added to the next
-- message.
create or replace function messaging.departed_at(
  dispatch messaging.dispatch,
  outcome text,
  called_after_ms integer,
  clock timestamptz
)
returns timestamptz
language sql
stable
return case
  when outcome = 'unknown' then greatest(dispatch.paced_from, least(dispatch.lease_until, clock))
  when dispatch.departs_at + called_after_ms * interval '1 millisecond' > dispatch.paced_from + interval '50 milliseconds' then dispatch.departs_at + called_after_ms * interval '1 millisecond'
  else dispatch.paced_from
end;

-- The paced message of an instance that leaves next: the earliest slot among those not in flight.
create or replace function messaging.head_of_queue(instance_id uuid)
returns table (message_id uuid, scheduled_at timestamptz, interval_seconds integer)
language sql
stable
rows 1
begin atomic
  select q.message_id, q.scheduled_at, q.interval_seconds
  from messaging.message_queue as q
  where q.instance_id = head_of_queue.instance_id and q.lane = 'paced' and q.claim_token is null
  order by q.scheduled_at, q.position
  limit 1;
end;

-- Whether an instance is held at that instant, by its provider's refusal or an operator, or disconnected.
create or replace function messaging.is_held_at(dispatch messaging.dispatch, at timestamptz)
returns boolean
language sql
stable
return coalesce(
  greatest(dispatch.hold_until, dispatch.operator_hold_until, dispatch.disconnected_until) > at,
  false
);

-- Whether that day is one of the instance's weekdays for sending. It may be a holiday all the same.
create or replace function messaging.is_window_day(instance messaging.instances, local_day date)
returns boolean
language sql
immutable
return extract(isodow from local_day)::smallint = any (instance.window_days);

-- Whether that local time lies in the instance's hours, on one of its weekdays. The day may be a holiday
-- all the same.
create or replace function messaging.is_window_time(
  instance messaging.instances,
  wall_clock timestamp
)
returns boolean
language sql
immutable
return wall_clock::time >= instance.window_start
and wall_clock::time < instance.window_end
and messaging.is_window_day(instance, wall_clock::date);

-- By how many seconds an interval grows: a whole number from 0 to `jitter_seconds`, which the seed alone
-- decides. 0 where that is NULL.
create or replace function messaging.jitter_of(seed text, jitter_seconds integer)
returns integer
language sql
immutable
return coalesce(
  (hashtextextended(seed, 0) & 9223372036854775807) % (nullif(jitter_seconds, 0) + 1),
  0
)::integer;

-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held, by its provider's refusal or by an operator, or
-- disconnected. NULL slot (an empty queue) is never.
create or replace function messaging.next_due_at(
  dispatch messaging.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language sql
stable
return case
  when slot is null then 'infinity'::timestamptz
  else greatest(
    slot,
    dispatch.paced_from + make_interval(secs => interval_seconds),
    dispatch.hold_until,
    dispatch.operator_hold_until,
    dispatch.disconnected_until
  )
end;

-- Gives each person of a list a contact and a conversation, as resolve_recipient and resolve_conversation
-- do for one, in a few statements for all. `entries`: [{phone | userId | contactId, reason}]; those with a
-- reason are passed over, and so are unknown contactIds. The contacts cannot be merged until the caller
-- commits: it holds their rows.
-- Locks: addresses of new contacts, contacts in the order of their ids, contact_activity.
-- Returns the contact of each entry, in order; NULL where it has none.
-- Errors: MI055 where a contact was merged meanwhile; the call must be repeated.
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
        of_instance, case when messaging.is_phone(g.given) then g.given end, person.identity_key, 'api'
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
  perform from messaging.contacts c
  where c.id = any (found_ids) and c.merged_into is null
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if locked <> (select count(distinct f.id) from unnest(found_ids) as f(id))
    or exists (
      select from jsonb_array_elements(entries) with ordinality as e(entry, place)
      where e.entry->>'reason' is null and e.entry->>'contactId' is null
        and found_ids[e.place::integer] is null
    ) then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
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

-- Adds entries of a list to a draft, in order. `entries`: [{phone | userId | contactId, reason, draft}];
-- those with a reason are kept as skipped. The second entry of a contact, in whatever spelling, is a
-- duplicate: it is skipped too, and named in `duplicates` with the one that is written to.
-- The index of an entry is its place in the whole list, from 0.
-- `errors` ([{index, issues}]) come with their places in the call, and are returned with their indexes.
-- Locks what add_entry_contacts locks, then the batch.
-- Errors: MI028 (no draft), MI029 (more than 100,000), MI055.
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
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
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
      batch_id, index, contact_id, phone, status, reason, draft, card_id
    )
    select add_recipients.batch_id, j.index, j.contact_id, j.entry->>'phone',
      case when told.reason is null then 'pending' else 'skipped' end, told.reason,
      case when told.reason is null then j.entry->'draft' end, j.entry->'draft'->>'cardId'
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

-- How many recipients of a batch have each status (see recipient_status). Reads the batch's messages, and
-- of its recipients those alone whose message does not tell it: it was taken back, or is to be tried again,
-- and they are pending; or they have been skipped since.
create or replace function messaging.batch_counts(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  waiting_as constant text := messaging.recipient_status(
    batch, jsonb_populate_record(null::messaging.batch_recipients, '{"status": "pending"}'), null
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
      where r.batch_id = batch.id and r.status <> 'accepted' and r.message_id is not null
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

-- Whether these messages of a running batch pause it, and why: `template_refused` or `account_restricted` at
-- once (see stops_batch), `failures_in_row` with the fifth message in a row that has failed for good with the
-- same code. `error` is the last error; both are NULL for no. A batch without anything left to send goes on,
-- and finishes. Locks nothing: the caller holds the batch, so of two failures at the same time the second one
-- sees the first.
create or replace function messaging.batch_failure(
  batch messaging.batches,
  message_ids uuid[],
  out reason text,
  out error jsonb
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  failed record;
begin
  if batch.pending_count = 0 and not exists (
    select from messaging.messages m where m.batch_id = batch.id and m.status = 'queued'
  ) then
    return;
  end if;
  for failed in
    select r.turn, m.last_error
    from messaging.messages m
    join messaging.batch_recipients r on r.contact_id = any (array[m.contact_id])
      and r.batch_id = any (array[m.batch_id]) and r.message_id = m.id
    where m.id = any (message_ids) and m.batch_id = batch.id and r.turn >= batch.counted_from
    order by r.turn
  loop
    reason := messaging.stops_batch(failed.last_error);
    if reason is null
      and messaging.failures_in_row(batch, failed.turn, failed.last_error->>'code') >= 5 then
      reason := 'failures_in_row';
    end if;
    if reason is not null then
      error := failed.last_error;
      return;
    end if;
  end loop;
end;
$$;

-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are forecast for its pending recipients: see walk_batches, and
-- for many of them expected_end.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  zone constant text := instance.time_zone;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- More slots than these are not forecast one by one whenever a batch is read.
  most_forecast constant integer := 1000;
  first_slot timestamptz;
  last_slot timestamptz;
  first_expected timestamptz;
  last_expected timestamptz;
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  if batch.status = 'running' and batch.pending_count > 0 then
    begin
      select min(w.slot), max(w.slot) into first_expected, last_expected
      from messaging.walk_batches(
        instance, clock, null, null, batch.id,
        case when batch.pending_count > most_forecast then batch.first_pending end, false
      ) as w;
    exception when sqlstate 'MI010' then
      null;
    end;
    if batch.pending_count > most_forecast then
      last_expected := messaging.expected_end(instance, batch, clock);
    end if;
    first_slot := least(first_slot, first_expected);
    last_slot := greatest(last_slot, last_expected);
  end if;
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
    'finishedAt', messaging.iso_in_zone(batch.finished_at, zone),
    'pauseReason', batch.pause_reason,
    'pauseError', messaging.shown_error(batch.pause_error)
  );
end;
$$;

-- What a dry run answers: `steps` as walk_batches gives them, in order, with instants in the instance's zone.
-- `next_index`: where the next part of the list begins; NULL for none.
create or replace function messaging.describe_dry_run(
  steps messaging.batch_step[],
  zone text,
  next_index integer
)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'summary', jsonb_build_object(
      'send', count(s.slot),
      'skip', (
        select coalesce(jsonb_object_agg(r.reason, r.number), '{}')
        from (
          select p.reason, count(*) as number
          from unnest(steps) as p
          where p.reason is not null
          group by p.reason
        ) as r
      ),
      'firstScheduledFor', messaging.iso_in_zone(min(s.slot), zone),
      'lastScheduledFor', messaging.iso_in_zone(max(s.slot), zone),
      'days', count(distinct (s.slot at time zone zone)::date)
    ),
    'items', coalesce(jsonb_agg(jsonb_build_object(
      'index', s.index,
      'outcome', case when s.slot is null then 'skip' else 'send' end,
      'reason', s.reason,
      'scheduledFor', messaging.iso_in_zone(s.slot, zone)
    ) order by s.index), '[]'),
    'nextIndex', next_index
  )
  from unnest(steps) as s;
$$;

-- Ends those of the messages that a pause has taken out of the queue: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_messages_taken_back(message_ids uuid[], status text)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  ended uuid[];
begin
  with ended_messages as (
    update messaging.messages m
    set status = end_messages_taken_back.status,
      canceled_at = case when end_messages_taken_back.status = 'canceled' then clock_timestamp() end
    where m.id = any (message_ids) and m.status = 'queued' and m.batch_id is not null
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning m.id
  )
  select array_agg(e.id order by e.id) into ended from ended_messages e;
  if ended is null then
    return 0;
  end if;
  perform from messaging.batches b
  where b.id = any (array(select m.batch_id from messaging.messages m where m.id = any (ended)))
  order by b.id
  for no key update;
  with told as (
    update messaging.batch_recipients r
    set status = 'accepted'
    -- A look-up by the contact for each message: no plan reads all that are pending.
    where r.ctid = any (array(
      select own.place
      from messaging.messages m
      cross join lateral (
        select f.ctid as place, f.status from messaging.batch_recipients f
        where f.contact_id = m.contact_id and f.batch_id = m.batch_id and f.message_id = m.id
        offset 0
      ) as own
      where m.id = any (ended) and own.status = 'pending'
    ))
    returning r.batch_id
  )
  update messaging.batches b
  set pending_count = b.pending_count - t.number
  from (select told.batch_id, count(*) as number from told group by told.batch_id) as t
  where b.id = any (array[t.batch_id]);
  perform messaging.record_message_events(
    ended, array['message.' || end_messages_taken_back.status]
  );
  return cardinality(ended);
end;
$$;

-- Ends the messages of a batch that a pause has taken out of the queue: they become `status`, canceled or
-- expired. The caller holds the batch.
create or replace function messaging.end_taken_back(of_batch uuid, status text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform messaging.end_messages_taken_back(
    array(select m.id from messaging.messages m where m.batch_id = of_batch and m.status = 'queued'),
    end_taken_back.status
  );
end;
$$;

-- The contact that an entry of a list names, as find_recipient finds it; NULL for a phone or a user id that
-- no contact has, and for a contactId that is unknown or of somebody erased: one bad entry does not refuse
-- the others. One look-up by each key, whatever the statistics.
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
    begin
      return (messaging.find_contact_by_id(of_instance, entry_contact.contact_id)).id;
    exception when sqlstate 'MI035' then
      return null;
    end;
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

-- About when the last of a running batch's many recipients will be written to: by the windows, the intervals
-- and the daily limits, as if nobody were passed over and nothing else were sent, with half the jitter.
-- NULL where the send window never opens. See walk_batches for the exact slots of few.
create or replace function messaging.expected_end(
  instance messaging.instances,
  batch messaging.batches,
  clock timestamptz
)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  running constant integer := (
    select count(*) from messaging.batches b
    where b.instance_id = instance.id and b.status = 'running'
  );
  pace constant interval := make_interval(
    secs => (batch.interval_seconds + coalesce(walk.jitter_seconds, 0) / 2.0) * greatest(running, 1)
  );
  remaining integer := batch.pending_count;
  slot timestamptz;
  fitting bigint;
begin
  walk := messaging.next_slot(
    instance, walk, batch.interval_seconds, batch.start_at, interval '0', null, false
  );
  slot := walk.slot;
  loop
    fitting := 1 + floor(extract(epoch from greatest(
      messaging.window_open_until(instance, slot) - slot - interval '1 millisecond', interval '0'
    )) / extract(epoch from pace));
    fitting := greatest(least(fitting, messaging.day_limit(
      walk.daily_limit, walk.warm_up_start, walk.warm_up_days, walk.warm_up_from,
      (slot at time zone instance.time_zone)::date
    )), 1);
    exit when remaining <= fitting;
    remaining := remaining - fitting;
    slot := greatest(messaging.window_open_until(instance, slot), slot + pace);
    if not messaging.is_send_window_open(instance, slot) then
      slot := messaging.next_window_start(instance, slot);
    end if;
    exit when slot is null;
  end loop;
  return slot + pace * (remaining - 1);
exception when sqlstate 'MI010' then
  return null;
end;
$$;

-- How many messages of a batch in a row, that of `turn` among them, have failed for good with this code: at
-- most four on either side are looked at. They stand in the order in which they left, whenever their outcomes
-- came, so a delivery event that is late counts where it belongs. What has not left, and what nobody knows
-- of, is passed over.
create or replace function messaging.failures_in_row(
  batch messaging.batches,
  turn integer,
  code text
)
returns integer
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  failures integer;
begin
  with neighbours as (
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code as is_equal
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn < failures_in_row.turn and r.turn >= batch.counted_from
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn desc
      limit 4
    )
    union all
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn > failures_in_row.turn
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn
      limit 4
    )
  )
  select 1 + count(*) into failures
  from neighbours n
  where n.turn > coalesce(
      (select max(e.turn) from neighbours e where not e.is_equal and e.turn < failures_in_row.turn), 0
    )
    and n.turn < coalesce(
      (select min(e.turn) from neighbours e where not e.is_equal and e.turn > failures_in_row.turn),
      batch.turns + 1
    );
  return failures;
end;
$$;

-- release_instances: feeds the batches of instances (see feed_instance) without endangering what has been
-- settled: where the send window never opens, nothing is queued until it is changed. The caller holds the
-- pacing rows.
create or replace function messaging.feed_after_settling(instance_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance_id uuid;
begin
  foreach instance_id in array instance_ids loop
    begin
      perform messaging.feed_instance(instance_id);
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
end;
$$;

-- Gives the running batches of an instance their next message, where none of theirs waits in its queue, and
-- ends those that have nothing left. So an instance has at most one message of its batches waiting, beside
-- those that wait for another day as new contacts: a single send waits for no more than one interval for
-- their sake. A slot behind the end of a window that is open, or at a later start_at, is taken one interval
-- before. Where only new contacts are left that have no place today, the first of them is queued: it says
-- what the batch waits for, and known ones pass it.
-- Whom the batches pass over until then is skipped, with its reason. A recipient without a slot in time stays pending:
-- it reads as expired when the batch's time is over.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact and message without
-- waiting: who merges, erases or cancels them may wait for the pacing row. The dispatcher's maintenance
-- comes back then.
-- Errors: MI010.
create or replace function messaging.feed_instance(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(of_instance);
  batch messaging.batches;
  step messaging.batch_step;
  waiting_as_new jsonb := '{}';
  first_as_new messaging.batch_step;
  placed_id uuid;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  if messaging.has_waiting_message(of_instance) then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, true) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if step.reason = 'new_contacts' then
      waiting_as_new := waiting_as_new || jsonb_build_object(step.batch_id, step.index + 1);
      if first_as_new.batch_id is null and step.slot is not null and step.message_id is null then
        first_as_new := step;
      end if;
      continue;
    end if;
    if exists (select from messaging.messages m where m.id = step.message_id) then
      perform from messaging.messages m where m.id = step.message_id for no key update skip locked;
      continue when not found;
    end if;
    select b.* into batch from messaging.batches b where b.id = step.batch_id;
    if step.reason = 'settled' then
      update messaging.batch_recipients r set status = 'accepted'
      where r.batch_id = batch.id and r.index = step.index;
      update messaging.batches b set pending_count = b.pending_count - 1 where b.id = batch.id;
    elsif step.reason is not null then
      perform messaging.skip_recipients(
        jsonb_build_array(jsonb_build_object('batch', batch.id, 'index', step.index)), step.reason
      );
    else
      perform from messaging.contacts c where c.id = step.contact_id and c.merged_into is null for key share skip locked;
      if found then
        placed_id := messaging.place_batch_message(instance, batch, step.index);
        update messaging.batches b
        set pending_count = b.pending_count - 1, waiting_message = placed_id, served_at = clock,
          turns = b.turns + 1
        where b.id = batch.id;
      end if;
    end if;
  end loop;
  select b.* into batch from messaging.batches b
  where placed_id is null and b.id = first_as_new.batch_id and not exists (
    select from messaging.message_queue q where q.message_id = b.waiting_message
  );
  if found then
    perform from messaging.contacts c where c.id = first_as_new.contact_id and c.merged_into is null for key share skip locked;
    if found then
      placed_id := messaging.place_batch_message(instance, batch, first_as_new.index);
      update messaging.batches b
      set pending_count = b.pending_count - 1, waiting_message = placed_id, turns = b.turns + 1
      where b.id = batch.id;
    end if;
  end if;
  if placed_id is null then
    -- Nobody is left to look at: the next time finds again who comes first of those that wait as new.
    update messaging.batches b
    set known_from = b.first_pending
    where b.instance_id = of_instance and b.status = 'running'
      and b.known_from > b.first_pending
      and not exists (
        select from messaging.batch_recipients r
        where r.batch_id = b.id and r.status = 'pending' and r.index >= b.known_from
      )
      and not exists (
        select from messaging.message_queue q where q.message_id = b.waiting_message
      );
  end if;
  update messaging.batches b
  set known_from = w.index::integer, known_day = (clock at time zone instance.time_zone)::date
  from jsonb_each_text(waiting_as_new) as w(batch_id, index)
  where b.id = any (array[w.batch_id::uuid]);
  update messaging.batches b
  set first_pending = now_first.index
  from messaging.batches former
  cross join lateral (
    select coalesce(
      (
        select r.index from messaging.batch_recipients r
        where r.batch_id = former.id and r.status = 'pending' and r.index >= former.first_pending
        order by r.index
        limit 1
      ),
      former.recipient_count
    ) as index
  ) as now_first
  where former.instance_id = of_instance and former.status = 'running'
    and now_first.index <> former.first_pending and b.id = any (array[former.id]);
  perform messaging.finish_batches(of_instance);
  perform messaging.note_feeding(of_instance);
end;
$$;

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

-- Ends the running batches of an instance that have nothing left to send: no message of theirs waits or is
-- being sent, and no recipient is pending, or the time of all of them is over. Records batch.finished.
-- The caller holds the batches.
create or replace function messaging.finish_batches(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  batch messaging.batches;
begin
  perform messaging.end_taken_back(b.id, 'expired')
  from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running' and b.expires_at <= clock_timestamp();
  for batch in
    update messaging.batches b
    set status = 'finished', finished_at = clock_timestamp(), waiting_message = null
    where b.instance_id = of_instance and b.status = 'running'
      and (b.pending_count = 0 or b.expires_at <= clock_timestamp())
      and not exists (
        select from messaging.messages m where m.batch_id = b.id and m.status = 'queued'
      )
    returning b.*
  loop
    perform messaging.record_event(
      batch.instance_id, null, 'batch.finished', jsonb_build_object(
        'batchId', batch.id,
        'name', batch.name,
        'status', batch.status,
        'counts', messaging.batch_counts(batch)
      )
    );
  end loop;
end;
$$;

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
  set contact_id = null, phone = null, message_id = null, card_id = null
  where r.contact_id = any (person_ids);
end;
$$;

-- Whether a message of an instance's running batches waits in its queue for its slot: no other one follows
-- until then. One that waits for another day because its contact is new holds up nobody.
create or replace function messaging.has_waiting_message(of_instance uuid)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
begin
  return exists (
    select from messaging.batches b
    join messaging.message_queue q on q.message_id = any (array[b.waiting_message])
    join messaging.messages m on m.id = any (array[q.message_id])
    where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
      and q.attempts = 0
      and (
        m.held_by is distinct from 'new_contacts'
        or q.scheduled_at <= clock_timestamp() + make_interval(secs => q.interval_seconds)
      )
  );
end;
$$;

-- What is known of a recipient before it has a slot: why it gets no message (`contact` as it is now), and
-- what its slot depends on. `contact` is a row of NULLs but for the identity of whom no contact exists yet.
-- `phone`: as the list has it. `draft`: its message.
create or replace function messaging.judge_recipient(
  instance messaging.instances,
  purpose text,
  contact messaging.contacts,
  phone text,
  draft jsonb,
  inout candidate messaging.batch_candidate
)
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  refusal text;
begin
  candidate.is_new := false;
  if candidate.reason is not null then
    return;
  end if;
  -- The window is judged by the slot: see reachable_until.
  refusal := messaging.send_refusal(
    contact.is_blocked, contact.consent_marketing, null, null, draft->>'messageType', purpose, null
  );
  if refusal = 'contact_blocked' then
    candidate.reason := 'blocked';
  elsif refusal = 'contact_opted_out' then
    candidate.reason := 'opted_out';
  elsif phone is null and contact.phone is null and messaging.lacks_address(
    instance, contact, draft->'content'->'template'->'needsPhone' is not null
  ) then
    candidate.reason := 'recipient_needs_phone';
  end if;
  if messaging.needs_open_window(instance.provider_class, draft->>'messageType') then
    candidate.reachable_until := messaging.window_closes_at(contact.last_inbound_at);
  end if;
  if instance.protection->>'newContactsPerDay' is null or candidate.reason is not null then
    return;
  end if;
  candidate.is_new := candidate.contact_id is null or messaging.is_new_contact(candidate.contact_id);
  if candidate.is_new then
    -- As take_protected_slot: a further message to a new contact leaves after the first.
    select q.scheduled_at into candidate.not_before
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = candidate.contact_id and m.sent_at is null and m.status = 'queued' and q.is_new
    order by q.scheduled_at desc
    limit 1;
    candidate.is_new := not found;
  end if;
end;
$$;

-- The entries of a list that is not stored, as add_recipients would store them and judge_recipient judges
-- them. `entries` as in add_recipients. Writes nothing: whom no contact stands for is new.
create or replace function messaging.judged_entries(
  instance messaging.instances,
  purpose text,
  entries jsonb
)
returns setof messaging.batch_candidate
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  contact_ids constant uuid[] := messaging.entry_contacts(instance.id, entries);
  listed record;
  contact messaging.contacts;
  candidate messaging.batch_candidate;
begin
  for listed in
    with named as (
      select e.place::integer as place, e.entry, contact_ids[e.place::integer] as contact_id,
        messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId')) as identity_key
      from jsonb_array_elements(entries) with ordinality as e(entry, place)
    )
    select n.*, row_number() over (
        partition by n.entry->>'reason' is null, coalesce(n.contact_id::text, n.identity_key)
        order by n.place
      ) as occurrence
    from named n
    order by n.place
  loop
    contact := null;
    select c.* into contact from messaging.contacts c where c.id = listed.contact_id;
    if contact.id is null then
      contact.identity_key := listed.identity_key;
    end if;
    candidate := null;
    candidate.index := listed.place - 1;
    candidate.contact_id := listed.contact_id;
    candidate.reason := case
      when listed.entry->>'reason' is not null then listed.entry->>'reason'
      when contact.id is null and listed.entry->>'contactId' is not null then 'contact_not_found'
      when listed.occurrence > 1 then 'duplicate_contact'
    end;
    return next messaging.judge_recipient(
      instance, purpose, contact, listed.entry->>'phone', listed.entry->'draft', candidate
    );
  end loop;
end;
$$;

-- Whether a message to the contact would be refused because its channel cannot address it: see
-- channel_send_address. Only for contacts without a phone.
create or replace function messaging.lacks_address(
  instance messaging.instances,
  contact messaging.contacts,
  needs_phone boolean
)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  perform messaging.channel_send_address(instance, contact, null, needs_phone);
  return false;
exception when sqlstate 'MI033' then
  return true;
end;
$$;

-- merge_contacts: what batches have for `gone` is for `kept` now. Where both are in one batch, only one is
-- written to: one that has been already or is about to be, else one whose message waits, else the first of the
-- list. The others are skipped, and their waiting messages canceled.
-- The caller holds both contacts. Locks the messages, pacing, dispatch, the batches. A queue row that
-- somebody else holds is about to be sent, and stays.
create or replace function messaging.move_recipients(kept uuid, gone uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  doubled jsonb;
  waiting uuid[];
begin
  update messaging.batch_recipients r set contact_id = kept where r.contact_id = gone;
  if not found then
    return;
  end if;
  -- In the product's order, and before they are looked at.
  perform from messaging.messages m
  where m.id = any (array(
    select r.message_id from messaging.batch_recipients r
    where r.contact_id = kept and r.message_id is not null
  )) and m.status = 'queued'
  order by m.id
  for no key update;
  with listed as (
    select r.batch_id, r.index, r.message_id, case
        when r.status = 'pending' then 2
        when exists (
          select from messaging.message_queue q
          where q.message_id = r.message_id and q.claim_token is null
        ) then 1
        else 0
      end as rank
    from messaging.batch_recipients r
    where r.contact_id = kept and r.status <> 'skipped'
  ),
  ranked as (
    select l.*, row_number() over (partition by l.batch_id order by l.rank, l.index) as place
    from listed l
  )
  select jsonb_agg(to_jsonb(k)), array_agg(k.message_id) filter (where k.rank = 1)
  into doubled, waiting
  from ranked k
  where k.place > 1 and k.rank > 0;
  if waiting is not null then
    waiting := messaging.withdraw_messages(waiting, 'canceled');
  end if;
  doubled := (
    select jsonb_agg(jsonb_build_object('batch', d->'batch_id', 'index', d->'index'))
    from jsonb_array_elements(doubled) as d
    where d->>'rank' = '2' or (d->>'message_id')::uuid = any (waiting)
  );
  if doubled is not null then
    perform messaging.skip_recipients(doubled, 'duplicate_contact');
  end if;
end;
$$;

-- The row of a batch as the creating call asks for it; without recipients, not stored. `request` as in
-- create_batch.
create or replace function messaging.new_batch(request jsonb)
returns messaging.batches
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch messaging.batches;
begin
  batch.id := gen_random_uuid();
  batch.instance_id := request->>'instanceId';
  batch.name := request->>'name';
  batch.status := 'draft';
  batch.source := request->'source';
  batch.purpose := request->>'purpose';
  batch.validation := request->>'validation';
  batch.interval_seconds := request->>'intervalSeconds';
  batch.start_at := date_trunc('milliseconds', (request->>'startAt')::timestamptz);
  batch.expires_at := request->>'expiresAt';
  batch.seed := md5(concat_ws(
    ' ', batch.instance_id, batch.name, batch.source, batch.interval_seconds, batch.start_at
  ));
  batch.recipient_count := 0;
  batch.pending_count := 0;
  batch.skipped_count := 0;
  batch.first_pending := 0;
  batch.known_from := 0;
  batch.turns := 0;
  batch.counted_from := 1;
  batch.created_at := date_trunc('milliseconds', clock_timestamp());
  return batch;
end;
$$;

-- Notes that this transaction has failed messages that may pause their batch. Pausing locks, so a step in
-- the middle of a transaction only notes them: see pause_failing_batches.
-- The note is a setting of the transaction, as in note_contact.
create or replace function messaging.note_batch_failures(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if message_ids is not null then
    perform set_config(
      'messaging.failed_messages',
      concat(current_setting('messaging.failed_messages', true), array_to_string(message_ids, ' '), ' '),
      true
    );
  end if;
end;
$$;

-- Keeps in dispatch whether an instance has a running batch, so that a settlement need not look for one.
-- The caller holds the pacing row.
create or replace function messaging.note_feeding(of_instance uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  is_feeding constant boolean := exists (
    select from messaging.batches b where b.instance_id = of_instance and b.status = 'running'
  );
begin
  update messaging.dispatch d
  set feeds_batches = is_feeding
  where d.instance_id = of_instance and d.feeds_batches <> is_feeding;
end;
$$;

-- Pauses the running batches whose messages this transaction has failed (see note_batch_failures), where
-- batch_failure says so. Records batch.paused, and tells the workspace's alert address.
-- A step towards the end of an RPC. The caller holds the failed messages. Locks the waiting messages of those
-- batches, since a transaction that holds a message may wait for the pacing row; then pacing, then the batches.
create or replace function messaging.pause_failing_batches()
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  noted constant text := current_setting('messaging.failed_messages', true);
  failed uuid[];
  batch_ids uuid[];
  batch messaging.batches;
  failure record;
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.failed_messages', '', true);
  failed := string_to_array(rtrim(noted), ' ')::uuid[];
  batch_ids := array(
    select distinct b.id
    from messaging.messages m
    join messaging.batches b on b.id = any (array[m.batch_id])
    where m.id = any (failed) and b.status = 'running'
  );
  perform from messaging.messages m
  where m.batch_id = any (batch_ids) and m.status = 'queued'
    and exists (select from messaging.message_queue q where q.message_id = m.id)
  order by m.id
  for no key update;
  perform from messaging.pacing p
  where p.instance_id = any (array(
    select b.instance_id from messaging.batches b where b.id = any (batch_ids)
  ))
  order by p.instance_id
  for no key update;
  for batch in
    select b.* from messaging.batches b
    where b.id = any (batch_ids) and b.status = 'running'
    order by b.id
    for no key update
  loop
    failure := messaging.batch_failure(batch, failed);
    continue when failure.reason is null;
    perform messaging.take_back_waiting(batch);
    update messaging.batches b
    set status = 'paused', waiting_message = null, pause_reason = failure.reason,
      pause_error = failure.error
    where b.id = batch.id
    returning b.* into batch;
    perform messaging.note_feeding(batch.instance_id);
    perform messaging.tell_batch_pause(batch);
  end loop;
end;
$$;

-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact, and
-- counts the turn.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances,
  batch messaging.batches,
  recipient_index integer
)
returns uuid
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  placed := messaging.enqueue_message(
    placed_id, instance, batch.interval_seconds, batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    update messaging.messages m
    set status = 'queued', scheduled_for = placed.slot, held_by = moved_by,
      confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
      unconfirmed_at = null
    where m.id = placed_id;
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    perform messaging.add_outbound_messages(array[row(
      placed_id, instance.id, recipient.contact_id, conversation.id,
      recipient.draft || jsonb_build_object('purpose', batch.purpose), null, null, 'queued',
      batch.interval_seconds, placed.slot, moved_by, nullif(recipient.phone, c.phone), batch.id,
      jsonb_build_object('expiresAt', batch.expires_at), null, null
    )::messaging.outbound_message])
    from messaging.contacts c
    where c.id = recipient.contact_id;
  end if;
  update messaging.batch_recipients r
  set status = 'accepted', message_id = placed_id, draft = null, turn = batch.turns + 1
  where r.batch_id = batch.id and r.index = recipient.index;
  return placed_id;
end;
$$;

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

-- The pending recipients of a batch who may not be written to now, whatever their slot: blocked, opted out,
-- or without an address of the channel. Returns {<reason>: [{batch, index}]}. Locks nothing.
create or replace function messaging.refused_recipients(batch messaging.batches)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
begin
  return (
    select coalesce(jsonb_object_agg(by_reason.reason, by_reason.places), '{}')
    from (
      select judged.reason,
        jsonb_agg(jsonb_build_object('batch', batch.id, 'index', r.index)) as places
      from messaging.batch_recipients r
      cross join lateral (
        select c.* from messaging.contacts c where c.id = r.contact_id offset 0
      ) as person
      cross join lateral (
        select (
          messaging.judge_recipient(
            instance, batch.purpose, c, r.phone, r.draft,
            row(r.index, r.contact_id, null, null, false, null, null)::messaging.batch_candidate
          )
        ).reason
        from messaging.contacts c
        where c.id = person.id
        offset 0
      ) as judged
      where r.batch_id = batch.id and r.status = 'pending'
        -- Of all others judge_recipient finds no reason.
        and (person.is_blocked or person.consent_marketing = 'denied' or person.phone is null)
        and judged.reason is not null
      group by judged.reason
    ) as by_reason
  );
end;
$$;

-- Makes the recipients of a batch whose message has failed pending again. Never those whose message is
-- unconfirmed: it may have left. Returns how many. The caller holds the batch.
create or replace function messaging.retry_failed_recipients(of_batch uuid)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  retried integer;
begin
  with failed as (
    update messaging.batch_recipients r
    set status = 'pending'
    from messaging.messages m
    where m.batch_id = of_batch and m.status = 'failed'
      and r.contact_id = any (array[m.contact_id]) and r.batch_id = of_batch and r.message_id = m.id
      and r.status = 'accepted'
      -- A delivery event may have failed it while its call is still open.
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + f.number, first_pending = least(b.first_pending, f.first),
    known_from = least(b.known_from, f.first)
  from (select count(*)::integer as number, min(failed.index) as first from failed) as f
  where b.id = of_batch and f.number > 0
  returning f.number into retried;
  return coalesce(retried, 0);
end;
$$;

-- Makes recipients of batches skipped for a reason, whatever they were, and keeps the batches' counts.
-- Their messages that a pause has taken out of the queue are canceled.
-- `places`: [{batch, index}]. Locks the batches in the order of their ids, then those messages.
create or replace function messaging.skip_recipients(places jsonb, reason text)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  taken_back uuid[];
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
    returning r.batch_id, r.message_id, former.status as former_status
  ),
  counted as (
    select s.batch_id, count(*) filter (where s.former_status <> 'skipped') as skipped,
      count(*) filter (where s.former_status = 'pending') as pending
    from skipped s
    group by s.batch_id
  ),
  updated as (
    update messaging.batches b
    set skipped_count = b.skipped_count + c.skipped, pending_count = b.pending_count - c.pending
    from counted c
    where b.id = any (array[c.batch_id])
  )
  select array_agg(s.message_id order by s.message_id) into taken_back
  from skipped s
  where s.message_id is not null and s.former_status = 'pending';
  if taken_back is not null then
    perform messaging.end_messages_taken_back(taken_back, 'canceled');
  end if;
end;
$$;

-- A pause: takes the waiting messages of a batch out of the queue, and gives their slots back. They keep
-- their ids, and their recipients are pending again. A message in flight stays.
-- The caller holds pacing and the batch. Tries the queue rows without waiting: their holders are about to
-- send the messages.
create or replace function messaging.take_back_waiting(batch messaging.batches)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  gone messaging.message_queue[];
  taken_back integer;
begin
  with waiting as materialized (
    select q.message_id
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.batch_id = batch.id and m.status = 'queued' and q.claim_token is null
    for update of q skip locked
  ),
  taken as (
    delete from messaging.message_queue q
    using waiting
    where q.message_id = any (array[waiting.message_id])
    returning q
  )
  select array_agg(taken.q) into gone from taken;
  if gone is null then
    return;
  end if;
  update messaging.messages m
  set scheduled_for = null, held_by = null
  where m.id = any (array(select g.message_id from unnest(gone) as g));
  with pending as (
    update messaging.batch_recipients r
    set status = 'pending'
    from unnest(gone) as g
    join messaging.messages m on m.id = any (array[g.message_id])
    where r.contact_id = any (array[m.contact_id]) and r.batch_id = batch.id and r.message_id = m.id
      and r.status = 'accepted'
    returning r.index
  )
  update messaging.batches b
  set pending_count = b.pending_count + p.number, first_pending = least(b.first_pending, p.first),
    known_from = least(b.known_from, p.first)
  from (select count(*)::integer as number, min(pending.index) as first from pending) as p
  where b.id = batch.id;
  perform messaging.give_back_slots(gone);
  perform messaging.refresh_dispatch(array[batch.instance_id]);
end;
$$;

-- Tells that a batch has paused by itself: the event batch.paused, and an e-mail to the workspace's alert
-- address, where there is one.
create or replace function messaging.tell_batch_pause(batch messaging.batches)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform messaging.record_event(
    batch.instance_id, null, 'batch.paused', jsonb_build_object(
      'batchId', batch.id,
      'name', batch.name,
      'status', batch.status,
      'reason', batch.pause_reason,
      'error', messaging.shown_error(batch.pause_error),
      'counts', messaging.batch_counts(batch)
    )
  );
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'batch_paused_email', jsonb_build_object(
    'instanceId', i.id,
    'instanceName', i.name,
    'batchId', batch.id,
    'batchName', batch.name,
    'reason', batch.pause_reason,
    'error', messaging.shown_error(batch.pause_error),
    'waiting', batch.pending_count,
    'alertEmail', w.alert_email
  )
  from messaging.instances i
  join messaging.workspaces w on w.id = i.workspace_id
  where i.id = batch.instance_id and w.alert_email is not null;
end;
$$;

-- The one forecast of batches: whom the running batches of an instance write to next, in order, at which
-- slots, and whom they pass over and why. Starting and feeding a batch take its first steps (see
-- feed_instance); recipients and dry runs are told its later ones. The slots are next_slot's, from what is
-- stored now: what is queued meanwhile makes them later.
-- `draft`: a batch that is walked as if it had been started at `clock`; a row of NULLs for none. `entries`:
-- its recipients, where they are not stored; of a stored draft, the skipped ones are walked too.
-- `of_batch`: whose steps are returned; NULL for all. `last_index`: the last of them.
-- The batches take turns: first comes who was never served, then who was served longest ago, among those
-- whose start_at the slots have reached. A recipient that is passed over costs its batch no turn; nor does
-- one that waits for a place of another day because it is new (`new_contacts`): known ones pass it.
-- With `stops_at_message` the walk ends with the first recipient whose message may be queued now. Who waits
-- for another day as new is returned with its slot and the reason `new_contacts`. A message that would hold
-- up single sends may not be queued: one whose slot the window's end has moved to another day while the
-- window is open, or start_at, by more than an interval. The walk ends there, with nobody's message.
-- Reads recipients from cursors: a caller that needs few reads few. Writes and locks nothing. Errors: MI010.
create or replace function messaging.walk_batches(
  instance messaging.instances,
  clock timestamptz,
  draft messaging.batches,
  entries jsonb,
  of_batch uuid,
  last_index integer,
  stops_at_message boolean
)
returns setof messaging.batch_step
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  next messaging.slot_walk;
  front timestamptz;
  batch messaging.batches;
  lists messaging.batches[];
  cursors refcursor[];
  heads messaging.batch_candidate[];
  served integer[];
  is_over boolean[];
  list refcursor;
  fetched record;
  head messaging.batch_candidate;
  step messaging.batch_step;
  turns integer := 0;
  passed_over integer := 0;
  chosen integer;
  -- Whether a recipient's slot depends on more than who the contact is.
  looks_closer constant boolean := instance.provider_class = 'official'
    or instance.protection->>'newContactsPerDay' is not null;
  today constant date := (clock at time zone instance.time_zone)::date;
  first_index integer;
  is_told boolean;
  reason text;
  slot timestamptz;
  is_far boolean;
  waits_as_new boolean := false;
begin
  select p.last_slot_at into front from messaging.pacing p where p.instance_id = instance.id;
  for batch in
    select b.* from messaging.batches b where b.instance_id = instance.id and b.status = 'running'
    union all
    select draft.* where draft.instance_id is not null
    order by served_at nulls first, created_at, id
  loop
    first_index := case
      when stops_at_message and batch.known_day = today and walk.taken_new[1] >= walk.new_limit
        then greatest(batch.first_pending, batch.known_from)
      else batch.first_pending
    end;
    if batch.id is not distinct from draft.id and entries is not null then
      open list for
        select j as candidate from messaging.judged_entries(instance, batch.purpose, entries) as j;
    else
      open list for
        select case
          -- Most recipients of most lists: judge_recipient would find nothing. A call takes longer than
          -- all else here.
          when looks_closer or r.status = 'skipped' or r.message_id is not null or c.phone is null
            or c.is_blocked or c.consent_marketing = 'denied' then messaging.judge_recipient(
            instance, batch.purpose, c, r.phone,
            case when r.message_id is null then r.draft else jsonb_build_object(
              'messageType', m.message_type, 'content', m.content
            ) end,
            row(
              r.index, r.contact_id, r.message_id,
              case
                when r.status = 'skipped' then r.reason
                when r.message_id is not null and coalesce(m.status not in ('queued', 'failed'), true)
                  then 'settled'
                when c.id is null then 'contact_erased'
              end,
              false, null, null
            )::messaging.batch_candidate
          )
          else row(r.index, r.contact_id, null, null, false, null, null)::messaging.batch_candidate
        end as candidate
        from messaging.batch_recipients r
        left join lateral (
          select f.* from messaging.contacts f where f.id = r.contact_id offset 0
        ) as c on true
        left join lateral (
          select f.* from messaging.messages f where f.id = r.message_id offset 0
        ) as m on true
        where r.batch_id = batch.id and r.index >= first_index
          and (batch.status = 'draft' or r.status = 'pending')
        order by r.index;
    end if;
    fetch list into fetched;
    if not found then
      close list;
      continue;
    end if;
    turns := turns + 1;
    lists := lists || batch;
    cursors := cursors || list;
    heads := heads || fetched.candidate;
    served := served || turns;
    is_over := is_over || false;
    list := null;
  end loop;

  while cardinality(lists) > 0 loop
    chosen := null;
    for place in 1..cardinality(lists) loop
      batch := lists[place];
      if batch.start_at is null or batch.start_at
        <= greatest(clock, front + make_interval(secs => batch.interval_seconds)) then
        if chosen is null or served[place] < served[chosen] then
          chosen := place;
        end if;
      end if;
    end loop;
    if chosen is null then
      chosen := 1;
      for place in 2..cardinality(lists) loop
        if lists[place].start_at < lists[chosen].start_at then
          chosen := place;
        end if;
      end loop;
    end if;
    batch := lists[chosen];
    head := heads[chosen];
    list := cursors[chosen];

    is_told := of_batch is null or batch.id = of_batch;
    -- One turn: the recipients that are passed over, and the next one that is written to; all that is left
    -- where there is nobody to take turns with. 100,000 may come by: few expressions each.
    loop
      exit when head.index > last_index and batch.id is not distinct from of_batch;
      reason := head.reason;
      slot := null;
      if reason is null and is_over[chosen] then
        reason := 'expires_before_slot';
      elsif reason is null then
        next := messaging.next_slot(
          instance, walk, batch.interval_seconds, greatest(batch.start_at, head.not_before),
          interval '0', batch.seed || ' ' || head.index, head.is_new
        );
        if head.reachable_until < next.slot then
          reason := 'window_closed';
        elsif batch.expires_at <= next.slot then
          reason := 'expires_before_slot';
          if stops_at_message and head.is_new and next.held_by = 'new_contacts' then
            reason := 'new_contacts';
          elsif instance.protection is null then
            -- Slots only grow: no later recipient of the list has an earlier one.
            is_over[chosen] := true;
          end if;
        else
          walk := next;
          slot := walk.slot;
          if stops_at_message or looks_closer then
            is_far := slot > clock + make_interval(secs => walk.interval_seconds);
            waits_as_new := is_far
              and (head.is_new and walk.held_by = 'new_contacts' or head.not_before > clock) is true;
            if stops_at_message and waits_as_new then
              reason := 'new_contacts';
            elsif stops_at_message and is_far and (
                batch.start_at > clock + make_interval(secs => walk.interval_seconds)
                or walk.held_by in ('window', 'holiday')
                and messaging.is_send_window_open(instance, clock)
              ) then
              return;
            end if;
          end if;
          if not waits_as_new then
            front := greatest(front, slot);
          end if;
        end if;
      end if;
      if is_told then
        step := row(batch.id, head.index, head.contact_id, head.message_id, reason, slot);
        return next step;
      end if;
      fetch list into fetched;
      head := case when found then fetched.candidate end;
      exit when head.index is null
        or reason is null and not waits_as_new and (stops_at_message or cardinality(lists) > 1);
      -- Nobody of the list has a slot in time, or so many have none that it is left for another time.
      if stops_at_message then
        passed_over := passed_over + 1;
        if is_over[chosen] or passed_over >= 2000 then
          head := null;
          exit;
        end if;
      end if;
    end loop;

    if stops_at_message and slot is not null and reason is null
      or batch.id is not distinct from of_batch and (head.index is null or head.index > last_index) then
      return;
    end if;
    if head.index is null then
      lists := lists[:chosen - 1] || lists[chosen + 1:];
      cursors := cursors[:chosen - 1] || cursors[chosen + 1:];
      heads := heads[:chosen - 1] || heads[chosen + 1:];
      served := served[:chosen - 1] || served[chosen + 1:];
      is_over := is_over[:chosen - 1] || is_over[chosen + 1:];
    else
      heads[chosen] := head;
      turns := turns + 1;
      served[chosen] := turns;
    end if;
  end loop;
end;
$$;

-- batches-api: starts, pauses, resumes or cancels a batch, or tries its failed messages again. `request`:
-- instanceId, batchId, action (start | pause | resume | cancel | retry-failed), idempotency. Returns the
-- batch. Changes a handful of rows, whatever the size of the batch, but for retry-failed. A start also skips
-- whom it may not write to, as the dry run says; they are found before anything is locked.
-- Locks pacing, then the batch. Errors: MI007, MI008, MI010, MI027, MI028 (the batch's status does not allow
-- it).
create or replace function public.change_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  action constant text := request->>'action';
  clock constant timestamptz := clock_timestamp();
  replayed jsonb := messaging.begin_idempotent(request);
  batch messaging.batches;
  new_status text;
  refused jsonb := '{}';
  reason text;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := messaging.find_batch(request);
  if action = 'start' then
    refused := messaging.refused_recipients(batch);
  end if;
  -- A transaction that holds a message may wait for the pacing row.
  perform from messaging.messages m
  where m.batch_id = batch.id and m.status = 'queued'
  order by m.id
  for no key update;
  perform from messaging.pacing p where p.instance_id = batch.instance_id for no key update;
  select b.* into batch from messaging.batches b where b.id = batch.id for no key update;
  if not batch.status = any (case action
    when 'start' then array['draft']
    when 'pause' then array['running']
    when 'resume' then array['paused']
    when 'cancel' then array['draft', 'running', 'paused']
    when 'retry-failed' then array['running', 'paused', 'finished']
  end) then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  for reason in select jsonb_object_keys(refused) loop
    perform messaging.skip_recipients(refused->reason, reason);
  end loop;
  if action = 'pause' then
    perform messaging.take_back_waiting(batch);
  elsif action = 'cancel' then
    perform messaging.withdraw_messages(
      array(
        select m.id from messaging.messages m
        where m.batch_id = batch.id and m.status = 'queued'
        order by m.id
        for no key update
      ),
      'canceled'
    );
    perform messaging.end_taken_back(batch.id, 'canceled');
  end if;
  new_status := case action
    when 'pause' then 'paused'
    when 'cancel' then 'canceled'
    when 'retry-failed' then case
      when messaging.retry_failed_recipients(batch.id) > 0 and batch.status = 'finished' then 'running'
      else batch.status
    end
    else 'running'
  end;
  update messaging.batches b
  set status = new_status,
    waiting_message = case when new_status = 'running' then b.waiting_message end,
    started_at = case when action = 'start' then clock else b.started_at end,
    finished_at = case new_status when 'canceled' then clock when 'finished' then b.finished_at end,
    counted_from = case when action in ('resume', 'retry-failed') then b.turns + 1 else b.counted_from end,
    pause_reason = case when new_status = 'paused' then b.pause_reason end,
    pause_error = case when new_status = 'paused' then b.pause_error end
  where b.id = batch.id;
  perform messaging.feed_instance(batch.instance_id);
  select b.* into strict batch from messaging.batches b where b.id = batch.id;
  return messaging.keep_outcome(request, messaging.describe_batch(batch));
end;
$$;

-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see begin_idempotent).
-- Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, MI051 to MI054 (the
-- message's file: see take_media), MI055.
create or replace function public.create_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch constant messaging.batches := messaging.new_batch(request);
  stored record;
begin
  if replayed is not null then
    return replayed;
  end if;
  if batch.source->'message'->>'mediaId' is not null then
    perform messaging.take_media(
      batch.instance_id, (batch.source->'message'->>'mediaId')::uuid
    );
  end if;
  insert into messaging.batches select batch.*;
  perform messaging.take_denial_hashes(request);
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

-- batches-api: what starting a draft now would do, from `fromIndex` on, for at most `limit` recipients.
-- `request`: instanceId, batchId, fromIndex, limit. Returns {summary {send, skip, firstScheduledFor,
-- lastScheduledFor, days}, items [{index, outcome, reason, scheduledFor}], nextIndex}.
-- It is the walk that starting takes, see walk_batches. Writes and locks nothing.
-- Errors: MI010, MI027, MI028 (no draft).
create or replace function public.dry_run_batch(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  first constant integer := (request->>'fromIndex')::integer;
  last constant integer := first + (request->>'limit')::integer - 1;
  steps messaging.batch_step[];
begin
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, null, batch.id, last, false
    ) as w
    where w.index >= first
  );
  return messaging.describe_dry_run(
    steps, instance.time_zone, case when last + 1 < batch.recipient_count then last + 1 end
  );
end;
$$;

-- batches-api: what creating a batch and starting it now would do. `request` as in create_batch. Returns as
-- dry_run_batch, for all entries. Writes and locks nothing. Errors: MI010.
create or replace function public.dry_run_new_batch(request jsonb)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch constant messaging.batches := messaging.new_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  steps messaging.batch_step[];
begin
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, request->'entries', batch.id,
      null, false
    ) as w
  );
  return messaging.describe_dry_run(steps, instance.time_zone, null);
end;
$$;

-- batches-api: adds recipients to a draft. `request`: instanceId, batchId, entries (see add_recipients),
-- errors, idempotency. Returns {batchId, status, added, duplicates, errors}.
-- Errors: MI007, MI008, MI027, MI028 (no draft), MI029 (more than 100,000), MI055.
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
  perform messaging.take_denial_hashes(request);
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

-- Dispatcher's maintenance: gives running batches their next message where none of theirs waits, and ends
-- those that have nothing left (see feed_instance). A settlement does so at once; this is for batches that
-- begin later, and for what went wrong or was locked then. `request`: maxInstances. Returns {fed}: how many
-- instances it has looked after. Passes over instances whose pacing row is locked.
create or replace function public.feed_batches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  hungry uuid;
  fed integer := 0;
begin
  for hungry in
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (array(
      select distinct b.instance_id
      from messaging.batches b
      where b.status = 'running' and not messaging.has_waiting_message(b.instance_id)
    ))
    -- Those whose next slot is far away come back each time: none of them may always come first.
    order by random()
    limit (request->>'maxInstances')::integer
    for no key update skip locked
  loop
    begin
      perform messaging.feed_instance(hungry);
      fed := fed + 1;
    exception when sqlstate 'MI010' then
      -- The send window never opens: nothing can be done until it is changed.
      null;
    end;
  end loop;
  return jsonb_build_object('fed', fed);
end;
$$;

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

-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Of pending recipients of a running batch it tells the slot that is forecast,
-- or why they would get none: see walk_batches. Errors: MI027.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  -- Nobody knows the slots of a queue that is held until somebody releases it, or disconnected.
  is_held constant boolean := exists (
    select from messaging.dispatch d
    where d.instance_id = instance.id
      and greatest(d.operator_hold_until, d.disconnected_until) = 'infinity'
  );
  rows jsonb[];
  last_pending integer;
  forecast jsonb := '{}';
begin
  rows := array(
    select jsonb_build_object(
      'index', r.index,
      'contactId', r.contact_id,
      'phone', coalesce(r.phone, c.phone),
      'status', told.status,
      'reason', r.reason,
      'messageId', r.message_id,
      'cardId', r.card_id,
      'scheduledFor', case
        -- As messages-api tells it: how things stand now.
        when told.status = 'queued' then messaging.describe_message(m)->'scheduledFor'
        when told.status <> 'pending' then
          to_jsonb(messaging.iso_in_zone(m.scheduled_for, instance.time_zone))
      end,
      'sentAt', messaging.iso_in_zone(m.sent_at, instance.time_zone),
      'deliveredAt', messaging.iso_in_zone(m.delivered_at, instance.time_zone),
      'readAt', messaging.iso_in_zone(m.read_at, instance.time_zone),
      'lastError', messaging.shown_error(m.last_error)
    )
    from messaging.batch_recipients r
    left join lateral (
      select f.* from messaging.messages f where f.id = r.message_id offset 0
    ) as m on true
    left join lateral (
      select f.phone from messaging.contacts f where f.id = r.contact_id offset 0
    ) as c on true
    cross join lateral (
      select messaging.recipient_status(batch, r, m.status) as status
    ) as told
    where r.batch_id = batch.id and r.index > coalesce((request->'after'->>'index')::integer, -1)
      and (request->>'status' is null or told.status = request->>'status')
    order by r.index
    limit page_size + 1
  );
  select max((f.found->>'index')::integer) into last_pending
  from unnest(rows[:page_size]) as f(found)
  where f.found->>'status' = 'pending';
  if batch.status = 'running' and last_pending is not null then
    begin
      select coalesce(jsonb_object_agg(w.index, jsonb_build_object(
        'scheduledFor', case when not is_held then
          messaging.iso_in_zone(w.slot, instance.time_zone)
        end, 'reason', w.reason
      )), '{}')
      into forecast
      from messaging.walk_batches(
        instance, date_trunc('milliseconds', clock_timestamp()), null, null, batch.id, last_pending, false
      ) as w
      where w.reason is distinct from 'settled';
    exception when sqlstate 'MI010' then
      null;
    end;
  end if;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(
        f.found || coalesce(
          case when f.found->>'status' = 'pending' then forecast->(f.found->>'index') end, '{}'
        )
        order by (f.found->>'index')::integer
      ), '[]')
      from unnest(rows[:page_size]) as f(found)
    ),
    'next', case when cardinality(rows) > page_size then
      jsonb_build_object('index', rows[page_size]->'index')
    end
  );
end;
$$;

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
      raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
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

-- Whether a message has failed by a refusal that is not temporary.
create or replace function messaging.has_failed_for_good(message messaging.messages)
returns boolean
language sql
immutable
return message.status = 'failed' and not message.is_retryable;

-- Why an error pauses a batch at once, as the pause's reason: it is the template's or the account's, and so
-- every further message would meet it. NULL for all others.
create or replace function messaging.stops_batch(error jsonb)
returns text
language sql
immutable
return case
  when error ->> 'meaning' in ('template_refused', 'account_restricted') then error ->> 'meaning'
end;

-- Whether the present error of a message may pause its batch: batch_failure decides it. An account's error
-- fails no message that waits, and counts all the same.
create or replace function messaging.may_pause_batch(message messaging.messages)
returns boolean
language sql
immutable
return message.batch_id is not null
and (
  messaging.has_failed_for_good(message)
  or messaging.stops_batch(message.last_error) is not null
);

-- Records an inbound message whose sender record_inbound_messages does not find: a new person, or one of
-- several contacts' addresses, see resolve_sender. `plain` is what read_plain_events reads of `event`.
-- The caller holds lock_plain_events, and waits for the contacts of the addresses.
-- Errors: MI055, as resolve_sender; the call must be repeated.
create or replace function messaging.add_inbound_message(plain messaging.plain_event, event jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  contact constant messaging.contacts := messaging.resolve_sender(plain.instance_id, event);
begin
  plain.contact_id := contact.id;
  perform messaging.resolve_conversation(plain.instance_id, contact.id);
  if messaging.record_inbound_messages(array[plain]) = '{}' then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;

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
  where c.id = apply_keyword.contact_id and messaging.send_refusal(
    c.is_blocked, c.consent_marketing, c.last_inbound_at, instance.provider_class, 'text', null,
    clock_timestamp()
  ) is null;
  if not found or instance.opt_out_confirmation is null then
    return;
  end if;
  placed := messaging.place_message(
    confirmation_id, instance, jsonb '{"isDeferred": true}', interval '0', apply_keyword.contact_id
  );
  perform messaging.add_outbound_messages(array[row(
    confirmation_id, instance.id, apply_keyword.contact_id, apply_keyword.conversation_id,
    jsonb_build_object(
      'messageType', 'text', 'message', instance.opt_out_confirmation, 'sentBy', 'system',
      'purpose', 'opt_out_confirmation'
    ),
    null, null, placed.mode, null, placed.slot, placed.held_by, null, null, null, null, null
  )::messaging.outbound_message]);
end;
$$;

-- Applies the stored delivery events of these messages, whose provider ids have just become known.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.apply_unmatched_statuses(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  early record;
begin
  for early in
    with taken as (
      delete from messaging.unmatched_statuses e
      using messaging.messages m
      where m.id = any (message_ids)
        and e.instance_id = any (array[m.instance_id])
        and e.provider_message_id = any (array[m.provider_message_id])
      returning m.id as message_id, e.provider_message_id, e.status, e.occurred_at, e.error
    )
    select t.* from taken t
    order by array_position(array['sent', 'delivered', 'read', 'failed'], t.status)
  loop
    perform messaging.advance_message(
      early.message_id, early.provider_message_id, early.status, early.occurred_at, early.error
    );
  end loop;
end;
$$;

-- Whether news of a number are another instance's of the workspace: news of an account come to all of its
-- instances. `phone`: the number as the channel writes it; NULL for news of the whole account.
create or replace function messaging.concerns_other_instance(
  instance messaging.instances,
  phone text
)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  digits constant text := regexp_replace(phone, '[^0-9]', '', 'g');
  number_key constant text := messaging.phone_identity_key(nullif(digits, ''));
begin
  return coalesce(number_key <> instance.connected_phone_key, false) and exists (
    select from messaging.instances other
    where other.workspace_id = instance.workspace_id and other.provider = instance.provider
      and other.connected_phone_key = number_key
  );
end;
$$;

-- Our own id of the message that an event's message answers; NULL for none, or one that is not stored.
-- An echo that has not been merged yet shares its provider's id with the message that was sent.
create or replace function messaging.find_quoted_message(instance_id uuid, event jsonb)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  if event->>'quotedProviderMessageId' is null then
    return null;
  end if;
  return (
    select same.id
    from (
      select m.id, m.created_at from messaging.messages m
      where m.instance_id = find_quoted_message.instance_id
        and m.provider_message_id = event->>'quotedProviderMessageId'
      -- Its plan must not follow the order: that would read the instance's messages by time.
      offset 0
    ) as same
    order by same.created_at
    limit 1
  );
end;
$$;

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

-- Takes the locks of lock_provider_messages and lock_addresses for all these events, in the order of
-- the two: every transaction that names messages and addresses locks in this order.
create or replace function messaging.lock_plain_events(events messaging.plain_event[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select 1 as turn, null::uuid as instance_id,
      messaging.provider_message_lock_key(e.instance_id, e.provider_message_id) as lock_key
    from unnest(events) as e
    union
    select 2, e.instance_id,
      messaging.address_lock_key(e.instance_id, key.value)
    from unnest(events) as e
    cross join lateral unnest(e.identity_keys) as key(value)
    order by turn, instance_id, lock_key
  ) as wanted;
end;
$$;

-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes. A message in flight keeps the echo until its own outcome
-- tells whose it was (see resolve_pending_echo). Otherwise the echo confirms the oldest unconfirmed
-- message.
-- Media without a caption have no words: they match only a message in flight.
-- Returns whether the echo is ours, as far as is known.
-- Plans must not depend on statistics: "offset 0" reads the unsent messages of this contact by
-- messages_history, where the instance and the age would suggest all that the instance has lately stored.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.match_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  words constant text := btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'));
  candidate record;
begin
  -- A candidate may be settled before it is locked: then the next one is tried.
  for round in 1..10 loop
    select m.id, q.claim_token is not null as is_in_flight,
      q.echo->>'providerMessageId' as echoed_id
    into candidate
    from (
      select u.* from messaging.messages u
      where u.contact_id = any (messaging.merged_contact_ids(match_echo.contact_id)) and u.sent_at is null
      offset 0
    ) as m
    left join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.instance_id = match_echo.instance_id
      and m.direction = 'outbound'
      and m.status in ('queued', 'sending', 'unconfirmed')
      and m.created_at > clock - interval '2 days'
      -- A retried message still has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (m.message is not null and m.unconfirmed_at > clock - interval '15 minutes')
      )
      -- Gateways trim whitespace.
      and btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
      -- A gateway sends every audio file as a voice message.
      and (
        m.message is not null or m.message_type = event->>'messageType'
        or messaging.media_kind(m.message_type) = messaging.media_kind(event->>'messageType')
      )
    order by q.echo is null, q.claim_token is null, m.unconfirmed_at, m.created_at
    limit 1;
    if not found then
      return false;
    end if;
    if not candidate.is_in_flight then
      if messaging.confirm_by_echo(candidate.id, event) then
        return true;
      end if;
    elsif candidate.echoed_id is not null then
      return true;
    else
      update messaging.message_queue q set echo = event
      where q.message_id = candidate.id and q.claim_token is not null and q.echo is null;
      if found then
        return true;
      end if;
    end if;
  end loop;
  return false;
end;
$$;

-- Merges the duplicates of messages whose provider ids have just become known: under the same id a
-- gateway had reported an echo, stored as typed on the phone or taken as the proof of another message.
-- The duplicate is deleted, and its delivery becomes the message's. Its placeholder contact, known by
-- a hidden address alone, is merged into the message's contact. A message that the echo had confirmed
-- wrongly becomes `unconfirmed` again.
create or replace function messaging.merge_echo_duplicates(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  duplicate record;
  contact messaging.contacts;
  placeholder messaging.contacts;
begin
  for duplicate in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at
    from messaging.messages m
    -- "offset 0" keeps the plan from beginning with all echoes, of which statistics may know none.
    cross join lateral (
      select told.* from messaging.messages told
      where told.instance_id = m.instance_id
        and told.provider_message_id = m.provider_message_id
        and told.id <> m.id
        and (told.is_typed_on_phone or told.confirmed_by_echo)
      offset 0
    ) as e
    where m.id = any (message_ids)
  loop
    perform messaging.note_contact(duplicate.contact_id);
    perform messaging.note_contact(duplicate.echo_contact_id);
    if duplicate.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
      perform messaging.record_message_events(
        array[duplicate.echo_id], array['message.unconfirmed']
      );
    else
      perform messaging.record_message_events(array[duplicate.echo_id], array['message.deleted']);
      delete from messaging.messages e where e.id = duplicate.echo_id;
    end if;
    if duplicate.status in ('delivered', 'read') then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, duplicate.status, duplicate.arrived_at, null
      );
    end if;
    if duplicate.status = 'failed' then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, 'failed', duplicate.failed_at, duplicate.last_error
      );
    end if;
    continue when duplicate.confirmed_by_echo;
    select c.* into contact from messaging.contacts c where c.id = duplicate.contact_id;
    select c.* into placeholder from messaging.contacts c
    where c.id = duplicate.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- A placeholder contact without any other message was paused by our own words.
      delete from messaging.agent_pauses p
      where p.contact_id = placeholder.id
        and not exists (select from messaging.messages m where m.contact_id = placeholder.id);
      perform messaging.merge_contacts(contact, placeholder);
    end if;
  end loop;
end;
$$;

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

-- The calls of record_provider_events (`calls`) that have one event that most webhooks have: an inbound
-- message, or a delivery event that neither fails a message nor repeats its words. Of several calls about one
-- message, or of one that quotes it, only the first is given: the others must see what it has
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
            or (event->>'isEdit')::boolean
          when 'status' then event->>'status' not in ('sent', 'delivered', 'read')
            or event->'sent' is not null
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

-- Records what a provider says about an instance's connection. `event`: state (connected or
-- disconnected), reason, until (the end of a restriction, NULL for none), phone (the number that it is
-- about, NULL for all of the account: see concerns_other_instance), at. The newest by the
-- provider's own time wins: what is older than what was told last changes nothing.
-- While the connection is lost, nothing that the dispatcher sends leaves; immediate sends are tried. When
-- it is back, the paced queue goes on at its pace, and what has become due beside it leaves ten seconds
-- apart.
-- Records instance.connected or instance.disconnected, and tells the workspace's alert address, at most
-- every ten minutes. Returns whether the state has changed. Locks pacing, then dispatch.
create or replace function messaging.record_connection_event(
  instance messaging.instances,
  event jsonb
)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock);
  state constant text := event->>'state';
  former messaging.dispatch;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.connection_told_at then
    return false;
  end if;
  update messaging.dispatch d
  set connection = event->>'state',
    connection_told_at = told_at,
    disconnected_until = case state
      when 'disconnected' then coalesce((event->>'until')::timestamptz, 'infinity')
      else '-infinity'
    end,
    disconnected_at = case
      when state = 'connected' then null
      when former.connection = 'disconnected' then d.disconnected_at
      else least(told_at, clock)
    end,
    disconnected_reason = case when state = 'disconnected' then event->>'reason' end,
    -- What was refused while the connection was lost says nothing about the one that is back.
    hold_until = case
      when state = 'connected' and former.connection = 'disconnected' then '-infinity'
      else d.hold_until
    end
  where d.instance_id = instance.id;
  perform messaging.refresh_dispatch(array[instance.id]);
  if former.connection is not distinct from state then
    return false;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.' || state, jsonb_build_object('reason', event->'reason')
  );
  if state = 'connected' then
    perform messaging.resume_unpaced_messages(instance.id, former.disconnected_until, clock);
  elsif coalesce(former.told_disconnected_at < clock - interval '10 minutes', true) then
    perform messaging.tell_disconnection(instance, event->>'reason', clock);
  end if;
  return true;
end;
$$;

-- Records inbound messages of known persons and their payloads: one statement for all of them. An inbound
-- message opens a closed conversation and requests the agent's answer. Groups and reactions do neither of
-- them anything, and a message that the channel does not show requests no answer. A keyword of the instance
-- decides about marketing instead: see apply_keyword.
-- Returns the places of the recorded events. Leaves the others untouched: those that new_messages leaves
-- out, of unknown persons, of addresses that belong to several contacts, and of contacts that another
-- transaction holds. An event with a contact_id is always recorded: see add_inbound_message.
-- The caller holds lock_plain_events. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.record_inbound_messages(events messaging.plain_event[])
returns integer[]
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  recorded integer[] := '{}';
  named uuid[] := '{}';
  untold uuid[] := '{}';
  stored record;
begin
  for stored in
    with known as (
      select e.*, gen_random_uuid() as stored_id, contact.id as sender_id, contact.is_nameless,
        conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id,
        case
          when e.may_ask_agent and messaging.may_hold_keyword(e.message_type)
          then messaging.read_keyword(instance.keywords, instance.resume_keywords, e.message)
        end as keyword_said
      from messaging.new_messages(events) as e
      cross join lateral (
        select i.opt_out_keywords as keywords, i.opt_out_resume_keywords as resume_keywords
        from messaging.instances i
        where i.id = e.instance_id
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone, c.name is null as is_nameless
        from messaging.contacts c
        where c.id = coalesce(
          e.contact_id,
          (
            select own.id from messaging.contacts own
            where own.instance_id = e.instance_id and own.identity_key = e.identity_keys[1]
          ),
          (
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = e.identity_keys[1]
          )
        )
          and c.merged_into is null
        -- Finds no contact that is merged meanwhile, and waits for none.
        for no key update of c skip locked
      ) as contact
      cross join lateral (
        select v.id, v.status, v.agent_id from messaging.conversations v
        where v.contact_id = contact.id
        limit 1
      ) as conversation
      where e.contact_id is not null or (
        (contact.phone is not null or not messaging.is_phone(e.addresses[1]))
        and (
          select true from messaging.address_owners(e.instance_id, e.identity_keys) as o
          where o.contact_id <> contact.id
          limit 1
        ) is null
      )
    ),
    payloads as (
      insert into messaging.provider_events (instance_id, payload)
      select k.instance_id, k.payload from known k where k.payload is not null order by k.place
    ),
    messages as (
      insert into messaging.messages (
        id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
        is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
        quoted_message_id, media_id, quoted_provider_message_id, author
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.stored_id, k.instance_id, k.sender_id, k.conversation_id, 'inbound', k.message_type, k.message,
        k.content, false, 'received', k.provider_message_id, k.occurred_at, k.is_group, k.chat_name,
        clock_timestamp(), k.quoted_message_id, k.media_id, k.quoted_provider_message_id, k.author
      from known k
      order by k.place
    ),
    contacts as (
      update messaging.contacts c
      set name = coalesce(c.name, told.name),
        is_profile_name = c.is_profile_name or c.name is null and told.name is not null,
        last_inbound_at = greatest(c.last_inbound_at, told.last_at)
      from (
        select k.sender_id, max(k.occurred_at) as last_at,
          (
            array_agg(k.contact_name order by k.place) filter (where k.contact_name is not null)
          )[1] as name
        from known k
        group by k.sender_id
      ) as told
      where c.id = any (array[told.sender_id])
        and (
          c.name is null and told.name is not null
          or c.last_inbound_at is null or c.last_inbound_at < told.last_at
        )
    )
    select k.place, k.stored_id, k.instance_id, k.sender_id as contact_id, k.addresses, k.conversation_id,
      k.message_type, k.media_id, k.file,
      k.keyword_said, k.occurred_at,
      k.is_nameless and k.contact_name is not null as tells_name,
      k.conversation_status = 'closed' as is_closed,
      k.contact_id is null and (
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
            where a.contact_id = k.sender_id
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
    if stored.media_id is not null then
      perform messaging.add_channel_media(
        stored.media_id, stored.instance_id, stored.contact_id, stored.message_type, stored.file
      );
    end if;
    if stored.tells_name and stored.contact_id <> all (named) then
      named := named || stored.contact_id;
      perform messaging.record_message_events(untold, array['message.received']);
      untold := '{}';
      perform messaging.record_contact_changes(
        stored.instance_id, stored.contact_id, jsonb '{"name": null}'
      );
    end if;
    perform messaging.note_contact(stored.contact_id);
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.contact_id, stored.addresses);
    end if;
    untold := untold || stored.stored_id;
    -- The message is told before what it changes.
    if stored.is_closed or stored.keyword_said is not null then
      perform messaging.record_message_events(untold, array['message.received']);
      untold := '{}';
    end if;
    if stored.is_closed then
      perform messaging.reopen_conversation(stored.conversation_id);
    end if;
    if stored.keyword_said is not null then
      perform messaging.apply_keyword(
        stored.instance_id, stored.contact_id, stored.conversation_id, stored.stored_id,
        stored.keyword_said, stored.occurred_at
      );
    end if;
    if stored.asks_agent then
      perform messaging.request_agent_reply(i, stored.contact_id, stored.conversation_id)
      from messaging.instances i where i.id = stored.instance_id;
      perform messaging.await_transcript(stored.media_id, stored.conversation_id);
    end if;
  end loop;
  perform messaging.record_message_events(untold, array['message.received']);
  return recorded;
end;
$$;

-- Records that the official channel has changed how much a number may send, or says that it will.
-- `event`: change, limit (NULL where it is not told), effectiveAt (of what is planned), phone (as the
-- channel displays it), at. It informs only. The newest by the provider's own time wins, and what was told
-- already is no event; nor is a limit that is as it was. News of a number that is another instance's are not
-- this one's. Returns whether it was news. Locks dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  former messaging.dispatch;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if told_at < former.channel_limit_at
    or told_at = former.channel_limit_at
      and event->>'change' is not distinct from former.channel_change
      and coalesce(event->>'limit', former.channel_limit) is not distinct from former.channel_limit
  then
    return false;
  end if;
  update messaging.dispatch d
  set channel_limit = coalesce(event->>'limit', d.channel_limit), channel_limit_at = told_at,
    channel_change = event->>'change'
  where d.instance_id = instance.id;
  if event->>'limit' = former.channel_limit then
    return true;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', event->'change',
      'limit', event->'limit',
      'previousLimit', former.channel_limit,
      'effectiveAt', event->'effectiveAt'
    )
  );
  return true;
end;
$$;

-- Records that a person has deleted a message for everyone: the contact, or somebody on the business's
-- own phone. Tells it once; the message keeps its words and its status. A deletion of an unknown message
-- changes nothing, also where the message arrives later. Returns whether it was news.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_deletion(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  deleted_ids uuid[];
begin
  with deleted as (
    update messaging.messages m
    set deleted_at = clock_timestamp()
    where m.instance_id = record_message_deletion.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.deleted_at is null
      -- One that waits to be sent once more is not what the provider knows by this id.
      and m.status not in ('queued', 'sending')
    returning m.id
  )
  select array_agg(d.id) into deleted_ids from deleted as d;
  perform messaging.record_message_events(deleted_ids, array['message.deleted']);
  return deleted_ids is not null;
end;
$$;

-- Records that a person has edited a message, the contact or somebody on the business's own phone:
-- replaces its words, those of a caption also by none. No agent is asked again; an agent that has yet to
-- answer reads the new words. Returns whether words changed.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_edit(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  words constant text := event->>'message';
  has_words constant boolean := words is not null
    or messaging.media_kind(event->>'messageType') in ('image', 'video', 'document');
  edited_ids uuid[];
begin
  with changed as (
    update messaging.messages m
    set message = edited.message, edited_at = messaging.event_instant(event)
    from (
      select own.id,
        -- In a group the words stand after their author's name, which the edit does not contain.
        case
          when own.is_group and own.direction = 'inbound' and event->>'kind' = 'message_edit'
            then coalesce(substring(own.message from '^[^:\n]{1,200}: '), '') || words
          else words
        end as message
      from messaging.messages own
      where own.instance_id = record_message_edit.instance_id
        and own.provider_message_id = event->>'providerMessageId'
        -- One that waits to be sent once more is not what the provider knows by this id.
        and own.status not in ('queued', 'sending')
    ) as edited
    where m.id = edited.id and has_words and m.message is distinct from edited.message
    returning m.id
  )
  select array_agg(c.id) into edited_ids from changed as c;
  perform messaging.record_message_events(edited_ids, array['message.edited']);
  return edited_ids is not null;
end;
$$;

-- Records what a person wrote where no shorter way does: a message that comes with others or has to wait
-- for its sender (see add_inbound_message), an edit, and what somebody wrote on the business's own phone.
-- Such an echo pauses the agent, as any operator's message does, but not in groups, nor a reaction.
-- An edit (isEdit) is of the message with its id: it replaces the words of a stored one, and is stored as a
-- message where there is none.
-- Returns false for a message that is stored already, unless the event edits its words.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_edit constant boolean := coalesce((event->>'isEdit')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
  file constant jsonb := messaging.read_event_file(event);
  media_id constant uuid := messaging.event_media_id(file);
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    perform messaging.attach_embedded_file(instance.id, event);
    return is_edit and messaging.record_message_edit(instance.id, event);
  end if;
  if event->>'origin' = 'inbound' then
    perform messaging.add_inbound_message(r.messages[1], event)
    from messaging.read_plain_events(jsonb_build_array(jsonb_build_object(
      'instanceId', instance.id, 'events', jsonb_build_array(event - 'isEdit')
    ))) as r;
    return true;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false) and not is_edit
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id, 'outbound', event->>'messageType', event->>'message',
    nullif(event->'content', 'null'), 'phone', true, 'sent', event->>'providerMessageId', written_at,
    is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event), media_id, event->>'quotedProviderMessageId',
    nullif(event->'author', 'null')
  )
  returning id into message_id;
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  perform messaging.note_contact(contact.id);
  perform messaging.record_message_events(array[message_id], array['message.sent']);
  perform messaging.apply_unmatched_statuses(array[message_id]);
  if not is_group and (event->>'isReaction')::boolean is not true then
    perform messaging.pause_agent(instance.id, contact.id, written_at);
  end if;
  return true;
end;
$$;

-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[]
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  messages messaging.plain_event[];
  statuses messaging.plain_event[];
  changed integer[] := '{}';
  unchanged integer[] := '{}';
  recorded integer[] := array_fill(null::integer, array[jsonb_array_length(calls)]);
  sender record;
  told record;
  place integer;
begin
  select r.messages, r.statuses into messages, statuses from messaging.read_plain_events(calls) r;
  perform messaging.lock_plain_events(messages || statuses);
  if messages is not null then
    changed := messaging.record_inbound_messages(messages);
    if cardinality(changed) < cardinality(messages) then
      for sender in
        select e as event, e.place from messaging.new_messages(messages) as e
        where e.place <> all (changed) and (
          select true from messaging.address_owners(e.instance_id, e.identity_keys) limit 1
        ) is null
        order by e.place
      loop
        perform messaging.add_inbound_message(sender.event, calls->(sender.place - 1)->'events'->0);
        changed := changed || sender.place;
      end loop;
    end if;
  end if;
  if statuses is not null then
    select s.changed, s.unchanged into told from messaging.record_plain_statuses(statuses) s;
    changed := changed || told.changed;
    unchanged := unchanged || told.unchanged;
  end if;
  perform messaging.touch_noted_contacts();
  foreach place in array changed loop
    recorded[place] := 1;
  end loop;
  foreach place in array unchanged loop
    recorded[place] := 0;
  end loop;
  return recorded;
end;
$$;

-- Applies delivery events of messages that the provider has accepted, and stores their payloads, as
-- record_status_event does: one statement for all of them. `changed` and `unchanged` are the places of
-- the recorded events. Leaves the others untouched: those of messages that are unknown, have not been
-- accepted or have failed, of messages that another transaction holds, and of messages that are queued
-- once more.
-- The caller holds lock_plain_events.
create or replace function messaging.record_plain_statuses(
  events messaging.plain_event[],
  out changed integer[],
  out unchanged integer[]
)
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  types text[];
begin
  with known as (
    select distinct on (message.id) e.place, e.instance_id, e.payload, e.status, e.occurred_at,
      message.id as message_id,
      case messaging.message_transition(message.status, e.status)
        when 'always' then true else false
      end as is_forward
    from unnest(events) as e
    cross join lateral (
      select true from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    cross join lateral (
      select m.id, m.status
      from messaging.messages m
      where m.id = coalesce(
        (
          select own.id from messaging.messages own
          where own.id = e.message_id and own.instance_id = e.instance_id
            and own.direction = 'outbound'
        ),
        (
          select own.id from messaging.messages own
          where own.instance_id = e.instance_id and own.direction = 'outbound'
            and own.provider_message_id = e.provider_message_id
          -- A duplicate stored from an echo may have the same id until it is merged.
          order by own.is_typed_on_phone, own.created_at desc
          limit 1
        )
      )
        and m.status in ('sent', 'delivered', 'read') and m.provider_message_id is not null
      for no key update of m skip locked
    ) as message
    where (
      select true from messaging.message_queue q where q.message_id = message.id limit 1
    ) is null
    order by message.id, e.place
  ),
  payloads as (
    insert into messaging.provider_events (instance_id, payload)
    select k.instance_id, k.payload from known k where k.payload is not null order by k.place
  ),
  messages as (
    update messaging.messages m
    set status = k.status,
      delivered_at = coalesce(m.delivered_at, k.occurred_at),
      read_at = case when k.status = 'read' then k.occurred_at else m.read_at end,
      failed_at = null,
      canceled_at = null,
      unconfirmed_at = null,
      is_retryable = false,
      last_error = null
    from known k
    where m.id = any (array[k.message_id]) and k.is_forward
  )
  select array_agg(k.place) filter (where k.is_forward),
    array_agg(k.place) filter (where not k.is_forward),
    array_agg(k.message_id order by k.place) filter (where k.is_forward),
    array_agg('message.' || k.status order by k.place) filter (where k.is_forward)
  into changed, unchanged, ids, types
  from known k;
  perform messaging.record_message_events(ids, types);
end;
$$;

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

-- Records that a person has reacted to a message, the contact or somebody on the business's own phone, or has
-- taken the reaction back (`emoji` NULL). It is a message of its own in the history, told as message.reaction.
-- It opens no window and no closed conversation, is never a conversation's newest message, pauses no agent
-- and asks for no answer. Returns false for one that is stored already.
-- The caller holds lock_provider_messages for the reaction.
create or replace function messaging.record_reaction(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  target_id constant uuid := messaging.find_quoted_message(instance.id, event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return false;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content, sent_by,
    is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end, 'reaction', event->>'message',
    jsonb_build_object(
      'reaction', jsonb_build_object('messageId', target_id, 'emoji', event->'emoji')
    ) || jsonb_strip_nulls(jsonb_build_object('groupId', event->'groupId')),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', messaging.event_instant(event),
    coalesce((event->>'isGroup')::boolean, false), event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    target_id, event->>'quotedProviderMessageId', nullif(event->'author', 'null')
  )
  returning id into message_id;
  perform messaging.record_message_events(array[message_id], array['message.reaction']);
  return true;
end;
$$;

-- Decides whose echo it was that a message kept while it was in flight (see match_echo), now that the
-- message is settled. The id in the answer decides. Without an answer the echo proves that the message
-- left. An echo of something else is recorded as if it came now: it confirms another message in doubt,
-- or is a person's. Denials of erased persons were recalled when it came.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.resolve_pending_echo(
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
  own messaging.messages;
  instance messaging.instances;
begin
  if resolve_pending_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select m.* into strict own from messaging.messages m where m.id = resolve_pending_echo.message_id;
  select i.* into strict instance from messaging.instances i where i.id = own.instance_id;
  perform messaging.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id
      and m.provider_message_id = echo->>'providerMessageId' and m.id <> own.id
  ) then
    return;
  end if;
  -- Two messages with the same words may each keep the other's echo. A message that is being settled
  -- (its row is locked) resolves its echo itself.
  update messaging.message_queue q
  set echo = null
  where q.ctid = any (array(
    select w.ctid
    from messaging.messages m
    join messaging.message_queue w on w.message_id = any (array[m.id])
    where m.instance_id = own.instance_id and m.contact_id = own.contact_id and m.sent_at is null
      and w.echo->>'providerMessageId' = resolve_pending_echo.provider_message_id
    for no key update of w skip locked
  ));
  if outcome <> 'unknown' and echo->>'kind' = 'status' then
    perform messaging.record_status_event(instance.id, echo);
  elsif outcome <> 'unknown' then
    perform messaging.take_no_denials(echo);
    perform messaging.record_message_event(instance, echo);
  else
    perform messaging.confirm_by_echo(resolve_pending_echo.message_id, echo);
  end if;
end;
$$;

-- Finds the contact of a message event by any of its addresses, or creates it with origin `inbound`,
-- without a phone where the provider shows none. All addresses find the contact from now on. The first
-- one is where messages go, and becomes the phone of a contact without one.
-- Addresses of several contacts prove that the contacts without a phone are this person. Two phones
-- prove nothing: a number can have had another owner.
-- Errors: MI055 where the contact was merged since it was found; the call must be repeated.
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
    -- A username can pass to another person: it merges nobody.
    continue when known like 'username:%';
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
      case when messaging.is_phone(address) then address end,
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
    select c.* into contact from messaging.contacts c
    where c.id = contact.id and c.merged_into is null
    for no key update;
    if not found then
      raise exception using errcode = 'MI055', message = 'merged meanwhile';
    end if;
  end if;
  contact := messaging.assign_contact_phone(contact, address);
  perform messaging.prove_addresses(resolve_sender.instance_id, contact.id, addresses);
  return contact;
end;
$$;

-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances,
  reason text,
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', tell_disconnection.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  )
  from messaging.workspaces w
  where w.id = instance.workspace_id and w.alert_email is not null;
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;

-- The instances of a provider that one delivery may be about: those with one of the provider's own
-- ids, those that a template belongs to, itself or with its workspace, and where `accountOf` is given the
-- others of that instance's workspace, which may share its account. `request`: provider,
-- gatewayInstanceIds, providerTemplateIds, accountOf or NULL. Returns
-- {instances: [{instanceId, gatewayInstanceId, sealedProviderConfig}]}, at most 100. The caller
-- checks which of them have the credential that the delivery shows.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.find_webhook_targets(request jsonb)
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
  numbers constant text[] := array(select jsonb_array_elements_text(request->'gatewayInstanceIds'));
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
        select i.* from messaging.instances i
        where i.provider = request->>'provider' and i.gateway_instance_id = any (numbers)
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.id = t.instance_id
        where t.provider_template_id = any (templates) and i.provider = request->>'provider'
        union
        select i.* from messaging.message_templates t
        join messaging.instances i on i.workspace_id = t.workspace_id
        where t.provider_template_id = any (templates) and t.instance_id is null
          and i.provider = request->>'provider'
        union
        select i.* from messaging.instances own
        join messaging.instances i on i.workspace_id = own.workspace_id
        where own.id = (request->>'accountOf')::uuid and i.provider = request->>'provider'
        limit 100
      ) as target
    ),
    '[]'
  ));
end;
$$;

-- Several calls of record_provider_events in one transaction: those that messaging.record_plain_events
-- takes. `request`: calls, the requests. Returns {results}, one per call in the same order: the call's
-- result; NULL where nothing was done for it, and record_provider_events itself must be called.
-- Errors: 55P03 where a lock is not free in time: the calls are of many tenants, and each must be made by
-- itself.
create or replace function public.record_provider_event_calls(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '100ms'
as $$
declare
  results jsonb;
begin
  results := (
    select jsonb_build_object('results', jsonb_agg(
      case when r.changes is not null then jsonb_build_object('recorded', r.changes) end
      order by r.place
    ))
    from unnest(messaging.record_plain_events(request->'calls')) with ordinality
      as r(changes, place)
  );
  perform messaging.trust_confirmed_instances();
  return results;
end;
$$;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, reactions, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers, preferences,
-- connections, limits.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages), and denialHashes in a repeated call (see take_denial_hashes).
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
  perform messaging.take_denial_hashes(request);
  if jsonb_array_length(request->'events') = 1 then
    recorded := (messaging.record_plain_events(jsonb_build_array(request)))[1];
    if recorded is not null then
      perform messaging.trust_confirmed_instances();
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
        when 'reaction' then messaging.record_reaction(instance, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'message_deletion' then messaging.record_message_deletion(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'preference' then messaging.record_preference_event(instance.id, event)
        when 'connection' then messaging.record_connection_event(instance, event)
        when 'limit' then messaging.record_limit_event(instance, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  -- Last: a message may have been erased while this waited for it.
  perform messaging.keep_payload(instance.id, request->>'payload', request->'events')
  where request->>'payload' is not null;
  perform messaging.pause_failing_batches();
  perform messaging.touch_noted_contacts();
  perform messaging.trust_confirmed_instances();
  return jsonb_build_object('recorded', recorded);
end;
$$;

-- Whether a received message of this type may be a keyword of consent: what a person has typed or tapped.
create or replace function messaging.may_hold_keyword(message_type text)
returns boolean
language sql
immutable
return message_type in ('text', 'option_list', 'choice');

-- The hash by which erased_messages knows a message: see there. In plpgsql, which keeps its plan: a SQL
-- function with a setting is parsed anew in each query of a webhook.
create or replace function messaging.message_id_hash(message_id text)
returns bytea
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
begin
  return sha256(convert_to(message_id, 'UTF8'));
end;
$$;

-- Those of the inbound messages that are to be recorded: their credentials have not been replaced, and they
-- are neither stored already nor erased.
-- The look-ups are no EXISTS: its plan may read all rows of the instance.
create or replace function messaging.new_messages(events messaging.plain_event[])
returns setof messaging.plain_event
language sql
stable
begin atomic
  select e.*
  from unnest(events) as e
  where
    (
      select true
      from messaging.instances as i
      where
        i.id = e.instance_id
        and (i.sealed_provider_config != e.sealed_provider_config) is not true
      limit 1
    )
    and (
      select true
      from messaging.messages as m
      where m.instance_id = e.instance_id and m.provider_message_id = e.provider_message_id
      limit 1
    ) is null
    and (
      select true
      from messaging.erased_messages as x
      where
        x.instance_id = e.instance_id
        and x.id_hash = messaging.message_id_hash(e.provider_message_id)
      limit 1
    ) is null;
end;

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
-- Without jit: see rescue_stalled_instances.
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
set jit = off
as $$
declare
  -- The signed link that takes the place of a file's URL (shared/media/links.ts).
  link_bytes constant integer := 450;
  max_bytes constant integer := 1024 * 1024 - 4096;
  -- What a content says of the parts that it lacks: null for each (shared/model/content_parts.ts).
  absent_bytes constant integer := 72;
  own_ids constant uuid[] := messaging.merged_contact_ids(contact_id);
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
    select n.*
    from unnest(own_ids) as own(contact_id)
    cross join lateral (
      select m.*
      from messaging.messages m
      where m.instance_id = history_page.instance_id and m.contact_id = own.contact_id
        and m.sent_at >= starts_at and m.sent_at < ends_at
        and m.status in ('sent', 'delivered', 'read', 'received')
        and (wanted_direction is null or m.direction = wanted_direction)
      order by m.sent_at desc
      limit page_size + 1
    ) as n
    order by n.sent_at desc
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
      and m.contact_id = any (own_ids)
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
      file.transcript, file.filename, file.mime_type, file.size, file.last_error as file_error,
      sum(
        coalesce(octet_length(p.message), 0) + coalesce(octet_length(p.content->>'mediaUrl'), 0)
          + coalesce(octet_length(file.transcript), 0)
      ) over (order by p.place) as stored_bytes
    from placed p
    left join lateral (
      select d.status, d.transcript, d.filename, d.mime_type, d.size, d.last_error
      from messaging.media d
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
        'transcript', n.transcript,
        'mediaFilename', coalesce(n.content->>'mediaFilename', n.filename),
        'mediaMimeType', n.mime_type,
        'mediaSize', n.size,
        'batchId', n.batch_id,
        'metadata', coalesce(n.metadata, '{}'),
        'conversationId', n.conversation_id,
        'quotedMessageId', n.quoted_message_id,
        'quotedProviderMessageId', n.quoted_provider_message_id,
        'author', n.author,
        'isTypedOnPhone', n.is_typed_on_phone,
        'channelStatus', case when n.status = 'sent' then n.channel_status end,
        'attempts', n.attempts
      ) || jsonb_build_object(
        'lastError', case
          when n.direction = 'inbound' and n.media_status in ('failed', 'expired') then n.file_error
          else n.last_error
        end,
        'createdAtMs', floor(extract(epoch from n.created_at) * 1000),
        'scheduledForMs', floor(extract(epoch from n.scheduled_for) * 1000),
        'editedAtMs', floor(extract(epoch from n.edited_at) * 1000),
        'deletedAtMs', floor(extract(epoch from n.deleted_at) * 1000),
        'purpose', messaging.told_purpose(n.purpose)
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
        octet_length((d.item || coalesce(d.content, '{}'))::text) + absent_bytes + sender_bytes
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

-- messages-context: the newest messages that were really sent to or received from one contact in a
-- period, oldest first. `request`: instanceId, phone | contactId | userId, startsAt and endsAt (Unix seconds; the end is
-- not included), limit, fromMe (true for sent only, false for received only, NULL for both).
-- Returns {contact {name, phone, displayPhone, shown}, messages, hasMore}: displayPhone is the phone to
-- show now, shown the contact as message_contact has it. contact is NULL for an unknown phone or user id, and hasMore says whether older ones of the period were left out. Instants are Unix milliseconds.
-- Writes nothing. Errors: MI031.
create or replace function public.read_history(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  contact messaging.contacts;
  page_size constant integer := (request->>'limit')::integer;
  starts_at constant timestamptz := to_timestamp((request->>'startsAt')::double precision);
  ends_at constant timestamptz := to_timestamp((request->>'endsAt')::double precision);
  wanted_direction constant text := case (request->>'fromMe')::boolean
    when true then 'outbound' when false then 'inbound'
  end;
begin
  contact := messaging.find_recipient((request->>'instanceId')::uuid, request);
  if contact.id is null then
    return jsonb_build_object('contact', null, 'messages', '[]'::jsonb, 'hasMore', false);
  end if;
  return messaging.history_page(
    contact.instance_id, contact.id, starts_at, ends_at, wanted_direction, page_size
  ) || jsonb_build_object(
    'contact', jsonb_build_object(
      'name', contact.name,
      'phone', contact.phone,
      'displayPhone', messaging.contact_display_phone(contact),
      'shown', messaging.read_message_contact(contact.id)->'contact'
    )
  );
end;
$$;

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

-- Claims outbox rows that are due; settling a row requires its claim. A row whose worker died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them. Its dispatch row is locked for
-- that, without waiting: see postpone_held_messages.
-- `request`: kinds, maxRows, leaseSeconds.
-- Returns {rows: [{outboxId, claimToken, kind, payload}]}.
-- Joins by `= any (array[...])` and the settings below: see claim_due_messages. In plpgsql, which keeps its
-- plan: making it anew for each call took most of the call's time.
create or replace function public.claim_outbox(request jsonb)
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
  claimed_rows jsonb;
begin
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
    returning m.instance_id, m.storage_path
  ),
  -- And what its workers have left of it.
  deletions as (
    insert into messaging.outbox (workspace_id, kind, payload)
    select i.workspace_id, 'media_delete',
      jsonb_build_object('instanceId', i.id, 'paths', jsonb_build_array(l.storage_path))
    from lost_files l
    join messaging.instances i on i.id = l.instance_id
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
  into claimed_rows
  from claimed c;
  return claimed_rows;
end;
$$;

-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  settled_status text;
begin
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
  returning o.status into settled_status;
  return jsonb_build_object('status', settled_status);
end;
$$;

-- Adds the file of a message that a provider reports, and promises to fetch it at once, unless it came with
-- the event: `stored` {mediaId, mimeType, size, sha256} names the row of begin_upload, whose file lies in
-- the storage; `fault` {code, message} says why it is not kept. `file`: what the
-- event says of it, {source, mimeType, sha256 (hex), size, filename, transcript}, all but source optional.
-- `message_type`: the type of the message, which decides the file's kind. The caller stores the id with the message, in the same transaction.
create or replace function messaging.add_channel_media(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  message_type text,
  file jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := messaging.media_kind(message_type);
begin
  if file->'stored' is not null and messaging.take_embedded_file(
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    kind, file
  ) then
    return;
  end if;
  insert into messaging.media (
    id, instance_id, contact_id, origin, kind, mime_type, size, sha256, filename, storage_path,
    source, transcript, created_at, status, last_error
  )
  values (
    add_channel_media.media_id, add_channel_media.instance_id, add_channel_media.contact_id,
    'channel', kind, file->>'mimeType', (file->>'size')::bigint,
    file->>'sha256', file->>'filename',
    messaging.media_path(add_channel_media.instance_id, add_channel_media.media_id),
    file->'source', file->>'transcript', clock_timestamp(),
    case when file->'fault' is null then 'pending' else 'failed' end, file->'fault'
  );
  if file->'fault' is not null then
    return;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_fetch',
    jsonb_build_object('instanceId', i.id, 'mediaId', add_channel_media.media_id)
  from messaging.instances i
  where i.id = add_channel_media.instance_id;
end;
$$;

-- Gives a message that is stored already its file, where that is not there and now came with the event: the
-- delivery is made again where the storage had failed. The caller holds lock_provider_messages.
create or replace function messaging.attach_embedded_file(instance_id uuid, event jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  file constant jsonb := messaging.read_event_file(event);
  message messaging.messages;
begin
  if file->'stored' is null then
    return;
  end if;
  select m.* into message
  from messaging.messages m
  join messaging.media f on f.id = any (array[m.media_id])
  where m.instance_id = attach_embedded_file.instance_id
    and m.provider_message_id = event->>'providerMessageId'
    and f.origin = 'channel' and f.status in ('pending', 'failed')
  limit 1
  for no key update of m;
  if not found then
    return;
  end if;
  perform messaging.add_channel_media(
    messaging.event_media_id(file), message.instance_id, message.contact_id,
    message.message_type, file
  );
  update messaging.messages m set media_id = messaging.event_media_id(file)
  where m.id = message.id;
  perform messaging.forget_media(array[message.media_id]);
end;
$$;

-- Lets the agent's waiting answer in a conversation wait for the words of a voice message, at most half a
-- minute: release_agent_reply lets it go as soon as they are there, or do not come. Changes nothing where
-- no transcript comes: see transcribes_voice.
create or replace function messaging.await_transcript(media_id uuid, conversation_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if media_id is null or not exists (
    select from messaging.media m
    where m.id = await_transcript.media_id and messaging.transcribes_voice(m)
  ) then
    return;
  end if;
  update messaging.outbox o
  set run_at = greatest(o.run_at, clock_timestamp() + interval '30 seconds')
  where o.conversation_id = await_transcript.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null;
end;
$$;

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

-- What a file is and where it lies: {mediaId, origin, kind, status, mimeType, size, sha256, fileName,
-- storagePath, providerUploadId, lastError}. An upload whose time is over is expired although nothing has
-- deleted it yet. providerUploadId: the official channel's id of the file, which lives 30 days there and
-- is named in sends for 29; else NULL.
create or replace function messaging.describe_media(media messaging.media)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'mediaId', media.id,
    'origin', media.origin,
    'kind', media.kind,
    'status', case when media.expires_at <= clock_timestamp() then 'expired' else media.status end,
    'mimeType', media.mime_type,
    'size', media.size,
    'sha256', media.sha256,
    'fileName', media.filename,
    'storagePath', media.storage_path,
    'providerUploadId', case
      when media.provider_uploaded_at > clock_timestamp() - interval '29 days'
        then media.provider_upload_id
    end,
    'lastError', media.last_error
  );
end;
$$;

-- The id under which the file of a message event is kept; NULL for none. `file` as read_event_file gives it.
create or replace function messaging.event_media_id(file jsonb)
returns uuid
language plpgsql
volatile
parallel safe
set search_path = ''
as $$
begin
  if file is null then
    return null;
  end if;
  return coalesce((file->'stored'->>'mediaId')::uuid, gen_random_uuid());
end;
$$;

-- Lets files go: each stays as `expired`, without its file, its source and its words, so that its messages
-- say what was there. `reason`: {code, message}. Files that are gone already stay as they are.
-- Returns how many it changed.
create or replace function messaging.expire_media(media_ids uuid[], reason jsonb)
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
        last_error = reason
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

-- Lets files go whose time is over: see expire_media. Returns how many it changed.
create or replace function messaging.expire_old_media(media_ids uuid[])
returns integer
language plpgsql
set search_path = ''
as $$
begin
  return messaging.expire_media(
    media_ids,
    '{"code": "retention", "message": "The file is past the retention time."}'
  );
end;
$$;

-- What a worker needs to send a message's file: see describe_media. A file that is gone is `expired`.
create or replace function messaging.file_to_send(media_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  media messaging.media;
begin
  select m.* into media from messaging.media m where m.id = file_to_send.media_id;
  if media.id is null then
    return jsonb_build_object('mediaId', file_to_send.media_id, 'status', 'expired');
  end if;
  return messaging.describe_media(media);
end;
$$;

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

-- Whether a batch that may still send it names this file.
create or replace function messaging.is_file_of_batch(instance_id uuid, media_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from messaging.batches b
    where b.instance_id = is_file_of_batch.instance_id
      and b.status in ('draft', 'running', 'paused')
      and b.source->'message'->>'mediaId' = is_file_of_batch.media_id::text
  );
end;
$$;

-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else, by no batch either that may still send them. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  of_contacts constant uuid[] := messaging.merged_contact_ids(contact_id);
begin
  return array(
    select m.id from messaging.media m where m.contact_id = any (of_contacts)
    union
    select own.media_id
    from messaging.messages own
    where own.contact_id = any (of_contacts) and own.media_id is not null
      and not exists (
        select from messaging.messages other
        where other.media_id = own.media_id
          and other.contact_id <> all (of_contacts)
      )
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
  );
end;
$$;

-- The files that only these messages name, and no batch that may still send them. For forget_media, before the messages are deleted.
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
      and not messaging.is_file_of_batch(own.instance_id, own.media_id)
  );
end;
$$;

-- Where a file lies in the storage. It names nobody, and a file that is stored again replaces itself.
-- In plpgsql, which keeps its plan.
create or replace function messaging.media_path(instance_id uuid, media_id uuid)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return instance_id || '/' || media_id;
end;
$$;

-- purge_expired: deletes uploads that broke off, with what the storage has of them, and lets those go that
-- no message has named in time (expires_at). An upload takes two minutes at most, so that one which is
-- not stored after half an hour never will be: its file is gone within the hour.
-- At most `max_rows` of each. Never waits for a lock. Returns how many.
create or replace function messaging.purge_uploads(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  return messaging.forget_media(array(
    select m.id from messaging.media m
    where m.status = 'pending' and m.created_at <= clock - interval '30 minutes'
      and m.origin = 'upload'
    order by m.created_at limit max_rows for update skip locked
  )) + messaging.expire_old_media(array(
    select m.id from messaging.media m
    where m.status = 'stored' and m.expires_at <= clock
    order by m.expires_at limit max_rows for update skip locked
  ));
end;
$$;

-- The file of a message event that is to be fetched: {source, mimeType, sha256, filename, transcript}. NULL for an
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
    and messaging.media_kind(event->>'messageType') is not null then
    return event->'file';
  end if;
  return null;
end;
$$;

-- Why a received message's file is not there: {lastError}, to put into the message's record, which has no
-- error of its own. Empty where there is nothing to say.
create or replace function messaging.received_file_error(message messaging.messages)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  if message.direction = 'inbound' then
    return coalesce(
      (
        select jsonb_build_object('lastError', m.last_error)
        from messaging.media m
        where m.id = message.media_id and m.status in ('failed', 'expired')
      ),
      '{}'
    );
  end if;
  return '{}';
end;
$$;

-- Records how the fetching of a file ended: what settle_media_fetch does but for the next file.
-- Locks the file, then the outbox row.
create or replace function messaging.record_media_fetch(request jsonb)
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
    -- A former attempt may have left a part of it, where its worker was killed.
    if file_status <> 'pending' and exists (
      select from messaging.outbox o where o.id = (request->>'outboxId')::uuid and o.attempts > 1
    ) then
      perform messaging.delete_media_files(file.instance_id, array[file.storage_path], false);
    end if;
  end if;
  if file_status <> 'pending' and file.kind = 'audio' then
    perform messaging.release_agent_reply(file.id);
  end if;
  return jsonb_build_object('status', file_status, 'isForgotten', false);
end;
$$;

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

-- Makes the row of a file that came with its event the message's: it lies in the storage already. `file` as
-- in add_channel_media. Returns false where the row is gone: it is swept when nobody takes it over.
create or replace function messaging.take_embedded_file(
  media_id uuid,
  instance_id uuid,
  contact_id uuid,
  kind text,
  file jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update messaging.media m
  set origin = 'channel', contact_id = take_embedded_file.contact_id,
    kind = take_embedded_file.kind, mime_type = file->'stored'->>'mimeType',
    size = (file->'stored'->>'size')::bigint, sha256 = file->'stored'->>'sha256',
    filename = file->>'filename', transcript = file->>'transcript', status = 'stored',
    stored_at = clock_timestamp()
  where m.id = take_embedded_file.media_id
    and m.instance_id = take_embedded_file.instance_id
    and m.origin = 'upload' and m.status = 'pending';
  if not found then
    return false;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload)
  select i.workspace_id, 'media_transcription',
    jsonb_build_object('instanceId', i.id, 'mediaId', take_embedded_file.media_id)
  from messaging.instances i
  where i.id = take_embedded_file.instance_id and i.transcribe_voice <> 'never'
    and take_embedded_file.kind = 'audio' and file->>'transcript' is null;
  return true;
end;
$$;

-- Lets a message of this instance have an uploaded or a received file: it must be there, and stays from
-- now on for as long as its message. Locks the file's row, so that it cannot expire meanwhile.
-- Errors: MI051 (none of the instance's), MI052 (still being fetched), MI053 (could not be fetched),
-- MI054 (gone).
create or replace function messaging.take_media(instance_id uuid, media_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  media messaging.media;
begin
  select m.* into media
  from messaging.media m
  where m.id = take_media.media_id and m.instance_id = take_media.instance_id
  for no key update;
  if media.id is null or media.origin = 'upload' and media.status = 'pending' then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  elsif media.status = 'pending' then
    raise exception using errcode = 'MI052', message = 'media_pending';
  elsif media.status = 'failed' then
    raise exception using errcode = 'MI053', message = 'media_failed';
  elsif media.status = 'expired' or media.expires_at <= clock_timestamp() then
    raise exception using errcode = 'MI054', message = 'media_expired';
  end if;
  if media.expires_at is not null then
    update messaging.media m set expires_at = null where m.id = media.id;
  end if;
end;
$$;

-- Claims received files that are due to be fetched, with what a worker needs for it. What there is nothing
-- to fetch for (any more) is settled. A file whose row a person has sent round again is `pending` again.
-- Returns an array of {outboxId, claimToken, file}.
create or replace function messaging.take_media_fetches(max_rows integer, lease_seconds integer)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed constant jsonb := public.claim_outbox(
    jsonb_build_object(
      'kinds', jsonb '["media_fetch"]', 'maxRows', max_rows, 'leaseSeconds', lease_seconds
    )
  )->'rows';
  claim jsonb;
  file jsonb;
  taken jsonb := '[]';
begin
  for claim in select c.value from jsonb_array_elements(claimed) as c
  loop
    file := public.begin_media_fetch(claim->'payload')->'file';
    if file = jsonb 'null' then
      perform public.settle_outbox(
        jsonb_build_object(
          'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'outcome', 'done'
        )
      );
    else
      taken := taken || jsonb_build_object(
        'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'file', file
      );
    end if;
  end loop;
  return taken;
end;
$$;

-- Whether a file is a received voice message that is to be written down: always, never, or where an agent
-- will answer it, by its instance's setting; never where the provider told its words. Asked again before the recording leaves the house, because a
-- pause may have begun meanwhile, or the agent may have answered without the words.
create or replace function messaging.transcribes_voice(media messaging.media)
returns boolean
language sql
stable
set search_path = ''
as $$
  select transcribes_voice.media.kind = 'audio' and transcribes_voice.media.transcript is null
    and exists (
    select from messaging.instances i
    where i.id = transcribes_voice.media.instance_id
      and (
        i.transcribe_voice = 'always'
        or i.transcribe_voice = 'agent' and exists (
          select from messaging.messages m
          where m.media_id = transcribes_voice.media.id
            and messaging.expects_agent_reply(m.conversation_id)
        )
      )
  );
$$;

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
      'isVoice', messaging.transcribes_voice(m),
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

-- What a worker needs to write down a voice message. `request`: mediaId. Returns {file}: {mediaId,
-- storagePath, mimeType, size}, NULL where there is nothing to write down, or not any more.
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
      and messaging.transcribes_voice(m)
  ));
$$;

-- media-api: the row of a file that a caller uploads. It is there before the file, so that a file whose
-- upload breaks off can be deleted (see sweep_uploads).
-- `request`: instanceId, mediaId, kind, mimeType, fileName. Returns {storagePath}.
create or replace function public.begin_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  media_id constant uuid := (request->>'mediaId')::uuid;
  path constant text := messaging.media_path(of_instance, media_id);
begin
  insert into messaging.media (id, instance_id, origin, kind, mime_type, filename, storage_path)
  values (
    media_id, of_instance, 'upload', request->>'kind', request->>'mimeType', request->>'fileName',
    path
  );
  return jsonb_build_object('storagePath', path);
end;
$$;

-- Claims received files that are due to be fetched: claim_outbox and begin_media_fetch in one call.
-- `request`: maxRows, leaseSeconds. Returns {files: [{outboxId, claimToken, file}]}.
create or replace function public.claim_media_fetches(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return jsonb_build_object('files', messaging.take_media_fetches(
    (request->>'maxRows')::integer, (request->>'leaseSeconds')::integer
  ));
end;
$$;

-- media-api: deletes an upload that failed, with what the storage has of it.
-- `request`: instanceId, mediaId. Returns {discarded}.
create or replace function public.discard_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  found_id uuid;
begin
  select m.id into found_id
  from messaging.media m
  where m.id = (request->>'mediaId')::uuid and m.instance_id = (request->>'instanceId')::uuid
    and m.origin = 'upload' and m.status = 'pending';
  return jsonb_build_object('discarded', messaging.forget_media(array[found_id]) > 0);
end;
$$;

-- A stored file that the storage no longer has, as after a restore without the bucket: it stays as `expired`
-- (see expire_media). `request`: mediaId. Returns {expired}: whether it was still thought to be there.
create or replace function public.expire_lost_media(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return jsonb_build_object('expired', messaging.expire_media(
    array(
      select m.id from messaging.media m
      where m.id = (request->>'mediaId')::uuid and m.status = 'stored'
    ),
    '{"code": "lost", "message": "The storage no longer has the file."}'
  ) > 0);
end;
$$;

-- media-api: records that an uploaded file lies whole in the storage. What no message names within 30
-- days, or within the instance's retention of files, expires.
-- `request`: instanceId, mediaId, size, sha256 (hex), idempotency (see begin_idempotent). The file of a
-- repeated call is deleted again: the first one's counts.
-- Returns {mediaId, mimeType, size, sha256, expiresAt}, or {replayed}. Errors: MI007, MI008, MI051 (the
-- upload took longer than its row is kept).
create or replace function public.finish_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := (request->>'mediaId')::uuid;
  replayed constant jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    perform messaging.forget_media(array[own_id]);
    return replayed;
  end if;
  update messaging.media m
  set status = 'stored', size = (request->>'size')::bigint, sha256 = request->>'sha256',
    stored_at = clock_timestamp(), 
    expires_at = clock_timestamp()
      + make_interval(days => least(30, coalesce(i.retention_media_days, 30)))
  from messaging.instances i
  where m.id = own_id and m.instance_id = (request->>'instanceId')::uuid and m.status = 'pending'
    and m.origin = 'upload' and i.id = m.instance_id
  returning jsonb_build_object(
    'mediaId', m.id,
    'mimeType', m.mime_type,
    'size', m.size,
    'sha256', m.sha256,
    'expiresAt', messaging.iso_in_zone(m.expires_at, i.time_zone)
  ) into outcome;
  if outcome is null then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  end if;
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- A file of a message or an upload. `request`: mediaId; instanceId, where the caller may read one
-- instance's files alone: a signed link names none.
-- Returns describe_media's object. Errors: MI051.
create or replace function public.get_media(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  found_media messaging.media;
begin
  select m.* into found_media from messaging.media m where m.id = (request->>'mediaId')::uuid;
  if found_media.id is null
    or found_media.instance_id is distinct from
      coalesce((request->>'instanceId')::uuid, found_media.instance_id) then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  end if;
  return messaging.describe_media(found_media);
end;
$$;

-- Keeps the id under which the official channel has a file since just now, for further sends.
-- `request`: mediaId, providerUploadId; NULL where the channel no longer knows the kept one.
-- Of two uploads at once the later stays. Returns {}.
create or replace function public.keep_provider_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  update messaging.media m
  set provider_upload_id = request->>'providerUploadId',
    provider_uploaded_at = case
      when request->>'providerUploadId' is not null then clock_timestamp()
    end
  where m.id = (request->>'mediaId')::uuid and m.status = 'stored';
  return '{}';
end;
$$;

-- media-api: the first answer to an upload with this `Idempotency-Key`, before anything is fetched.
-- `request`: idempotency (see recall_idempotent). Returns {replayed}, or {} for a new key.
-- Errors: MI007, MI008.
create or replace function public.recall_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return coalesce(messaging.recall_idempotent(request), '{}');
end;
$$;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- `nextLeaseSeconds`: claims the next file for so long, in the same transaction; absent for none.
-- Returns {status, isForgotten, next}: the file's status now, NULL where the claim was lost; isForgotten
-- says that a stored file is wanted no more, and is to be deleted; next is the file that was claimed
-- (see take_media_fetches), NULL for none.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  settled constant jsonb := messaging.record_media_fetch(request);
  lease_seconds constant integer := (request->>'nextLeaseSeconds')::integer;
begin
  return settled || jsonb_build_object('next', case
    when lease_seconds is not null then messaging.take_media_fetches(1, lease_seconds)->0
  end);
end;
$$;

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

-- What the file of a message of this type counts as: see media.kind. NULL for a type without files.
create or replace function messaging.media_kind(message_type text)
returns text
language sql
immutable
return case
  when message_type in ('image', 'audio', 'video', 'document') then message_type
  when message_type = 'sticker' then 'image'
  when message_type = 'voice' then 'audio'
end;

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
  marks constant text[] := array(select jsonb_array_elements_text(erasure.work->'marks'));
  pattern constant text := messaging.marks_pattern(marks);
  swept jsonb;
  next_part text;
begin
  if part = 'rows' then
    erasure := messaging.erase_rows(erasure, max_rows);
  else
    swept := case part
      when 'provider_events'
      then messaging.sweep_provider_events(erasure.instance_id, marks, after, max_rows)
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
    where m.contact_id = any (messaging.merged_contact_ids(contact.id)) and (not is_unsent_only or m.sent_at is null)
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
  -- Merged while this waited: the next step finds the survivor.
  if contact.merged_into is not null then
    return erasure;
  end if;
  if contact.id is not null then
    person_ids := array[contact.id, erasure.contact_id] || array(
      select a.contact_id from messaging.contact_activity a where a.merged_into = contact.id
    );
    select c.id into of_conversation from messaging.conversations c
    where c.contact_id = contact.id for update;
    erased := messaging.erase_messages(contact, max_rows);
    erasure := messaging.add_erased(erasure, erased);
    if exists (
      select from messaging.messages m
      where m.contact_id = any (messaging.merged_contact_ids(contact.id))
    ) then
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

-- A message of an export: its record, and what the record leaves out: content, and what is
-- kept of its file.
create or replace function messaging.export_message(message messaging.messages, zone text)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('at', message.sent_at, 'id', message.id, 'item',
    messaging.message_record(message, zone, false)
    || coalesce(messaging.message_media(message.media_id, message.content), '{}')
    || jsonb_build_object(
      'content', message.content,
      'media', (
        select jsonb_build_object(
          'filename', f.filename, 'mimeType', f.mime_type, 'size', f.size, 'sha256', f.sha256,
          'transcript', f.transcript
        )
        from messaging.media f where f.id = message.media_id
      )
    ));
end;
$$;

-- export_contact_page: a contact's messages, at most `max_items`, those after `after` {at, id}: first those
-- that have not left, in the order of their ids, then the others from the oldest. [{at, id, item}], where
-- `at` is NULL for a message that has not left.
-- Read by the index of the history, from where the last page ended: messages of one instant are few.
create or replace function messaging.export_messages(
  contact messaging.contacts,
  zone text,
  after jsonb,
  max_items integer
)
returns jsonb[]
language plpgsql
stable
set search_path = ''
as $$
declare
  after_at constant timestamptz := coalesce((after->>'at')::timestamptz, '-infinity');
  after_id constant uuid := coalesce(
    (after->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  own_ids constant uuid[] := messaging.merged_contact_ids(contact.id);
  found_items jsonb[] := '{}';
begin
  if after->>'at' is null then
    found_items := array(
      select messaging.export_message(messaging.message_after_merge(unsent.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is null and m.id > after_id
        order by m.id
        limit max_items
      ) as unsent
      order by (unsent.m).id
      limit max_items
    );
    if cardinality(found_items) = max_items then
      return found_items;
    end if;
    return found_items || array(
      select messaging.export_message(messaging.message_after_merge(first.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is not null
        order by m.sent_at, m.id
        limit max_items
      ) as first
      order by (first.m).sent_at, (first.m).id
      limit max_items - cardinality(found_items)
    );
  end if;
  return array(
    select messaging.export_message(messaging.message_after_merge(next.m), zone)
    from unnest(own_ids) as own(contact_id)
    cross join lateral (
      select m from messaging.messages m
      where m.contact_id = own.contact_id and m.sent_at >= after_at
        and (m.sent_at, m.id) > (after_at, after_id)
      order by m.sent_at, m.id
      limit max_items
    ) as next
    order by (next.m).sent_at, (next.m).id
    limit max_items
  );
end;
$$;

-- Whether kept_denials knows an identity (see denial_identities) of the instance. The caller of the RPC gives
-- the identities' hashes: see take_denial_hashes.
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

-- purge_expired: deletes the recipients of batches that ended, or were made and never started, longer ago
-- than their instance keeps messages, at most `max_rows`, and a batch with the last of them. What a list
-- holds are words to people as well.
-- Returns how many. Waits for no lock. Plans: see purge_expired.
create or replace function messaging.purge_batches(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  deleted integer;
  emptied integer := 0;
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select b.id from messaging.batches b
      where b.instance_id = i.id and b.status in ('draft', 'canceled', 'finished')
        and coalesce(b.finished_at, b.created_at)
          <= clock - make_interval(days => i.retention_messages_days)
      order by b.instance_id, b.created_at
      limit max_rows
      for update of b skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  delete from messaging.batch_recipients r
  where r.ctid = any (array(
    select listed.ctid
    from unnest(ids) as named(id)
    cross join lateral (
      select x.ctid from messaging.batch_recipients x where x.batch_id = named.id limit max_rows
    ) as listed
    limit max_rows
  ));
  get diagnostics deleted = row_count;
  if deleted < max_rows then
    delete from messaging.batches b where b.id = any (ids);
    get diagnostics emptied = row_count;
  end if;
  return deleted + emptied;
end;
$$;

-- purge_expired: lets files go that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`: see expire_media. Returns how many. Plans: see purge_expired.
create or replace function messaging.purge_media(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
begin
  return messaging.expire_old_media(array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select f.id from messaging.media f
      where f.instance_id = i.id and f.status in ('pending', 'stored')
        and f.created_at <= clock - make_interval(days => i.retention_media_days)
      order by f.instance_id, f.created_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_media_days is not null
    limit max_rows
  ));
end;
$$;

-- purge_expired: deletes messages that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`, with the files that no other message names and their places in the lists of
-- batches. What still waits to be sent stays.
-- Contacts and conversations stay. Where a contact's last message is among them, its activity is read anew,
-- so that reading the contact shows no message that is gone.
-- Returns how many. Waits for no lock but those of contact_activity, which are the last.
-- Plans: see purge_expired.
create or replace function messaging.purge_messages(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  files uuid[];
  contact_ids uuid[];
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select m.id from messaging.messages m
      where m.instance_id = i.id and m.created_at > '-infinity'
        and m.created_at <= clock - make_interval(days => i.retention_messages_days)
        -- Not EXISTS: see claim_due_messages.
        and (
          select true from messaging.message_queue q where q.message_id = m.id limit 1
        ) is null
      order by m.instance_id, m.created_at
      limit max_rows
      for update of m skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  files := messaging.media_of_messages(ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids)
    returning m.id, m.contact_id, m.batch_id, m.sent_at
  ),
  unlisted as (
    delete from messaging.batch_recipients r
    using gone g
    where r.contact_id = any (array[g.contact_id]) and r.batch_id = any (array[g.batch_id])
      and r.message_id = g.id and r.status = 'accepted'
  )
  select array_agg(a.contact_id) into contact_ids
  from (select g.contact_id, max(g.sent_at) as last_at from gone g group by g.contact_id) as told
  cross join lateral (
    select x.contact_id from messaging.contact_activity x
    where x.contact_id = told.contact_id and x.last_message_at <= told.last_at
    offset 0
  ) as a;
  perform messaging.forget_media(files);
  if contact_ids is not null then
    perform messaging.note_contact(named.id) from unnest(contact_ids) as named(id);
    perform messaging.touch_noted_contacts();
  end if;
  return cardinality(ids);
end;
$$;

-- purge_expired: deletes webhook payloads that are older than their instance keeps them: 30 days, unless it
-- is set otherwise. At most `max_rows` of either kind, the oldest first.
-- The payloads of instances without a setting are found by their age alone. What is older and is kept
-- longer by a setting is marked once, so that it is passed over from then on.
-- Returns how many were deleted or marked. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_provider_events(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  places tid[];
  own_time integer;
begin
  places := array(
    select e.ctid from messaging.provider_events e
    where not e.is_kept_longer and e.received_at <= clock - interval '30 days'
    order by e.received_at
    limit max_rows
    for update skip locked
  );
  update messaging.provider_events p
  set is_kept_longer = true
  where p.ctid = any (places) and exists (
    select from messaging.instances i
    where i.id = p.instance_id
      and (i.retention_provider_events_days = 0 or i.retention_provider_events_days > 30)
  );
  -- What was marked has moved to another place.
  delete from messaging.provider_events p
  where p.ctid = any (places) and not p.is_kept_longer;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select due.place
    from messaging.instances i
    cross join lateral (
      select e.ctid as place from messaging.provider_events e
      where e.instance_id = i.id
        and e.received_at <= clock - make_interval(days => i.retention_provider_events_days)
      order by e.instance_id, e.received_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_provider_events_days > 0
    limit max_rows
  ));
  get diagnostics own_time = row_count;
  return greatest(cardinality(places), own_time);
end;
$$;

-- purge_expired: deletes events of instances that keep messages for less than the 30 days of events: an
-- event must not outlive its message. At most `max_rows` of an instance, the oldest first; notes how far
-- the feed is gone, as purge_events does. Returns how many. Never waits for a lock. Plans: see
-- purge_expired.
create or replace function messaging.purge_told_messages(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  of_instance record;
  places tid[];
  purged_through bigint;
  purged integer := 0;
begin
  for of_instance in
    select i.id, clock - make_interval(days => i.retention_messages_days) as until
    from messaging.instances i
    where i.retention_messages_days < 30
  loop
    places := array(
      select e.ctid
      from (
        select o.ctid, o.recorded_at
        from messaging.events o
        where (o.instance_id, o.sequence) >= (of_instance.id, 0)
          and (o.instance_id, o.sequence) <= (of_instance.id, 9223372036854775807)
        order by o.instance_id, o.sequence
        limit case
          when (
            select f.recorded_at from messaging.events f
            where (f.instance_id, f.sequence) >= (of_instance.id, 0)
              and (f.instance_id, f.sequence) <= (of_instance.id, 9223372036854775807)
            order by f.instance_id, f.sequence
            limit 1
          ) <= of_instance.until then max_rows
          else 0
        end
      ) as e
      where e.recorded_at <= of_instance.until
    );
    continue when places = '{}';
    with due as materialized (
      select e.ctid from messaging.events e where e.ctid = any (places) for update skip locked
    ),
    gone as (
      delete from messaging.events e
      where e.ctid = any (array(select d.ctid from due d))
      returning e.sequence
    )
    select max(g.sequence), purged + count(*) into purged_through, purged from gone g;
    insert into messaging.event_streams as s (instance_id, purged_through)
    select of_instance.id, purged_through where purged_through is not null
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through);
  end loop;
  return purged;
end;
$$;

-- Trigger: a new contact whose person had denied marketing before an erasure starts `denied`, whatever
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

-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
  of_instance uuid,
  marks text[],
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
  pattern constant text := messaging.marks_pattern(marks);
  -- Looking for plain texts costs a twentieth of the expression.
  likes constant text[] := array(select '%' || mark.text || '%' from unnest(marks) as mark(text));
  seen record;
  rows_seen integer := 0;
  rest text;
  erased integer := 0;
begin
  for seen in
    select p.id, p.received_at, case
        when p.payload like any (likes) and p.payload ~ pattern then p.payload
      end as hit
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

-- Takes the hashes that a repeated call brings, for is_kept_denial: `request`.denialHashes {identity: HMAC}. They
-- hold until the transaction ends. A call that brings none changes nothing.
create or replace function messaging.take_denial_hashes(request jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if request ? 'denialHashes' then
    perform set_config('messaging.denial_hashes', request->>'denialHashes', true);
  end if;
end;
$$;

-- Says for is_kept_denial that no person of this event is known to have denied: for an event whose denials a
-- call has recalled before, and that is recorded by one which cannot be repeated with hashes, because it
-- settles messages of many instances.
create or replace function messaging.take_no_denials(event jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.take_denial_hashes(jsonb_build_object('denialHashes', (
    select jsonb_object_agg(known.identity, null)
    from unnest(messaging.denial_identities(
      array[event->>'address'] || array(
        select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
      )
    )) as known(identity)
  )));
end;
$$;

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

-- contacts-api: begins to erase a person, and does as much as one step can: for most persons all of it. The
-- rest is run_erasures'. From now on calls that name the contact are answered contact_erased, and what
-- waits to be sent to it is gone. The id of a merged contact erases the person it was merged into.
-- `request`: instanceId, contactId, maxRows (of a step); identityHashes {identity: hash}, the HMACs of the
-- identities under the key of kept_denials.
-- Returns {erasureId, contactId, status, counts}, see describe_erasure; or {identities}, with nothing done,
-- where the hashes of these are needed: the person has denied marketing, so that the hashes are kept, or
-- the instance keeps hashes, and those of a person who no longer denies must go.
-- Locks as erase_rows. Errors: MI031; MI035 where it was erased before; MI055 where the
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
  select c.* into contact from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
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

-- contacts-api: what is stored of a person, but for the lists that export_contact_page reads: the contact
-- with its identities, consent and conversation, all fields as the API names them, the ids that were
-- merged into it, and what the agent knows of it.
-- `request`: instanceId, contactId. Returns {contact, mergedContactIds, agentSession {collectedData,
-- createdAt, updatedAt} or NULL}. Errors: MI031, MI035.
create or replace function public.export_contact(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := messaging.find_recipient(instance.id, request);
  return jsonb_build_object(
    'contact', messaging.describe_contacts(instance, array[contact.id])->0,
    'mergedContactIds', (
      select coalesce(jsonb_agg(a.contact_id order by a.contact_id), '[]')
      from messaging.contact_activity a where a.merged_into = contact.id
    ),
    'agentSession', (
      select jsonb_build_object(
        'collectedData', s.collected_data,
        'createdAt', messaging.iso_in_zone(s.created_at, instance.time_zone),
        'updatedAt', messaging.iso_in_zone(s.updated_at, instance.time_zone)
      )
      from messaging.conversations v
      join messaging.agent_sessions s on s.conversation_id = v.id
      where v.contact_id = contact.id
    )
  );
end;
$$;

-- contacts-api: the next page of a list of an export. `request`: instanceId, contactId, limit, list
-- (messages | notes | transfers | consentLog), and `after` {at, id} as returned in `next`.
-- Returns {items, next}: oldest first, `next` NULL on the last page. Messages that have not left come
-- first. Of messages the record as messages-api gives it, and their whole content.
-- Pages are read by keys, each of its own list; what is added meanwhile may be on a later page.
-- Errors: MI031, MI035.
create or replace function public.export_contact_page(request jsonb)
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
  instance messaging.instances;
  contact messaging.contacts;
  of_conversation uuid;
  zone text;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce((request->'after'->>'at')::timestamptz, '-infinity');
  after_id constant text := coalesce(request->'after'->>'id', '');
  found_items jsonb[];
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := messaging.find_recipient(instance.id, request);
  select v.id into of_conversation from messaging.conversations v where v.contact_id = contact.id;
  zone := instance.time_zone;
  case request->>'list'
    when 'messages' then
      found_items := messaging.export_messages(contact, zone, request->'after', page_size + 1);
    when 'notes' then
      found_items := array(
        select jsonb_build_object('at', n.created_at, 'id', n.id, 'item', jsonb_build_object(
          'noteId', n.id,
          'note', n.note,
          'createdAt', messaging.iso_in_zone(n.created_at, zone)
        ))
        from messaging.internal_notes n
        where n.conversation_id = of_conversation
          and (n.created_at, n.id::text) > (after_at, after_id)
        order by n.created_at, n.id::text
        limit page_size + 1
      );
    when 'transfers' then
      found_items := array(
        select jsonb_build_object('at', l.transferred_at, 'id', l.id, 'item', jsonb_build_object(
          'fromOperatorId', l.from_operator_id,
          'toOperatorId', l.to_operator_id,
          'createdAt', messaging.iso_in_zone(l.transferred_at, zone)
        ))
        from messaging.chat_transfer_log l
        where l.conversation_id = of_conversation
          and (l.transferred_at, l.id::text) > (after_at, after_id)
        order by l.transferred_at, l.id::text
        limit page_size + 1
      );
    when 'consentLog' then
      found_items := array(
        select jsonb_build_object('at', l.recorded_at, 'id', l.id, 'item', jsonb_build_object(
          'marketing', l.marketing,
          'at', messaging.iso_in_zone(l.said_at, zone),
          'source', l.source,
          'evidence', l.evidence,
          'messageId', l.message_id,
          'recordedAt', messaging.iso_in_zone(l.recorded_at, zone)
        ))
        from messaging.consent_log l
        where l.contact_id = contact.id and l.id > coalesce(nullif(after_id, '')::bigint, 0)
        order by l.id
        limit page_size + 1
      );
  end case;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(f.found->'item' order by f.place), '[]')
      from unnest(found_items) with ordinality as f(found, place)
      where f.place <= page_size
    ),
    'next', case
      when cardinality(found_items) > page_size then found_items[page_size] - 'item'
    end
  );
end;
$$;

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

-- The dispatcher's part of erasures: one step, of at most `request`.maxRows rows, of the oldest that is not
-- done. An erasure that another dispatcher has in hand is passed over.
-- Returns {erased, isComplete}: how many rows are gone; isComplete where no erasure is left to do.
-- A step is short: a call that writes to the person meanwhile waits for it.
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

-- Brings the counters up to `clock`, so that each total only grows.
-- A row is counted for good when it was settled over 30 seconds ago: a transaction that settles takes
-- 8 seconds at most, so none can still add an older one. What came since is counted anew each time and
-- only reported; `reported` is kept where a row has changed its state meanwhile.
-- Looks back one hour at most, to bound its cost: where nobody asks for longer, nothing of the time
-- before is counted. Returns until when all is counted.
create or replace function messaging.count_changes(counted_until timestamptz, clock timestamptz)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  since constant timestamptz := greatest(counted_until, clock - interval '1 hour');
  until constant timestamptz := greatest(since, clock - interval '30 seconds');
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, coalesce(sum(s.amount) filter (where s.is_final), 0), sum(s.amount)
  from (
    select f.name, f.labels, f.amount, true as is_final
    from messaging.count_settled(since, until) f
    union all
    select r.name, r.labels, r.amount, false
    from messaging.count_settled(until, clock) r
  ) as s
  group by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.reported),
    changed_at = clock;
  return until;
end;
$$;

-- Adds to a counter that has no labels. Locks its row until commit, so call it last, and never for a
-- send: simultaneous calls wait for each other.
create or replace function messaging.count_metric(counter text, amount bigint)
returns void
language sql
set search_path = ''
as $$
  insert into messaging.metric_counters as c (name, counted, reported)
  values (counter, amount, amount)
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
$$;

-- What was settled after `since` and until `until`, as additions to counters: messages sent, failed and
-- unconfirmed by provider, how late queued ones left, outbox rows by kind.
-- Lateness is counted for first attempts: a retry waits on purpose. Buckets are counted singly here, by
-- their upper bound `le`; Prometheus has each include those below.
-- Steps from instance to instance through messages_sent and messages_gone_wrong, so older messages
-- cost nothing.
create or replace function messaging.count_settled(since timestamptz, until timestamptz)
returns table (name text, labels jsonb, amount numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with sent as materialized (
    select i.provider,
      case
        when m.mode in ('queued', 'scheduled') and m.attempts <= 1
          then greatest(extract(epoch from m.sent_at - m.scheduled_for), 0)
      end as late_seconds
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where m.direction = 'outbound' and m.sent_at is not null and m.status <> 'failed'
      and m.sent_at > since and m.sent_at <= until and not m.is_typed_on_phone
  ), gone_wrong as (
    select i.provider,
      case when m.failed_at is null then 'unconfirmed' else 'failed' end as status
    from messaging.instances i
    join messaging.messages m on m.instance_id = i.id
    where coalesce(m.failed_at, m.unconfirmed_at) > since
      and coalesce(m.failed_at, m.unconfirmed_at) <= until
  )
  select 'messaging_messages_sent_total', jsonb_build_object('provider', s.provider), count(*)
  from sent s
  group by s.provider
  union all
  select format('messaging_messages_%s_total', g.status),
    jsonb_build_object('provider', g.provider), count(*)
  from gone_wrong g
  group by g.provider, g.status
  union all
  select 'messaging_dispatch_lateness_seconds_bucket',
    jsonb_build_object('provider', s.provider, 'le', coalesce(bucket.bound::text, '+Inf')), count(*)
  from sent s
  cross join lateral (
    select min(b.bound) from unnest(messaging.lateness_bounds()) as b(bound)
    where b.bound >= s.late_seconds
  ) as bucket(bound)
  where s.late_seconds is not null
  group by s.provider, bucket.bound
  union all
  select 'messaging_dispatch_lateness_seconds_sum',
    jsonb_build_object('provider', s.provider), round(sum(s.late_seconds), 3)
  from sent s
  where s.late_seconds is not null
  group by s.provider
  union all
  select 'messaging_outbox_settled_total',
    jsonb_build_object('kind', o.kind, 'status', o.status), count(*)
  from messaging.outbox o
  where o.status in ('done', 'dead') and o.settled_at > since and o.settled_at <= until
  group by o.kind, o.status;
$$;

-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with providers as (
    select distinct i.provider from messaging.instances i
  ), series(name, labels) as (
    select k.name, jsonb_build_object('provider', p.provider)
    from providers p
    cross join (values
      ('messaging_messages_sent_total'),
      ('messaging_messages_failed_total'),
      ('messaging_messages_unconfirmed_total'),
      ('messaging_dispatch_lateness_seconds_sum')
    ) as k(name)
    union all
    select 'messaging_outbox_settled_total', jsonb_build_object('kind', k.kind, 'status', s.status)
    from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('batch_paused_email'), ('agent_reply')) as k(kind)
    cross join (values ('done'), ('dead')) as s(status)
    union all
    (
      select 'messaging_unknown_webhook_fields_total',
        jsonb_build_object('provider', p.provider, 'field', 'other')
      from providers p
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_unknown_webhook_fields_total'
    )
    union all
    select k.name, '{}'::jsonb
    from (values
      ('messaging_claim_expiries_total'), ('messaging_maintenance_runs_total')
    ) as k(name)
  ), buckets as (
    select p.provider, b.bound, coalesce(c.reported, 0) as amount
    from providers p
    cross join unnest(messaging.lateness_bounds() || 'infinity'::numeric) as b(bound)
    left join messaging.metric_counters c
      on c.name = 'messaging_dispatch_lateness_seconds_bucket'
        and c.labels = jsonb_build_object(
          'provider', p.provider,
          'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
        )
  )
  select s.name, s.labels, coalesce(c.reported, 0)
  from series s
  left join messaging.metric_counters c on c.name = s.name and c.labels = s.labels
  union all
  (
    select 'messaging_dispatch_lateness_seconds_bucket',
      jsonb_build_object(
        'provider', b.provider,
        'le', case when b.bound = 'infinity' then '+Inf' else b.bound::text end
      ),
      sum(b.amount) over (partition by b.provider order by b.bound)
    from buckets b
    order by b.provider, b.bound
  )
  union all
  select 'messaging_dispatch_lateness_seconds_count', jsonb_build_object('provider', b.provider),
    sum(b.amount)
  from buckets b
  group by b.provider
  union all
  select 'messaging_queue_entries_total', '{}'::jsonb,
    case when q.is_called then q.last_value else 0 end
  from messaging.message_queue_position_seq q
  union all
  select 'messaging_provider_events_total', '{}'::jsonb,
    case when e.is_called then e.last_value else 0 end
  from messaging.provider_events_id_seq e
  union all
  select 'messaging_last_maintenance_timestamp_seconds', '{}'::jsonb,
    round(extract(epoch from c.changed_at), 3)
  from messaging.metric_counters c
  where c.name = 'messaging_maintenance_runs_total';
$$;

-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[],
  clock timestamptz
)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with instances as (
    select count(*) as total, count(*) filter (where s.status = 'held') as held,
      count(*) filter (where s.status = 'disconnected') as disconnected,
      count(*) filter (where s.status = 'late') as late,
      count(*) filter (where s.unconfirmed > 0) as with_unconfirmed,
      coalesce(sum(s.waiting), 0) as waiting, coalesce(sum(s.in_flight), 0) as in_flight,
      coalesce(sum(s.unconfirmed), 0) as unconfirmed, min(s.oldest_due) as oldest_due
    from unnest(states) as s
  ), outbox as (
    select
      (select count(*) from messaging.outbox o where o.settled_at is null) as pending,
      (select count(*) from messaging.outbox o where o.status = 'dead') as dead,
      (
        select min(o.run_at) from messaging.outbox o
        where o.settled_at is null and o.run_at <= clock
      ) as oldest_due
  )
  select jsonb_build_object(
    'status', case
      when i.late > 0 then 'late'
      when i.disconnected > 0 then 'disconnected'
      when i.held > 0 then 'held'
      else 'ok'
    end,
    'checkedAt', messaging.iso_in_zone(clock, 'UTC'),
    'instances', jsonb_build_object(
      'total', i.total, 'held', i.held, 'disconnected', i.disconnected, 'late', i.late, 'unconfirmed', i.with_unconfirmed
    ),
    'messages', jsonb_build_object(
      'queueDepth', i.waiting,
      'inFlight', i.in_flight,
      'unconfirmed', i.unconfirmed,
      'oldestDueAt', messaging.iso_in_zone(i.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - i.oldest_due))
    ),
    'outbox', jsonb_build_object(
      'pending', o.pending,
      'dead', o.dead,
      'oldestDueAt', messaging.iso_in_zone(o.oldest_due, 'UTC'),
      'oldestDueSeconds', floor(extract(epoch from clock - o.oldest_due))
    ),
    'database', jsonb_build_object('sizeBytes', pg_database_size(current_database())),
    'attention', coalesce((
      select jsonb_agg(jsonb_build_object(
        'instanceId', a.instance_id,
        'status', a.status,
        'heldUntil', messaging.iso_in_zone(
          case when isfinite(a.hold_until) then a.hold_until end, 'UTC'
        ),
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) order by a.place)
      from (
        select s.*, row_number() over (
          order by s.status = 'late' desc, s.status = 'disconnected' desc, s.status = 'held' desc,
            s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        where s.status <> 'ok' or s.unconfirmed > 0
      ) as a
      where a.place <= 20
    ), '[]')
  )
  from instances i
  cross join outbox o;
$$;

-- The samples about instances: sums by provider, and one sample each for the hundred instances that
-- need attention most (held or disconnected, late the longest, most unconfirmed, longest queue). All others together
-- have the instance `other`, so the number of series does not grow with the number of instances.
create or replace function messaging.instance_samples(
  states messaging.instance_state[],
  clock timestamptz
)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
as $$
  with states as materialized (
    select s.*, extract(epoch from clock - s.oldest_due) as due_seconds
    from unnest(states) as s
  ), ranked as (
    select s.*, row_number() over (
      order by s.status in ('held', 'disconnected') desc, s.oldest_due nulls last, s.unconfirmed desc, s.waiting desc,
        s.instance_id
    ) as place
    from states s
  ), named as (
    select case when r.place <= 100 then r.instance_id::text else 'other' end as instance,
      sum(r.waiting) as waiting, sum(r.unconfirmed) as unconfirmed,
      count(*) filter (where r.status = 'held') as held,
      count(*) filter (where r.status = 'disconnected') as disconnected, max(r.due_seconds) as due_seconds
    from ranked r
    group by 1
  )
  select 'messaging_instances', jsonb_build_object('provider', p.provider, 'status', k.status),
    count(*) filter (where s.status = k.status)
  from (select distinct s.provider from states s) as p
  cross join (values ('ok'), ('late'), ('held'), ('disconnected')) as k(status)
  join states s on s.provider = p.provider
  group by p.provider, k.status
  union all
  select 'messaging_queue_messages', jsonb_build_object('provider', s.provider, 'state', k.state),
    sum(case k.state when 'waiting' then s.waiting else s.in_flight end)
  from states s
  cross join (values ('waiting'), ('in_flight')) as k(state)
  group by s.provider, k.state
  union all
  select 'messaging_unconfirmed_messages', jsonb_build_object('provider', s.provider),
    sum(s.unconfirmed)
  from states s
  group by s.provider
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "message"}'::jsonb,
    coalesce(max(s.due_seconds), 0)
  from states s
  union all
  select k.name, jsonb_build_object('instance_id', n.instance), k.value
  from named n
  cross join lateral (values
    ('messaging_instance_queue_messages', n.waiting),
    ('messaging_instance_unconfirmed_messages', n.unconfirmed),
    ('messaging_instance_oldest_due_seconds', coalesce(n.due_seconds, 0)),
    ('messaging_instance_held', n.held),
    ('messaging_instance_disconnected', n.disconnected)
  ) as k(name, value);
$$;

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `disconnected`, `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state
language sql
stable
set search_path = ''
as $$
  with queues as materialized (
    select q.instance_id, count(*) filter (where q.claim_token is null) as waiting,
      count(q.claim_token) as in_flight, min(q.lease_until) as first_lease_end,
      min(q.scheduled_at) filter (where q.lane = 'unpaced' and q.claim_token is null)
        as first_unpaced
    from messaging.message_queue q
    group by q.instance_id
  ), unconfirmed as materialized (
    select m.instance_id, count(*) as messages
    from messaging.messages m
    where m.status = 'unconfirmed'
    group by m.instance_id
  ), states as (
    select i.id, i.provider, nullif(greatest(d.hold_until, d.operator_hold_until, clock), clock) as hold_until,
      d.operator_hold_until > clock as is_held_by_operator,
      d.disconnected_until > clock as is_disconnected,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case
          when q.first_unpaced <= clock
            and greatest(d.operator_hold_until, d.disconnected_until) <= clock then q.first_unpaced
        end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.is_held_by_operator then 'held'
      when s.is_disconnected then 'disconnected'
      when s.hold_until is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.hold_until, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed
  from states s;
$$;

-- The upper bounds of the buckets of messaging_dispatch_lateness_seconds, in seconds; beyond the last
-- one there is `+Inf`.
create or replace function messaging.lateness_bounds()
returns numeric[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select array[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200]
$$;

-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('batch_paused_email'), ('agent_reply')) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;

-- How far the newest 20 messages that each instance has sent in the last hour have come: `sent`,
-- `delivered` or `read`. A sample, so that an hour of heavy traffic costs no more than a quiet one.
create or replace function messaging.recent_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with newest as materialized (
    select i.provider, m.status
    from messaging.instances i
    cross join lateral (
      select m.status from messaging.messages m
      where m.instance_id = i.id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed' and m.sent_at > clock - interval '1 hour'
      order by m.sent_at desc
      limit 20
    ) as m
  )
  select 'messaging_recent_messages',
    jsonb_build_object('provider', p.provider, 'status', k.status),
    (select count(*) from newest n where n.provider = p.provider and n.status = k.status)
  from (select distinct i.provider from messaging.instances i) as p
  cross join (values ('sent'), ('delivered'), ('read')) as k(status);
$$;

-- Returns the snapshot, and takes a new one where it is no longer fresh.
-- A snapshot stays fresh for twenty times as long as it took, 15 seconds at most: scrapes take at most
-- a twentieth of one processor, however often they come, and a snapshot that took little is taken anew
-- each time.
-- One session takes a snapshot at a time, under the lock of its row. Others return the former one while
-- that is at most 15 seconds old, else they wait.
create or replace function messaging.refresh_metrics()
returns messaging.metric_snapshots
language plpgsql
set search_path = ''
as $$
declare
  clock timestamptz := clock_timestamp();
  snapshot messaging.metric_snapshots;
  states messaging.instance_state[];
begin
  select s.* into snapshot from messaging.metric_snapshots s;
  if clock between snapshot.taken_at and snapshot.fresh_until then
    return snapshot;
  end if;
  if snapshot is null then
    insert into messaging.metric_snapshots default values on conflict do nothing;
  end if;
  if clock < snapshot.taken_at + interval '15 seconds' then
    perform from messaging.metric_snapshots s for update skip locked;
    if not found then
      return snapshot;
    end if;
  end if;
  select s.* into strict snapshot from messaging.metric_snapshots s for update;
  -- Another session may have taken one while this one waited.
  clock := clock_timestamp();
  if clock between snapshot.taken_at and snapshot.fresh_until then
    return snapshot;
  end if;
  snapshot.counted_until := messaging.count_changes(snapshot.counted_until, clock);
  states := array(select s from messaging.instance_states(clock) as s);
  snapshot.health := messaging.describe_service_health(states, clock);
  select jsonb_agg(jsonb_build_array(s.name, s.labels, s.value)) into snapshot.samples
  from (
    select * from messaging.instance_samples(states, clock)
    union all
    select * from messaging.recent_samples(clock)
    union all
    select * from messaging.outbox_samples(clock)
    union all
    select * from messaging.counter_samples()
    union all
    select 'messaging_database_bytes', '{}', (snapshot.health->'database'->>'sizeBytes')::numeric
  ) as s;
  snapshot.taken_at := clock;
  snapshot.refresh_seconds := extract(epoch from clock_timestamp() - clock);
  snapshot.fresh_until := clock
    + make_interval(secs => least(20 * snapshot.refresh_seconds, 15));
  update messaging.metric_snapshots s
  set counted_until = snapshot.counted_until, taken_at = snapshot.taken_at,
    fresh_until = snapshot.fresh_until, refresh_seconds = snapshot.refresh_seconds,
    samples = snapshot.samples, health = snapshot.health
  where s.is_only;
  return snapshot;
end;
$$;

-- provider-webhook: counts the names in a payload that no reader knows (shared/providers/webhooks/known_fields.ts).
-- `request`: provider, fields. Of a provider the first hundred names are counted by themselves, all later ones
-- as `other`, so that no payload can fill the metrics. Returns {}. Locks the rows of the counters in one order.
create or replace function public.count_unknown_fields(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  counter constant text := 'messaging_unknown_webhook_fields_total';
  most_names constant integer := 100;
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select counter, named.labels, count(*), count(*)
  from jsonb_array_elements_text(request->'fields') as told(field)
  cross join lateral (
    select jsonb_build_object('provider', request->>'provider', 'field', told.field) as labels
  ) as own
  cross join lateral (
    select case
      when exists (
        select from messaging.metric_counters k where k.name = counter and k.labels = own.labels
      ) or (
        select count(*) < most_names from messaging.metric_counters k
        where k.name = counter and k.labels->>'provider' = request->>'provider'
      ) then own.labels
      else own.labels || '{"field": "other"}'
    end as labels
  ) as named
  group by named.labels
  order by named.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = c.reported + excluded.counted,
    changed_at = clock_timestamp();
  return '{}';
end;
$$;

-- admin-api: whether the service's messages go out, over all instances, at most 15 seconds old.
-- `request` is empty. Returns, with instants in UTC: status, checkedAt, instances {total, held, late,
-- unconfirmed}, messages {queueDepth, inFlight, unconfirmed, oldestDueAt, oldestDueSeconds}, outbox
-- {pending, dead, oldestDueAt, oldestDueSeconds}, database {sizeBytes}, attention [{instanceId, status,
-- heldUntil, oldestDueSeconds, queueDepth, unconfirmed}].
-- `status`: `late` when an instance is, else `held` when one is, else `ok`: see get_instance_health.
create or replace function public.get_service_health(request jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  select s.health from messaging.refresh_metrics() as s;
$$;

-- metrics: the samples for Prometheus, at most 15 seconds old. `request` is empty. Returns {samples}:
-- [name, labels, value] each, those of one metric together.
create or replace function public.read_metrics(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  snapshot constant messaging.metric_snapshots := messaging.refresh_metrics();
begin
  return jsonb_build_object(
    'samples', snapshot.samples || jsonb_build_array(
      jsonb_build_array('messaging_snapshot_age_seconds', '{}'::jsonb, round(
        greatest(extract(epoch from clock_timestamp() - snapshot.taken_at), 0), 3
      )),
      jsonb_build_array(
        'messaging_snapshot_duration_seconds', '{}'::jsonb, snapshot.refresh_seconds
      )
    )
  );
end;
$$;

-- What the schedule runs: asks dispatch-queue, through pg_net, to work for `max_seconds`. Where the
-- project is and the key that opens the function are secrets of Vault, read at every call, so that
-- changing one there is all it takes. A secret that is missing or cannot be decrypted is an error, which
-- the job's log keeps: a NULL header would be sent in silence and refused. Returns pg_net's request id.
-- The names are written as text: a database without Vault or pg_net can hold this function too.
create or replace function messaging.call_dispatcher(max_seconds integer)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  project_url text;
  secret_key text;
  request_id bigint;
  -- A message takes about 0.6 ms of the processor, of which the platform gives a run 2 s.
  max_messages constant integer := 1000;
begin
  project_url := messaging.read_schedule_secret('project_url');
  secret_key := messaging.read_schedule_secret('dispatcher_secret_key');
  if coalesce(project_url, '') = '' then
    raise exception 'Vault has no secret named project_url: dispatch-queue cannot be called.';
  end if;
  if coalesce(secret_key, '') = '' then
    raise exception 'Vault has no secret named dispatcher_secret_key: dispatch-queue cannot be called.';
  end if;
  -- The answer comes with the run's first poll: after 2 s of maintenance and 10 s of a database call at
  -- most, and the start of an isolate. While pg_net waits for it, it makes no other call of the project.
  execute 'select net.http_post(url := $1, body := $2, headers := $3, timeout_milliseconds := $4)'
  into request_id
  using
    format(
      '%s/functions/v1/dispatch-queue?maxSeconds=%s&maxMessages=%s',
      rtrim(project_url, '/'), max_seconds, max_messages
    ),
    '{}'::jsonb,
    jsonb_build_object('apikey', secret_key, 'Content-Type', 'application/json'),
    15000;
  return request_id;
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.call_dispatcher(integer) from service_role;

-- How the schedule of dispatch-queue stands: {missingExtensions, missingSecrets, unreadableSecrets, job
-- {schedule, command, isActive}, lastRuns [{status, message, startedAt}], lastAnswers [{statusCode,
-- error, calledAt}]}, the latest five of each. No secret is shown, only the names of those that Vault does
-- not have, and of those that it cannot decrypt.
create or replace function messaging.check_dispatcher_schedule()
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  missing_extensions constant text[] := array_remove(
    array[
      case when to_regprocedure('cron.schedule(text,text,text)') is null then 'pg_cron' end,
      case when to_regproc('net.http_post') is null then 'pg_net' end,
      case when to_regclass('vault.decrypted_secrets') is null then 'supabase_vault' end
    ],
    null
  );
  wanted_secrets constant text[] := array['project_url', 'dispatcher_secret_key'];
  missing_secrets text[] := wanted_secrets;
  unreadable_secrets text[] := '{}';
  secret_name text;
  job jsonb;
  last_runs jsonb;
  last_answers jsonb;
begin
  if not missing_extensions @> '{supabase_vault}' then
    missing_secrets := '{}';
    foreach secret_name in array wanted_secrets loop
      begin
        if coalesce(messaging.read_schedule_secret(secret_name), '') = '' then
          missing_secrets := missing_secrets || secret_name;
        end if;
      exception when data_exception then
        unreadable_secrets := unreadable_secrets || secret_name;
      end;
    end loop;
  end if;
  if not missing_extensions @> '{pg_cron}' then
    execute $query$
      select jsonb_build_object('schedule', j.schedule, 'command', j.command, 'isActive', j.active)
      from cron.job j where j.jobname = 'dispatch-queue'
    $query$ into job;
    execute $query$
      select jsonb_agg(
        jsonb_build_object('status', r.status, 'message', r.return_message, 'startedAt', r.start_time)
        order by r.start_time desc
      )
      from (
        select d.status, d.return_message, d.start_time
        from cron.job_run_details d join cron.job j using (jobid)
        where j.jobname = 'dispatch-queue' order by d.start_time desc nulls last limit 5
      ) as r
    $query$ into last_runs;
  end if;
  if to_regclass('net._http_response') is not null then
    -- pg_net writes when it began the batch of a call, the same instant for all calls of the batch.
    execute $query$
      select jsonb_agg(
        jsonb_build_object('statusCode', r.status_code, 'error', r.error_msg, 'calledAt', r.created)
        order by r.created desc
      )
      from (
        select a.status_code, a.error_msg, a.created
        from net._http_response a order by a.created desc limit 5
      ) as r
    $query$ into last_answers;
  end if;
  return jsonb_build_object(
    'missingExtensions', to_jsonb(missing_extensions),
    'missingSecrets', to_jsonb(missing_secrets),
    'unreadableSecrets', to_jsonb(unreadable_secrets),
    'job', job,
    'lastRuns', coalesce(last_runs, '[]'),
    'lastAnswers', coalesce(last_answers, '[]')
  );
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.check_dispatcher_schedule() from service_role;

-- A secret of Vault that the schedule needs; NULL where Vault has none of that name.
-- Raises what Vault raises where it cannot decrypt the secret, as after a restore into another project,
-- whose root key is another one (22000): in words that name the secret.
-- Vault is named in a text: a database without it can hold this function too.
create or replace function messaging.read_schedule_secret(secret_name text)
returns text
language plpgsql
set search_path = ''
as $$
declare
  secret text;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
  into secret using secret_name;
  return secret;
exception when data_exception then
  raise exception using
    errcode = sqlstate,
    message = format('Vault cannot decrypt the secret named %s: %s', secret_name, sqlerrm);
end;
$$;

-- Schedules dispatch-queue through pg_cron, under one name, so that it may be called again at any
-- time: every 20 seconds for 22 seconds, so that the queue is polled without a gap, and a run stays
-- well below the two seconds of processor time that the platform allows; once a minute for 62 seconds where
-- pg_cron is older than seconds (1.5). The history of runs is kept for a week. Installs pg_cron and pg_net
-- where the server has them.
-- Returns check_dispatcher_schedule(); says in a NOTICE what is missing, and is no error without it.
create or replace function messaging.schedule_dispatcher()
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  wanted text;
  state jsonb;
begin
  foreach wanted in array array['pg_cron', 'pg_net'] loop
    if exists (
      select from pg_catalog.pg_available_extensions e
      where e.name = wanted and e.installed_version is null
    ) then
      begin
        execute format(
          'create extension %I with schema %I',
          wanted, case wanted when 'pg_cron' then 'pg_catalog' else 'extensions' end
        );
      exception when others then
        raise notice '% cannot be installed: %', wanted, sqlerrm;
      end;
    end if;
  end loop;

  state := messaging.check_dispatcher_schedule();
  if jsonb_array_length(state->'missingExtensions') > 0 then
    raise notice 'dispatch-queue is not scheduled: this database has no %.',
      (select string_agg(e, ', ') from jsonb_array_elements_text(state->'missingExtensions') as e);
    return state;
  end if;
  begin
    execute 'select cron.schedule($1, $2, $3)'
    using 'dispatch-queue', '20 seconds', 'select messaging.call_dispatcher(22)';
  exception when others then
    execute 'select cron.schedule($1, $2, $3)'
    using 'dispatch-queue', '* * * * *', 'select messaging.call_dispatcher(62)';
  end;
  execute 'select cron.schedule($1, $2, $3)'
  using 'dispatch-queue-history', '7 3 * * *',
    $history$delete from cron.job_run_details where end_time < now() - interval '7 days'$history$;
  state := messaging.check_dispatcher_schedule();
  if jsonb_array_length(state->'missingSecrets') > 0 then
    raise notice 'dispatch-queue is scheduled and cannot be called yet: Vault has no %.',
      (select string_agg(s, ', ') from jsonb_array_elements_text(state->'missingSecrets') as s);
  end if;
  if jsonb_array_length(state->'unreadableSecrets') > 0 then
    raise notice 'dispatch-queue is scheduled and cannot be called yet: Vault cannot decrypt %.',
      (select string_agg(s, ', ') from jsonb_array_elements_text(state->'unreadableSecrets') as s);
  end if;
  return state;
end;
$$;
-- Only the owner schedules and calls the dispatcher.
revoke execute on function messaging.schedule_dispatcher() from service_role;

comment on column messaging.pacing.is_protected is
  'Whether the instance has protection, so that paced_days holds the last slot of each day.';

comment on column messaging.workspaces.alert_email is
  'Who is told by e-mail what an operator must handle; NULL for nobody.';

comment on column messaging.provider_events.is_kept_longer is
  'It is older than 30 days, and its instance keeps it longer: see purge_provider_events.';

comment on column messaging.contact_addresses.replaced_by is
  'The user id that the provider has given the person in the place of this one: it is shown no more, and still finds the person.';

comment on column messaging.dispatch.operator_hold_until is
  'Set by an operator: nothing that the dispatcher sends leaves before; infinity until it is released.';

comment on column messaging.client_tokens.scopes is
  'What it may be used for, see shared/model/token_scope.ts; NULL for everything.';

comment on column messaging.slot_moves.walk is
  'Where the instance has protection: the state of its slots before the stretch, see next_slot.';

comment on column messaging.client_tokens.mcp_recipients is
  'Whom the function mcp may write to by this token: who has a contact that no call of mcp has made, or any.';

comment on column messaging.conversations.is_merged is
  'Its contact is merged into another one, and it goes when its messages have moved there: no call finds it.';

comment on column messaging.dispatch.connection is
  'What the provider said last about the connection; NULL while it has said nothing.';

comment on column messaging.dispatch.connection_told_at is
  'The provider''s own instant of that: what is older comes too late.';

comment on column messaging.dispatch.disconnected_until is
  'While the connection is lost: nothing that the dispatcher sends leaves before; infinity until it is back.';

comment on column messaging.message_queue.is_new is
  'Whether it takes one of a day''s places for new contacts: see paced_days.';

comment on column messaging.message_templates.category is
  'The purpose of its messages, as the official channel spells it: MARKETING, UTILITY, AUTHENTICATION; NULL where nobody has told it.';

comment on column messaging.message_queue.counted_on is
  'The day on which paced_days counts it as sent. NULL while it waits for its slot, or is not counted.';

comment on column messaging.dispatch.told_disconnected_at is
  'When the workspace''s alert address was last told by e-mail.';

comment on column messaging.dispatch.suspected_at is
  'Since when the instance is held because nothing is confirmed any more: see hold_suspects.';

comment on column messaging.dispatch.trusted_from is
  'What was sent before does not make the instance suspect: it was released since, or has confirmed.';

comment on column messaging.plain_event.quoted_message_id is
  'Our own id of the message that this one answers; NULL for none, or one that is not stored.';

comment on column messaging.instances.opt_out_keywords is
  'A message that is one of them and nothing else denies marketing; see read_keyword.';

comment on column messaging.plain_event.file is
  'What add_channel_media takes, where the message has a file that is to be fetched; media_id is its id.';

comment on column messaging.dispatch.feeds_batches is
  'Whether a batch of the instance is running: then a settlement gives it its next message.';

comment on column messaging.settlement.called_after_ms is
  'How long after its claim the provider was called; NULL for not called, or not known.';

comment on column messaging.contacts.consent_marketing is
  'Whether the contact wants marketing messages, as consent_log tells; since consent_at, by consent_source.';

comment on column messaging.dispatch.channel_change is
  'What the channel said last about the number or its account, at channel_limit_at: it counts once.';

comment on column messaging.instances.opt_out_confirmation is
  'The one answer to such a message; NULL for none.';

comment on column messaging.dispatch.departs_at is
  'When the paced message in flight would have left if it was called at its claim: with its typing.';

comment on column messaging.instances.protection is
  '{dailyLimit, newContactsPerDay, jitterSeconds, warmUp {startPerDay, rampDays, startedAt}}, each optional; NULL for none. See next_slot.';

comment on column messaging.plain_event.contact_id is
  'The sender, where the caller has found and locked it and proved the addresses; else NULL.';

comment on column messaging.instances.retention_messages_days is
  'After how many days purge_expired deletes messages; NULL for never.';

comment on column messaging.contacts.merged_into is
  'The contact that it is now, while its messages move there, see move_merged_messages; NULL for a living contact.';

comment on column messaging.instances.retention_media_days is
  'After how many days purge_expired lets files go; NULL for never.';

comment on column messaging.instances.retention_provider_events_days is
  'After how many days purge_expired deletes webhook payloads; NULL for 30, 0 for never.';

comment on column messaging.instances.transcribe_voice is
  'Which received voice messages are written down; see transcribes_voice.';

comment on column messaging.messages.metadata is
  'Keys and texts that the sending call gave, for the caller''s own use; NULL for none.';

comment on column messaging.messages.purpose is
  'marketing, utility or authentication as the sending call or its template says; NULL is service. opt_out_confirmation is this service''s own answer to a keyword, and pauses no agent.';

comment on column messaging.messages.batch_id is
  'The batch that it was sent for; NULL for all others.';

comment on column messaging.messages.quoted_message_id is
  'The message that this one answers, as the provider reports; NULL for none, or one that was not stored. No foreign key: it would cost every deleted message a look-up.';

comment on column messaging.messages.media_id is
  'Its file (see media); NULL for none, and for files that this service does not keep. No foreign key: it would cost every deleted file a look-up.';

comment on column messaging.messages.expires_at is
  'What has not left by then is never sent: it becomes `expired`. NULL for no end.';

comment on column messaging.messages.cancel_key is
  'The caller''s name for messages that it may cancel together while they wait.';

comment on column messaging.messages.deleted_at is
  'When the provider told that a person deleted it for everyone; NULL for all others. Its words stay, for the history.';

comment on column messaging.messages.edited_at is
  'When a person edited it last, as the provider tells, else when that was told; NULL where nobody did.';

comment on column messaging.messages.quoted_provider_message_id is
  'The provider''s id of the message that this one answers, whether or not that is stored.';

comment on column messaging.messages.author is
  'Who wrote it in a group, as the provider tells: {name, phone, userId, lid}, each where known. NULL outside groups, where the contact did.';

comment on column messaging.messages.channel_status is
  'What the provider said when it accepted the message, where it has not gone on at once: held_for_quality_assessment, paused.';

comment on column messaging.messages.pauses_agent is
  'Whether the agent pauses for it as for any person''s message; false where the call said pauseAgent: false.';

revoke all on sequence messaging.message_queue_position_seq from public, anon, authenticated, service_role;

-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.message_queue_position_seq to service_role;

revoke all on sequence messaging.provider_events_id_seq from public, anon, authenticated, service_role;

-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.provider_events_id_seq to service_role;

alter table messaging.client_tokens add constraint client_tokens_mcp_recipients_known CHECK ((mcp_recipients = ANY (ARRAY['known'::text, 'any'::text]))) not valid;

alter table messaging.client_tokens add constraint client_tokens_mcp_sends_range CHECK (((mcp_max_sends_per_hour >= 0) AND (mcp_max_sends_per_hour <= 10000))) not valid;

alter table messaging.contacts add constraint contacts_consent_known CHECK ((consent_marketing = ANY (ARRAY['granted'::text, 'denied'::text, 'unknown'::text]))) not valid;

alter table messaging.contacts add constraint contacts_merged_into FOREIGN KEY (merged_into) REFERENCES messaging.contacts(id) ON DELETE CASCADE not valid;

alter table messaging.dispatch add constraint dispatch_connection_known CHECK ((connection = ANY (ARRAY['connected'::text, 'disconnected'::text]))) not valid;

alter table messaging.instances add constraint instances_retention_days CHECK (((LEAST(retention_messages_days, retention_media_days) >= 1) AND (retention_provider_events_days >= 0))) not valid;

alter table messaging.instances add constraint instances_transcribe_voice_known CHECK ((transcribe_voice = ANY (ARRAY['agent'::text, 'always'::text, 'never'::text]))) not valid;

alter table messaging.outbox drop constraint outbox_kind_known, add constraint outbox_kind_known CHECK ((kind = ANY (ARRAY['assignment_email'::text, 'endpoint_disabled_email'::text, 'instance_disconnected_email'::text, 'batch_paused_email'::text, 'agent_reply'::text, 'media_fetch'::text, 'media_delete'::text, 'media_transcription'::text]))) not valid;

-- The list of contacts by consent; most have said nothing.
create index if not exists contacts_consent on messaging.contacts (instance_id, consent_marketing)
where consent_marketing != 'unknown';

-- Merges whose messages still move.
create index if not exists contacts_merging on messaging.contacts (merged_into) where merged_into is not null;

-- For list_conversations: all, or those of one filter, in the order of creation.
-- The predicate `created_at > '-infinity'` is always true and only the lists state it: foreign keys to
-- this table cannot take these indexes, and so read all conversations of an instance.
create index if not exists conversations_listed on messaging.conversations (instance_id, created_at, id)
where created_at > '-infinity';

create index if not exists conversations_listed_by_department on messaging.conversations (
  instance_id,
  department_id,
  created_at,
  id
)
where department_id is not null;

create index if not exists conversations_listed_by_operator on messaging.conversations (
  instance_id,
  assigned_to,
  created_at,
  id
)
where assigned_to is not null;

create index if not exists conversations_listed_by_status on messaging.conversations (
  instance_id,
  status,
  created_at,
  id
)
where created_at > '-infinity';

-- Usually empty: whether anything is to be asked after a confirmation.
create index if not exists dispatch_suspects on messaging.dispatch (instance_id) where suspected_at is not null;

create index if not exists instances_with_payload_retention on messaging.instances (id)
where retention_provider_events_days > 0;

-- For purge_expired: most instances keep the usual time.
create index if not exists instances_with_retention on messaging.instances (id)
where retention_messages_days is not null or retention_media_days is not null;

create index if not exists messages_batch on messaging.messages (batch_id, created_at) where batch_id is not null;

-- What of a batch is still to leave: a handful of rows.
create index if not exists messages_batch_waiting on messaging.messages (batch_id)
where batch_id is not null and status = 'queued';

create index if not exists messages_cancel_key on messaging.messages (instance_id, cancel_key)
where cancel_key is not null and status = 'queued';

create index if not exists messages_card on messaging.messages (instance_id, card_id, created_at)
where card_id is not null;

-- Only what still waits: most messages are in neither, so that a plain send writes neither.
create index if not exists messages_expiring on messaging.messages (expires_at)
where expires_at is not null and status = 'queued';

create index if not exists messages_media on messaging.messages (media_id) where media_id is not null;

-- For newest_referral: the few messages that an ad or post brought.
create index if not exists messages_referral on messaging.messages (contact_id, sent_at desc)
where content ? 'referral';

-- The statuses that a message which arrives never has: a successful send does not write it.
create index if not exists messages_stopped on messaging.messages (instance_id, status, created_at)
where status in ('failed', 'canceled', 'unconfirmed', 'expired');

-- For list_messages. Without the id: it costs a send less, and messages of one instant are few.
-- The predicate is always true and only list_messages states it: no other look-up within an instance,
-- such as that by provider_message_id, can take this index (see messages_history).
create index if not exists messages_stored on messaging.messages (instance_id, created_at)
where created_at > '-infinity';

-- A thousand files that wait must not be read by each look for e-mails.
create index if not exists outbox_due_by_kind on messaging.outbox (kind, run_at) where settled_at is null;

create index if not exists pacing_protected on messaging.pacing (instance_id) where is_protected;

create index if not exists provider_events_of_instance on messaging.provider_events (
  instance_id,
  received_at,
  id
);

create index if not exists provider_events_usual_age on messaging.provider_events (received_at)
where not is_kept_longer;

create trigger contacts_add_activity
after insert on messaging.contacts
referencing new table as new_contacts
for each statement
execute function messaging.add_contact_activity();

create trigger contacts_follow_search
after update on messaging.contacts
for each row
when
  (
    (old.name, old.email, old.company, old.phone) is distinct from (
      new.name,
      new.email,
      new.company,
      new.phone
    )
  )
execute function messaging.follow_contact_search();

-- Built after the functions that they execute.
create trigger contacts_recall_denial
before insert on messaging.contacts
for each row
execute function messaging.recall_denial();

create trigger messages_follow_merge
before update on messaging.messages
for each row
when
  -- What waits or is being sent has moved with the merge itself.
  (old.status not in ('queued', 'sending'))
execute function messaging.follow_merge();

drop function messaging.add_new_senders(messaging.plain_event[]);

drop function messaging.is_plain_event(jsonb);

drop function messaging.record_plain_messages(messaging.plain_event[]);

drop function messaging.record_sending_call(jsonb);

drop function messaging.refuse_unreachable_contact(messaging.instances,messaging.contacts,text);

drop function messaging.require_client(jsonb,uuid);

drop function messaging.resolve_contact(uuid,text);

drop index messaging.provider_events_age;

drop index messaging.provider_events_instance;
