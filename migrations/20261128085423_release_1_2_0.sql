-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.

set local lock_timeout = '3s';

set local check_function_bodies = off;

drop function messaging.apply_keyword(uuid,uuid,uuid,uuid,text,timestamp with time zone);

drop function messaging.claim_paced_messages(integer,interval,timestamp with time zone);

drop function messaging.claim_unpaced_messages(integer,interval,timestamp with time zone);

drop function messaging.describe_message(messaging.messages);

drop function messaging.expected_departure(messaging.message_queue,messaging.messages,messaging.instances,messaging.dispatch);

drop function messaging.head_of_queue(uuid);

drop function messaging.held_departure(uuid,messaging.instances);

drop function messaging.hold_event_floor(uuid);

drop function messaging.postpone_crowding_messages(uuid[],timestamp with time zone);

drop function messaging.record_event(uuid,uuid,text,jsonb);

drop function messaging.record_instance_holds(uuid[],text[]);

drop function messaging.record_new_contacts(uuid[]);

drop function messaging.request_agent_reply(messaging.instances,uuid,uuid);

drop function messaging.settle_plain_acceptances(jsonb,timestamp with time zone);

drop function messaging.take_media_fetches(integer,integer);

drop function messaging.tell_disconnection(messaging.instances,text,timestamp with time zone);

drop function messaging.touch_contacts(uuid[],timestamp with time zone);

-- Whose work an outbox row is: its instance's, '' for nobody's. Owners of one kind take turns: see
-- claim_outbox. The row itself holds the id, which outlives the instance. Indexed (outbox_due_by_owner).
create or replace function messaging.outbox_owner(payload jsonb)
returns text language sql immutable parallel safe
return coalesce(payload ->> 'instanceId', '');

-- The servers that this database has been on, the last one being the present: one row for a cluster and a
-- timeline. A promotion, a recovery to a point in time and a restored dump make another. Written by note_server.
create table messaging.database_servers (
  id bigint generated always as identity primary key,
  system_identifier bigint not null,
  timeline integer not null,
  is_synchronous boolean not null,
  noted_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  lacks_commits boolean not null default false,
  replayed_at timestamptz,
  events_through bigint,
  events_before bigint,
  constraint database_servers_lost_events_bounded
    check (lacks_commits = (num_nonnulls(events_through, events_before) = 2))
);
alter table messaging.database_servers enable row level security;
comment on column messaging.database_servers.is_synchronous is
  'Whether its commits waited for a standby when it was seen last.';
comment on column messaging.database_servers.seen_at is
  'While they wait, renewed each minute by the dispatcher.';
comment on column messaging.database_servers.lacks_commits is
  'Whether commits that the server before had answered may be missing here.';
comment on column messaging.database_servers.replayed_at is
  'The last commit that it got from the server before, where it knows.';
comment on column messaging.database_servers.events_through is
  'Where commits may be missing: the last event that this server got. No event has a number above it, up to events_before: a cursor there has read events that are gone.';

-- The turns that are under way (instances.turns): of each contact the messages of the one that is open, in the
-- order in which they were stored, and when it ends. Written with the message, see join_turn; end_turns deletes what
-- is due. The limits are those of the setting when the turn began: a changed one counts from the next turn on.
-- Has no foreign keys, as idle_watches. What has lost its instance is deleted when it is due.
create table messaging.conversation_turns (
  contact_id uuid primary key,
  instance_id uuid not null,
  conversation_id uuid not null,
  started_at timestamptz not null,
  due_at timestamptz not null,
  ends_by timestamptz not null,
  quiet_seconds integer not null,
  message_ids uuid[] not null,
  constraint conversation_turns_due_in_time check (due_at <= ends_by),
  constraint conversation_turns_bounded check (cardinality(message_ids) between 1 and 50)
);
create index conversation_turns_due on messaging.conversation_turns (due_at);
alter table messaging.conversation_turns enable row level security;
comment on column messaging.conversation_turns.due_at is
  'When the person will have been quiet long enough, at the latest ends_by.';
comment on column messaging.conversation_turns.message_ids is
  'At most 50: the next message begins a turn.';

-- The silences that instances are told of (instances.idle): of each conversation the newest message, whom it
-- awaits, and when the next of the instance's entries is due. No row where none is: a closing, and the last entry
-- that was told, delete it. Written with the message, see record_message_change and watch_idle_conversations.
-- Has no foreign keys: it would lock the contact after the message. What has lost its conversation goes when it is
-- due.
create table messaging.idle_watches (
  contact_id uuid primary key,
  instance_id uuid not null,
  conversation_id uuid not null,
  awaiting text not null,
  since timestamptz not null,
  last_message_id uuid not null,
  due_at timestamptz not null,
  constraint idle_watches_awaiting_known check (awaiting in ('customer', 'us'))
);
create index idle_watches_due on messaging.idle_watches (due_at);
alter table messaging.idle_watches enable row level security;
comment on column messaging.idle_watches.awaiting is
  'Who is to write next: customer after a message of ours, us after one of the contact.';
comment on column messaging.idle_watches.since is
  'When the newest message was stored, or had left.';
comment on column messaging.idle_watches.due_at is
  'When the next entry is due. Entries of a changed setting that lie before are not told.';

-- What match_question decides about a received message.
create type messaging.matched_answer as (
  question_id uuid,
  outcome text,
  answer jsonb,
  agent_id uuid
);

-- How far what an instance held for a reason that is over has been let go: to the row of its queue at
-- (until_at, until_position). See release_held_messages.
create table messaging.held_releases (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  reason text not null,
  until_at timestamptz not null default '-infinity',
  until_position bigint not null default 0,
  begins_anew boolean not null default false,
  constraint held_releases_pkey primary key (instance_id, reason)
);
alter table messaging.held_releases enable row level security;
comment on column messaging.held_releases.begins_anew is
  'Whether it was asked for again since it began: at the end of the queue it begins at the start once more.';
comment on column messaging.held_releases.reason is 'As messages.held_by: budget or new_contacts.';

-- Links to the page on which the owner of a phone connects it. Only the SHA-256 of a link's token is kept. A
-- link ends when the phone is connected, when it expires, or when it is revoked.
create table messaging.connection_links (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  token_hash text not null,
  language text,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  looks_whole_at timestamptz not null default '-infinity',
  tests integer not null default 0,
  created_at timestamptz not null default now(),
  constraint connection_links_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint connection_links_language_known check (language in ('pt', 'en', 'es'))
);
create unique index connection_links_hash on messaging.connection_links (token_hash);
create index connection_links_instance on messaging.connection_links (instance_id, expires_at);
alter table messaging.connection_links enable row level security;
comment on column messaging.connection_links.language is
  'The language of the page; NULL for the browser''s.';
comment on column messaging.connection_links.used_at is
  'When the phone was connected: from then on only pages that were open may go on.';
comment on column messaging.connection_links.looks_whole_at is
  'When the link''s allowance of looks is whole again: see spent_allowance.';
comment on column messaging.connection_links.tests is 'How many test messages its pages have sent.';

-- The payment requests of messages, one row each, written with its message. What is paid is told by the caller; the
-- channel tells nothing of it. A reference names one open request of an instance at most: it is free again when the
-- payment has ended, or its message will not leave.
create table messaging.payments (
  message_id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  reference text not null,
  amount numeric(12, 2) not null,
  currency text not null default 'BRL',
  status text not null default 'pending',
  is_open boolean not null default true,
  falls_back boolean not null default false,
  code_message_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz,
  paid_at timestamptz,
  changed_at timestamptz,
  constraint payments_status_known
    check (status in ('pending', 'paid', 'failed', 'canceled', 'expired', 'refunded')),
  constraint payments_amount_positive check (amount > 0),
  constraint payments_open_while_pending check (not is_open or status = 'pending'),
  constraint payments_paid_at_stands
    check ((status in ('paid', 'refunded')) = (paid_at is not null))
);
create unique index payments_open_reference on messaging.payments (instance_id, reference)
where is_open;
create index payments_reference on messaging.payments (instance_id, reference, created_at);
-- What the dispatcher has to end.
create index payments_due on messaging.payments (expires_at)
where is_open and expires_at is not null;
-- For list_payments.
create index payments_listed on messaging.payments (instance_id, created_at, message_id);
create index payments_of_contact on messaging.payments (contact_id, created_at, message_id);
alter table messaging.payments enable row level security;
comment on column messaging.payments.message_id is
  'The message that asks for it. No foreign key: it would cost every deleted message a look-up; see purge_messages.';
comment on column messaging.payments.reference is
  'The caller''s own name for it: its order, or the charge at its payment provider.';
comment on column messaging.payments.is_open is
  'Whether it holds its reference: pending, and its message waits, is under way or has left.';
comment on column messaging.payments.falls_back is
  'Whether its message goes as text where the channel refuses its own form: the call said so, or nothing.';
comment on column messaging.payments.code_message_id is
  'The message that is the Pix code alone, sent after a request that went as text; NULL for none.';

-- The questions that messages ask: one row each, written with its message. A question waits until its message
-- has left, then is open until it is answered, expires or is canceled; these ends are final.
-- Of one contact at most one is open: one that leaves ends the older one.
create table messaging.questions (
  id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  message_id uuid not null,
  batch_id uuid,
  key text,
  accept text not null,
  choices jsonb,
  answer_within interval not null,
  remind_after interval,
  reminder text,
  on_invalid text,
  sealed_notify text,
  agent_id uuid,
  status text not null default 'waiting',
  reason text,
  created_at timestamptz not null,
  opened_at timestamptz,
  expires_at timestamptz,
  due_at timestamptz,
  reminder_status text,
  reminder_message_id uuid,
  invalid_message_id uuid,
  pending_answer jsonb,
  answer jsonb,
  answer_message_id uuid,
  ended_at timestamptz,
  constraint questions_accept_known
    check (
      accept in (
        'choice',
        'text',
        'number',
        'date',
        'email',
        'document',
        'media',
        'location',
        'contact',
        'any'
      )
    ),
  constraint questions_status_known
    check (status in ('waiting', 'open', 'answered', 'expired', 'canceled')),
  constraint questions_reason_known
    check (
      (status = 'canceled') = (reason is not null)
      and reason in ('canceled', 'replaced', 'not_sent', 'opted_out', 'erased')
    ),
  constraint questions_answer_stands check ((status = 'answered') = (answer is not null)),
  constraint questions_end_stands check ((status in ('waiting', 'open')) = (ended_at is null)),
  constraint questions_due_while_open check (status != 'open' or due_at is not null),
  constraint questions_reminder_known
    check (reminder_status in ('waiting', 'sent', 'outside_window', 'refused'))
);
create index questions_of_contact on messaging.questions (contact_id, created_at, id);
-- What an inbound message may answer: a handful of rows.
create index questions_live on messaging.questions (contact_id)
where status in ('waiting', 'open');
-- What the dispatcher has to do: reminders and ends.
create index questions_due on messaging.questions (due_at) where due_at is not null;
-- For list_questions.
create index questions_listed on messaging.questions (instance_id, created_at, id);
create index questions_keys on messaging.questions (instance_id, key, created_at, id)
where key is not null;
create index questions_batch on messaging.questions (batch_id, created_at, id)
where batch_id is not null;
-- What a new key seals anew: those that have not ended and tell it somewhere.
create index questions_sealed on messaging.questions (id) where sealed_notify is not null;
alter table messaging.questions enable row level security;
comment on column messaging.questions.message_id is
  'The message that asks. No foreign key: it would cost every deleted message a look-up; see purge_messages.';
comment on column messaging.questions.key is
  'The caller''s own name for it, given back everywhere; NULL for none.';
comment on column messaging.questions.choices is
  'The options of the message: [{number, id, title}]; NULL for none.';
comment on column messaging.questions.sealed_notify is
  'Where its end is told, and the secret that signs it: {url, secret}, AES-256-GCM sealed by the API. NULL for nowhere, and once it has ended: see end_question.';
comment on column messaging.questions.agent_id is
  'The agent that asks, and so hears the answer; NULL for a question of a call.';
comment on column messaging.questions.due_at is
  'When the dispatcher has to look at it: for its reminder or its end, or, once it has ended, for a reminder that still waits.';
comment on column messaging.questions.reminder_status is
  'What became of the reminder; NULL where none is asked for.';
comment on column messaging.questions.pending_answer is
  'What came while the message was under way, {messageId, answer, quoted}: the answer once the message is known to have left.';

-- No pending delivery is due before: a look for those that are due begins there, as one for messages at the
-- sequence due_floor, whose head says why.
create sequence messaging.delivery_floor as bigint;

revoke all on sequence messaging.delivery_floor from public, anon, authenticated;

grant select, update on sequence messaging.delivery_floor to service_role;

-- Nothing that waits is due before, and no lease ends before: a look for what is due begins there. In seconds
-- since 1970; without a value it begins at the start. See the function floor_of.
-- While any session holds an old snapshot, the entries of all that has left stay in dispatch_due and
-- message_queue_visible, before the first one that waits: each look read them all, 40,000 an hour at ten
-- messages a second.
-- A sequence, because its value belongs to no snapshot: a row would be one more that has old versions.
create sequence messaging.due_floor as bigint;

revoke all on sequence messaging.due_floor from public, anon, authenticated;

grant select, update on sequence messaging.due_floor to service_role;

alter table messaging.chat_transfer_log alter column transferred_at set default clock_timestamp();

alter table messaging.internal_notes alter column created_at set default clock_timestamp();

alter type messaging.instance_state add attribute held_by text;

alter table messaging.ai_agents add column if not exists answers_within_seconds integer default 21600 not null;

alter type messaging.instance_state add attribute hold_code text;

alter type messaging.instance_state add attribute hold_reason text;

alter table messaging.conversations add column if not exists handled_by text default 'us'::text not null;

alter table messaging.conversations add column if not exists control_at timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.media add column if not exists held_until timestamp with time zone;

alter type messaging.plain_event add attribute is_standby boolean;

alter table messaging.dispatch add column if not exists hold_error jsonb;

alter table messaging.batches add column if not exists file_ids uuid[] default '{}'::uuid[] not null;

alter table messaging.dispatch add column if not exists hold_refused_at timestamp with time zone;

alter table messaging.dispatch add column if not exists told_held_at timestamp with time zone;

alter table messaging.dispatch add column if not exists connected_at timestamp with time zone;

alter table messaging.contacts add column if not exists identity_change jsonb;

alter table messaging.dispatch add column if not exists paired_phone text;

alter table messaging.contacts add column if not exists cancels_on_reply boolean default false not null;

alter table messaging.dispatch add column if not exists wrong_phone_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.contacts add column if not exists awaits_answer boolean default false not null;

alter table messaging.dispatch add column if not exists webhooks_state text;

alter table messaging.dispatch add column if not exists webhooks_url text;

alter table messaging.dispatch add column if not exists allowance jsonb;

alter table messaging.instances add column if not exists configure_webhooks boolean default true not null;

alter table messaging.dispatch add column if not exists new_chats_locked_until timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.instances add column if not exists idle jsonb;

alter table messaging.dispatch add column if not exists queue_from timestamp with time zone default '-infinity'::timestamp with time zone not null;

alter table messaging.instances add column if not exists turns jsonb;

alter table messaging.dispatch add column if not exists told_held_by text;

alter type messaging.message_snapshot add attribute cancel_on jsonb;

alter type messaging.message_snapshot add attribute payment_reference text;

alter type messaging.message_snapshot add attribute cancel_reason text;

alter type messaging.message_snapshot add attribute question jsonb;

alter type messaging.message_snapshot add attribute handled_by text;

alter table messaging.messages add column if not exists cancel_on jsonb;

alter table messaging.messages add column if not exists payment_reference text;

alter table messaging.messages add column if not exists cancel_reason text;

alter table messaging.messages add column if not exists question_id uuid;

alter table messaging.messages add column if not exists handled_by text;

-- admin-api: a link to connect a phone as a response shows it: never its hash, nor its address.
create or replace function messaging.describe_connection_link(link messaging.connection_links)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'linkId', link.id,
    'expiresAt', messaging.iso_in_zone(link.expires_at, 'UTC'),
    'usedAt', messaging.iso_in_zone(link.used_at, 'UTC'),
    'revokedAt', messaging.iso_in_zone(link.revoked_at, 'UTC')
  );
$$;

-- The beginning of a list that reads in growing steps, because few of many rows may match: `request` as in
-- begin_page, with order (`desc`: from the newest). Errors: MI013, MI014.
create or replace function messaging.begin_reading(request jsonb)
returns messaging.list_reading language sql stable set search_path = '' as $$
  select
    page.size,
    case when starts_at_newest then 'infinity' else page.after_at end,
    case when starts_at_newest then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else page.after_id end,
    page.size + 1, 0, '{}'::jsonb[], null::jsonb, false
  from
    messaging.begin_page(request) as page,
    coalesce(request->>'order' = 'desc' and nullif(request->'after', 'null') is null, false)
      as starts_at_newest;
$$;

-- The answer of an RPC that gets one record: what describes it, or the refusal with this SQLSTATE and code where
-- there is no such record.
create or replace function messaging.require_record(record jsonb, error_code text, message text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if record is null then
    raise exception using errcode = error_code, message = require_record.message;
  end if;
  return record;
end;
$$;

-- Takes `requests` at once from a token's allowance of `requests_per_minute` for the function: all of
-- them, or none. A whole allowance may be used at once; it comes back evenly over a minute.
-- Returns when the allowance will be whole again, or NULL where fewer are left.
create or replace function messaging.spend_requests(
  token_id uuid, function_name text, requests_per_minute integer, requests integer
) returns timestamptz language plpgsql set search_path = '' as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute * requests;
  whole_at timestamptz;
begin
  -- The clock is read under the row's lock, so that simultaneous requests are counted in order.
  insert into messaging.rate_limits as r (token_id, function_name, whole_at)
  select spend_requests.token_id, spend_requests.function_name, clock_timestamp() + share
  where requests <= requests_per_minute
  on conflict on constraint rate_limits_pkey do update
  set whole_at = messaging.spent_allowance(r.whole_at, share, clock_timestamp())
  where messaging.suffices_allowance(r.whole_at, share, clock_timestamp())
  returning r.whole_at into whole_at;
  if whole_at is null then
    -- The statement above has locked the row, whatever it holds.
    update messaging.rate_limits r
    set whole_at = clock_timestamp() + share
    where r.token_id = spend_requests.token_id and r.function_name = spend_requests.function_name
      and messaging.is_allowance_void(r.whole_at, clock_timestamp()) and requests <= requests_per_minute
    returning r.whole_at into whole_at;
  end if;
  return whole_at;
end;
$$;

-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_client_token(r) from messaging.client_tokens r
    where r.id = (request->>'tokenId')::uuid and r.instance_id = i.id
  ), 'MI015', 'token_not_found')
  from messaging.find_instance((request->>'instanceId')::uuid) as i;
$$;

-- admin-api: the tokens of an instance, revoked and expired ones too, oldest first,
-- a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_client_tokens(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_client_token(r))
    from messaging.client_tokens r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and r.instance_id = (request->>'instanceId')::uuid
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: a new link to connect the phone of an instance. `request`: linkId, instanceId, tokenHash, language
-- (NULL for the browser's), expiresInMinutes, sealedToken (kept with the outcome alone, so that a repeated call
-- can be given the address again), idempotency (see begin_idempotent). Deletes what has ended a month ago.
-- Returns {linkId, expiresAt}, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance messaging.instances;
  link messaging.connection_links;
  replayed jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  delete from messaging.connection_links l
  where l.instance_id = instance.id and l.expires_at < clock - interval '30 days';
  insert into messaging.connection_links (id, instance_id, token_hash, language, expires_at)
  values (
    (request->>'linkId')::uuid, instance.id, request->>'tokenHash', request->>'language',
    clock + make_interval(mins => (request->>'expiresInMinutes')::integer)
  )
  returning * into link;
  outcome := messaging.describe_connection_link(link);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedToken', request->>'sealedToken')
  );
  return outcome;
end;
$$;

-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_department(r) from messaging.departments r
    where r.id = (request->>'departmentId')::uuid
  ), 'MI002', 'department_not_found');
$$;

-- admin-api: departments, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_departments(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_department(r))
    from messaging.departments r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- connect: whether a link to connect a phone may be looked at now. `request`: tokenHash, openedAt (when the page
-- was opened; NULL for one that opens), sendsTest. Every look counts: thirty a minute, and five test messages
-- in all. A link whose phone is connected lets pages in that were open before, to its end, for 15 minutes at least.
-- Returns {linkId, instanceId, instanceName, provider, sealedProviderConfig, language, expiresAt, openedAt,
-- isUsed}; or {refused}: not_found, ended, or rate_limited with retryAfterSeconds. Locks the link.
create or replace function public.enter_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  looks_per_minute constant integer := 30;
  most_tests constant integer := 5;
  share constant interval := interval '1 minute' / looks_per_minute;
  sends_test constant boolean := coalesce((request->>'sendsTest')::boolean, false);
  opened_at constant timestamptz := (request->>'openedAt')::timestamptz;
  link messaging.connection_links;
  instance messaging.instances;
  clock timestamptz;
  is_over boolean;
begin
  select l.* into link from messaging.connection_links l
  where l.token_hash = request->>'tokenHash' for no key update;
  if not found then
    return jsonb_build_object('refused', 'not_found');
  end if;
  clock := clock_timestamp();
  is_over := case
    when link.used_at is null then link.expires_at <= clock
    else (
      opened_at < link.used_at
      and clock < greatest(link.expires_at, link.used_at + interval '15 minutes')
    ) is not true
  end;
  if is_over or link.revoked_at is not null then
    return jsonb_build_object('refused', 'ended');
  end if;
  if messaging.is_allowance_void(link.looks_whole_at, clock) then
    link.looks_whole_at := clock;
  end if;
  if not messaging.suffices_allowance(link.looks_whole_at, share, clock)
    or sends_test and link.tests >= most_tests then
    return jsonb_build_object('refused', 'rate_limited', 'retryAfterSeconds', case
      when sends_test and link.tests >= most_tests then 60
      else ceil(extract(epoch from link.looks_whole_at + share - clock - interval '1 minute'))
    end);
  end if;
  update messaging.connection_links l
  set looks_whole_at = messaging.spent_allowance(link.looks_whole_at, share, clock),
    tests = l.tests + case when sends_test then 1 else 0 end
  where l.id = link.id;
  select i.* into strict instance from messaging.instances i where i.id = link.instance_id;
  return jsonb_build_object(
    'linkId', link.id,
    'instanceId', instance.id,
    'instanceName', instance.name,
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'language', link.language,
    'expiresAt', messaging.iso_in_zone(link.expires_at, 'UTC'),
    'openedAt', coalesce(opened_at, clock),
    'isUsed', link.used_at is not null
  );
end;
$$;

-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, provider, embedKey, all
--   settings (see write_instance_settings), idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone, the protection
-- contradicts itself or the pace is more than a number has that nothing was told of, or {taken}:
--   the field with a value that another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
  if messaging.pace_issues(request->'pace', null) is not null then
    return messaging.pace_issues(request->'pace', null);
  end if;
  begin
    replayed := messaging.begin_idempotent(request);
    if replayed is not null then
      return replayed;
    end if;
    workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
    -- A change of its scope under way would not see this instance.
    select w.* into workspace from messaging.workspaces w where w.id = workspace.id for share;
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone,
      people_scope
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      messaging.phone_identity_key(request->>'connectedPhone'), request->>'timeZone',
      workspace.people_scope
    )
    returning * into instance;
    instance := messaging.write_instance_settings(instance.id, request);
    insert into messaging.pacing (instance_id, is_protected)
    values (instance.id, instance.protection is not null);
    insert into messaging.dispatch (instance_id, messages_per_second)
    values (instance.id, instance.messages_per_second);
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

-- admin-api: instances, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_instances(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_instance(r))
    from messaging.instances r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is
-- checked again at once, so that new credentials take effect without delay. Another connectedPhone ends or
-- begins the hold of a wrong phone (see hold_wrong_phone).
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid or the
-- pace is more than the number has, or {taken}: the field
--   with a value that another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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

  refused := messaging.changed_limit_issues(instance, changes);
  if refused is not null then
    return refused;
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
  if changes ? 'pace' then
    update messaging.dispatch d
    set messages_per_second = messaging.present_pace(instance.messages_per_second, d.allowance),
      slowed_until = '-infinity'
    where d.instance_id = instance.id;
  end if;
  if changes ?| array['budget', 'timeZone'] then
    perform messaging.release_held_messages(instance.id, 'budget', date_trunc('milliseconds', clock_timestamp()));
    if instance.budget is not null then
      perform messaging.tell_budget(instance, clock_timestamp());
    end if;
  end if;
  if changes ? 'sealedProviderConfig' then
    perform messaging.forget_former_session(instance);
  end if;
  if changes ? 'connectedPhone' then
    perform messaging.hold_wrong_phone(instance, clock_timestamp());
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;

-- New credentials open another session: what was reported of the former one says nothing about it.
-- The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_former_session(instance messaging.instances)
returns void language plpgsql set search_path = '' as $$
declare
  was_locked boolean;
begin
  perform messaging.forget_connection(array[instance.id]);
  select d.new_chats_locked_until > clock_timestamp() into strict was_locked
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  update messaging.dispatch d
  set hold_until = '-infinity', refused_at = '-infinity', webhooks_state = null,
    webhooks_url = null, allowance = null, new_chats_locked_until = '-infinity',
    messages_per_second = messaging.present_pace(instance.messages_per_second, null)
  where d.instance_id = instance.id;
  if was_locked then
    perform messaging.release_held_messages(
      instance.id, 'new_contacts', date_trunc('milliseconds', clock_timestamp())
    );
  end if;
end;
$$;

-- {issues} where changes of an instance would give it a protection that contradicts itself, or a pace that its
-- number has not got; else NULL. Of the number of other credentials nothing is known.
create or replace function messaging.changed_limit_issues(
  instance messaging.instances, changes jsonb
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  allowance constant jsonb := (
    select d.allowance from messaging.dispatch d
    where d.instance_id = instance.id and not changes ? 'sealedProviderConfig'
  );
begin
  return coalesce(
    case
      when changes ? 'protection' then messaging.protection_issues(
        messaging.changed_protection(instance.protection, changes->'protection')
      )
    end,
    messaging.pace_issues(changes->'pace', allowance)
  );
end;
$$;

-- {issues} where a pace {messagesPerSecond} is more than the number may send by its `allowance` (see
-- allowed_pace); else NULL.
create or replace function messaging.pace_issues(pace jsonb, allowance jsonb)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  allowed constant integer := messaging.allowed_pace(allowance);
begin
  return case
    when (pace->>'messagesPerSecond')::integer > allowed then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'pace.messagesPerSecond',
        'message', format('must be at most %s, the number''s allowance: %s', allowed, case
          when allowance->>'isOnBusinessApp' = 'true'
            then 'it is also used in the WhatsApp Business app'
          when allowance ? 'throughput' then 'the channel told its throughput'
          else 'GET admin-api/instances/{id}/connection asks the channel for more'
        end)
      )))
  end;
end;
$$;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, pace {messagesPerSecond} (null removes it), budget (null removes it), protection (see
-- changed_protection), retention {messagesDays, mediaDays, providerEventsDays, each optional; null is for
-- ever}, transcribeVoice, onUnconfirmed, interactiveRendering, readReceipts, freeServiceMessagesPerMonth,
-- directSend, configureWebhooks, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance reads them
-- back. Returns the instance. Locks the instance. Raises unique_violation where another instance has one of
-- its ids.
-- Over 80 lines: one for each setting.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances language plpgsql set search_path = '' as $$
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
    messages_per_second = case
      when settings ? 'pace' then (settings->'pace'->>'messagesPerSecond')::integer
      else i.messages_per_second
    end,
    budget = case when settings ? 'budget' then nullif(settings->'budget', 'null') else i.budget end,
    transcribe_voice = coalesce(settings->>'transcribeVoice', i.transcribe_voice),
    free_service_messages_per_month = coalesce(
      (settings->>'freeServiceMessagesPerMonth')::integer, i.free_service_messages_per_month
    ),
    direct_send = coalesce((settings->>'directSend')::boolean, i.direct_send),
    idle = case
      when settings ? 'idle' then nullif(nullif(settings->'idle', 'null'), '[]') else i.idle
    end,
    turns = case when settings ? 'turns' then nullif(settings->'turns', 'null') else i.turns end,
    configure_webhooks = coalesce((settings->>'configureWebhooks')::boolean, i.configure_webhooks),
    read_receipts = coalesce(settings->>'readReceipts', i.read_receipts),
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    interactive_rendering = coalesce(settings->>'interactiveRendering', i.interactive_rendering),
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

-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb language sql stable parallel safe set search_path = '' as $$
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
    'pace', case
      when instance.messages_per_second is not null
        then jsonb_build_object('messagesPerSecond', instance.messages_per_second)
    end,
    'budget', instance.budget,
    'idle', coalesce(instance.idle, '[]'),
    'turns', instance.turns,
    'transcribeVoice', instance.transcribe_voice,
    'onUnconfirmed', instance.on_unconfirmed,
    'interactiveRendering', instance.interactive_rendering,
    'readReceipts', instance.read_receipts,
    'directSend', instance.direct_send,
    'configureWebhooks', instance.configure_webhooks,
    'freeServiceMessagesPerMonth', instance.free_service_messages_per_month,
    'requestsPerMinute', instance.requests_per_minute,
    'allowance', (
      select messaging.shown_allowance(
        d.allowance, instance.provider_class, clock_timestamp(), 'UTC'
      )
      from messaging.dispatch d where d.instance_id = instance.id
    ),
    'historyImport', messaging.shown_history_import(instance.id),
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;

-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_operator(r) from messaging.operators r
    where r.id = (request->>'operatorId')::uuid
  ), 'MI001', 'operator_not_found');
$$;

-- admin-api: operators, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_operators(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_operator(r))
    from messaging.operators r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: ends a link to connect a phone from now on, its open pages too; a revoked link keeps its time.
-- `request`: instanceId, linkId. Returns the link. Errors: MI014, MI081 (the instance has no such link).
create or replace function public.revoke_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  link messaging.connection_links;
begin
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  update messaging.connection_links l
  set revoked_at = coalesce(l.revoked_at, clock_timestamp())
  where l.id = (request->>'linkId')::uuid and l.instance_id = instance.id
  returning l.* into link;
  if not found then
    raise exception using errcode = 'MI081', message = 'connection_link_not_found';
  end if;
  return messaging.describe_connection_link(link);
end;
$$;

-- connect: the phone of a link's instance is connected, so the link ends: see enter_connection_link. Records
-- instance.connection_link_used the first time. `request`: linkId. Returns {used}: whether this was it.
create or replace function public.use_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  link messaging.connection_links;
begin
  update messaging.connection_links l
  set used_at = clock_timestamp()
  where l.id = (request->>'linkId')::uuid and l.used_at is null and l.revoked_at is null
  returning l.* into link;
  if not found then
    return jsonb_build_object('used', false);
  end if;
  perform messaging.record_event(
    link.instance_id, null, 'instance.connection_link_used', jsonb_build_object('linkId', link.id)
  );
  return jsonb_build_object('used', true);
end;
$$;

-- admin-api: workspaces, oldest first, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_workspaces(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_workspace(r))
    from messaging.workspaces r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, peopleScope, each optional;
-- an empty alertEmail removes it}. Returns the workspace. Another peopleScope holds from the next transaction
-- on; what was said before follows in steps, see change_people_scopes. A change that is under way begins anew.
-- Locks the workspace, then, for another peopleScope, its instances in the order of their ids. Error: MI013.
create or replace function public.update_workspace(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
  if changes->>'peopleScope' <> workspace.people_scope then
    workspace.people_scope := changes->>'peopleScope';
    update messaging.workspaces w set people_scope = workspace.people_scope where w.id = workspace.id;
    perform from messaging.instances i
    where i.workspace_id = workspace.id
    order by i.id
    for no key update;
    update messaging.instances i set people_scope = workspace.people_scope
    where i.workspace_id = workspace.id;
    delete from messaging.people_scope_changes c where c.workspace_id = workspace.id;
    insert into messaging.people_scope_changes (workspace_id) values (workspace.id);
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;

-- admin-api: a workspace as a response shows it. `peopleScopeChange` is how far a change of its peopleScope
-- is; NULL where none is under way.
create or replace function messaging.describe_workspace(workspace messaging.workspaces)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'alertEmail', workspace.alert_email,
    'peopleScope', workspace.people_scope,
    'peopleScopeChange', (
      select jsonb_build_object(
        'to', workspace.people_scope,
        'phase', c.phase,
        'done', c.done,
        'total', c.total,
        'startedAt', messaging.iso_in_zone(c.started_at, 'UTC')
      )
      from messaging.people_scope_changes c
      where c.workspace_id = workspace.id
    ),
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;

-- The client token of a sending call that was prepared with an earlier answer of authenticate_client
-- (`authentication` of accept_message), where it still opens the sending calls of the instance as it is now.
create or replace function messaging.sending_token(
  instance_id uuid, instance_version text, authentication jsonb, clock timestamptz
) returns table (id uuid, is_use_due boolean) language sql stable
begin atomic
  select t.id, messaging.is_token_use_due(t.last_used_at, clock)
  from messaging.client_tokens as t
  where
    t.token_hash = authentication ->> 'tokenHash'
    and t.instance_id = sending_token.instance_id
    and messaging.is_token_valid(t, clock)
    and coalesce('send' = any (t.scopes), true)
    and instance_version = authentication ->> 'instanceVersion';
end;

-- Whether an allowance counts no longer, because the clock was set back since: none is whole later than in a
-- minute.
create or replace function messaging.is_allowance_void(whole_at timestamptz, clock timestamptz)
returns boolean language sql stable
return whole_at > clock + interval '1 minute';

-- Records that contacts have stopped marketing messages on the channel, as the errors of messages to them
-- mean (see shared/model/refusal_meaning.ts). `errors` stand beside their contacts. Locks the contacts in the
-- order of their ids. Errors: as in change_consent.
create or replace function messaging.record_channel_denials(contact_ids uuid[], errors jsonb[])
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.change_consent(
    refused.contact_id,
    jsonb_build_object('marketing', 'denied', 'source', refused.error->>'code')
  )
  from unnest(contact_ids, errors) as refused(contact_id, error)
  where refused.error->>'meaning' = 'contact_opted_out'
  order by refused.contact_id;
end;
$$;

-- Records contact.consent_changed with the contact's consent as it is now, and notes the contact. The
-- caller holds the contact locked.
create or replace function messaging.record_consent_event(contact messaging.contacts)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.note_contact(contact.id);
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.consent_changed',
    messaging.event_person(contact)
      || jsonb_build_object('consent', messaging.describe_consent(contact, i.time_zone))
  )
  from messaging.instances i
  where i.id = contact.instance_id;
end;
$$;

-- A contact as its events show it: {contactId, phone, name}, and of userId, username and lid those that it has.
-- Plans must not depend on statistics: paths with and without such settings share it.
create or replace function messaging.event_person(contact messaging.contacts)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return (
    select jsonb_build_object('contactId', contact.id, 'phone', s.phone, 'name', contact.name)
      || jsonb_strip_nulls(coalesce(s.identities, '{}'))
    from messaging.shown_contact(contact) as s
  );
end;
$$;

-- Notes that messages to contacts wait with cancelOn: reply (`cancels`, see contacts.cancels_on_reply), or ask a
-- question (`answers`, see contacts.awaits_answer), in the transaction that stores them. Writes also what
-- is noted already: a reply that is being recorded takes away the note that it has read, unless the row is another
-- one by then.
-- Locks the contacts. Call it before pacing is locked: who records a reply holds the contact, then locks pacing.
create or replace function messaging.expect_reply(
  contact_ids uuid[], cancels boolean, answers boolean
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  for no key update;
  update messaging.contacts c
  set cancels_on_reply = c.cancels_on_reply or cancels, awaits_answer = c.awaits_answer or answers
  where c.id = any (contact_ids);
end;
$$;

-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). A user id of the official channel (BSUID) in place of the phone is an address of the new
-- contact from the beginning, though nothing has proven it. Looks by identity key, then by address.
-- Simultaneous calls get the same contact: the unique index decides. A new contact waits for events under
-- way that may show who has the phone as an address. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_recipient. A caller of its own calls record_new_contacts.
-- Errors: MI045 for the instance's own number, which is nobody's; MI055 where the contact was merged since it was
-- found; the call must be repeated.
create or replace function messaging.find_or_add_contact(
  instance_id uuid, phone text, out contact messaging.contacts, out is_new boolean
) language plpgsql set search_path = '' as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    if exists (
      select from messaging.instances i
      where i.id = find_or_add_contact.instance_id
        and i.connected_phone_key = messaging.phone_identity_key(find_or_add_contact.phone)
    ) then
      raise exception using errcode = 'MI045', message = 'own_number';
    end if;
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

-- A text without regard to case, accents and marks that nobody sees, as searches compare it: "João Ávila" is
-- "joao avila". An own function: unaccent is not immutable, and lies in another schema on each platform.
create or replace function messaging.fold_text(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  if given ~ '^[\x01-\x7f]*$' then
    return lower(given);
  end if;
  return lower(translate(
    regexp_replace(
      normalize(messaging.without_invisible(given), NFKD), '[\u0300-\u036f]', '', 'g'
    ), 'øØłŁđĐıß', 'oOlLdDis'
  ));
end;
$$;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: notes, tags, addresses,
-- the messages that wait or are being sent, and as many others as a step moves; run_merges moves the rest.
-- Until then `gone` is a row that only its messages name: no call finds it, its id means `kept`, and who
-- reads the messages of `kept` reads those too (see merged_contact_ids).
-- Values of `kept` win; a name that was given wins over a profile name. Of two consents
-- `denied` wins, then the newer. The row of contact_activity of `gone` remains as its tombstone.
-- Locks both contacts: a transaction that writes to `gone` has either committed, and its rows are moved, or finds
-- no such contact and is repeated. Then their questions and payments (see hold_what_was_asked), then both
-- conversations: what ends a message holds it, then its question or payment, then the conversation whose agent is
-- asked, or to which a message is added.
-- What waits for an answer leaves where the window of one of them is open.
-- Records contact.merged, then what has become of `kept` by it.
-- Returns `kept` as it is now. Errors: MI055 where another call has merged one of them.
-- Over 80 lines: what moves, table by table, in the order of the locks.
create or replace function messaging.merge_contacts(
  kept messaging.contacts, gone messaging.contacts
) returns messaging.contacts language plpgsql set search_path = '' as $$
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
  person jsonb;
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
  -- While its addresses are its own.
  select messaging.event_person(c) into person from messaging.contacts c where c.id = gone.id;
  select c.consent_marketing into consent_before from messaging.contacts c where c.id = kept.id;
  perform messaging.hold_what_was_asked(array[kept.id, gone.id]);
  kept_conversation := messaging.resolve_conversation(kept.instance_id, kept.id);
  perform from messaging.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  conversation_before := messaging.conversation_state(kept_conversation.id);
  select c.* into gone_conversation from messaging.conversations c where c.contact_id = gone.id;
  if found then
    perform messaging.merge_turns(kept.id, gone.id);
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
  update messaging.payments p set contact_id = kept.id where p.contact_id = gone.id;
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
    channel_identity = coalesce(c.channel_identity, other.channel_identity),
    identity_change = case
      when c.channel_identity is null then other.identity_change else c.identity_change
    end,
    custom_labels = case
      when messaging.object_bytes(other.custom_labels || c.custom_labels) <= 64 * 1024
      then other.custom_labels || c.custom_labels
      else c.custom_labels
    end,
    is_favorite = c.is_favorite or other.is_favorite,
    is_archived = c.is_archived and other.is_archived,
    is_blocked = c.is_blocked or other.is_blocked,
    cancels_on_reply = c.cancels_on_reply or other.cancels_on_reply,
    last_inbound_at = greatest(c.last_inbound_at, other.last_inbound_at),
    awaits_answer = c.awaits_answer or other.awaits_answer,
    phone_book_name = coalesce(c.phone_book_name, other.phone_book_name),
    phone_book_at = greatest(c.phone_book_at, other.phone_book_at),
    profile_picture_url = coalesce(c.profile_picture_url, other.profile_picture_url),
    profile_picture_at = coalesce(c.profile_picture_at, other.profile_picture_at),
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
  perform messaging.move_messages(array(
    select w.id
    from messaging.messages w
    join messaging.message_queue q on q.message_id = any (array[w.id])
    where w.contact_id = gone.id and w.sent_at is null
    order by w.id
    for no key update of w
  ));
  perform messaging.merge_questions(kept.id, gone.id);
  if merged.identity_key <> messaging.phone_identity_key(merged.phone) then
    -- From now on the phone is its identity, as by assign_contact_phone.
    update messaging.contacts c set identity_key = messaging.phone_identity_key(c.phone)
    where c.id = kept.id
    returning c.* into merged;
  end if;
  perform messaging.refresh_contact_search(merged.id);
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    person || jsonb_build_object('mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
  if merged.consent_marketing <> consent_before then
    perform messaging.record_consent_event(merged);
  end if;
  perform messaging.merge_words(merged);
  perform messaging.record_conversation_changes(kept_conversation, conversation_before);
  if paused_until > clock_timestamp() then
    perform messaging.record_agent_pauses(array[kept.id]);
  end if;
  perform messaging.release_waiting_messages(kept.id);
  if merged.last_inbound_at is not null then
    perform messaging.release_known_contacts(array[kept.id]);
  end if;
  -- Before the rows of contact_activity are locked: a settlement of either contact waits for those.
  perform messaging.move_merged_messages(gone.id, 500);
  perform messaging.merge_idle_watches(kept.id, gone.id);
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
  kept messaging.conversations, gone messaging.conversations
) returns void language plpgsql set search_path = '' as $$
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
  -- What was told last decides, of whichever conversation.
  perform messaging.change_control(kept.id, gone.handled_by, 'merged', gone.control_at)
  where gone.control_at > kept.control_at;
  -- A row that a worker has claimed already names the former conversation: the worker finds none.
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  select o.workspace_id, o.kind,
    o.payload || jsonb_build_object('conversationId', kept.id),
    coalesce(
      (select t.due_at from messaging.conversation_turns t where t.contact_id = kept.contact_id),
      least(o.run_at, clock_timestamp() + interval '3 seconds')
    ),
    kept.id
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

-- merge_contacts: locks the questions and payments of these contacts, after the messages of the live ones, as what
-- settles a message does. The caller holds the contacts.
create or replace function messaging.hold_what_was_asked(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.messages m
  where m.id = any (array(
    select q.message_id from messaging.questions q
    where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
    union all
    select p.message_id from messaging.payments p where p.contact_id = any (contact_ids)
  ))
  order by m.id
  for no key update;
  perform from messaging.questions q
  where q.contact_id = any (contact_ids)
  order by q.id
  for no key update;
  perform from messaging.payments p
  where p.contact_id = any (contact_ids)
  order by p.message_id
  for no key update;
end;
$$;

-- merge_contacts: the questions of the contact that is gone are the surviving one's. Of two open ones the one that
-- left last stays. The caller holds the questions of both.
create or replace function messaging.merge_questions(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  older uuid;
begin
  update messaging.questions q set contact_id = kept_id where q.contact_id = gone_id;
  for older in
    select q.id from messaging.questions q
    where q.contact_id = kept_id and q.status = 'open'
    order by q.opened_at desc, q.id desc
    offset 1
  loop
    perform messaging.end_question(older, 'canceled', 'replaced');
  end loop;
end;
$$;

-- Moves at most `max_rows` messages, and as many files, of a contact that was merged to the one that it is
-- now; with the last of them the contact goes, and its conversation.
-- Never waits: what another transaction holds moves with the next step.
-- Returns whether nothing is left. The caller holds the contact, so that nobody writes to it; its survivor
-- cannot be deleted.
create or replace function messaging.move_merged_messages(merged uuid, max_rows integer)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids uuid[] := array(
    select m.id from messaging.messages m
    where m.contact_id = merged
    limit max_rows
    for no key update skip locked
  );
begin
  perform messaging.move_messages(ids);
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

-- Moves messages of a contact that was merged to the one that it is now: see message_after_merge. The caller holds
-- them. Records no event: the merge has been recorded.
create or replace function messaging.move_messages(message_ids uuid[])
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set (contact_id, conversation_id, phone_given) = (
    select moved.contact_id, moved.conversation_id, moved.phone_given
    from messaging.message_after_merge(m) as moved
  )
  where m.id = any (message_ids);
end;
$$;

-- Records further addresses of a person that the channel names beside a message of ours: from now on each of them
-- finds the contact. Where messages go stays as it is. Addresses of other contacts stay theirs, and a person
-- without a contact gets none; contacts that turn out to be one person are merged: see find_shown_contact.
-- `event`: address, otherAddresses; a username among them is left out. Returns whether one was new. The
-- caller holds lock_addresses.
create or replace function messaging.record_addresses(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  addresses constant text[] := array[event->>'address'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  contact messaging.contacts;
  added text[];
begin
  contact := messaging.find_shown_contact(instance_id, addresses);
  perform from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for no key update;
  if not found then
    return false;
  end if;
  with stored as (
    insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
    select distinct on (messaging.phone_identity_key(seen.address))
      record_addresses.instance_id, seen.address, contact.id, '-infinity'
    from unnest(addresses) with ordinality as seen(address, place)
    -- What its own key finds needs no address.
    where messaging.phone_identity_key(seen.address) <> contact.identity_key
    order by messaging.phone_identity_key(seen.address), seen.place
    on conflict do nothing
    returning address
  )
  select array_agg(stored.address) into added from stored;
  if added is null then
    return false;
  end if;
  perform messaging.recall_denials(record_addresses.instance_id, contact.id, added);
  perform messaging.note_contact(contact.id);
  return true;
end;
$$;

-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_contact_changes(
  instance_id uuid, contact_id uuid, before jsonb
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
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
    record_contact_changes.instance_id, c.id, 'contact.updated',
    messaging.event_person(c) || jsonb_build_object('fieldsUpdated', changed)
  )
  from messaging.contacts c
  where c.id = record_contact_changes.contact_id;
end;
$$;

-- Records what a person is called and looks like, as the channel tells it. `event`: address, otherAddresses,
-- source, name, profilePictureUrl, at.
-- profile: what the person calls itself; it replaces only such a name, and makes no contact.
-- address_book: the entry on the business's phone. It replaces a profile's name and the entry's former one, and
-- makes the contact; a name that a call has given stays. An entry that is removed (no name) leaves the name,
-- until the person's profile tells another one. The newest entry by the phone's clock counts.
-- Returns whether anything changed. The caller holds lock_addresses.
-- Errors: MI055, as find_or_add_contact; the call must be repeated.
create or replace function messaging.record_contact_name(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_entry constant boolean := event->>'source' = 'address_book';
  told_name constant text := event->>'name';
  told_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts := messaging.find_contact(instance_id, event->>'address');
  named messaging.contacts;
  other text;
begin
  for other in select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]')) loop
    exit when contact.id is not null;
    contact := messaging.find_contact(instance_id, other);
  end loop;
  if contact.id is null then
    if not is_entry or told_name is null then
      return false;
    end if;
    select (f.contact).* into contact
    from messaging.find_or_add_contact(record_contact_name.instance_id, event->>'address') as f;
    update messaging.contacts c
    set origin = 'address_book', name = told_name, phone_book_name = told_name,
      phone_book_at = told_at
    where c.id = contact.id;
    perform messaging.record_new_contacts(array[contact.id]);
    perform messaging.note_contact(contact.id);
    return true;
  end if;
  select c.* into contact from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for no key update;
  if not found or is_entry and told_at < contact.phone_book_at then
    return false;
  end if;
  update messaging.contacts c
  set name = case
      when told_name is null then c.name
      when c.name is null or c.is_profile_name or is_entry and c.name = c.phone_book_name
        then told_name
      else c.name
    end,
    is_profile_name = case
      when is_entry and told_name is null
        then c.is_profile_name or coalesce(c.name = c.phone_book_name, false)
      when told_name is null then c.is_profile_name
      else not is_entry and (c.is_profile_name or c.name is null)
    end,
    phone_book_name = case when is_entry then told_name else c.phone_book_name end,
    phone_book_at = case when is_entry then told_at else c.phone_book_at end,
    profile_picture_url = picture.url,
    profile_picture_at = case
      when picture.is_new then clock_timestamp() else c.profile_picture_at
    end
  from (
    select shown.is_new, case when shown.is_new then event->>'profilePictureUrl'
      else contact.profile_picture_url end as url
    from (
      select coalesce(
        event->>'profilePictureUrl' <> coalesce(contact.profile_picture_url, '')
          and messaging.may_refresh_picture(contact.profile_picture_at, clock_timestamp()),
        false
      ) as is_new
    ) as shown
  ) as picture
  where c.id = contact.id
  returning c.* into named;
  perform messaging.record_contact_changes(
    record_contact_name.instance_id, contact.id, jsonb_build_object('name', contact.name)
  )
  where named.name is distinct from contact.name;
  perform messaging.note_contact(contact.id)
  where named.profile_picture_url is distinct from contact.profile_picture_url;
  return (named.name, named.is_profile_name, named.phone_book_name, named.profile_picture_url)
    is distinct from
    (contact.name, contact.is_profile_name, contact.phone_book_name, contact.profile_picture_url);
end;
$$;

-- Records the key that a contact writes with. `event`: address, otherAddresses, identity, isNotice, source,
-- noticeId, at. Tells contact.identity_changed where it is another one, or where the channel says so and none
-- was known; once for a change, however many webhooks tell it: see is_same_identity_change. A person who is
-- unknown is left unknown. Returns whether anything changed. Locks the contact.
create or replace function messaging.record_identity_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  seen text;
  told_at constant timestamptz := messaging.event_instant(event);
  names constant jsonb := jsonb_build_array(event->'identity')
    || coalesce(nullif(event->'noticeId', 'null'), '[]');
  is_known boolean;
  is_same boolean;
begin
  foreach seen in array array[event->>'address'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    contact := messaging.find_contact(record_identity_event.instance_id, seen);
    exit when contact.id is not null;
  end loop;
  select c.* into contact from messaging.contacts c where c.id = contact.id for no key update;
  is_known := coalesce(
    contact.channel_identity = event->>'identity'
      or contact.identity_change->'names' ? (event->>'identity'),
    false
  );
  if contact.id is null
    -- A late message of before the change.
    or contact.identity_change->'former' ? (event->>'identity')
    or is_known and coalesce(contact.identity_change->'sources' ? (event->>'source'), true) then
    return false;
  end if;
  is_same := is_known
    or messaging.is_same_identity_change(contact.identity_change, event, told_at);
  update messaging.contacts c
  set channel_identity = case
      -- A notice without a key is called by its id.
      when is_known or is_same and event->>'identity' = event->>'noticeId' then c.channel_identity
      else event->>'identity'
    end,
    identity_change = case
      when is_same then jsonb_build_object(
        'at', greatest(told_at, (c.identity_change->>'at')::timestamptz),
        'sources', c.identity_change->'sources' || jsonb_build_array(event->'source'),
        'names', c.identity_change->'names' || names,
        'former', c.identity_change->'former'
      )
      when c.channel_identity is not null or (event->>'isNotice')::boolean then jsonb_build_object(
        'at', told_at,
        'sources', jsonb_build_array(event->'source'),
        'names', names,
        'former', coalesce(c.identity_change->'names', '[]')
          || coalesce(to_jsonb(c.channel_identity), '[]')
      )
    end
  where c.id = contact.id;
  if is_same or contact.channel_identity is null and not (event->>'isNotice')::boolean then
    return false;
  end if;
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.identity_changed',
    messaging.event_person(contact) || jsonb_build_object(
      'reason', 'device_changed',
      'identity', event->'identity',
      'previousIdentity', contact.channel_identity
    )
  );
  return true;
end;
$$;

-- Whether a notice of another key of a person reports the last recorded change (`change`, as in
-- contacts.identity_change) once more: under one of its names; or by a kind of notice (`source`) that has not
-- reported it yet, since each kind has a name of its own for a key; or by a system message that is no younger
-- than the change's report.
create or replace function messaging.is_same_identity_change(
  change jsonb, event jsonb, told_at timestamptz
) returns boolean language sql stable
return coalesce(
  change -> 'names' ? (event ->> 'noticeId')
  or case
    when event ->> 'source' = 'system' then told_at <= (change ->> 'at')::timestamptz
    else not change -> 'sources' ? (event ->> 'source')
  end,
  false
);

-- Records contact.created for contacts that the caller has just inserted, with the state they have now.
-- NULL ids mean none. `identities`: those of one contact beside its phone (see told_identities), whose addresses the
-- caller has yet to store; NULL for those that are stored.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_new_contacts(
  contact_ids uuid[], identities jsonb default null
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  denied messaging.contacts;
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.record_event(
    c.instance_id, c.id, 'contact.created',
    jsonb_build_object('contactId', c.id, 'phone', c.phone, 'name', c.name) || coalesce(
      identities,
      -- Who is made by a phone has nothing else yet.
      case when c.phone is null then (
        select jsonb_strip_nulls(h.identities) from messaging.hidden_identities(c.id) as h
      ) end,
      '{}'
    )
  )
  from messaging.contacts c
  where c.id = any (contact_ids);
  -- Who had denied marketing before an erasure is `denied` from the beginning: see recall_denial.
  for denied in
    select c.* from messaging.contacts c
    where c.id = any (contact_ids) and c.consent_marketing <> 'unknown'
    order by c.id
  loop
    insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
    values (
      denied.instance_id, denied.id, denied.consent_marketing, denied.consent_at,
      denied.consent_source
    );
    perform messaging.record_consent_event(denied);
  end loop;
end;
$$;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- A changed user id is recorded once as contact.identity_changed, in however many places the provider reports it.
-- Returns whether anything changed.
-- Errors: MI055 where another call has created or merged the contact meanwhile.
-- Over 80 lines: each step decides by what the ones before it have found.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
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
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      record_number_change.instance_id,
      case when messaging.is_phone(event->>'newAddress') then event->>'newAddress' end,
      messaging.phone_identity_key(event->>'newAddress'), 'inbound'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    if contact.id is null then
      raise exception using errcode = 'MI055', message = 'created meanwhile';
    end if;
    perform messaging.record_new_contacts(
      array[contact.id],
      messaging.told_identities(array[event->>'newAddress'] || array(
        select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
      ))
    );
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
    perform messaging.record_event(
      contact.instance_id, contact.id, 'contact.identity_changed',
      messaging.event_person(contact) || jsonb_build_object(
        'reason', 'user_id_changed',
        'userId', event->'newAddress',
        'previousUserId', event->'oldAddress'
      )
    );
  end if;
  if is_recorded then
    perform messaging.note_contact(contact.id);
    perform messaging.refresh_contact_search(contact.id);
  end if;
  return is_recorded;
end;
$$;

-- For a reader that found a contact in an earlier statement, when it has read. NULL is none.
-- Errors: MI055 where the contact was merged or erased since; the call must be repeated.
create or replace function messaging.refuse_merged(contact_id uuid)
returns void language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from messaging.contacts c
    where c.id = refuse_merged.contact_id and c.merged_into is null
  ) and contact_id is not null then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;

-- Makes the newest word of a contact's person the consent of all contacts of that person in the workspace, with
-- an event for each that it changes. An own word of a contact that is newer stays: it is no word of the
-- person yet, or none any more (see change_people_scopes).
-- Returns whether all have it; false where another transaction holds one of them. Older words of the person
-- are deleted where `cleans`.
-- Lock order over instances: a transaction waits for no contact, address or row of an instance while it holds
-- what is another's. So the contacts of other instances are locked here alone, as the last but the rows of
-- contact_activity, and only those that are free; nothing is waited for but those rows, and their
-- holders wait for nothing.
create or replace function messaging.tell_person(contact_id uuid, cleans boolean default false)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  of_workspace uuid;
  speaker messaging.contacts;
  person record;
  word messaging.person_words;
  follower messaging.contacts;
begin
  select c.* into speaker from messaging.contacts c
  where c.id = coalesce(
    (select a.merged_into from messaging.contact_activity a where a.contact_id = tell_person.contact_id),
    tell_person.contact_id
  ) and c.merged_into is null;
  if not found then
    return true;
  end if;
  select i.workspace_id into of_workspace
  from messaging.instances i where i.id = speaker.instance_id;
  person := messaging.person_contacts(
    of_workspace, array(select p.identity_key from messaging.person_identities(speaker.id) as p)
  );
  word := messaging.newest_word(of_workspace, person.identities);
  if word.id is null then
    return true;
  end if;
  for follower in
    select c.* from messaging.contacts c
    where c.id = any (person.contact_ids) and messaging.is_untold(c, word)
    order by c.id
    for no key update skip locked
  loop
    perform messaging.follow_word(follower, word);
  end loop;
  if cleans then
    delete from messaging.person_words w
    where w.id = any (array(
      select older.id from messaging.person_words older
      where older.workspace_id = of_workspace and older.identity_key = any (person.identities)
        and (older.said_at, older.id) < (word.said_at, word.id)
        and exists (
          select from messaging.person_words newer
          where newer.workspace_id = older.workspace_id and newer.identity_key = older.identity_key
            and (newer.said_at, newer.id) > (older.said_at, older.id)
        )
      order by older.id
      for update skip locked
    ));
  end if;
  return not exists (
    select from messaging.contacts c
    where c.id = any (person.contact_ids) and messaging.is_untold(c, word)
  );
end;
$$;

-- Of the addresses that an event shows of one person: {userId, username, lid}, of each the first, without those that
-- it does not show.
create or replace function messaging.told_identities(addresses text[])
returns jsonb language sql immutable set search_path = '' as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'userId', (array_agg(a.address order by a.place) filter (where a.kind = 'user_id'))[1],
    'username', substr(
      (array_agg(a.address order by a.place) filter (where a.kind = 'username'))[1],
      length('username:') + 1
    ),
    'lid', (array_agg(a.address order by a.place) filter (where a.kind = 'lid'))[1]
  ))
  from (
    select seen.address, seen.place, messaging.address_kind(seen.address) as kind
    from unnest(addresses) with ordinality as seen(address, place)
  ) as a;
$$;

-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- `sent_at`: when messages were sent to them, by their place; NULL where the change is another one.
-- Returns their rows; none for a contact that is no more.
-- Locks their rows in the order of the ids. An upsert, because its look-up is always by the primary key;
-- an update's may be by another index where statistics are poor, in another order.
create or replace function messaging.touch_contacts(
  contact_ids uuid[], sent_at timestamptz[] default null
) returns setof messaging.contact_activity language plpgsql set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select living.id, living.instance_id, messaging.change_instant(living.instance_id), living.sent_at
  from (
    select coalesce(c.merged_into, c.id) as id, c.instance_id, max(noted.sent_at) as sent_at
    from unnest(contact_ids, touch_contacts.sent_at) as noted(id, sent_at)
    cross join lateral (
      select own.id, own.merged_into, own.instance_id from messaging.contacts own
      where own.id = noted.id
      offset 0
    ) as c
    group by 1, 2
  ) as living
  order by living.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = messaging.awaits_reply_after(
      a.awaits_reply, a.last_message_at, excluded.last_message_at
    )
  returning a.*;
end;
$$;

-- Touches the contacts that this transaction has noted (see note_contact and record_message_change), and writes
-- what their last messages are. Before that, brings what it has noted of persons (see note_person) to their
-- contacts at other instances; a contact that another transaction holds is left to the dispatcher. The last step
-- of an RPC that locks anything.
-- `messaging.sent_contacts` holds `contact@instant,` for each message that was sent now, which is the contact's
-- last one. Of a contact that is noted otherwise too the messages are read anew.
create or replace function messaging.touch_noted_contacts()
returns void language plpgsql set search_path = '' as $$
declare
  noted text := current_setting('messaging.noted_persons', true);
  sent constant text := coalesce(current_setting('messaging.sent_contacts', true), '');
  touched messaging.contact_activity[];
begin
  if current_setting('messaging.idle_noted', true) <> '' then
    perform messaging.watch_idle_conversations();
  end if;
  if noted <> '' then
    perform set_config('messaging.noted_persons', '', true);
    perform messaging.tell_person(person.id::uuid)
    from unnest(string_to_array(rtrim(noted), ' ')) as person(id);
  end if;
  noted := coalesce(current_setting('messaging.noted_contacts', true), '');
  if sent <> '' then
    perform set_config('messaging.sent_contacts', '', true);
    if noted = '' then
      perform messaging.touch_contacts(
        array_agg(split_part(s, '@', 1)::uuid), array_agg(split_part(s, '@', 2)::timestamptz)
      )
      from string_to_table(rtrim(sent, ','), ',') as s;
      return;
    end if;
    noted := noted || regexp_replace(sent, '@[^,]*,', ' ', 'g');
  end if;
  if noted = '' then
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

-- touch_noted_contacts: watches the silences that begin with the messages that this transaction has noted in
-- messaging.idle_noted (see record_message_change): `contact@instant@awaiting@message,` each. The newest
-- message of a conversation counts. Locks their rows of idle_watches in the order of the contacts.
create or replace function messaging.watch_idle_conversations()
returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  noted constant text := current_setting('messaging.idle_noted', true);
  watches messaging.idle_watches[];
begin
  perform set_config('messaging.idle_noted', '', true);
  watches := array(
    select row(
      newest.contact_id, v.instance_id, v.id, newest.awaiting, newest.since,
      newest.message_id, messaging.idle_due_at(i.idle, newest.awaiting, newest.since, newest.since)
    )::messaging.idle_watches
    from (
      select distinct on (living.id) living.id as contact_id, part.fields[3] as awaiting,
        part.fields[2]::timestamptz as since, part.fields[4]::uuid as message_id
      from string_to_table(rtrim(noted, ','), ',') with ordinality as n(entry, place)
      cross join lateral (select string_to_array(n.entry, '@')) as part(fields)
      cross join lateral (
        select coalesce(c.merged_into, c.id) from messaging.contacts c
        where c.id = part.fields[1]::uuid
        offset 0
      ) as living(id)
      order by living.id, part.fields[2]::timestamptz desc, n.place desc
    ) as newest
    cross join lateral (
      select own.id, own.instance_id from messaging.conversations own
      where own.contact_id = newest.contact_id
      offset 0
    ) as v
    cross join lateral (
      select own.idle from messaging.instances own where own.id = v.instance_id offset 0
    ) as i
    order by newest.contact_id
  );
  insert into messaging.idle_watches as w
  select watched.*
  from unnest(watches) as watched
  where watched.due_at is not null
  order by watched.contact_id
  on conflict on constraint idle_watches_pkey do update
  set conversation_id = excluded.conversation_id, awaiting = excluded.awaiting,
    since = excluded.since, last_message_id = excluded.last_message_id, due_at = excluded.due_at
  where w.since <= excluded.since;
  delete from messaging.idle_watches w
  using unnest(watches) as watched
  where watched.due_at is null and w.contact_id = any (array[watched.contact_id])
    and w.since <= watched.since;
end;
$$;

-- Why words of the service may not go to a contact now, as the error's code; NULL where they may. On the official
-- channel a contact of whom no message is known counts as outside the window.
create or replace function messaging.words_refusal(
  instance messaging.instances, contact_id uuid, clock timestamptz
) returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select case
      when c.is_blocked then 'contact_blocked'
      when not messaging.is_window_open(instance.provider_class, c.last_inbound_at, null, clock)
        then 'outside_conversation_window'
    end
    from messaging.contacts c
    where c.id = words_refusal.contact_id
  );
end;
$$;

-- mcp: whether a send by a tool may go. `request`: instanceId, tokenId, callKey (of tool, intent and recipient),
-- and exactly one of phone, contactId and userId.
-- Returns {refusal, retryAfterSeconds}: `refusal` is NULL, `recipient_not_known` (the token may write to
-- people with a contact that no such call has made, or who have written) or `hourly_limit`, of which a
-- repeated call spends nothing. A contact that a call makes has the origin `mcp`.
-- Locks the token, so that its calls are counted one after the other, then as resolve_recipient does.
-- Errors: MI031, MI035, MI055 (the call must be repeated), MI037: see find_or_add_recipient.
create or replace function public.admit_mcp_send(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
  if
    token.mcp_recipients = 'known'
    and (contact.id is null or contact.origin = 'mcp' and contact.last_inbound_at is null)
  then
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

-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, contactId or userId (one of them), tag, q, assignedTo (operator's UUID or e-mail), consent,
-- updatedSince (inclusive), referral (whether an ad or post brought it). An unknown phone, userId or tag has
-- no contacts. Returns {items, next}: items see describe_contacts; a page may be short, see list_contact_ids.
-- Errors: MI001; MI031 and MI035 see find_recipient; MI055 see refuse_merged.
create or replace function public.list_contacts(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince', 'referral', request->>'referral'
  ));
  tag_id uuid;
  contact_id uuid;
  page jsonb;
  items jsonb;
begin
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
  items := messaging.describe_contacts(
    instance, array(select f.id::uuid from jsonb_array_elements_text(page->'ids') as f(id))
  );
  -- A contact may have changed since the page was read. Its newer instant would lead a reader past the
  -- changes of transactions under way, so it is listed by the instant that was read, and comes again.
  if filters ? 'updatedSince' then
    select coalesce(jsonb_agg(
      i.item || jsonb_build_object('updatedAt', messaging.iso_in_zone(
        (page->'instants'->>(i.item->>'contactId'))::timestamptz, instance.time_zone
      ))
      order by i.place
    ), '[]') into items
    from jsonb_array_elements(items) with ordinality as i(item, place);
  end if;
  perform messaging.refuse_merged(contact_id);
  return jsonb_build_object('items', items, 'next', page->'next');
end;
$$;

-- One step of a change of a workspace's peopleScope. What is said from the change on follows it at once: each
-- instance's row says the scope. This brings what was said before.
-- To `workspace`: the transactions under way end (`waiting`); what each contact has said last becomes a word of
-- its person (`collecting`, `max_contacts` contacts a step); the newest word of each person is brought to its
-- contacts (`telling`, `max_persons`). To `instance`: every contact keeps the consent that it has, and the words go
-- (`forgetting`). A step is one transaction, and where it stands is stored with it: one that is cut off is
-- taken again.
-- Returns whether a step was taken. A change that another dispatcher has in hand is passed over.
create or replace function messaging.change_people_scopes(max_persons integer, max_contacts integer)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  change messaging.people_scope_changes;
begin
  select c.* into change from messaging.people_scope_changes c
  where c.phase <> 'waiting' or c.waits_for is null or not exists (
    select from pg_catalog.pg_locks l where l.virtualtransaction = any (c.waits_for)
  )
  order by c.started_at
  limit 1
  for no key update skip locked;
  if not found then
    return false;
  end if;
  if change.phase = 'waiting' and change.waits_for is null then
    change.waits_for := array(
      select distinct l.virtualtransaction
      from pg_catalog.pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 2 and l.pid <> pg_backend_pid()
        and l.classid = any (0::oid || array(
          select (uuid_hash(i.id)::bigint & 4294967295)::oid
          from messaging.instances i where i.workspace_id = change.workspace_id
        ))
        and l.database = (
          select d.oid from pg_catalog.pg_database d where d.datname = current_database()
        )
    );
  elsif change.phase = 'waiting' then
    change.waits_for := null;
    select case w.people_scope when 'instance' then 'forgetting' else 'collecting' end
    into change.phase
    from messaging.workspaces w where w.id = change.workspace_id;
    if change.phase = 'collecting' then
      select count(*) into change.total
      from messaging.instances i
      join messaging.contact_search s on s.instance_id = i.id
      where i.workspace_id = change.workspace_id;
    end if;
  elsif change.phase = 'forgetting' then
    change := messaging.forget_words(change, max_contacts);
  else
    change := messaging.walk_people(
      change, case when change.phase = 'telling' then max_persons else max_contacts end
    );
  end if;
  if change.phase is null then
    delete from messaging.people_scope_changes c where c.workspace_id = change.workspace_id;
  else
    update messaging.people_scope_changes c
    set phase = change.phase, waits_for = change.waits_for, instance_id = change.instance_id,
      after_at = change.after_at, after_id = change.after_id, done = change.done, total = change.total
    where c.workspace_id = change.workspace_id;
  end if;
  return true;
end;
$$;

-- change_people_scopes: deletes at most `max_words` words of a workspace in which instances stand for themselves
-- again, once its contacts follow them. Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.forget_words(
  change messaging.people_scope_changes, max_words integer
) returns messaging.people_scope_changes language plpgsql set search_path = '' as $$
declare
  gone integer;
begin
  if exists (
    select from messaging.person_updates u where u.workspace_id = change.workspace_id
  ) then
    return change;
  end if;
  delete from messaging.person_words w
  where w.id = any (array(
    select old.id from messaging.person_words old
    where old.workspace_id = change.workspace_id
    limit max_words
    for update skip locked
  ));
  get diagnostics gone = row_count;
  change.done := change.done + gone;
  if gone = 0 then
    change.phase := null;
  end if;
  return change;
end;
$$;

-- change_people_scopes: the next `max_contacts` contacts of the workspace, instance by instance, in the order of
-- contact_search. While it collects, what each has said last becomes a word of its person; the log knows when
-- it was said again. So does what was said before an erasure at any instance. While it tells, the person's
-- contacts follow its newest word. Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.walk_people(
  change messaging.people_scope_changes, max_contacts integer
) returns messaging.people_scope_changes language plpgsql set search_path = ''
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  page record;
  keeping uuid[];
begin
  if change.phase = 'collecting' then
    keeping := messaging.keeping_instances(
      array(select i.id from messaging.instances i where i.workspace_id = change.workspace_id)
    );
    -- A person's hashes are as many as the instances that keep some.
    max_contacts := greatest(max_contacts / (1 + cardinality(keeping)), 1);
  end if;
  select coalesce(array_agg(s.contact_id order by s.created_at, s.contact_id), '{}') as contact_ids,
    max(s.created_at) as last_at,
    (array_agg(s.contact_id order by s.created_at desc, s.contact_id desc))[1] as last_id
  into page
  from (
    select found.contact_id, found.created_at
    from messaging.contact_search found
    where found.instance_id = change.instance_id
      and (found.created_at, found.contact_id) > (change.after_at, change.after_id)
    order by found.created_at, found.contact_id
    limit max_contacts
  ) as s;
  if change.phase = 'collecting' then
    insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
    select change.workspace_id, known.identity_key, c.consent_marketing,
      greatest(c.consent_at, said.again_at), coalesce(c.consent_source, 'api')
    from unnest(page.contact_ids) as walked(contact_id)
    join messaging.contacts c on c.id = walked.contact_id
    left join lateral (
      select max(l.said_at) as again_at
      from messaging.consent_log l
      where l.contact_id = c.id and l.marketing = c.consent_marketing
    ) as said on true
    cross join lateral messaging.person_identities(c.id) as known
    where c.consent_marketing <> 'unknown' and c.merged_into is null
      and greatest(c.consent_at, said.again_at) is not null;
    perform messaging.recall_erased_denials(change.workspace_id, keeping, page.contact_ids);
  else
    insert into messaging.person_updates (workspace_id, contact_id)
    select change.workspace_id, c.id
    from unnest(page.contact_ids) as walked(contact_id)
    join messaging.contacts c on c.id = walked.contact_id
    where c.consent_marketing <> 'unknown' and c.merged_into is null
      and not messaging.tell_person(c.id);
  end if;
  change.done := change.done + cardinality(page.contact_ids);
  if cardinality(page.contact_ids) = max_contacts then
    change.after_at := page.last_at;
    change.after_id := page.last_id;
    return change;
  end if;
  change.after_at := '-infinity';
  change.after_id := '00000000-0000-0000-0000-000000000000';
  select i.id into change.instance_id
  from messaging.instances i
  where i.workspace_id = change.workspace_id
    and (change.instance_id is null or i.id > change.instance_id)
  order by i.id
  limit 1;
  if change.instance_id is null and change.phase = 'collecting' then
    change.phase := 'telling';
    change.done := 0;
  elsif change.instance_id is null then
    change.phase := null;
  end if;
  return change;
end;
$$;

-- walk_people: what persons had denied before an erasure at the instances `keeping` becomes a word of those of
-- these contacts that are the same persons. update_people brings it to them. Errors: see known_denials.
create or replace function messaging.recall_erased_denials(
  workspace_id uuid, keeping uuid[], contact_ids uuid[]
) returns void language plpgsql set search_path = '' as $$
declare
  identities constant text[] := array(
    select distinct known.identity_key
    from unnest(contact_ids) as walked(contact_id)
    cross join lateral messaging.person_identities(walked.contact_id) as known
    where cardinality(keeping) > 0
  );
  denied text[];
begin
  with denials as (
    select k.identity_key, k.kept_at from messaging.known_denials(keeping, identities) as k
  ),
  said as (
    insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
    select recall_erased_denials.workspace_id, d.identity_key, 'denied', d.kept_at, 'erasure'
    from denials d
    returning identity_key
  )
  select array_agg(said.identity_key) into denied from said;
  insert into messaging.person_updates (workspace_id, contact_id)
  select distinct recall_erased_denials.workspace_id, c.id
  from unnest(contact_ids) as walked(contact_id)
  join messaging.contacts c on c.id = walked.contact_id and c.merged_into is null
  cross join lateral messaging.person_identities(c.id) as known
  where known.identity_key = any (denied);
end;
$$;

-- A note on a conversation, for operators' eyes. Returns its id. Locks the conversation, see internal_notes.
create or replace function messaging.add_internal_note(
  instance_id uuid, conversation_id uuid, note text
) returns uuid language sql set search_path = '' as $$
  select from messaging.conversations c
  where c.id = add_internal_note.conversation_id for no key update;
  insert into messaging.internal_notes (instance_id, conversation_id, note)
  values (add_internal_note.instance_id, add_internal_note.conversation_id, add_internal_note.note)
  returning id;
$$;

-- Assigns a conversation to an operator (specification, section 3; decisions, section 4), for
-- conversations-api/assign and send-message. `assignment`: assignTo, departmentId, and portfolio, which puts
-- the contact into the operator's portfolio or, false, takes it out of the one that it is in; a transfer that does not
-- say takes it out of the former operator's.
-- Assigning the present operator again changes nothing about the operator. A change of operator writes
-- the transfer log and an automatic note. Each new operator gets an e-mail through the outbox, in the
-- caller's transaction. Locks the conversation. Errors: MI001, MI002.
-- Over 80 lines: what one assignment changes, table by table.
create or replace function messaging.assign_conversation(
  instance messaging.instances, contact messaging.contacts, conversation messaging.conversations,
  assignment jsonb
) returns jsonb language plpgsql set search_path = '' as $$
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
  elsif is_transfer or assignment->>'portfolio' is not null then
    delete from messaging.portfolios p
    where p.contact_id = contact.id
      and (p.operator_id <> operator.id or assignment->>'portfolio' is not null);
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

-- Records who holds a conversation of the official channel: `handled_by` us, channel_agent or other. `reason`:
-- passed or taken (a handover that the channel tells, or that a call has asked for), released (by a call),
-- message (it gave us a message of the contact), standby (it showed us one that another one got), merged.
-- `former` is who held it until then, where the channel says so; `summary` is what the former holder tells of it.
-- What was told before the last decision changes nothing. Tells conversation.control_changed where the holder is
-- another one, or where the channel tells a handover from another one that had not been seen to hold it. Whom the
-- channel hands a conversation has to answer: the agent is asked. Returns whether it was news.
-- Locks the conversation, then as request_agent_reply.
create or replace function messaging.change_control(
  conversation_id uuid, handled_by text, reason text, told_at timestamptz, former text default null,
  summary text default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  before messaging.conversations;
  previous text;
begin
  select c.* into before from messaging.conversations c
  where c.id = change_control.conversation_id for no key update;
  if before.id is null or told_at < before.control_at then
    return false;
  end if;
  previous := case
    when before.handled_by = change_control.handled_by and told_at > before.control_at
      then coalesce(former, before.handled_by)
    when before.handled_by = 'other' then coalesce(former, 'other')
    else before.handled_by
  end;
  update messaging.conversations c
  set handled_by = change_control.handled_by, control_at = told_at
  where c.id = before.id;
  if previous = change_control.handled_by then
    return false;
  end if;
  perform messaging.note_contact(before.contact_id);
  perform messaging.record_event(
    before.instance_id, before.contact_id, 'conversation.control_changed', jsonb_build_object(
      'contactId', before.contact_id,
      'conversationId', before.id,
      'handledBy', change_control.handled_by,
      'previous', previous,
      'reason', reason
    ) || case
      when summary is null then '{}' else jsonb_build_object('summary', summary)
    end
  );
  if change_control.handled_by = 'us' and reason = 'passed' then
    perform messaging.request_agent_reply(i, c.id, before.id, c.last_inbound_at)
    from messaging.contacts c
    join messaging.instances i on i.id = c.instance_id
    where c.id = before.contact_id and c.last_inbound_at is not null;
  end if;
  return true;
end;
$$;

-- A conversation as conversations-api tells it, with instants in `zone`.
create or replace function messaging.describe_conversation(
  conversation messaging.conversations, zone text
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return (
    select jsonb_build_object(
      'conversationId', conversation.id,
      'contactId', c.id,
      'contact', jsonb_build_object(
        'contactId', c.id, 'phone', messaging.contact_display_phone(c), 'name', c.name
      ),
      'status', conversation.status,
      'handledBy', conversation.handled_by,
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

-- When the next entry of an instance's `idle` is due for a silence since an instant: the first one later than
-- `after`; NULL where none is.
create or replace function messaging.idle_due_at(
  idle jsonb, awaiting text, since timestamptz, after timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return (
    select min(entry.due_at)
    from (
      select since + make_interval(mins => (e.value->>'afterMinutes')::integer) as due_at
      from jsonb_array_elements(idle) as e
      where e.value->>'awaiting' = idle_due_at.awaiting
    ) as entry
    where entry.due_at > after
  );
end;
$$;

-- Whether a filter of a list alone leaves at most `most` contacts or conversations of an instance, so that all
-- of them can be read by an index of another order. `filter`: tag, operator, department (`value` is an id),
-- status, consent, awaiting. False where `value` is NULL: nobody filters so.
create or replace function messaging.is_few(instance_id uuid, filter text, value text, most integer)
returns boolean language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan as $$
declare
  of_instance constant uuid := instance_id;
  of_id constant uuid := case when filter in ('tag', 'operator', 'department') then value::uuid end;
begin
  return value is not null and (
    select count(*) <= most
    from (
      select from messaging.contact_tags g where filter = 'tag' and g.tag_id = of_id
      union all
      select from messaging.conversations v
      where filter = 'operator' and v.instance_id = of_instance and v.assigned_to = of_id
      union all
      select from messaging.conversations v
      where filter = 'department' and v.instance_id = of_instance and v.department_id = of_id
      union all
      select from messaging.conversations v
      where filter = 'status' and v.instance_id = of_instance and v.status = value
        and v.created_at > '-infinity'
      union all
      select from messaging.contact_activity a
      where filter = 'awaiting' and a.instance_id = of_instance and a.awaits_reply
      union all
      select from messaging.contacts k
      where filter = 'consent' and k.instance_id = of_instance and k.consent_marketing = value
        and k.consent_marketing <> 'unknown'
      limit most + 1
    ) as found
  );
end;
$$;

-- A page of a list of a conversation (see conversation_log), oldest first. `request`: instanceId,
-- conversationId, limit, `after` as returned in `next`. Returns {items, next}. Errors: MI014, MI032.
create or replace function messaging.list_conversation_log(request jsonb, list text)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', l.at, 'id', l.id, 'record', l.record)
    from messaging.conversation_log(conversation.id, list, instance.time_zone) as l
    where (l.at, l.id) > (page.after_at, page.after_id)
    order by l.at, l.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- Lets the conversation of two merged contacts be watched from its newest message: the watch of `gone_id` becomes
-- that of `kept_id` where it is the newer one. Locks both rows: call it last.
create or replace function messaging.merge_idle_watches(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  gone messaging.idle_watches;
begin
  delete from messaging.idle_watches w where w.contact_id = gone_id returning w.* into gone;
  if not found then
    return;
  end if;
  insert into messaging.idle_watches as w
  select v.contact_id, v.instance_id, v.id, gone.awaiting, gone.since, gone.last_message_id,
    gone.due_at
  from messaging.conversations v
  where v.contact_id = kept_id
  on conflict on constraint idle_watches_pkey do update
  set awaiting = excluded.awaiting, since = excluded.since,
    last_message_id = excluded.last_message_id, due_at = excluded.due_at
  where w.since < excluded.since;
end;
$$;

-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
-- A closing ends the watch of its silence (see idle_watches).
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations, before jsonb
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
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
    if state->>'status' = 'closed' then
      delete from messaging.idle_watches w where w.contact_id = conversation.contact_id;
    end if;
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.status_changed',
      ids || jsonb_build_object('status', state->'status')
    );
  end if;
end;
$$;

-- Adds a contact's message, which the caller has just stored (at `stored_at`), to the turn of its contact, or begins one: see
-- instances.turns, whose value is `turns`. A turn that is over, or has 50 messages, ends first, so that its event
-- depends on the clock alone and not on when the dispatcher looks. The agent's waiting answer waits for the
-- turn's end. The caller holds the contact: of two messages the later one waits. Locks the conversation, as
-- request_agent_reply does, then the turn, then the agent's outbox row.
create or replace function messaging.join_turn(
  turns jsonb, instance_id uuid, contact_id uuid, conversation_id uuid, message_id uuid,
  stored_at timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  turn messaging.conversation_turns;
begin
  perform from messaging.conversations c where c.id = join_turn.conversation_id for no key update;
  select t.* into turn from messaging.conversation_turns t
  where t.contact_id = join_turn.contact_id for update;
  if turn.due_at > stored_at and cardinality(turn.message_ids) < 50 then
    update messaging.conversation_turns t
    set message_ids = t.message_ids || join_turn.message_id,
      due_at = least(t.ends_by, stored_at + make_interval(secs => t.quiet_seconds))
    where t.contact_id = turn.contact_id
    returning t.due_at into turn.due_at;
    perform messaging.postpone_agent_reply(turn.conversation_id, turn.due_at);
    return;
  end if;
  if turn.contact_id is not null then
    delete from messaging.conversation_turns t where t.contact_id = turn.contact_id;
    perform messaging.tell_turn(turn, least(turn.due_at, stored_at));
    -- What the agent was to answer at the end of the turn.
    update messaging.outbox o
    set run_at = clock_timestamp()
    where o.conversation_id = turn.conversation_id and o.kind = 'agent_reply'
      and o.status = 'pending' and o.claim_token is null and o.attempts = 0
      and o.run_at = turn.due_at;
  end if;
  insert into messaging.conversation_turns (
    contact_id, instance_id, conversation_id, started_at, due_at, ends_by, quiet_seconds, message_ids
  )
  values (
    join_turn.contact_id, join_turn.instance_id, join_turn.conversation_id, stored_at,
    stored_at + make_interval(
      secs => least((turns->>'quietSeconds')::integer, (turns->>'maxSeconds')::integer)
    ),
    stored_at + make_interval(secs => (turns->>'maxSeconds')::integer),
    (turns->>'quietSeconds')::integer, array[join_turn.message_id]
  );
end;
$$;

-- merge_contacts: makes the open turn of `gone_id` that of `kept_id`. Two open ones become one, from the earlier
-- start on; where that would have more than 50 messages, the one that has begun first ends now.
-- The agent's answer that waits in the kept conversation waits for the turn's end.
-- The caller holds both conversations, and has locked no outbox row yet: see join_turn.
create or replace function messaging.merge_turns(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  kept messaging.conversation_turns;
  gone messaging.conversation_turns;
  ids uuid[];
begin
  delete from messaging.conversation_turns t where t.contact_id = gone_id returning t.* into gone;
  if not found then
    return;
  end if;
  delete from messaging.conversation_turns t where t.contact_id = kept_id returning t.* into kept;
  gone.contact_id := kept_id;
  select c.id into strict gone.conversation_id
  from messaging.conversations c where c.contact_id = kept_id;
  if cardinality(kept.message_ids) + cardinality(gone.message_ids) > 50 then
    if kept.started_at <= gone.started_at then
      perform messaging.tell_turn(kept, clock_timestamp());
    else
      perform messaging.tell_turn(gone, clock_timestamp());
      gone := kept;
    end if;
  elsif kept.contact_id is not null then
    ids := kept.message_ids || gone.message_ids;
    gone.message_ids := array(
      select m.id from messaging.messages m where m.id = any (ids) order by m.created_at, m.id
    );
    gone.started_at := least(kept.started_at, gone.started_at);
    gone.ends_by := least(kept.ends_by, gone.ends_by);
    gone.due_at := least(gone.ends_by, greatest(kept.due_at, gone.due_at));
  end if;
  insert into messaging.conversation_turns select gone.*;
  perform messaging.postpone_agent_reply(gone.conversation_id, gone.due_at);
end;
$$;

-- Records conversation.turn for a turn that has ended, which the caller has deleted: the records of its messages, in
-- the order in which they were stored, as they are now. Records that would make the event longer than 20,000 bytes
-- are {messageId} alone, and isTruncated says so. Records nothing where its instance or all of its messages are gone.
create or replace function messaging.tell_turn(
  turn messaging.conversation_turns, ended_at timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  -- Below what fit_event_data lets through, with the members beside the records.
  max_bytes constant integer := 18800;
  -- A signed link takes the place of mediaUrl: see fit_event_data.
  link_bytes constant integer := 500;
  brief_bytes constant integer := 56;
  zone text;
  message messaging.messages;
  record jsonb;
  record_bytes integer;
  records jsonb[] := '{}';
  -- As if all records were brief.
  bytes integer := brief_bytes * cardinality(turn.message_ids);
  is_truncated boolean := false;
begin
  select i.time_zone into zone from messaging.instances i where i.id = turn.instance_id;
  if not found then
    return;
  end if;
  for message in
    select m.*
    from unnest(turn.message_ids) with ordinality as named(id, place)
    join messaging.messages m on m.id = any (array[named.id])
    order by named.place
  loop
    record := messaging.message_record(message, zone, false)
      || messaging.read_message_contact(message.contact_id)
      || coalesce(messaging.message_media(message.media_id, message.content), '{}');
    record_bytes := octet_length(record::text) + 2 - brief_bytes
      + case when message.media_id is null then 0 else link_bytes end;
    if bytes + record_bytes > max_bytes then
      record := jsonb_build_object('messageId', message.id);
      is_truncated := true;
    else
      bytes := bytes + record_bytes;
    end if;
    records := records || record;
  end loop;
  if records = '{}' then
    return;
  end if;
  perform messaging.record_event(
    turn.instance_id, turn.contact_id, 'conversation.turn', jsonb_build_object(
      'contactId', turn.contact_id,
      'conversationId', turn.conversation_id,
      'startedAt', messaging.iso_in_zone(turn.started_at, zone),
      'endedAt', messaging.iso_in_zone(ended_at, zone),
      'messages', to_jsonb(records)
    ) || case when is_truncated then jsonb '{"isTruncated": true}' else '{}' end
  );
end;
$$;

-- The dispatcher: ends the turns whose person was quiet long enough, or that have lasted as long as they may, by
-- conversation.turn (see tell_turn). Takes at most `request`.maxTurns of those that are due, the longest due first;
-- none that another session holds, so it waits for nobody.
-- Returns {ended, isComplete}: how many, and whether nothing is left that is due.
create or replace function public.end_turns(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  most constant integer := (request->>'maxTurns')::integer;
  turn messaging.conversation_turns;
  ended integer := 0;
begin
  for turn in
    with due as materialized (
      select t.contact_id from messaging.conversation_turns t
      where t.due_at <= clock
      order by t.due_at
      limit most
      for update skip locked
    ),
    gone as (
      delete from messaging.conversation_turns t using due
      where t.contact_id = any (array[due.contact_id])
      returning t.*
    )
    select gone.* from gone order by gone.due_at, gone.contact_id
  loop
    ended := ended + 1;
    perform messaging.tell_turn(turn, turn.due_at);
  end loop;
  return jsonb_build_object('ended', ended, 'isComplete', ended < most);
end;
$$;

-- conversations-api control: whom the channel is to be asked about. `request`: instanceId, phone | contactId |
-- userId, idempotency. Returns {contactId, to}; `to` is NULL where the channel has no address of the person; or
-- {replayed}, what the first call with this key has decided. Creates no contact.
-- Errors: MI007, MI008, MI031 (also for an unknown phone or user id), MI035.
create or replace function public.find_control_target(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := case
    when nullif(request->'idempotency', 'null') is not null then messaging.recall_idempotent(request)
  end;
  contact messaging.contacts;
begin
  if replayed is not null then
    return replayed;
  end if;
  contact := messaging.find_recipient((request->>'instanceId')::uuid, request);
  if contact.id is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return jsonb_build_object(
    'contactId', contact.id, 'to', messaging.contact_send_address(contact, null)
  );
end;
$$;

-- conversations-api: conversations of an instance, a page at a time, in the order of creation, or from the
-- newest; with updatedSince (inclusive) in the order of (updated_at, contact), with the tombstones of contacts
-- that are merged or erased, and without what a transaction under way may still precede (see change_horizon).
-- `request`: instanceId, limit, order (`desc`: from the newest; not beside updatedSince), `after` as returned
-- in `next`, and filters, each NULL for any: phone, contactId or userId (one of them), status, assignedTo (an
-- operator's UUID or e-mail), departmentId, tag, awaitingReply, referral (whether an ad or post brought the
-- contact), updatedSince. An unknown phone or userId has no conversations, and no tombstones.
-- Returns {items, next}: see describe_conversation. Errors: MI001, MI002, MI014; MI031 and MI035 see
-- find_recipient; MI055 see refuse_merged.
-- A page reads at most `most_read` conversations: where few of many match, it has fewer items than `limit`,
-- or none, and `next` all the same. It reads them in growing steps, by the way that
-- conversation_list_path chooses. Plans must not depend on statistics: hence the settings below, and
-- "= any (array[...])", of which no plan makes a hash of all rows.
-- Over 80 lines: one statement, in which each index and each order has a branch of its own; those of the other
-- paths read nothing.
create or replace function public.list_conversations(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  most_read constant integer := 5000;
  reading messaging.list_reading := messaging.begin_reading(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_status constant text := request->>'status';
  of_department constant uuid := (request->>'departmentId')::uuid;
  is_referred constant boolean := (request->>'referral')::boolean;
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  is_awaiting constant boolean := (request->>'awaitingReply')::boolean;
  since constant timestamptz := coalesce((request->>'updatedSince')::timestamptz, '-infinity');
  horizon constant timestamptz := case
    when request->>'updatedSince' is not null then messaging.change_horizon(of_instance)
  end;
  names_contact constant boolean :=
    coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null;
  of_contact constant uuid := case
    when names_contact then (messaging.find_recipient(of_instance, request)).id
  end;
  instance messaging.instances;
  of_operator uuid;
  of_tag uuid;
  path text;
  step_read bigint;
  last_read jsonb;
  found_now jsonb[];
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
      return messaging.build_read_page(reading);
    end if;
  end if;
  if names_contact and of_contact is null then
    return messaging.build_read_page(reading);
  end if;
  path := messaging.conversation_list_path(
    of_instance,
    jsonb_build_object(
      'updatedSince', request->'updatedSince', 'contact', of_contact, 'tag', of_tag, 'operator', of_operator,
      'department', of_department, 'status', of_status, 'awaiting', nullif(is_awaiting, false)
    ),
    most_read
  );
  if path in ('tag', 'awaiting') then
    reading.step := most_read;
  end if;
  loop
    with scanned as materialized (
      (
        select v.created_at as at, v.id, v, false as is_deleted, null::uuid as merged_into
        from messaging.conversations v
        where path = 'instance' and not is_backward and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'contact' and v.contact_id = of_contact
          and case
            when is_backward then (v.created_at, v.id) < (reading.after_at, reading.after_id)
            else (v.created_at, v.id) > (reading.after_at, reading.after_id)
          end
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and not is_backward and v.instance_id = of_instance
          and v.assigned_to = of_operator
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and not is_backward and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and not is_backward and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
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
        where not is_backward and (v.created_at, v.id) > (reading.after_at, reading.after_id)
        order by v.created_at, v.id
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'instance' and is_backward and v.instance_id = of_instance
          and v.created_at > '-infinity'
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'operator' and is_backward and v.instance_id = of_instance
          and v.assigned_to = of_operator
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'department' and is_backward and v.instance_id = of_instance
          and v.department_id = of_department
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select v.created_at, v.id, v, false, null::uuid
        from messaging.conversations v
        where path = 'status' and is_backward and v.instance_id = of_instance and v.status = of_status
          and v.created_at > '-infinity'
          and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
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
        where is_backward and (v.created_at, v.id) < (reading.after_at, reading.after_id)
        order by v.created_at desc, v.id desc
        limit reading.step
      )
      union all
      (
        select changed.at, changed.contact_id, v, changed.is_deleted, changed.merged_into
        from (
          select a.updated_at as at, a.contact_id, a.merged_into,
            a.merged_into is not null or a.erased_at is not null as is_deleted
          from messaging.contact_activity a
          where path = 'changes' and a.instance_id = of_instance
            and (a.updated_at, a.contact_id) > (reading.after_at, reading.after_id)
            and a.updated_at >= since and a.updated_at < horizon
          order by a.updated_at, a.contact_id
          limit reading.step
        ) as changed
        left join messaging.conversations v on v.contact_id = any (array[changed.contact_id])
      )
    ),
    matching as (
      select s.at, s.id, s.v, s.is_deleted, s.merged_into
      from scanned s
      where s.is_deleted and (of_contact is null or s.id = of_contact)
        or (s.v).id is not null
        and not s.is_deleted
        and not (s.v).is_merged
        and (of_contact is null or (s.v).contact_id = of_contact)
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
      order by
        case when not is_backward then s.at end, case when not is_backward then s.id end,
        s.at desc, s.id desc
      limit reading.page_size + 1 - cardinality(reading.records)
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
        order by
          case when not is_backward then f.at end, case when not is_backward then f.id end,
          f.at desc, f.id desc
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', s.at, 'id', s.id)
        from scanned s
        order by
          case when is_backward then s.at end, case when is_backward then s.id end,
          s.at desc, s.id desc
        limit 1
      )
    into found_now, step_read, last_read;
    reading := messaging.go_on_reading(reading, found_now, step_read, last_read, most_read);
    exit when reading.is_over;
  end loop;
  perform messaging.refuse_merged(of_contact);
  return messaging.build_read_page(reading);
end;
$$;

-- conversations-api control: the channel has done what it was asked. `request`: instanceId, contactId, handledBy,
-- reason, idempotency. Returns {contactId, conversationId, handledBy, previous}, or {replayed} where another call
-- with this key was first. Errors: MI007, MI008, MI031 (the contact is gone meanwhile), MI035.
create or replace function public.record_control(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  select c.* into conversation from messaging.conversations c
  where c.id = conversation.id for no key update;
  perform messaging.change_control(
    conversation.id, request->>'handledBy', request->>'reason',
    -- The channel tells whole seconds: what the contact writes in the same one counts.
    greatest(date_trunc('second', clock_timestamp()), conversation.control_at)
  );
  outcome := jsonb_build_object(
    'contactId', conversation.contact_id,
    'conversationId', conversation.id,
    'handledBy', request->'handledBy',
    'previous', conversation.handled_by
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- The dispatcher: tells the conversations whose silence has lasted as long as an entry of their instance's `idle`
-- says, by conversation.idle, once for each silence and entry. Takes at most `request`.maxConversations of those
-- that are due, the longest due first; none that another run holds.
-- Returns {told, isComplete}: how many events, and whether nothing is left that is due.
create or replace function public.tell_idle_conversations(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  most constant integer := (request->>'maxConversations')::integer;
  due record;
  taken integer := 0;
  told integer := 0;
begin
  for due in
    with held as materialized (
      select w as watch from messaging.idle_watches w
      where w.due_at <= clock
      order by w.due_at
      limit most
      for update skip locked
    )
    select held.watch, i.idle, i.time_zone, v.status
    from held
    left join messaging.instances i on i.id = any (array[(held.watch).instance_id])
    left join messaging.conversations v on v.id = any (array[(held.watch).conversation_id])
    order by (held.watch).due_at, (held.watch).contact_id
  loop
    taken := taken + 1;
    told := told + messaging.tell_idle_conversation(
      due.watch, due.idle, due.time_zone, due.status, clock
    );
  end loop;
  return jsonb_build_object('told', told, 'isComplete', taken < most);
end;
$$;

-- tell_idle_conversations: records what is due of one watch, which the caller holds, and says when the next entry
-- is; ends the watch where none is, where the conversation is closed or is no more. Returns how many events.
create or replace function messaging.tell_idle_conversation(
  watch messaging.idle_watches, idle jsonb, time_zone text, status text, clock timestamptz
) returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  next_due_at timestamptz;
  after_minutes integer;
  told integer := 0;
begin
  if status <> 'closed' then
    for after_minutes in
      select (entry.value->>'afterMinutes')::integer as minutes
      from jsonb_array_elements(idle) as entry
      where entry.value->>'awaiting' = watch.awaiting
        and watch.since + make_interval(mins => (entry.value->>'afterMinutes')::integer)
          between watch.due_at and clock
      order by minutes
    loop
      perform messaging.record_event(
        watch.instance_id, watch.contact_id, 'conversation.idle', jsonb_build_object(
          'contactId', watch.contact_id,
          'conversationId', watch.conversation_id,
          'awaiting', watch.awaiting,
          'afterMinutes', after_minutes,
          'since', messaging.iso_in_zone(watch.since, time_zone),
          'lastMessageId', watch.last_message_id
        )
      );
      told := told + 1;
    end loop;
    next_due_at := messaging.idle_due_at(idle, watch.awaiting, watch.since, clock);
  end if;
  if next_due_at is null then
    delete from messaging.idle_watches w where w.contact_id = watch.contact_id;
  else
    update messaging.idle_watches w set due_at = next_due_at where w.contact_id = watch.contact_id;
  end if;
  return told;
end;
$$;

-- conversations-api unassign: takes a contact's conversation from its operator. That is a transfer to
-- nobody: it is logged, noted, and takes the contact out of the operator's portfolio. Without an operator
-- nothing changes. `request`: instanceId, one of phone, contactId and userId, idempotency. Locks the
-- conversation. Returns the outcome: contactId, assignedTo (NULL), previousAssignedTo; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.unassign_conversation(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  conversation messaging.conversations;
  before jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  conversation := messaging.recipient_conversation(request);
  select c.* into conversation
  from messaging.conversations c where c.id = conversation.id for no key update;
  if conversation.assigned_to is not null then
    before := messaging.conversation_state(conversation.id);
    update messaging.conversations c
    set assigned_to = null, updated_at = now()
    where c.id = conversation.id;
    insert into messaging.chat_transfer_log
      (instance_id, conversation_id, from_operator_id, to_operator_id)
    values (conversation.instance_id, conversation.id, conversation.assigned_to, null);
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    select conversation.instance_id, conversation.id,
      format('Conversa retirada de %s: agora está sem operador.', o.name), true
    from messaging.operators o
    where o.id = conversation.assigned_to;
    -- It would hide the contact from the other operators.
    delete from messaging.portfolios p where p.contact_id = conversation.contact_id;
    perform messaging.record_conversation_changes(conversation, before);
    perform messaging.touch_contacts(array[conversation.contact_id]);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object(
    'contactId', conversation.contact_id,
    'assignedTo', null,
    'previousAssignedTo', conversation.assigned_to
  ));
end;
$$;

-- Who holds a conversation of which the channel shows us a message that another responder got: the one that is
-- known to, else `other`, because the channel does not say whom.
create or replace function messaging.standby_holder(handled_by text)
returns text language sql immutable parallel safe
return case
  when handled_by = 'us' then 'other'
  else handled_by
end;

-- Whether the agent has stepped back from a conversation: another responder of the number holds it, or a pause of
-- its contact lasts.
create or replace function messaging.agent_steps_back(
  conversation messaging.conversations, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return conversation.handled_by <> 'us' or exists (
    select from messaging.agent_pauses p
    where p.contact_id = conversation.contact_id and p.paused_until > clock
  );
end;
$$;

-- Whether something about the contact keeps every agent from answering it: it is blocked, a pause lasts, or
-- another responder of the number holds the conversation.
create or replace function messaging.keeps_agent_silent(
  contact messaging.contacts, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return contact.is_blocked or exists (
    select from messaging.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock
  ) or exists (
    select from messaging.conversations c
    where c.contact_id = contact.id and c.handled_by <> 'us'
  );
end;
$$;

-- Lets the agent's answer that waits in a conversation wait until its turn ends. Not one that is due
-- already, nor one that has failed: it is tried again at its own time.
create or replace function messaging.postpone_agent_reply(conversation_id uuid, due_at timestamptz)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.outbox o
  set run_at = postpone_agent_reply.due_at
  where o.conversation_id = postpone_agent_reply.conversation_id and o.kind = 'agent_reply'
    and o.status = 'pending' and o.claim_token is null and o.attempts = 0
    and o.run_at > clock_timestamp() and o.run_at < postpone_agent_reply.due_at;
end;
$$;

-- Records agent.paused for contacts that the caller has just begun to pause, or has paused for longer. NULL ids mean
-- none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_agent_pauses(contact_ids uuid[])
returns void language plpgsql strict set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(p.instance_id, p.contact_id, 'agent.paused', jsonb_build_object(
    'contactId', p.contact_id,
    'pausedUntil', messaging.iso_in_zone(p.paused_until, i.time_zone)
  ))
  from messaging.agent_pauses p
  join messaging.instances i on i.id = any (array[p.instance_id])
  where p.contact_id = any (contact_ids)
  order by p.contact_id;
end;
$$;

-- Records agent.needs_person for conversations in which the agent has given up an answer: what the contact wrote
-- waits for a person. `reason`: the error of the last attempt.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_needed_persons(conversation_ids uuid[], reason text)
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(
    c.instance_id, c.contact_id, 'agent.needs_person',
    jsonb_build_object(
      'contactId', c.contact_id, 'conversationId', c.id, 'reason', record_needed_persons.reason
    )
  )
  from messaging.conversations c
  where c.id = any (conversation_ids) and not c.is_merged;
end;
$$;

-- Requests the agent's answer to a contact's message: one outbox row, due in three seconds, or when the
-- contact's turn ends where the instance has turns (see join_turn), so that several messages in a row get one
-- answer. Requests nothing while the agent is paused for the contact, while another responder holds the
-- conversation, where it has no active agent, or where the message is too old for it.
-- Returns whether an answer is requested.
-- An agent that has used up its answers of this hour is paused until it may answer again, and a note
-- tells the operators. That message's outbox row becomes `dead`: it is never answered.
-- Locks the conversation, then the agent's pause or the outbox row that the message joins.
create or replace function messaging.request_agent_reply(
  instance messaging.instances, contact_id uuid, conversation_id uuid, written_at timestamptz
) returns boolean language plpgsql set search_path = '' as $$
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
      and messaging.is_young_enough(a, written_at, clock_timestamp())
  ) or messaging.agent_steps_back(conversation, clock_timestamp()) then
    return false;
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
    return true;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  values (
    instance.workspace_id, 'agent_reply',
    jsonb_build_object('instanceId', instance.id, 'conversationId', conversation.id),
    case
      when instance.turns is null then clock_timestamp() + interval '3 seconds'
      else coalesce(
        (
          select t.due_at from messaging.conversation_turns t
          where t.contact_id = request_agent_reply.contact_id
        ),
        clock_timestamp() + make_interval(secs => (instance.turns->>'quietSeconds')::integer)
      )
    end,
    conversation.id
  );
  return true;
end;
$$;

-- Records an agent's answer in one transaction: its turn, and its messages, each as accept_message records it.
-- One leaves after the other: none is claimed while the one before it still has to leave, nor the first while
-- what waited for the contact's answer does (see last_released_message).
-- What of it still waits when a pause begins is not sent: its purpose tells it from what callers send as the agent.
-- `request` as of accept_message, with `messages` in the place of `message`, at least one. The delivery is deferred.
-- Returns {messageIds}, in order. Locks and errors are accept_message's.
create or replace function public.accept_answer(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  call jsonb := request - 'messages';
  draft jsonb;
  accepted jsonb;
  accepted_id uuid;
  before_id uuid;
  message_ids uuid[] := '{}';
begin
  for draft in select m.value from jsonb_array_elements(request->'messages') as m loop
    accepted := public.accept_message(
      call || jsonb_build_object('message', draft || '{"purpose": "agent_answer"}')
    );
    accepted_id := accepted->>'messageId';
    before_id := case
      when message_ids <> '{}' then message_ids[cardinality(message_ids)]
      else messaging.last_released_message((accepted->>'contactId')::uuid, clock_timestamp())
    end;
    if before_id is not null then
      update messaging.message_queue q set goes_after = before_id where q.message_id = accepted_id;
    end if;
    message_ids := message_ids || accepted_id;
    call := jsonb_set(call, '{agent,isContinued}', 'true');
  end loop;
  return jsonb_build_object('messageIds', to_jsonb(message_ids));
end;
$$;

-- admin-api: a new agent. `request`: instanceId, name, instructions, model, isActive,
-- maxMessagesPerAnswer (absent for 1), answersWithin (absent for six hours), idempotency (see begin_idempotent).
-- Returns the agent, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_ai_agent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  agent messaging.ai_agents;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.ai_agents (
    instance_id, name, instructions, model, is_active, max_messages_per_answer,
    answers_within_seconds
  )
  values (
    instance.id, request->>'name', request->>'instructions', request->>'model',
    (request->>'isActive')::boolean, coalesce((request->>'maxMessagesPerAnswer')::integer, 1),
    coalesce((request->>'answersWithin')::integer, 21600)
  )
  returning * into agent;
  return messaging.keep_outcome(request, messaging.describe_ai_agent(agent));
end;
$$;

-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_ai_agent(r) from messaging.ai_agents r
    where r.id = (request->>'agentId')::uuid
  ), 'MI003', 'agent_not_found');
$$;

-- admin-api: agents, oldest first, a page at a time.
-- `request`: instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_ai_agents(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_ai_agent(r))
    from messaging.ai_agents r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes an agent. `request`: agentId, changes {name, instructions, model, isActive,
-- maxMessagesPerAnswer, answersWithin, each optional}. Error: MI003.
create or replace function public.update_ai_agent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  agent messaging.ai_agents;
begin
  update messaging.ai_agents r
  set name = coalesce(changes->>'name', r.name),
    instructions = coalesce(changes->>'instructions', r.instructions),
    model = coalesce(changes->>'model', r.model),
    is_active = coalesce((changes->>'isActive')::boolean, r.is_active),
    max_messages_per_answer = coalesce(
      (changes->>'maxMessagesPerAnswer')::integer, r.max_messages_per_answer
    ),
    answers_within_seconds = coalesce(
      (changes->>'answersWithin')::integer, r.answers_within_seconds
    ),
    updated_at = now()
  where r.id = (request->>'agentId')::uuid
  returning r.* into agent;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;

-- admin-api: an agent as a response shows it.
create or replace function messaging.describe_ai_agent(agent messaging.ai_agents)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'agentId', agent.id,
    'instanceId', agent.instance_id,
    'name', agent.name,
    'instructions', agent.instructions,
    'model', agent.model,
    'isActive', agent.is_active,
    'maxMessagesPerAnswer', agent.max_messages_per_answer,
    'answersWithin', agent.answers_within_seconds,
    'createdAt', messaging.iso_in_zone(agent.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(agent.updated_at, 'UTC')
  );
$$;

-- Returns what an agent needs to answer in a conversation: the agent, its channel, what it may know of the contact,
-- and the recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn, isLimitReached}. turn is NULL when the agent must not answer now (paused, not active,
-- a blocked contact, the contact's last message too old for it, or its answers of this hour used up:
-- isLimitReached) or no question is open. maxMessages is how many messages the answer may be.
-- showsTyping says whether the person may see that an answer is being written (readReceipts).
-- A message that was a keyword about marketing is left out: it asks the agent nothing.
-- answers: what was read of the newest answers to questions of agents, {<id of the message that answers>: value}.
-- History and number of questions (answersThrough) come from one snapshot: a message that commits
-- later is counted later and requests a turn of its own.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
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
  if agent.id is null or messaging.keeps_agent_silent(contact, clock_timestamp())
    or not messaging.is_young_enough(agent, contact.last_inbound_at, clock_timestamp())
    or conversation.question_count <= coalesce(answered_count, 0)
    or limited_until is not null then
    return jsonb_build_object(
      'turn', null,
      'isLimitReached', limited_until is not null
        and conversation.question_count > coalesce(answered_count, 0)
    );
  end if;
  return jsonb_build_object('isLimitReached', false, 'turn', jsonb_build_object(
    'agentId', agent.id,
    'channel', (
      select jsonb_build_object(
        'provider', i.provider,
        'sealedProviderConfig', i.sealed_provider_config,
        'gatewayInstanceId', i.gateway_instance_id,
        'interactiveRendering', i.interactive_rendering
      )
      from messaging.instances i where i.id = contact.instance_id
    ),
    'model', agent.model,
    'instructions', agent.instructions,
    'maxMessages', agent.max_messages_per_answer,
    'collectedData', coalesce(collected_data, '{}'),
    'givenName', case when not contact.is_profile_name then contact.name end,
    'profileName', case when contact.is_profile_name then contact.name end,
    'contactPhone', messaging.contact_display_phone(contact),
    'address', messaging.contact_send_address(contact, null),
    'answeredBefore', coalesce(answered_count, 0),
    'answersThrough', conversation.question_count,
    'showsTyping', (
      select i.read_receipts <> 'off' from messaging.instances i where i.id = conversation.instance_id
    ),
    'answers', (
      select coalesce(jsonb_object_agg(q.answer_message_id, q.answer->'value'), '{}')
      from (
        select a.* from messaging.questions a
        where a.contact_id = contact.id and a.agent_id is not null and a.answer ? 'value'
        order by a.created_at desc, a.id desc
        limit (request->>'limit')::integer
      ) as q
    ),
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

-- Whether a message that was written at `written_at`, by the channel's instant, may still ask this agent: an
-- answer to what a channel delivers a day late, after a reconnection, would surprise who wrote it.
create or replace function messaging.is_young_enough(
  agent messaging.ai_agents, written_at timestamptz, clock timestamptz
) returns boolean language sql stable
return written_at > clock - agent.answers_within_seconds * interval '1 second';

-- Records that an instance's budget is nearly spent (budget.warning, at warnAtPercent), or reached: an event, and
-- an e-mail to the workspace's alert address, where there is one. Each once for a month and an amount.
create or replace function messaging.tell_budget(instance messaging.instances, clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  state constant record := messaging.budget_state(instance, clock);
  alert record;
  data jsonb;
begin
  for alert in
    select k.kind
    from (
      values
        ('warning', (instance.budget->>'warnAtPercent')::numeric),
        ('reached', 100)
    ) as k (kind, percent)
    where state.currency is not null
      and (state.spent + state.under_way) * 100 >= state.amount * k.percent
  loop
    insert into messaging.budget_alerts (instance_id, month, amount, kind)
    values (instance.id, state.month, state.amount, alert.kind)
    on conflict do nothing;
    continue when not found;
    data := messaging.describe_budget(instance, clock) || jsonb_build_object(
      'instanceId', instance.id,
      'month', to_char(state.month, 'YYYY-MM'),
      'warnAtPercent', instance.budget->'warnAtPercent',
      'stops', instance.budget->'stops'
    );
    perform messaging.record_event(instance.id, null, 'budget.' || alert.kind, data);
    insert into messaging.outbox (workspace_id, kind, payload)
    -- The warning's e-mail is one of its own where all of the budget is used at once.
    select w.id, 'budget_email', data || jsonb_build_object(
      'instanceName', instance.name, 'alertEmail', w.alert_email,
      'reached', alert.kind = 'reached'
    )
    from messaging.workspaces w
    where w.id = instance.workspace_id and w.alert_email is not null;
  end loop;
end;
$$;

-- Until when a message that is accepted now waits because its instance's budget is reached; NULL where it need not.
-- See stopped_by_budget.
create or replace function messaging.budget_hold(
  instance messaging.instances, purpose text, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  if not messaging.stopped_by_budget(instance.budget, purpose, null) then
    return null;
  end if;
  return nullif(messaging.reached_budget_ends_at(instance, clock), '-infinity');
end;
$$;

-- When what a reached budget stops may leave (see stopped_by_budget), in the send window of an instance's next
-- month; `-infinity` where the budget is not reached, or stops nothing.
create or replace function messaging.reached_budget_ends_at(
  instance messaging.instances, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  state record;
begin
  if instance.budget is null or instance.budget->'stops' = '[]' then
    return '-infinity';
  end if;
  state := messaging.budget_state(instance, clock);
  return case
    when state.is_reached then messaging.after_hold(instance, state.month_ends_at, interval '0')
    else '-infinity'
  end;
end;
$$;

-- Takes an instance's budget until the transaction ends, so that who reads after it what is left (see budget_state)
-- sees all that others have taken of it. In a statement of its own, before the one that reads. Without `waits`
-- returns false where another transaction has it; such a claim comes again.
create or replace function messaging.lock_budget(instance_id uuid, waits boolean)
returns boolean language plpgsql set search_path = '' as $$
declare
  lock_key constant bigint := hashtextextended('budget ' || instance_id, 0);
begin
  if not waits then
    return pg_try_advisory_xact_lock(lock_key);
  end if;
  perform pg_advisory_xact_lock(lock_key);
  return true;
end;
$$;

-- What noted messages count in the sums, and estimates what those cost that the official channel has
-- delivered. `notes`: rows of usage_notes that the caller has deleted; one of a message that another
-- transaction is changing is noted again.
-- Not in the transaction that records a delivery: for many at once it costs a fraction.
-- A delivery without a rate, or to a person without a known phone, stays without an estimate. What the
-- channel bills as free costs nothing, nor do the month's free service messages.
-- Waits for no message. The caller holds lock_usage_notes.
create or replace function messaging.count_notes(notes messaging.usage_notes[])
returns messaging.usage_changes[] language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  delivered constant uuid[] := array(
    select distinct n.message_id from unnest(notes) as n where n.is_delivery
  );
  locked uuid[];
  postponed uuid[];
  moved uuid[];
  changes messaging.usage_changes[];
  priced messaging.usage_changes[];
begin
  locked := array(
    select m.id from messaging.messages m
    where m.id = any (delivered) and m.pricing is not null and not m.is_typed_on_phone
    for no key update skip locked
  );
  postponed := array(
    select m.id from messaging.messages m
    where m.id = any (delivered) and m.pricing is not null and not m.is_typed_on_phone
      and m.id <> all (locked)
  );
  insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
  select n.message_id, n.instance_id, n.counted_at, true
  from unnest(notes) as n
  where n.is_delivery and n.message_id = any (postponed);
  changes := array(
    select messaging.counted_note(n, m, 1)
    from unnest(notes) as n
    join messaging.instances i on i.id = any (array[n.instance_id])
    left join messaging.messages m on m.id = any (array[n.message_id])
    where m.is_typed_on_phone is not true
      and (not n.is_delivery or i.provider_class <> 'official' or m.id is null)
  );
  insert into messaging.budget_under_way (message_id, instance_id, sent_at, amount)
  select s.message_id, s.instance_id, n.counted_at, s.amount
  from messaging.sending_costs(array(
    select n.message_id
    from unnest(notes) as n
    join messaging.instances i on i.id = any (array[n.instance_id])
    where not n.is_delivery and i.budget is not null
  )) as s
  join unnest(notes) as n on n.message_id = s.message_id and not n.is_delivery
  join messaging.messages m on m.id = any (array[s.message_id])
  where m.status = 'sent' and m.delivered_at is null
  on conflict do nothing;
  delete from messaging.budget_under_way b where b.message_id = any (locked);
  moved := messaging.count_free_services(array(
    select d from unnest(delivered) as d where d <> all (postponed)
  ));
  changes := changes || array(
    select messaging.counted_delivery(m, -1) from messaging.messages m where m.id = any (moved)
  );
  with counted as (
    update messaging.messages m
    set is_free_service = p.is_free,
      pricing = m.pricing || jsonb_build_object('market', p.market),
      estimated_cost = case when p.currency is not null and p.is_free then 0 else p.rate end,
      cost_currency = case when p.is_free or p.rate is not null then p.currency end
    from (
      select d.*, case
          when d.is_service then (
            select true from messaging.free_service_messages f where f.message_id = d.message_id limit 1
          ) is not null
        end as is_free
      from messaging.delivery_prices(locked || moved) as d
    ) as p
    where m.id = any (array[p.message_id])
      and (m.id = any (moved) or messaging.awaits_price(m.delivered_at, m.pricing))
    returning messaging.counted_delivery(m, 1) as change
  )
  select array_agg(t.change) into priced from counted t;
  return changes || priced;
end;
$$;

-- Counts these messages off the free service messages of their instance and month, the earliest deliveries
-- first, however late they are reported. What is billed as something else after all, or was not delivered,
-- releases its place; the next delivery takes it. A message that is gone, or that another transaction is
-- changing, keeps its place.
-- Returns the other messages that have lost their place to an earlier one. The messages are locked; those
-- returned are so too. The caller holds lock_usage_notes.
-- Over 80 lines: one pass over each month, in steps that hand their ids on.
create or replace function messaging.count_free_services(message_ids uuid[])
returns uuid[] language plpgsql set search_path = '' as $$
declare
  place record;
  used_before integer;
  ids uuid[];
  surplus integer;
  movable uuid[];
  losers uuid[];
  moved uuid[] := '{}';
begin
  with released as (
    delete from messaging.free_service_messages f
    using messaging.messages m
    where f.message_id = any (message_ids) and m.id = any (array[f.message_id])
      and not messaging.is_service_delivery(m.delivered_at, m.pricing)
    returning f.instance_id, f.month
  )
  update messaging.free_service_months s
  set used = s.used - r.released
  from (
    select g.instance_id, g.month, count(*) as released from released g group by g.instance_id, g.month
  ) as r
  where s.instance_id = any (array[r.instance_id]) and s.month = r.month;
  for place in
    select m.instance_id, delivery.month, i.free_service_messages_per_month as allowance,
      array_agg(m.id) as ids, min(m.delivered_at) as first_at
    from messaging.messages m
    join messaging.instances i on i.id = any (array[m.instance_id])
    cross join lateral (
      select date_trunc('month', m.delivered_at at time zone 'UTC')::date as month
    ) as delivery
    where m.id = any (message_ids) and messaging.awaits_price(m.delivered_at, m.pricing)
      and messaging.is_service_delivery(m.delivered_at, m.pricing) and not m.is_typed_on_phone
      and i.free_service_messages_per_month > 0 and (
        select true from messaging.free_service_messages f where f.message_id = m.id limit 1
      ) is null
    group by m.instance_id, delivery.month, i.id
    order by m.instance_id, delivery.month
  loop
    select coalesce(max(s.used), 0) into used_before
    from messaging.free_service_months s
    where s.instance_id = place.instance_id and s.month = place.month;
    continue when used_before >= place.allowance and not exists (
      select from messaging.free_service_messages f
      where f.instance_id = place.instance_id and f.month = place.month
        and f.delivered_at > place.first_at
    );
    insert into messaging.free_service_messages (message_id, instance_id, month, delivered_at)
    select m.id, place.instance_id, place.month, m.delivered_at
    from messaging.messages m
    where m.id = any (place.ids);
    -- An allowance that was made smaller takes no place away.
    surplus := least(
      cardinality(place.ids),
      greatest(used_before + cardinality(place.ids) - place.allowance, 0)
    );
    movable := array(
      select m.id from messaging.messages m
      where m.id = any (array(
        select f.message_id from messaging.free_service_messages f
        where f.instance_id = place.instance_id and f.month = place.month
          and f.message_id <> all (place.ids)
        order by f.delivered_at desc, f.message_id desc
        limit surplus
      ))
      for no key update skip locked
    );
    losers := array(
      select f.message_id from messaging.free_service_messages f
      where f.message_id = any (place.ids || movable)
      order by f.delivered_at desc, f.message_id desc
      limit surplus
    );
    delete from messaging.free_service_messages f where f.message_id = any (losers);
    insert into messaging.free_service_months as s (instance_id, month, used)
    values (place.instance_id, place.month, cardinality(place.ids) - surplus)
    on conflict on constraint free_service_months_pkey do update
    set used = s.used + excluded.used;
    moved := moved || array(select m from unnest(movable) as m where m = any (losers));
  end loop;
  return moved;
end;
$$;

-- What these delivered messages cost, by the rates of their workspace at the instant of their delivery: the
-- market of the person's phone, the category as it is billed. `rate` is NULL where none is known, also where
-- the person's phone is not; `currency` where the workspace has no rates. `allowance`: the month's free
-- service messages of the instance.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.delivery_prices(message_ids uuid[])
returns table (
  message_id uuid, instance_id uuid, delivered_at timestamptz, month date, is_service boolean,
  allowance integer, currency text, market text, rate numeric
) language sql stable set search_path = '' as $$
  select m.id, m.instance_id, m.delivered_at,
    date_trunc('month', m.delivered_at at time zone 'UTC')::date,
    messaging.is_service_delivery(m.delivered_at, m.pricing),
    i.free_service_messages_per_month, t.currency, place.market,
    case when messaging.free_by_channel(m.pricing) then 0 else rate.amount end
  from messaging.messages m
  join messaging.instances i on i.id = any (array[m.instance_id])
  left join messaging.rate_tables t on t.workspace_id = any (array[i.workspace_id])
  left join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral messaging.market_of_phone(t.workspace_id, c.phone) as place on true
  left join lateral messaging.rate_on(
    t.workspace_id, place.market, lower(m.pricing->>'category'),
    (m.delivered_at at time zone 'UTC')::date
  ) as rate on true
  where m.id = any (message_ids) and m.delivered_at is not null and m.pricing is not null
    and not m.is_typed_on_phone;
$$;

-- What these messages, which are being sent or have just been, will cost when they are delivered: by the rates of
-- today, and 0 where none is known. A service message costs nothing while some of the month's free ones are left.
-- A reaction has no row: the channel bills none, and never tells of its delivery.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.sending_costs(message_ids uuid[])
returns table (message_id uuid, instance_id uuid, amount numeric) language sql stable
set search_path = '' set enable_seqscan = off as $$
  select m.id, m.instance_id, case
      when billed.category = 'service' and i.free_service_messages_per_month > coalesce((
        select f.used from messaging.free_service_months f
        where f.instance_id = m.instance_id
          and f.month = date_trunc('month', clock_timestamp() at time zone 'UTC')::date
      ), 0) then 0
      else coalesce(rate.amount, 0)
    end
  from messaging.messages m
  join messaging.instances i on i.id = any (array[m.instance_id])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  cross join lateral (
    select coalesce(
      lower(m.pricing->>'category'), messaging.sent_category(m.message_type, m.purpose, m.ladder)
    ) as category
  ) as billed
  left join lateral messaging.market_of_phone(i.workspace_id, c.phone) as place on true
  left join lateral messaging.rate_on(
    i.workspace_id, place.market, billed.category, (clock_timestamp() at time zone 'UTC')::date
  ) as rate on true
  where m.id = any (message_ids) and i.provider_class = 'official' and m.message_type <> 'reaction';
$$;

-- What a noted message counts in the sums, where no price is to be known: its sending, or its delivery by a
-- gateway. `message` is NULL where it is gone; `factor` is 1, or -1 where it was not so after all. An invitation
-- counts for the batch of the message that it was sent for.
create or replace function messaging.counted_note(
  note messaging.usage_notes, message messaging.messages, factor integer
) returns messaging.usage_changes language plpgsql stable set search_path = '' as $$
declare
  counted messaging.usage_changes;
begin
  counted.instance_id := note.instance_id;
  counted.counted_at := note.counted_at;
  counted.sent := case when note.is_delivery then 0 else factor end;
  counted.delivered := case when note.is_delivery then factor else 0 end;
  counted.free := 0;
  counted.unknown := 0;
  counted.amount := 0;
  counted.category := messaging.sent_category(message.message_type, message.purpose, message.ladder);
  counted.message_type := message.message_type;
  counted.sent_by := message.sent_by;
  counted.agent_id := message.agent_id;
  counted.batch_id := coalesce(message.batch_id, (message.ladder->>'batchId')::uuid);
  return counted;
end;
$$;

-- Adds what fold_usage has counted of the official channel's deliveries to the counters of their cost: by
-- currency and category, and how many messages were charged, free, or had no rate (unknown). A correction
-- lowers `counted`, and not what is reported. Categories that few know are `other`, so the number of series
-- stays small. Locks the counters in the order of their names and labels.
create or replace function messaging.count_costs(changes messaging.usage_changes[])
returns void language sql set search_path = '' as $$
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select s.name, s.labels, sum(s.amount), greatest(sum(s.amount), 0)
  from (
    select sample.name, sample.labels, sample.amount
    from unnest(changes) as u
    join messaging.instances i on i.id = any (array[u.instance_id])
    cross join lateral (
      select case
        when lower(u.category) = any (messaging.priced_categories()) then lower(u.category)
        else 'other'
      end as category
    ) as known
    cross join lateral (
      values
        (
          'messaging_estimated_cost_total',
          jsonb_build_object('currency', u.currency, 'category', known.category),
          case when u.currency is not null then u.amount else 0 end
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'charged'),
          u.delivered - u.free - u.unknown
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'free'), u.free
        ),
        (
          'messaging_delivered_messages_total',
          jsonb_build_object('category', known.category, 'billing', 'unknown'), u.unknown
        )
    ) as sample(name, labels, amount)
    where i.provider_class = 'official' and sample.amount <> 0
  ) as s
  group by s.name, s.labels
  order by s.name, s.labels
  on conflict (name, labels) do update
  set counted = c.counted + excluded.counted,
    reported = greatest(c.reported, c.counted + excluded.counted),
    changed_at = clock_timestamp();
$$;

-- fold_usage: records what has become true of the budgets of these instances (see tell_budget), and lets what they
-- hold leave where they are not reached any more, because something was not delivered after all. Tries pacing
-- without waiting: the caller holds lock_usage_notes, for which a holder of pacing may wait.
create or replace function messaging.follow_budgets(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance messaging.instances;
begin
  for instance in
    select i.* from messaging.instances i
    where i.id = any (instance_ids) and i.budget is not null
    order by i.id
  loop
    perform messaging.tell_budget(instance, clock);
    perform from messaging.pacing p where p.instance_id = instance.id for no key update skip locked;
    if found and not (messaging.budget_state(instance, clock)).is_reached then
      perform messaging.release_held_messages(instance.id, 'budget', clock);
      perform messaging.refresh_dispatch(array[instance.id]);
    end if;
  end loop;
end;
$$;

-- Whether a service message that awaits its price will be one of the month's free ones: see
-- count_free_services. Looks at the order of the deliveries only where the month's allowance may not suffice.
create or replace function messaging.expects_free_service(
  message messaging.messages, month date, allowance integer
) returns boolean language plpgsql stable set search_path = '' as $$
declare
  waiting uuid[];
  used integer;
  later integer;
begin
  waiting := array(
    select distinct n.message_id from messaging.usage_notes n
    where n.instance_id = message.instance_id and n.is_delivery
  );
  select coalesce(max(s.used), 0) into used
  from messaging.free_service_months s
  where s.instance_id = message.instance_id and s.month = expects_free_service.month;
  if used + cardinality(waiting) <= allowance then
    return true;
  end if;
  select count(*) into later
  from messaging.free_service_messages f
  where f.instance_id = message.instance_id and f.month = expects_free_service.month
    and (f.delivered_at, f.message_id) > (message.delivered_at, message.id);
  return used - later + (
    select count(*)
    from messaging.messages m
    where m.id = any (waiting) and m.id <> message.id
      and messaging.awaits_price(m.delivered_at, m.pricing)
      and messaging.is_service_delivery(m.delivered_at, m.pricing)
      and m.delivered_at >= expects_free_service.month::timestamp at time zone 'UTC'
      and (m.delivered_at, m.id) < (message.delivered_at, message.id)
  ) < allowance;
end;
$$;

-- Records template.status_changed for templates of which the caller has just changed the status,
-- category, quality or planned end at the provider:
-- one event for the instance that a template belongs to, and one for each instance of the workspace
-- where it belongs to the workspace alone. NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_template_changes(template_ids uuid[])
returns void language plpgsql strict set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(i.id, null, 'template.status_changed', jsonb_build_object(
    'templateId', t.id, 'name', t.name, 'language', t.language, 'status', t.provider_status,
    'category', t.category, 'quality', t.quality, 'reason', t.status_reason,
    'disablesAt', messaging.iso_in_zone(t.disables_at, 'UTC')
  ))
  from messaging.message_templates t
  join messaging.instances i
    on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
  where t.id = any (template_ids)
  order by t.name, t.language, t.id, i.id;
end;
$$;

-- A template's components with the words that somebody has given it at the provider. `wording`: body, and
-- where the template has them title, footer, buttons [{type, text, url, phone_number}]; NULL leaves all as it
-- is. The notice tells every text header, every footer, and the buttons where one of them opens a page or
-- calls a number (Meta's page of message_template_components_update): what it could tell and does not is gone.
-- Parts are added where the template lacked them. A media header keeps its file, and a button that the
-- notice tells at the same place and of the same kind keeps what the notice leaves out.
create or replace function messaging.reworded_components(components jsonb, wording jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  reworded jsonb := components;
  given record;
  part integer;
begin
  if coalesce(wording, 'null') = 'null' then
    return components;
  end if;
  reworded := coalesce((
    select jsonb_agg(kept.component order by c.place)
    from jsonb_array_elements(components) with ordinality as c(value, place)
    cross join lateral (
      select case upper(c.value->>'type')
        when 'HEADER' then case
          when wording->>'title' is not null or upper(coalesce(c.value->>'format', 'TEXT')) <> 'TEXT'
            then c.value
        end
        when 'FOOTER' then case when wording->>'footer' is not null then c.value end
        when 'BUTTONS' then case
          when wording->'buttons' is not null then c.value
          else c.value || jsonb_build_object('buttons', (
            select coalesce(jsonb_agg(b.value order by b.place), '[]')
            from jsonb_array_elements(c.value->'buttons') with ordinality as b(value, place)
            where upper(b.value->>'type') not in ('URL', 'PHONE_NUMBER')
          ))
        end
        else c.value
      end as component
    ) as kept
    where kept.component is not null and kept.component->'buttons' is distinct from '[]'
  ), '[]');
  for given in
    select * from (values
      ('HEADER', wording->>'title'), ('BODY', wording->>'body'), ('FOOTER', wording->>'footer')
    ) as t(type, words)
    where t.words is not null
  loop
    select (c.place - 1)::integer into part
    from jsonb_array_elements(reworded) with ordinality as c(value, place)
    where upper(c.value->>'type') = given.type
    limit 1;
    if part is null then
      reworded := reworded || jsonb_build_array(
        jsonb_build_object('type', given.type, 'text', given.words)
          || case when given.type = 'HEADER' then '{"format": "TEXT"}' else '{}' end::jsonb
      );
    elsif upper(coalesce(reworded->part->>'format', 'TEXT')) = 'TEXT' then
      reworded := jsonb_set(reworded, array[part::text, 'text'], to_jsonb(given.words));
    end if;
  end loop;
  if wording->'buttons' is null then
    return reworded;
  end if;
  select (c.place - 1)::integer into part
  from jsonb_array_elements(reworded) with ordinality as c(value, place)
  where upper(c.value->>'type') = 'BUTTONS'
  limit 1;
  if part is null then
    return reworded || jsonb_build_array(
      jsonb_build_object('type', 'BUTTONS', 'buttons', jsonb_strip_nulls(wording->'buttons'))
    );
  end if;
  return jsonb_set(reworded, array[part::text, 'buttons'], (
    select jsonb_agg(
      case when former.button->>'type' = new.button->>'type' then former.button else '{}' end
        || jsonb_strip_nulls(new.button)
      order by new.place
    )
    from jsonb_array_elements(wording->'buttons') with ordinality as new(button, place)
    cross join lateral (
      select coalesce(reworded->part->'buttons'->(new.place - 1)::integer, '{}')
        as button
    ) as former
  ));
end;
$$;

-- What a call with outsideWindow needs before its templates can be filled. `request`: instanceId, templates
-- ({templateId} or {template {name, language}} each, see find_sendable_template; templateIds of functions of
-- 1.1.0), and phone | contactId | userId, or none of them. Returns {templates, contact}: the templates in the
-- order asked, NULL for one that the instance's workspace does not have; NULL contact for one that the instance
-- does not know. Writes nothing. Error: MI065.
create or replace function public.find_ladder_templates(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := case
    when coalesce(request->>'contactId', request->>'phone', request->>'userId') is null then null
    when request->>'contactId' is null then messaging.find_recipient(instance.id, request)
    -- Where the id is unknown, the faults of the templates come first.
    else messaging.find_contact_by_id(instance.id, (request->>'contactId')::uuid)
  end;
  return jsonb_build_object(
    'templates', (
      select jsonb_agg(
        case when known.id is not null then messaging.describe_message_template(known) end
        order by named.place
      )
      from (
        select template, place
        from jsonb_array_elements(request->'templates') with ordinality as asked(template, place)
        union all
        select jsonb_build_object('templateId', id), place
        from jsonb_array_elements(request->'templateIds') with ordinality as asked(id, place)
      ) as named
      cross join lateral messaging.find_sendable_template(instance, named.template) as known
    ),
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end
  );
end;
$$;

-- admin-api: one template. `request`: templateId. Error: MI016.
create or replace function public.get_message_template(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_message_template(r) from messaging.message_templates r
    where r.id = (request->>'templateId')::uuid
  ), 'MI016', 'template_not_found');
$$;

-- admin-api, messages-api and mcp: templates, oldest first, a page at a time; none that the channel has made
-- itself. `request`: workspaceId or NULL for all, instanceId or NULL for all, sendableBy (an instance: its own,
-- and its workspace's that are no other instance's; none that was deleted) or NULL, q (part of the name or of
-- the body), language, status, each or NULL, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
  sender constant uuid := (request->>'sendableBy')::uuid;
  of_workspace constant uuid := coalesce(
    (select i.workspace_id from messaging.instances i where i.id = sender),
    (request->>'workspaceId')::uuid
  );
  words constant text := lower(request->>'q');
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_message_template(r))
    from messaging.message_templates r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and not r.is_auto_generated
      and (sender is null or r.deleted_at is null and r.provider_status is distinct from 'DELETED')
      and (of_workspace is null or r.workspace_id = of_workspace)
      and (sender is null or coalesce(r.instance_id, sender) = sender)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
      and (request->>'language' is null or r.language = request->>'language')
      and (request->>'status' is null or r.provider_status = request->>'status')
      and (
        words is null
        or position(words in lower(r.name)) > 0
        or exists (
          select from jsonb_array_elements(r.components) as component
          where upper(component->>'type') = 'BODY' and position(words in lower(component->>'text')) > 0
        )
      )
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: makes the stored templates of an instance what its provider's complete list says.
-- `request`: instanceId, idempotency (see begin_idempotent), askedAt (before the list was read: what
-- a webhook, a person or another sync has decided since is newer than the list), templates
-- [{providerTemplateId, name, language, parameterFormat, components, category, providerStatus, rejectedReason,
-- quality, isAutoGenerated}], each provider id once. What the channel has made itself is kept out of items.
-- Listed templates are created, or linked to what is stored (see match_listed_templates) and brought
-- up to date; templates of the instance that are listed no more get the status DELETED and stay, as
-- messages and callers may still name them. Records an event of each stored template with another
-- status or category than before.
-- `limit` {used, total} or NULL is what the provider reports of the account, and part of the answer.
-- Returns {instanceId, limit, created, updated, unchanged, deleted, items [{templateId, name, language,
-- providerStatus, providerTemplateId, change}]}, or {replayed}. Errors: MI007, MI008, MI014.
-- Over 80 lines: one statement, so that each listed template is counted once, as what became of it.
create or replace function public.sync_message_templates(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
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
  -- A decision that arrives meanwhile waits, so that each change is recorded once.
  perform from messaging.message_templates r
  where r.workspace_id = instance.workspace_id
    and coalesce(r.instance_id, instance.id) = instance.id
  order by r.id
  for no key update;

  with listed as (
    select e."providerTemplateId" as id, e.name, e.language, e."parameterFormat" as format,
      e.components, e.category, e."providerStatus" as status, e."rejectedReason" as reason, e.quality,
      coalesce(e."isAutoGenerated", false) as is_generated
    from jsonb_to_recordset(request->'templates') as e(
      "providerTemplateId" text, name text, language text, "parameterFormat" text,
      components jsonb, category text, "providerStatus" text, "rejectedReason" text, quality text,
      "isAutoGenerated" boolean
    )
  ),
  matched as (
    select l.id, m.template_id, r.provider_status as former_status, r.category as former_category, definition.*,
      case
        when r.updated_at > asked_at then coalesce(r.provider_status, l.status)
        else l.status
      end as status,
      case when r.updated_at > asked_at then r.status_reason else l.reason end as reason,
      case when r.updated_at > asked_at then r.quality else coalesce(l.quality, r.quality) end as quality,
      l.is_generated
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
      status_reason = m.reason, quality = m.quality, is_auto_generated = m.is_generated,
      category_changes_to = nullif(r.category_changes_to, m.category),
      category_changes_at = case
        when r.category_changes_to is distinct from m.category then r.category_changes_at
      end,
      updated_at = greatest(r.updated_at, asked_at), defined_at = greatest(r.defined_at, asked_at)
    from matched m
    where r.workspace_id = instance.workspace_id and r.id = m.template_id
      and (
        r.name, r.language, r.parameter_format, r.components, r.category, r.provider_status,
        r.provider_template_id, r.status_reason, r.quality, r.is_auto_generated
      ) is distinct from (
        m.name, m.language, m.format, m.components, m.category, m.status, m.id, m.reason, m.quality,
        m.is_generated
      )
    returning r.id, m.status is distinct from m.former_status
      or m.category <> m.former_category as is_decided
  ),
  created as (
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, provider_status,
      provider_template_id, updated_at, defined_at, category, status_reason, quality, is_auto_generated
    )
    select instance.workspace_id, instance.id, l.name, l.language, l.format, l.components, l.status,
      l.id, asked_at, asked_at, l.category, l.reason, l.quality, l.is_generated
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
    where not l.is_generated
    union all
    select d.id, d.name, d.language, d.status, d.provider_template_id, 'deleted' from deleted d
  )
  select jsonb_build_object(
    'instanceId', instance.id,
    'limit', request->'limit',
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

-- Keeps what a call has decided outside the database under its `Idempotency-Key`. `request`: idempotency
-- (see begin_idempotent), outcome. Returns the outcome, or {replayed} where another call with this key was
-- sooner: both have done their work, and both are answered alike. Errors: MI007, MI008, MI035.
create or replace function public.keep_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  return messaging.keep_outcome(request, request->'outcome');
end;
$$;

-- What the first call with this `Idempotency-Key` has decided, for a call that does its work outside the
-- database. `request`: idempotency (see recall_idempotent). Returns {replayed}, or {} for a new key, which
-- is not taken. Errors: MI007, MI008, MI035.
create or replace function public.recall_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return coalesce(messaging.recall_idempotent(request), '{}');
end;
$$;

-- Stores new outbound messages, of sending calls, batches and keywords. An immediate message (`sent`) gets
-- its row of the queue here: claimed by its caller, and tried once. The others have theirs already, see
-- enqueue_message and schedule_message: of one call all are immediate, or none, and all
-- ask a question, or the first asks none (see add_questions). The caller holds the contacts.
-- Returns created_at, so that it can be assigned, which costs no statement.
create or replace function messaging.add_outbound_messages(messages messaging.outbound_message[])
returns timestamptz language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  insert into messaging.messages (
    id, instance_id, contact_id, conversation_id, direction, message_type, message, content, card_id,
    sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
    held_by, phone_given, metadata, purpose, batch_id, media_id, pauses_agent, expires_at,
    cancel_key, created_at, quoted_message_id, quoted_provider_message_id, ladder,
    cancel_on, payment_reference, question_id
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
    clock, (m.draft->>'replyTo')::uuid, m.draft->>'quotedProviderMessageId',
    m.draft->'ladder', m.timing->'cancelOn', m.timing->>'paymentReference',
    (m.draft->'ask'->>'questionId')::uuid
  from unnest(messages) as m;
  if messages[1].draft->'ask' is not null then
    perform messaging.add_questions(messages, clock);
  end if;
  if messaging.asks_to_pay(messages[1].draft->'content') then
    perform messaging.add_payments(messages, clock);
  end if;
  if messages[1].claim_token is null then
    return clock;
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  select m.id, m.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease.ends_at, 1, 1,
    m.claim_token, lease.ends_at
  from unnest(messages) as m
  cross join lateral (select clock + make_interval(secs => m.lease_seconds)) as lease(ends_at);
  return clock;
end;
$$;

-- add_outbound_messages: stores the questions that these new messages ask. `ask` of a draft: {questionId,
-- accept, choices, answerWithinSeconds, remindAfterSeconds, key, reminder, onInvalid, sealedNotify, agentId}.
-- The caller has noted that their contacts may answer: see expect_reply.
create or replace function messaging.add_questions(
  messages messaging.outbound_message[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.questions (
    id, instance_id, contact_id, message_id, batch_id, key, accept, choices, answer_within,
    remind_after, reminder, on_invalid, sealed_notify, agent_id, created_at, reminder_status
  )
  select (m.draft->'ask'->>'questionId')::uuid, m.instance_id, m.contact_id, m.id, m.batch_id,
    m.draft->'ask'->>'key', m.draft->'ask'->>'accept', nullif(m.draft->'ask'->'choices', 'null'),
    make_interval(secs => (m.draft->'ask'->>'answerWithinSeconds')::double precision),
    make_interval(secs => (m.draft->'ask'->>'remindAfterSeconds')::double precision),
    m.draft->'ask'->>'reminder', m.draft->'ask'->>'onInvalid', m.draft->'ask'->>'sealedNotify',
    (m.draft->'ask'->>'agentId')::uuid, clock,
    case when m.draft->'ask'->>'remindAfterSeconds' is not null then 'waiting' end
  from unnest(messages) as m
  where m.draft->'ask' is not null;
end;
$$;

-- Stores the payments that these new messages ask for: `content.payment` of their drafts, which the API has checked,
-- and `fallsBack`. One whose time would be over before its message leaves would expire in silence. The caller holds
-- the contacts.
-- Errors: MI090 where the instance has an open payment of that reference; MI091 (expiresAt).
create or replace function messaging.add_payments(
  messages messaging.outbound_message[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  if exists (
    select from unnest(messages) as m
    where (m.draft->'content'->'payment'->>'expiresAt')::timestamptz
      < greatest(clock, case when m.mode = 'scheduled' then m.scheduled_for end) + messaging.payment_lead()
      -- A batch ends before, see new_batch.
      and m.batch_id is null
  ) then
    raise exception using errcode = 'MI091', message = 'expiresAt is too near';
  end if;
  insert into messaging.payments (
    message_id, instance_id, contact_id, reference, amount, falls_back, created_at, expires_at
  )
  select m.id, m.instance_id, m.contact_id, m.draft->'content'->'payment'->>'reference',
    (m.draft->'content'->'payment'->>'amount')::numeric,
    coalesce((m.draft->>'fallsBack')::boolean, false), clock,
    (m.draft->'content'->'payment'->>'expiresAt')::timestamptz
  from unnest(messages) as m;
exception when unique_violation then
  raise exception using errcode = 'MI090', message = 'reference_in_use';
end;
$$;

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived, and its recipient out of those that its batch is to try again.
-- An unconfirmed message left before its call was given up, however late the event is.
-- What the event tells of the price is kept, also of one that is late or repeated: see known_pricing.
-- A message with a ladder takes its next rung instead where its failure says so: see climb_after_status.
-- A failure that may pause its batch is noted (see pause_failing_batches). One by WhatsApp's lock on new
-- chats begins the lock: see note_chat_locks.
-- Returns whether it changed anything. Locks the message, with a ladder its contact before it, then pacing, then
-- its batch.
create or replace function messaging.advance_message(
  message_id uuid, provider_message_id text, status text, occurred_at timestamptz, error jsonb,
  pricing jsonb default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  is_official boolean;
  former messaging.messages;
  present messaging.messages;
  gone messaging.message_queue;
begin
  if advance_message.status = 'failed' and messaging.climb_after_status(
    message_id, advance_message.provider_message_id, occurred_at, error
  ) then
    return true;
  end if;
  if advance_message.status = 'failed' and messaging.fall_back_after_status(
    message_id, advance_message.provider_message_id, occurred_at, error
  ) then
    return true;
  end if;
  select m.* into former
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
  select i.provider_class = 'official' into is_official
  from messaging.instances i where i.id = former.instance_id;
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
    last_error = case when advance_message.status = 'failed' then error end,
    pricing = messaging.known_pricing(
      m.pricing, advance_message.pricing, advance_message.status, is_official,
      messaging.sent_category(m.message_type, m.purpose, m.ladder)
    ) - case
      when m.delivered_at is null and advance_message.status in ('delivered', 'read') then 'market'
      else ''
    end
  where m.id = advance_message.message_id
    and messaging.fits_transition(
      messaging.message_transition(m.status, advance_message.status), m.provider_message_id,
      advance_message.provider_message_id
    )
    and (
      messaging.message_transition(m.status, advance_message.status) <> 'claimed_new_id'
      or exists (
        select from messaging.message_queue q
        where q.message_id = m.id and q.claim_token is not null
      )
    )
  returning m.* into present;
  if not found then
    update messaging.messages m
    set pricing = messaging.known_pricing(
      m.pricing, advance_message.pricing, m.status, is_official,
      messaging.sent_category(m.message_type, m.purpose, m.ladder)
    )
    where m.id = advance_message.message_id and advance_message.pricing is not null
      and advance_message.status <> 'failed' and m.pricing->>'source' is distinct from 'channel';
    return found;
  end if;
  if advance_message.status = 'failed' then
    if exists (
      select from messaging.dispatch_of(present.instance_id) as d where messaging.slows_pace(d, error)
    ) then
      perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
      perform messaging.slow_paces(array[present.instance_id], array[error], clock_timestamp());
    end if;
    if error->>'meaning' = 'new_chat_locked' then
      perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
      perform messaging.note_chat_locks(
        array[present.instance_id], array[error], clock_timestamp()
      );
    end if;
    perform messaging.forget_under_way(present);
    perform messaging.record_channel_denials(array[present.contact_id], array[error]);
    perform messaging.note_batch_failures(array[m.id])
    from messaging.messages m
    where m.id = advance_message.message_id and messaging.may_pause_batch(m);
    perform messaging.fail_invitation(m)
    from messaging.messages m
    where m.id = advance_message.message_id and m.ladder ? 'invitationFor';
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null
  returning q.* into gone;
  if found then
    perform from messaging.pacing p where p.instance_id = present.instance_id for no key update;
    perform messaging.release_day_quota(array[gone]);
    perform messaging.refresh_dispatch(array[present.instance_id]);
  elsif former.status in ('queued', 'failed') and present.batch_id is not null and not exists (
    select from messaging.message_queue q where q.message_id = advance_message.message_id
  ) then
    perform messaging.accept_pending_recipients(array[present.id]);
  end if;
  return true;
end;
$$;

-- advance_message: a delivery event says that the channel has refused a message with a ladder after all. Lets it
-- take its next rung, where the refusal gives way to one, and returns whether it did, or is to be told again: while
-- its call is under way the event is kept until the call is settled. Never after it was delivered.
-- Locks the contact, the message, pacing, dispatch.
create or replace function messaging.climb_after_status(
  message_id uuid, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
begin
  perform from messaging.contacts c
  where c.id = (
    select m.contact_id from messaging.messages m
    where m.id = climb_after_status.message_id and m.ladder->'rungs' is not null
  )
  for no key update;
  if not found then
    return false;
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = climb_after_status.message_id
  for no key update;
  if not messaging.gives_way(
    message.ladder->'shown'->>'sentAs', error->>'meaning', message.ladder ? 'closedAt'
  )
    or not messaging.fits_transition(
      messaging.message_transition(message.status, 'failed'), message.provider_message_id,
      climb_after_status.provider_message_id
    ) then
    return false;
  end if;
  if message.status in ('queued', 'sending') then
    return messaging.keep_refusal(message, provider_message_id, occurred_at, error);
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  message := messaging.message_after_merge(message);
  decided := messaging.climb_ladder(instance, message, error);
  perform messaging.go_on_by_ladder(instance, message, decided, error);
  return true;
end;
$$;

-- advance_message: a delivery event says that the channel has refused a message about a payment after all. Puts it
-- back into the queue as text where gives_way_to_text, and returns whether it did, or is to be told again: while its
-- call is under way the event is kept until the call is settled. Never after it was delivered.
-- Locks the message, then as requeue_message.
create or replace function messaging.fall_back_after_status(
  message_id uuid, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
begin
  select m.* into message from messaging.messages m
  where m.id = fall_back_after_status.message_id
    and m.message_type in ('payment_request', 'payment_status')
  for no key update;
  if not found or not messaging.gives_way_to_text(message, error)
    or not messaging.fits_transition(
      messaging.message_transition(message.status, 'failed'), message.provider_message_id,
      fall_back_after_status.provider_message_id
    ) then
    return false;
  end if;
  if message.status in ('queued', 'sending') then
    return messaging.keep_refusal(message, provider_message_id, occurred_at, error);
  end if;
  message := messaging.message_after_merge(message);
  message.content := message.content || '{"rendering": "text"}';
  message.last_error := error;
  message.is_retryable := false;
  message.held_by := null;
  perform messaging.requeue_message(message);
  return true;
end;
$$;

-- climb_after_status, fall_back_after_status: keeps a refusal that the channel tells while the message's call is
-- under way, until the call is settled. Returns whether it did.
create or replace function messaging.keep_refusal(
  message messaging.messages, provider_message_id text, occurred_at timestamptz, error jsonb
) returns boolean language plpgsql set search_path = '' as $$
begin
  insert into messaging.unmatched_statuses (
    instance_id, provider_message_id, status, occurred_at, error
  )
  select message.instance_id, keep_refusal.provider_message_id, 'failed', keep_refusal.occurred_at,
    keep_refusal.error
  from messaging.message_queue q
  where q.message_id = message.id and q.claim_token is not null
    and keep_refusal.provider_message_id is not null
  on conflict do nothing;
  return found;
end;
$$;

-- Whether an event fits the condition of message_transition: `told_id` is its provider message id, `known_id` the one
-- that the message has. Whether a worker has the message in hand (claimed_new_id) is the caller's to see.
create or replace function messaging.fits_transition(condition text, known_id text, told_id text)
returns boolean language sql immutable
return case condition
  when 'always' then true
  when 'new_id' then coalesce(known_id != told_id, true)
  when 'claimed_new_id' then coalesce(known_id != told_id, true)
  when 'same_id' then coalesce(known_id = told_id, true)
  else false
end;

-- Cancels what waits with cancelOn: reply for contacts that have just written, in the transaction that records
-- the reply. Where nothing is left that a later reply may find, the contacts cost nothing again: see
-- contacts.cancels_on_reply. What has failed may be sent once more.
-- The caller holds the contacts, for no key update. Locks the messages in the order of their ids, then as
-- cancel_follow_ups.
create or replace function messaging.cancel_on_reply(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  all_ids constant uuid[] := array(
    select id.value
    from unnest(contact_ids) as c(id)
    cross join lateral unnest(messaging.merged_contact_ids(c.id)) as id(value)
  );
  -- By messages_history: what has not left has no sent_at.
  waiting constant uuid[] := array(
    select m.id
    from messaging.messages m
    where m.contact_id = any (all_ids)
      and m.sent_at is null and m.status = 'queued' and m.cancel_on ? 'reply'
    order by m.id
    for no key update
  );
begin
  if waiting <> '{}' then
    perform messaging.cancel_follow_ups(waiting, 'replied');
  end if;
  update messaging.contacts c
  set cancels_on_reply = false
  where c.id = any (contact_ids) and not exists (
    select from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(c.id))
      and m.sent_at is null and m.status not in ('canceled', 'expired') and m.cancel_on ? 'reply'
  );
end;
$$;

-- settle_messages: locks the queue rows and messages whose claim the results still hold, and decides
-- what becomes of each. Changes nothing. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.decide_settlements(results jsonb, clock timestamptz)
returns messaging.settlement[] language plpgsql set search_path = '' as $$
declare
  settlements messaging.settlement[];
begin
  with decided as (
    select
      q.message_id,
      q.instance_id,
      m.contact_id,
      q.claim_token,
      -- A message of a group is in the unpaced lane only while it is in flight. Where it does not come back,
      -- nothing follows for its instance's queue, whose rows a batch of many holds for long.
      case when q.departs_at is not null and again.is_retried then 'paced' else q.lane end,
      r.outcome,
      r."providerMessageId",
      r."waId",
      r.error,
      r."sealedProviderConfig",
      q.echo,
      coalesce(r."isUnsent", false) as is_unsent,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      again.is_retried,
      case
        when old.has_old_credentials or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced messages are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch_of(q.instance_id) as d
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at,
      outage.is_outage,
      coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials
          and not (r."retryAfterMs" is null and exists (
            select from messaging.dispatch_of(q.instance_id) as d where messaging.slows_pace(d, r.error)
          )),
        false
      ) as holds_instance,
      old.has_old_credentials,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      r.outcome = 'accepted' and q.max_attempts > 1 and messaging.restarts_pause(m)
        as pauses_agent,
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
    -- A delivery event has proved what it moved on: that is not sent again, whatever the answer says.
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or old.has_old_credentials) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried
    ) as again
    where q.claim_token = r."claimToken"
    -- Not by q.message_id: an ordered scan of the whole queue would spare the sort.
    order by r."messageId"
    for no key update of q, m
  )
  select array_agg(row(decided.*)::messaging.settlement) into settlements from decided;
  return settlements;
end;
$$;

-- The one record of a message, sent or received, with its contact, as messages-api reports it. A claim counts as
-- `sending`; what waits says when it may leave now, and what holds it (see expected_departure), or that its batch is
-- paused.
-- For a message that is known not to wait, message_record alone says the same without reading anything.
-- `budget_ends_at`: see reached_budget_ends_at; NULL where the caller has not asked.
create or replace function messaging.describe_message(
  message messaging.messages, budget_ends_at timestamptz default null
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  state record;
  shown messaging.messages := messaging.message_after_merge(message);
  record jsonb;
begin
  select i.time_zone, q.claim_token is not null as is_claimed,
    q.message_id is null and message.status = 'queued' and b.status = 'paused' as is_batch_paused,
    expected.*
  into strict state
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join messaging.batches b on b.id = message.batch_id
  left join lateral (
    select true as is_waiting, e.*
    from messaging.dispatch_of(i.id) as d
    cross join lateral messaging.expected_departure(
      q, message, i, d, coalesce(budget_ends_at, case
        when messaging.stopped_by_budget(i.budget, message.purpose, message.batch_id)
          then messaging.reached_budget_ends_at(i, clock_timestamp())
      end)
    ) as e
    where q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
  if state.is_waiting then
    shown.scheduled_for := state.leaves_at;
    shown.held_by := state.held_by;
  elsif state.is_batch_paused then
    shown.held_by := 'batch_paused';
  end if;
  record := messaging.message_record(shown, state.time_zone, state.is_claimed)
    || messaging.read_message_contact(shown.contact_id);
  if state.held_until is not null then
    record := record || messaging.shown_hold(
      state.hold_reason, state.hold_code, state.held_until, state.time_zone
    );
  end if;
  if message.media_id is null then
    return record;
  end if;
  return record || messaging.message_media(message.media_id, message.content)
    || messaging.received_file_error(message);
end;
$$;

-- Ends the last change that a call asked for, with its `outcome` (done, refused, unknown). Done: writes the new
-- words or the deletion, where they are news.
-- The caller holds the message, whose row it gives.
create or replace function messaging.end_message_change(
  message messaging.messages, outcome text, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  is_done constant boolean := outcome = 'done';
  is_edit constant boolean := message.change->>'kind' = 'edit';
  is_news constant boolean := is_done and case
    when is_edit then message.message is distinct from message.change->>'message'
    else message.deleted_at is null
  end;
begin
  if is_news and is_edit then
    message.message := message.change->>'message';
    message.edited_at := clock_timestamp();
  elsif is_news then
    message.deleted_at := clock_timestamp();
  end if;
  message.change := message.change
    || jsonb_build_object('status', outcome, 'error', case when not is_done then error end);
  perform messaging.write_content(message);
end;
$$;

-- Ends messages that still wait, in the queue or in none: they become `status`, canceled or expired. What a worker has
-- claimed goes. Returns how many ended. The caller holds the messages. Locks as end_queued_messages, then as
-- end_unqueued_messages.
create or replace function messaging.end_waiting_messages(message_ids uuid[], status text)
returns integer language plpgsql set search_path = '' as $$
begin
  return cardinality(messaging.end_queued_messages(message_ids, status))
    + messaging.end_unqueued_messages(message_ids, status);
end;
$$;

-- Takes waiting messages out of the queue for good: they become `status`, canceled or expired. A message
-- in flight stays: its claim says what becomes of it. Their slots are released (see release_slots).
-- Returns the ids of those that ended.
-- The caller holds the messages. Locks pacing, then dispatch. Tries the queue rows without waiting: their
-- holders are about to send the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.end_queued_messages(message_ids uuid[], status text)
returns uuid[] language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance_ids uuid[];
  ended uuid[];
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
  ended := array(select g.message_id from unnest(gone) as g);
  perform messaging.end_messages(ended, status);
  perform messaging.release_slots(gone);
  perform messaging.refresh_dispatch(instance_ids);
  return ended;
end;
$$;

-- Ends those of the messages that are in no queue, because a pause took them out of it or because they wait for
-- their contact's answer: they become `status`, canceled or
-- expired, and tell what has become of their recipients. Returns how many. The caller holds the messages, or
-- their batches. Locks the batches in the order of their ids.
create or replace function messaging.end_unqueued_messages(message_ids uuid[], status text)
returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ended uuid[];
begin
  ended := array(
    select m.id
    from messaging.messages m
    where m.id = any (message_ids) and m.status = 'queued'
      and (m.batch_id is not null or m.held_by = 'awaiting_reply')
      and not exists (select from messaging.message_queue q where q.message_id = m.id)
    order by m.id
    for no key update
  );
  if ended = '{}' then
    return 0;
  end if;
  perform messaging.end_messages(ended, status);
  perform messaging.accept_pending_recipients(ended);
  return cardinality(ended);
end;
$$;

-- The message of an instance that a path names (see find_message_id), locked. `request`: instanceId, messageId.
-- A received one too: its status (received) says what cannot be done with it.
-- Error: MI004.
create or replace function messaging.find_message(request jsonb)
returns messaging.messages language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  select m.* into message
  from messaging.messages m
  where m.id = messaging.find_message_id(request)
  for no key update;
  if not found then
    raise exception using errcode = 'MI004', message = 'message_not_found';
  end if;
  return messaging.message_after_merge(message);
end;
$$;

-- When a message that has just been queued or scheduled may leave, and what moved it, where its instance is
-- held at its slot or its budget may keep it: see expected_departure. `hold`: as shown_hold, NULL where the
-- instance is not held.
create or replace function messaging.held_departure(
  message_id uuid, instance messaging.instances, out slot timestamptz, out held_by text,
  out hold jsonb
) language plpgsql stable set search_path = '' as $$
begin
  select e.leaves_at, e.held_by, case
    when e.held_until is not null then messaging.shown_hold(
      e.hold_reason, e.hold_code, e.held_until, instance.time_zone
    )
  end
  into slot, held_by, hold
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  cross join lateral messaging.dispatch_of(q.instance_id) as d
  cross join lateral messaging.expected_departure(
    q, m, instance, d, messaging.budget_hold(instance, m.purpose, clock_timestamp())
  ) as e
  where q.message_id = held_departure.message_id;
end;
$$;

-- Lets a message that is in no queue wait until its contact writes: it holds `awaiting_reply`, and ends after 72
-- hours where its call named no end. `decided`: its ladder, as decide_ladder decided for an invitation.
-- `is_paced`: see find_or_send_invitation. The caller holds the contact and the message, whose row it gives (see
-- wait_again).
create or replace function messaging.await_reply(
  instance messaging.instances, message messaging.messages, decided jsonb, is_paced boolean
) returns void language plpgsql set search_path = '' as $$
declare
  invitation_id constant uuid := messaging.find_or_send_invitation(
    instance, message.id, message.contact_id, message.conversation_id,
    decided->'rungs'->(decided->>'place')::integer, message.sent_by, message.phone_given,
    is_paced, message.interval_seconds, message.batch_id
  );
begin
  message.ladder := messaging.waiting_ladder(decided, invitation_id, message.expires_at is null);
  message.expires_at := messaging.reply_awaited_until(message.expires_at, clock_timestamp());
  perform messaging.wait_again(message, null, 'awaiting_reply');
end;
$$;

-- The invitation to a contact that a message waits for: the open one, which has yet to leave or left within the
-- last 24 hours, or a new one, which goes as the message would: at the pace where it `is_paced`, else at once,
-- such as in the slot of a message that was to leave now. Returns its id. The caller holds the contact, so that
-- two messages find one invitation, and stores the message. What the invitation costs counts for `of_batch`,
-- the batch of the message. Locks pacing. Errors: MI010.
create or replace function messaging.find_or_send_invitation(
  instance messaging.instances, message_id uuid, contact_id uuid, conversation_id uuid, rung jsonb,
  sent_by text, phone_given text, is_paced boolean, interval_seconds integer, of_batch uuid
) returns uuid language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  invitation_id uuid;
  slot timestamptz := clock;
  held_by text;
begin
  select m.id into invitation_id
  from messaging.messages m
  where m.contact_id = any (messaging.merged_contact_ids(find_or_send_invitation.contact_id))
    and m.ladder is not null and m.ladder ? 'invitationFor'
    and m.status not in ('failed', 'canceled', 'expired')
    and (m.status = 'queued' or coalesce(m.sent_at, m.unconfirmed_at) > clock - interval '24 hours')
  order by m.created_at desc
  limit 1;
  if found then
    return invitation_id;
  end if;
  invitation_id := gen_random_uuid();
  if not is_paced then
    perform messaging.schedule_message(
      invitation_id, instance, find_or_send_invitation.contact_id, clock
    );
  else
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      invitation_id, instance, find_or_send_invitation.interval_seconds, clock, interval '0', find_or_send_invitation.contact_id
    ) e;
  end if;
  perform messaging.add_outbound_messages(array[row(
    invitation_id, instance.id, find_or_send_invitation.contact_id,
    find_or_send_invitation.conversation_id,
    jsonb_build_object(
      'messageType', 'template', 'message', rung->'message', 'content', rung->'content',
      'mediaId', rung->'mediaId', 'purpose', rung->'purpose', 'sentBy', find_or_send_invitation.sent_by, 'pausesAgent', false,
      'ladder', jsonb_build_object(
        'invitationFor', find_or_send_invitation.message_id,
        'batchId', of_batch,
        'shown', jsonb_build_object(
          'sentAs', 'template', 'template', messaging.rung_template(rung),
          'invitationFor', find_or_send_invitation.message_id
        )
      )
    ),
    null, null, case when is_paced then 'queued' else 'scheduled' end,
    find_or_send_invitation.interval_seconds,
    slot, held_by, find_or_send_invitation.phone_given, null, null, null, null
  )::messaging.outbound_message]);
  return invitation_id;
end;
$$;

-- Lets a message that is in no queue go on by its ladder, as `decided` (see climb_ladder): back into the queue,
-- as its own mode would; or it waits for an answer; or it fails, where no rung is left. `error`: what the channel
-- said. The caller holds the message and its contact. Locks pacing, then dispatch.
create or replace function messaging.go_on_by_ladder(
  instance messaging.instances, message messaging.messages, decided jsonb, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  going_on messaging.messages := message;
begin
  if decided ? 'isExhausted' then
    message.is_retryable := false;
    message.ladder := decided;
    message.last_error := messaging.exhausted_error(decided->'passed');
    perform messaging.fail_message(message);
    return;
  end if;
  begin
    going_on.last_error := error;
    going_on.is_retryable := false;
    if decided->'shown'->>'sentAs' = 'invitation' then
      perform messaging.await_reply(instance, going_on, decided, message.mode = 'queued');
      return;
    end if;
    going_on.held_by := null;
    if message.ladder ? 'endsByDefault' then
      going_on.expires_at := null;
    end if;
    going_on.ladder := decided - 'endsByDefault';
    perform messaging.requeue_message(going_on);
  exception when sqlstate 'MI010' then
    message.last_error :=
      '{"code": "send_window_never_opens", "message": "The send window never opens."}';
    perform messaging.fail_message(message);
  end;
end;
$$;

-- The files of ours that a ladder's templates have as their headers; empty for none, and for no ladder.
create or replace function messaging.ladder_files(ladder jsonb)
returns uuid[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct (r.rung->>'mediaId')::uuid
    from jsonb_array_elements(ladder->'rungs') as r(rung)
    where r.rung->>'mediaId' is not null
    order by 1
  );
end;
$$;

-- How list_messages finds the messages of a request. `batch`, `card`, `stopped` (a status that only a minority of
-- messages has) and `instance`: by an index in the order in which they were stored. `contact` and `queue`:
-- all of them by an index of another order, where they are at most `most`; of `queue` see queued_elsewhere too.
-- `none`: nothing can match.
create or replace function messaging.message_list_path(request jsonb, of_contact uuid, most integer)
returns text language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
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
  ) <= most and (
    of_status = 'sending' or (
      select count(*) from (
        select from messaging.messages m
        where m.expires_at is not null and m.status = 'queued'
        limit most + 1
      ) as counted
    ) <= most
  ) then
    return 'queue';
  end if;
  return 'instance';
end;
$$;

-- A message's row as the record that messages-api answers, with instants in the time zone of its
-- instance. `is_claimed`: whether its row of the queue has a claim: it is being sent, and that attempt
-- counts already. Reads no table, so that it is cheap for many rows at once, but for a delivery of the last
-- seconds (see shown_price) and the question that it asks (see shown_question). Of a message that waits it
-- shows its slot as stored, and no hold; describe_message knows what else may hold it. Of a message with a media_id
-- message_media knows the rest: add it. So add read_message_contact, its contact.
create or replace function messaging.message_record(
  message messaging.messages, time_zone text, is_claimed boolean
) returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
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
    'handledBy', coalesce(message.handled_by, 'us'),
    'isTypedOnPhone', coalesce(message.is_typed_on_phone, false),
    'cardId', message.card_id,
    'batchId', message.batch_id,
    'purpose', messaging.told_purpose(message.purpose),
    'cancelKey', message.cancel_key,
    'cancelOn', message.cancel_on,
    'paymentReference', message.payment_reference,
    'cancelReason', case when message.status = 'canceled' then message.cancel_reason end,
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
    'holdReason', null,
    'holdCode', null,
    'heldUntil', null,
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
  ) || messaging.shown_price(
    message.id, message.delivered_at, message.pricing, message.estimated_cost, message.cost_currency
  ) || messaging.shown_parts(message.content) || case
    when message.change is null then '{}'
    else jsonb_build_object('change', messaging.shown_change(message.change, time_zone, now()))
  end || case
    when message.ladder is null then '{}'
    else coalesce(message.ladder->'shown', '{}')
  end || case
    when message.question_id is null then '{}'
    else messaging.shown_question(message.question_id, message.direction)
  end || case
    when messaging.asks_to_pay(message.content)
      then messaging.shown_payment(message.id, message.content->'payment')
    else '{}'
  end || case
    when message.group_receipts is null then '{}'
    else jsonb_build_object('groupReceipts', message.group_receipts)
  end;
end;
$$;

-- Writes that a message waits again, as if no attempt had been made: for `slot`, or in no queue (NULL). What else
-- changes with that, its content, ladder, end, attempts, error and reason to cancel, is what `message` says: its row,
-- which the caller holds, as the caller has changed it.
create or replace function messaging.wait_again(
  message messaging.messages, slot timestamptz, held_by text
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = 'queued', scheduled_for = slot, held_by = wait_again.held_by,
    content = message.content, ladder = message.ladder, expires_at = message.expires_at,
    attempts = message.attempts, last_error = message.last_error,
    is_retryable = message.is_retryable, lost_claim_token = message.lost_claim_token,
    cancel_reason = message.cancel_reason,
    confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null, pricing = null, estimated_cost = null, cost_currency = null,
    is_free_service = null
  where m.id = message.id;
end;
$$;

-- Writes when messages leave, and what holds them until then: `slots` and `reasons` by their place, or NULL where a
-- message is in no queue. The caller holds the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.write_departures(
  message_ids uuid[], slots timestamptz[], reasons text[]
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set scheduled_for = d.slot, held_by = d.reason
  from unnest(message_ids, slots, reasons) as d(message_id, slot, reason)
  where m.id = any (array[d.message_id]);
end;
$$;

-- A claimed message goes on under the same claim: its content, ladder, attempts and error are what `message` says: its
-- row, which the caller holds, as the caller has changed it. Where another call is made, the claim lasts
-- `lease_seconds` from now; NULL leaves it as it is. The caller holds the queue row. Locks dispatch.
create or replace function messaging.go_on_under_claim(
  message messaging.messages, lease_seconds double precision
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
begin
  update messaging.messages m
  set content = message.content, ladder = message.ladder, attempts = message.attempts,
    last_error = message.last_error
  where m.id = message.id;
  if ends_at is null then
    return;
  end if;
  update messaging.message_queue q
  set lease_until = ends_at, visible_at = case when q.lane = 'unpaced' then ends_at end
  where q.message_id = message.id;
  update messaging.dispatch d set lease_until = ends_at
  where d.instance_id = message.instance_id and d.in_flight = message.id;
end;
$$;

-- Cancels messages that still wait, because what they were to follow up has come: `reason` is what their records
-- tell as cancelReason (replied, paid, payment_canceled). What a worker has claimed goes; one whose attempt is
-- then refused for now is canceled in place of another attempt, see settle_messages.
-- Returns how many were canceled. The caller holds the messages. Locks as
-- end_waiting_messages.
create or replace function messaging.cancel_follow_ups(message_ids uuid[], reason text)
returns integer language plpgsql set search_path = '' as $$
begin
  -- Before their end, whose event tells it.
  update messaging.messages m
  set cancel_reason = cancel_follow_ups.reason
  where m.id = any (message_ids) and m.status = 'queued';
  return messaging.end_waiting_messages(message_ids, 'canceled');
end;
$$;

-- Ends messages that have been taken out of the queue, or were in none: they become `status`, canceled or expired.
-- The caller holds them.
create or replace function messaging.end_messages(message_ids uuid[], status text)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = end_messages.status,
    canceled_at = case when end_messages.status = 'canceled' then clock_timestamp() end
  where m.id = any (message_ids);
end;
$$;

-- Ends a message that is in no queue as failed. Its ladder, attempts and error, and whether it may be retried, are
-- what `message` says: its row, which the caller holds, as the caller has changed it.
create or replace function messaging.fail_message(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = 'failed', failed_at = clock_timestamp(), unconfirmed_at = null, held_by = null,
    ladder = message.ladder, attempts = message.attempts, last_error = message.last_error,
    is_retryable = message.is_retryable, lost_claim_token = message.lost_claim_token
  where m.id = message.id;
end;
$$;

-- Writes what a message says: its type, words, content and file, when it was edited or deleted, and the change that a
-- call has asked for. `message`: its row, which the caller holds, as the caller has changed it.
create or replace function messaging.write_content(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set message_type = message.message_type, message = message.message, content = message.content,
    media_id = message.media_id, edited_at = message.edited_at, deleted_at = message.deleted_at,
    change = message.change
  where m.id = message.id;
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
-- fits_transition compares the ids; advance_message and climb_after_status apply it.
create or replace function messaging.message_transition(status text, event text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
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
    -- The provider called it failed, of whichever attempt, and it has arrived after all.
    when 'failed > delivered'      then 'always'          -- the customer has it
    when 'failed > read'           then 'always'          -- the customer has it
  end;
end;
$$;

-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        pausable.has_agent,
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        t.is_use_due,
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
        n.people_scope, n.workspace_id, n.budget, n.connected_phone_key, n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.* from messaging.sending_token(i.id, i.version, call.authentication, clock) as k
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.consent_at,
        c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.consent_at,
        c.last_inbound_at
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
    cross join lateral (
      select exists (
        select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
      ) as has_agent
      offset 0
    ) as pausable
    left join lateral messaging.proven_address(coalesce(own.id, shown.id), false) as sending on true
    where messaging.is_bare_message(call.request)
      and messaging.leaves_at_once(call.delivery, clock)
      and call.delivery->>'timing' is null
      -- Its sends are counted, one by one: see count_unpaced_send.
      and i.protection is null
      -- May have to wait: see budget_hold.
      and not messaging.stopped_by_budget(i.budget, call.message->>'purpose', null)
      -- Leaves the agent as it is, and says so: a template's, as a rule.
      and (call.message->>'pausesAgent' is null or not pausable.has_agent)
      and call.message->'fit' is null
      -- Is refused where it would make a contact: see find_or_add_contact.
      and wanted.identity_key <> i.connected_phone_key
      and messaging.send_refusal(
        coalesce(own.is_blocked, shown.is_blocked),
        messaging.effective_consent(
          call.message->>'purpose', i.people_scope, i.workspace_id,
          coalesce(own.id, shown.id), wanted.identity_key,
          coalesce(own.consent_marketing, shown.consent_marketing),
          coalesce(own.consent_at, shown.consent_at)
        ),
        coalesce(own.last_inbound_at, shown.last_inbound_at),
        i.provider_class, call.message->>'messageType', call.message->>'purpose', clock
      ) is null
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;

-- The queued messages of an instance that are in no queue: those that a pause of their batch took out of it, and
-- those that wait for their contact's answer. Of the former those of its `most` newest batches. The latter all have
-- an end, by whose index they are found: among the `most` messages that end first of all that wait, other instances'
-- too.
create or replace function messaging.queued_elsewhere(of_instance uuid, most integer)
returns setof messaging.messages language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
  select m.*
  from (
    select b.id, b.status from messaging.batches b
    where b.instance_id = of_instance
    order by b.created_at desc, b.id desc
    limit most
  ) as b
  join messaging.messages m on m.batch_id = any (array[b.id]) and m.status = 'queued'
  where b.status = 'paused' and m.held_by is distinct from 'awaiting_reply'
    and not exists (select from messaging.message_queue q where q.message_id = m.id)
  union all
  select w.*
  from (
    select m.* from messaging.messages m
    where m.expires_at is not null and m.status = 'queued'
    order by m.expires_at
    limit most
  ) as w
  where w.instance_id = of_instance and w.held_by = 'awaiting_reply';
end;
$$;

-- Lets what waits for a contact's answer leave, in order, where its window is open now: what was queued at the
-- pace, the rest at once. It takes its place of the day now, as it had none while it waited.
-- The caller holds the contact. Locks the messages, then pacing, then dispatch.
-- A message whose send window never opens waits on, until its end.
create or replace function messaging.release_waiting_messages(contact_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  survivor_id uuid;
  last_at_once uuid;
  counted record;
begin
  for message in
    select m.*
    from messaging.messages m
    join messaging.contacts c on c.id = release_waiting_messages.contact_id
    where m.contact_id = any (
      messaging.merged_contact_ids(release_waiting_messages.contact_id)
    )
      and m.ladder is not null and m.status = 'queued' and m.held_by = 'awaiting_reply'
      and messaging.is_window_open(
        'official', c.last_inbound_at, (m.ladder->>'closedAt')::timestamptz, clock_timestamp()
      )
    order by m.created_at, m.id
    for no key update of m
  loop
    begin
      survivor_id := (messaging.message_after_merge(message)).contact_id;
      if survivor_id <> message.contact_id then
        perform messaging.move_messages(array[message.id]);
        message.contact_id := survivor_id;
      end if;
      message.held_by := null;
      if message.ladder ? 'endsByDefault' then
        message.expires_at := null;
      end if;
      message.ladder := jsonb_set(
        message.ladder - array['place', 'endsByDefault'], '{shown,sentAs}', '"message"'
      );
      perform messaging.requeue_message(message);
      if message.mode <> 'queued' then
        update messaging.message_queue q set goes_after = last_at_once
        where q.message_id = message.id and last_at_once is not null;
        last_at_once := message.id;
        if instance.id is null then
          instance := messaging.find_instance(message.instance_id);
        end if;
        if instance.protection is not null then
          counted := messaging.count_unpaced_send(
            instance.id, message.contact_id, clock_timestamp()
          );
          update messaging.message_queue q
          set is_new = counted.is_new, counted_on = counted.counted_on
          where q.message_id = message.id;
        end if;
      end if;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
end;
$$;

-- accept_message: finds or creates what a call is about, step by step: any call that the one statement of
-- accept_message does not answer. The contact, its conversation, the address, the message that it answers,
-- the assignment, and the agent. `request` and the errors are accept_message's.
create or replace function messaging.resolve_send(
  instance messaging.instances, request jsonb, out contact_id uuid, out phone text,
  out conversation_id uuid, out assigned_to uuid, out address text,
  out quoted_provider_message_id text, out quoted_is_ours boolean, out assignment jsonb,
  out agent_id uuid
) language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
begin
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft ? 'ladder' then
    perform messaging.hold_ladder_files(instance.id, draft->'ladder', request->'delivery');
  end if;
  if draft is not null then
    -- With a ladder a closed window refuses nothing yet: see decide_ladder.
    perform messaging.refuse_send(
      case when draft->'ladder' is null then instance end, contact, draft->>'messageType',
      draft->>'purpose'
    );
    address := messaging.channel_send_address(
      instance, contact, request->>'phone', draft->>'needsPhone' is not null
    );
  end if;
  if draft->>'replyTo' is not null then
    select m.provider_message_id, m.direction = 'outbound'
    into quoted_provider_message_id, quoted_is_ours
    from messaging.messages m
    where m.id = (draft->>'replyTo')::uuid and m.instance_id = instance.id
      and m.contact_id = any (messaging.merged_contact_ids(contact.id))
      and m.provider_message_id is not null;
    if not found then
      raise exception using errcode = 'MI004', message = 'message_not_found';
    end if;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;
  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    if request->'agent'->>'isContinued' is null then
      perform messaging.take_agent_turn(
        conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
        (request->'agent'->>'answersThrough')::bigint
      );
    end if;
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

-- resolve_send: lets a ladder's templates have files as their headers: they must be there (see
-- lock_media_to_send), and stay until the message has left, however it goes. That is bounded by 30 days after
-- the instant at which the call lets it leave or expire. `delivery` as accept_message's. Locks the files in
-- the order of their ids. Errors: MI051 to MI054.
create or replace function messaging.hold_ladder_files(
  instance_id uuid, ladder jsonb, delivery jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  latest constant timestamptz := interval '30 days' + greatest(
    messaging.earliest_departure(delivery, clock_timestamp()),
    (nullif(delivery->'timing', 'null')->>'expiresAt')::timestamptz
  );
  file_id uuid;
begin
  foreach file_id in array messaging.ladder_files(ladder) loop
    perform messaging.lock_media_to_send(hold_ladder_files.instance_id, file_id);
    update messaging.media m
    set held_until = greatest(m.held_until, latest),
      expires_at = case when m.expires_at is not null then greatest(m.expires_at, latest) end
    where m.id = file_id;
  end loop;
end;
$$;

-- Takes an agent's turn in a conversation: the first `answers_through` questions now count as
-- answered, so that each gets at most one answer. The model was given a state in which
-- `answered_before` questions were answered; another answer since then makes this one stale. Locks the
-- conversation.
-- Errors: MI018 where the agent must not answer: it has stepped back (see agent_steps_back), is no longer active,
-- has used up its answers of this hour, or the turn is taken.
create or replace function messaging.take_agent_turn(
  conversation messaging.conversations, agent_id uuid, answered_before bigint,
  answers_through bigint
) returns void language plpgsql set search_path = '' as $$
begin
  select c.* into conversation from messaging.conversations c
  where c.id = conversation.id for no key update;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, answered_count, answered_at)
  select conversation.id, conversation.instance_id, a.id, take_agent_turn.answers_through,
    array[clock_timestamp()]
  from messaging.ai_agents a
  where a.id = take_agent_turn.agent_id and a.is_active
    and not messaging.agent_steps_back(conversation, clock_timestamp())
  on conflict on constraint agent_sessions_pkey do update
  set answered_count = excluded.answered_count, agent_id = excluded.agent_id, updated_at = now(),
    answered_at =
      (session.answered_at || excluded.answered_at)[greatest(cardinality(session.answered_at) - 28, 1):]
  where session.answered_count = take_agent_turn.answered_before
    and session.answered_count < excluded.answered_count
    and messaging.agent_limited_until(session.answered_at) is null;
  if not found then
    raise exception using errcode = 'MI018', message = 'agent_silent';
  end if;
end;
$$;

-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId, or NULL for the instance's only active one;
-- collectedData or NULL. Returns the agent's id. Errors: MI003 (none, or the named one is not active here),
-- MI009 (several, and none named), MI021 (collected_data would exceed 64 KiB).
create or replace function messaging.begin_agent_session(
  instance_id uuid, conversation_id uuid, agent jsonb
) returns uuid language plpgsql set search_path = '' as $$
declare
  agent_ids constant uuid[] := array(
    select a.id from messaging.ai_agents a
    where a.instance_id = begin_agent_session.instance_id and a.is_active
      and (agent->>'agentId' is null or a.id = (agent->>'agentId')::uuid)
  );
begin
  if agent_ids = '{}' then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  if cardinality(agent_ids) > 1 then
    raise exception using errcode = 'MI009', message = 'agent_id_required';
  end if;
  update messaging.conversations c
  set agent_id = agent_ids[1], updated_at = now()
  where c.id = begin_agent_session.conversation_id;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, agent_ids[1],
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = messaging.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return agent_ids[1];
end;
$$;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: one statement for both would cost a send 1.10 times as many
-- instructions. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain: a
-- reaction's never is, which is told otherwise and is nobody's newest message.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[] language plpgsql set search_path = '' as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
  noted text;
  has_news boolean;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id)
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and m.message_type <> 'reaction'
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
    where m.id = settled
  )
  update messaging.contact_activity a
  set updated_at = greatest(a.updated_at, messaging.change_instant(a.instance_id)),
    last_message_at = greatest(a.last_message_at, clock),
    awaits_reply = messaging.awaits_reply_after(a.awaits_reply, a.last_message_at, clock)
  where a.contact_id = addressee and not has_news;
  if not has_news then
    -- What touch_noted_contacts would do in a statement of its own, for 100,000 instructions.
    noted := set_config('messaging.sent_contacts', '', true);
  else
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
  end if;
  return array[settled];
end;
$$;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends; with the provider's id of the message.
-- The caller settles the other results, whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb, clock timestamptz, out settled uuid[], out settlements messaging.settlement[]
) language plpgsql set search_path = '' as $$
declare
  ids uuid[];
  told jsonb;
begin
  select array_agg((r->>'messageId')::uuid), jsonb_object_agg((r->>'messageId')::uuid, r)
  into ids, told
  from jsonb_array_elements(results) as r;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        locked.provider_id, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent, locked.called_after_ms, null
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1)
  into settled, settlements
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      coalesce(told #>> array[q.message_id::text, 'providerMessageId'], m.provider_message_id)
        as provider_id,
      (told #>> array[q.message_id::text, 'calledAfterMs'])::integer as called_after_ms,
      q.echo is null and m.status in ('queued', 'sending') and m.message_type <> 'reaction' as is_plain,
      messaging.restarts_pause(m) as pauses_agent
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
  where m.id = any (settled);
end;
$$;

-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted. Notes
-- whose failure may pause their batch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  failed uuid[];
  invitations uuid[];
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
    -- Told in the order of their ids.
    from (select * from unnest(settlements) order by message_id) as s
    where m.id = any (array[s.message_id])
    returning m.id, m.status = 'failed' and m.ladder ? 'invitationFor' as is_failed_invitation,
      messaging.may_pause_batch(m) and s.outcome = 'rejected' and not s.has_old_credentials as may_pause_batch
  )
  select array_agg(c.id) filter (where c.may_pause_batch),
    array_agg(c.id order by c.id) filter (where c.is_failed_invitation)
  into failed, invitations
  from changed c;
  perform messaging.note_batch_failures(failed);
  if invitations is not null then
    perform messaging.fail_invitation(m) from messaging.messages m
    where m.id = any (invitations);
  end if;
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
returns uuid[] language plpgsql set search_path = '' as $$
declare
  unsent record;
  message messaging.messages;
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
    message := unsent.message;
    message.is_retryable := true;
    message.last_error := unsent.error;
    message.lost_claim_token := null;
    -- The end of the claim was counted as an attempt.
    message.attempts := greatest(message.attempts - 1, 0);
    begin
      if message.mode in ('queued', 'scheduled') then
        perform messaging.requeue_message(message);
      else
        perform messaging.fail_message(message);
      end if;
    exception when sqlstate 'MI010' then
      perform messaging.fail_message(message);
    end;
    taken_back := taken_back || message.id;
  end loop;
  return taken_back;
end;
$$;

-- Records a sending call in one transaction: contact, conversation, assignment, message, slot, agent
-- pause, idempotency key. No provider is called before it has committed.
-- `request`: instanceId, phone | contactId | userId (see find_recipient), idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, mediaId, cardId, metadata, purpose, sentBy, delayTypingMs,
--     needsPhone, pausesAgent (false or absent), replyTo (a message of the contact, which it answers),
--     fit (what the outcome repeats of how it goes out: rendering, reduced),
--     ladder {rungs} (what happens outside the conversation window: see decide_ladder)} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn), with isContinued
--     for a further message of the same answer; or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once; timing {sendAt, expiresAt, cancelKey, cancelOn,
--     paymentReference} where one of them is given,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), with holdReason, holdCode and heldUntil where its
-- instance is held, aiAgentPausedUntil; for an immediate send also
-- claimToken, `to`, the address, and quotedProviderMessageId and quotedIsOurs with replyTo: the caller holds
-- the claim for leaseSeconds and must settle it. Or {replayed: ...} for a known key, and {attempted: ...}
-- where that key's message is to be tried again (see attempt_again). With authentication also rateLimit (see
-- describe_rate_limit).
-- With a ladder also sentAs, template and invitationId (see decide_ladder), and `rung`, the place of the one
-- that is taken. One statement finds what a bare message (see is_bare_message) to a known contact needs;
-- resolve_send what any other call does. What a call costs is mostly the start of its statements. Plans must
-- not depend on statistics: there may be ten contacts or a million. The steps inherit the settings below.
-- Locks, in this order: key, contact, conversation, budget, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI004 (replyTo), MI005 (blocked), MI006 (24-hour window),
-- MI007, MI008, MI010, MI031 (contactId), MI033 (no phone), MI034 (marketing to a contact that has denied
-- it), MI018 (the agent is to be silent), MI022 (the caller must authenticate anew), MI041, MI042, MI043 and
-- MI057 (timing), MI094 (paymentReference), MI045 (the own number), MI051 to MI054 (the file: see
-- take_media).
create or replace function public.accept_message(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  draft jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  timing jsonb := nullif(delivery->'timing', 'null');
  authentication constant jsonb := nullif(request->'authentication', 'null');
  given_phone constant text := request->>'phone';
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  is_bare constant boolean := messaging.is_bare_message(request);
  wanted_key constant text := case when is_bare then messaging.phone_identity_key(given_phone) end;
  is_immediate boolean := draft is not null
    and messaging.leaves_at_once(delivery, clock);
  message_id constant uuid := case when draft is not null then gen_random_uuid() end;
  claim_token uuid := case when is_immediate then gen_random_uuid() end;
  known record;
  is_known boolean;
  resolved record;
  assignment jsonb;
  agent_id uuid;
  quoted_id text;
  recorded jsonb;
  paused_until timestamptz;
  is_pausing boolean := false;
  mode text := case when draft is null then 'assign_only' else 'sent' end;
  not_before timestamptz;
  typing interval;
  placed record;
  slot timestamptz;
  held_by text;
  is_held boolean;
  stored_at timestamptz;
  ladder jsonb;
  is_waiting boolean := false;
  budget_slot timestamptz;
  budget_ends_at timestamptz;
  hold jsonb;
begin
  select i.id as instance_id, case when is_bare and not is_immediate then i end as instance,
    i.time_zone, i.requests_per_minute, i.protection is not null as is_protected,
    i.budget is not null as has_budget, t.id as token_id,
    t.is_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.instances i
  left join messaging.contacts c
    on c.instance_id = i.id and c.identity_key = wanted_key
    and messaging.send_refusal(
      c.is_blocked,
      messaging.effective_consent(
        draft->>'purpose', i.people_scope, i.workspace_id, c.id, c.identity_key,
        c.consent_marketing, c.consent_at
      ),
      c.last_inbound_at, i.provider_class, draft->>'messageType', draft->>'purpose', clock
    ) is null
  left join messaging.conversations v on v.contact_id = c.id
  left join lateral messaging.sending_token(i.id, i.xmin::text, authentication, clock) as t on true
  left join lateral messaging.proven_address(c.id, false) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where i.id = (request->>'instanceId')::uuid;
  if authentication is not null and known.token_id is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  elsif known.token_id is not null and known.is_use_due then
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
    if timing->>'paymentReference' is not null then
      perform messaging.bound_payment_followers(
        known.instance_id, array[timing->>'paymentReference']
      );
    end if;
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
    quoted_id := resolved.quoted_provider_message_id;
    if quoted_id is not null then
      draft := draft || jsonb_build_object('quotedProviderMessageId', quoted_id);
    end if;
    if draft->'ladder' is not null then
      select l.ladder, l.is_waiting, l.timing into ladder, is_waiting, timing
      from messaging.begin_ladder(
        known.instance, request, message_id, known.contact_id, known.conversation_id,
        nullif(given_phone, known.phone), clock
      ) l;
      draft := draft || jsonb_build_object(
        'ladder', ladder,
        'fit', coalesce(draft->'fit', '{}') || (ladder->'shown')
          || jsonb_build_object('rung', ladder->'place')
      );
      is_immediate := is_immediate and not is_waiting;
      claim_token := case when is_immediate then claim_token end;
    end if;
  end if;

  if draft->'ask' is not null or draft is not null and timing->'cancelOn' ? 'reply' then
    perform messaging.expect_reply(
      array[known.contact_id], coalesce(timing->'cancelOn' ? 'reply', false), draft->'ask' is not null
    );
  end if;
  if draft is not null and not is_waiting and known.has_budget then
    known.instance := messaging.find_instance(known.instance_id);
    if is_immediate
      and messaging.stopped_by_budget((known.instance).budget, draft->>'purpose', null) then
      perform messaging.lock_budget(known.instance_id, true);
    end if;
    budget_ends_at := messaging.budget_hold(known.instance, draft->>'purpose', clock);
    budget_slot := case when is_immediate then budget_ends_at end;
    is_immediate := is_immediate and budget_slot is null;
    claim_token := case when is_immediate then claim_token end;
  end if;

  if known.has_agent then
    is_pausing := draft is not null and agent_id is null
      and draft->>'sentBy' is distinct from 'ai_agent' and draft->>'pausesAgent' is null
      and (
        is_immediate
        or not is_waiting and budget_ends_at is null
          and messaging.leaves_in_pause(known.instance, delivery)
      );
    if is_pausing then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    else
      select p.paused_until into paused_until from messaging.agent_pauses p
      where p.contact_id = known.contact_id and p.paused_until > clock;
    end if;
  end if;
  if is_immediate then
    -- A reaction takes no place of a day.
    if known.is_protected and draft->>'messageType' <> 'reaction' then
      perform messaging.count_unpaced_send(known.instance_id, known.contact_id, clock);
    end if;
  elsif is_waiting then
    mode := case when (delivery->>'queued')::boolean then 'queued' else 'scheduled' end;
    held_by := 'awaiting_reply';
  elsif draft is not null then
    not_before := greatest(messaging.earliest_departure(delivery, clock), budget_slot);
    if (delivery->>'queued')::boolean then
      mode := 'queued';
      typing := interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0);
      if timing->>'sendAt' is null and not_before <= clock then
        placed := messaging.enqueue_message(
          message_id, known.instance, (delivery->>'intervalSeconds')::integer, not_before, typing,
          known.contact_id
        );
      else
        placed := messaging.enqueue_message_later(
          message_id, known.instance, (delivery->>'intervalSeconds')::integer, not_before, typing,
          known.contact_id
        );
      end if;
    else
      mode := 'scheduled';
      placed := messaging.schedule_message(
        message_id, known.instance, known.contact_id, not_before
      );
    end if;
    slot := placed.slot;
    held_by := coalesce(
      placed.held_by,
      case when budget_slot is not null then 'budget' when not_before > clock then 'delay' end
    );
    is_held := placed.is_held;
  end if;
  if draft is not null then
    stored_at := messaging.add_outbound_messages(array[row(
      message_id, known.instance_id, known.contact_id, known.conversation_id, draft,
      known.assigned_to, agent_id, mode, (delivery->>'intervalSeconds')::integer, slot, held_by,
      nullif(given_phone, known.phone), null, timing, claim_token,
      (delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message]);
  end if;
  if is_held or budget_ends_at is not null then
    placed := messaging.held_departure(message_id, known.instance);
    slot := placed.slot;
    held_by := placed.held_by;
    hold := placed.hold;
  end if;
  if is_known and is_pausing and paused_until is not null then
    perform messaging.touch_contacts(array[known.contact_id]);
  elsif not is_known then
    if is_pausing and paused_until is not null then
      perform messaging.note_contact(known.contact_id);
    end if;
    perform messaging.touch_noted_contacts();
  end if;

  recorded := messaging.accepted_outcome(
    mode, known.contact_id, known.conversation_id, agent_id, assignment, message_id, slot, held_by,
    paused_until, known.time_zone, claim_token,
    case when is_immediate then coalesce(known.address, given_phone) end
  );
  if hold is not null then
    recorded := recorded || hold;
  end if;
  if draft->'fit' is not null then
    recorded := recorded || (draft->'fit');
  end if;
  if has_key then
    perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
  end if;
  if is_immediate and quoted_id is not null then
    recorded := recorded || jsonb_build_object(
      'quotedProviderMessageId', quoted_id, 'quotedIsOurs', resolved.quoted_is_ours
    );
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, authentication->>'functionName', known.requests_per_minute
  );
end;
$$;

-- messages-api: records that a provider is about to be asked to edit or delete a sent message, before it is.
-- `request`: instanceId, messageId (see find_message_id), kind (edit, delete), message (the new words of an
-- edit), leaseSeconds: how long the asking may take. Locks the message.
-- Returns {change, message}: change is {token, messageId, to, providerMessageId, messageType, message, content,
-- file} with the new words, and what settle_message_change needs; NULL where there is nothing to ask: a
-- deletion of what is deleted, of which `message` is the record.
-- Errors: MI004; MI061 (not editable), MI062 (not deletable), with the reason of change_refusal as detail.
create or replace function public.begin_message_change(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  kind constant text := request->>'kind';
  words constant text := request->>'message';
  token constant uuid := gen_random_uuid();
  message messaging.messages := messaging.find_message(request);
  instance messaging.instances;
  contact messaging.contacts;
  refusal text;
begin
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  if kind = 'delete' and message.direction = 'outbound' and message.deleted_at is not null then
    return jsonb_build_object('change', null, 'message', messaging.describe_message(message));
  end if;
  refusal := messaging.change_refusal(message, instance.provider_class, kind, clock);
  if refusal is not null then
    raise exception using
      errcode = case kind when 'edit' then 'MI061' else 'MI062' end,
      message = case kind when 'edit' then 'message_not_editable' else 'message_not_deletable' end,
      detail = refusal;
  end if;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  message.change := jsonb_build_object(
    'token', token, 'kind', kind, 'status', 'under_way', 'message', words, 'requestedAt', clock,
    'leaseUntil', clock + make_interval(secs => (request->>'leaseSeconds')::double precision),
    'error', null,
    -- The words whose echoes are still to come, of earlier edits too.
    'awaited', coalesce(message.change->'awaited', '[]') || case
      when kind = 'edit' then jsonb_build_array(md5(words)) else '[]'
    end
  );
  perform messaging.write_content(message);
  return jsonb_build_object('message', null, 'change', jsonb_build_object(
    'token', token,
    'messageId', message.id,
    'to', messaging.contact_send_address(contact, message.phone_given),
    'providerMessageId', message.provider_message_id,
    'messageType', message.message_type,
    'message', words,
    'content', message.content,
    'file', case when message.media_id is not null then messaging.file_to_send(message.media_id) end
  ));
end;
$$;

-- Why an edit or a deletion (`kind`: edit, delete) of a sent message is refused, as one word; NULL where the
-- channel may be asked. The official channel has neither. WhatsApp takes an edit for 15 minutes and says
-- nothing where it comes too late: the last ten seconds are left to the call on its way.
create or replace function messaging.change_refusal(
  message messaging.messages, provider_class text, kind text, clock timestamptz
) returns text language sql stable
return case
  when message.direction = 'inbound' then 'received'
  when provider_class = 'official' then 'official_channel'
  when message.deleted_at is not null then 'deleted'
  when message.status not in ('sent', 'delivered', 'read') then message.status
  when message.provider_message_id is null
  or message.message_type = 'reaction' then 'unknown_type'
  when message.change ->> 'status' = 'under_way'
  and (message.change ->> 'leaseUntil')::timestamptz > clock then 'changing'
  when kind = 'edit'
  and not (
    message.message_type = 'text'
    or message.message_type in ('image', 'video', 'document')
    and not message.is_typed_on_phone
  ) then 'unknown_type'
  when kind = 'edit'
  and message.sent_at <= clock - interval '14 minutes 50 seconds' then 'too_old'
end;

-- messages-api: takes a waiting message out of the queue. `request`: instanceId, messageId.
-- Canceling a canceled message changes nothing. Locks the message, then as end_waiting_messages.
-- Errors: MI004; MI011 (in flight, or settled already).
create or replace function public.cancel_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
  if messaging.end_waiting_messages(array[message.id], 'canceled') = 0 then
    raise exception using errcode = 'MI011', message = 'message_not_cancelable', detail = 'sending';
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;

-- messages-api: cancels all messages that still wait under a cancelKey. `request`: instanceId, cancelKey.
-- What is being sent, or has another state, stays. Returns {canceled}: how many.
-- Locks the messages in the order of their ids, then as end_waiting_messages.
create or replace function public.cancel_messages_by_key(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
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
    else messaging.end_waiting_messages(waiting, 'canceled')
  end);
end;
$$;

-- messages-api: messages of an instance, sent and received, in the order in which they were stored, or from
-- the newest, a page at a time. `request`: instanceId, limit, order (`desc`: from the newest), `after` as
-- returned in `next`, and filters, each NULL for any: phone, contactId or userId (one of them), cardId,
-- batchId, status (as describe_message tells it), direction, since and until (both included, in the
-- milliseconds that answers show). An unknown phone or userId has no messages. Returns {items, next}.
-- A page reads at most `most_read` messages: where few of many match, it has fewer items than `limit`, or
-- none, and `next` all the same. It reads them in growing steps, by the way that message_list_path chooses.
-- Errors: MI014; MI031 and MI035 see find_recipient.
-- Plans must not depend on statistics: hence the settings below.
create or replace function public.list_messages(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  most_read constant integer := 5000;
  reading messaging.list_reading := messaging.begin_reading(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  names_contact constant boolean :=
    coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null;
  of_contact constant uuid := case
    when names_contact then (messaging.find_recipient(of_instance, request)).id
  end;
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
  since constant timestamptz := coalesce((request->>'since')::timestamptz, '-infinity');
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  zone constant text := (select i.time_zone from messaging.instances i where i.id = of_instance);
  budget_ends_at constant timestamptz := (
    select messaging.reached_budget_ends_at(i, clock_timestamp())
    from messaging.instances i
    where i.id = of_instance
  );
  path text;
  step_read bigint;
  last_read jsonb;
  found_now jsonb[];
begin
  if names_contact and of_contact is null then
    return messaging.build_read_page(reading);
  end if;
  path := messaging.message_list_path(request, of_contact, most_read);
  if path in ('contact', 'queue') then
    reading.step := most_read;
  end if;
  if is_backward and before < reading.after_at then
    reading.after_at := before;
    reading.after_id := '00000000-0000-0000-0000-000000000000';
  elsif not is_backward and since > reading.after_at then
    reading.after_at := since;
    reading.after_id := '00000000-0000-0000-0000-000000000000';
  end if;
  loop
    with scanned as materialized (
      (
        select m from messaging.messages m
        where path = 'instance' and not is_backward and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'batch' and not is_backward and m.batch_id = of_batch and m.instance_id = of_instance
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and not is_backward and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and not is_backward and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and not is_backward and m.contact_id = any (of_contacts)
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue' and not is_backward
          union all
          select m from messaging.queued_elsewhere(of_instance, most_read) as m
          where path = 'queue' and of_status = 'queued' and not is_backward
        ) as few
        where ((few.m).created_at, (few.m).id) > (reading.after_at, reading.after_id) and (few.m).created_at < before
        order by (few.m).created_at, (few.m).id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'instance' and is_backward and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'batch' and is_backward and m.batch_id = of_batch and m.instance_id = of_instance
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and is_backward and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and is_backward and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and is_backward and m.contact_id = any (of_contacts)
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue' and is_backward
          union all
          select m from messaging.queued_elsewhere(of_instance, most_read) as m
          where path = 'queue' and of_status = 'queued' and is_backward
        ) as few
        where ((few.m).created_at, (few.m).id) < (reading.after_at, reading.after_id)
          and (few.m).created_at >= since
        order by (few.m).created_at desc, (few.m).id desc
        limit reading.step
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
      order by
        case when not is_backward then (s.m).created_at end, case when not is_backward then (s.m).id end,
        (s.m).created_at desc, (s.m).id desc
      limit reading.page_size + 1 - cardinality(reading.records)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', (f.m).created_at, 'id', (f.m).id,
          'record', case
            when (f.m).status = 'queued' then messaging.describe_message(f.m, budget_ends_at)
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
        order by
          case when not is_backward then (f.m).created_at end, case when not is_backward then (f.m).id end,
          (f.m).created_at desc, (f.m).id desc
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', (s.m).created_at, 'id', (s.m).id)
        from scanned s
        order by
          case when is_backward then (s.m).created_at end, case when is_backward then (s.m).id end,
          (s.m).created_at desc, (s.m).id desc
        limit 1
      )
    into found_now, step_read, last_read;
    reading := messaging.go_on_reading(reading, found_now, step_read, last_read, most_read);
    exit when reading.is_over;
  end loop;
  return messaging.build_read_page(reading);
end;
$$;

-- What a channel has to be told to mark messages of a person as read: those that the person sent up to one
-- message. `request`: instanceId; messageId (see find_message_id), sent or received, or conversationId for
-- its newest; direction: what that message has to be, NULL for either.
-- Returns {instance, to, messages}: instance is what opens the provider; to the chat's address; messages
-- [{messageId, providerMessageId, isRead}] the newest received one, read or not, after at most 19 unread ones
-- among the hundred messages before it, in their order. A missed call is none: no channel takes a receipt of it.
-- Errors: MI004, MI032; MI063 (of the other direction), with its status as detail.
create or replace function public.list_unread_messages(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  named messaging.messages;
  contact messaging.contacts;
begin
  if request->>'conversationId' is not null then
    select c.* into contact
    from messaging.conversations v
    join messaging.contacts c on c.id = v.contact_id
    where v.id = (request->>'conversationId')::uuid
      and v.instance_id = (request->>'instanceId')::uuid and not v.is_merged;
    if not found then
      raise exception using errcode = 'MI032', message = 'conversation_not_found';
    end if;
  else
    select m.* into named
    from messaging.messages m
    where m.id = messaging.find_message_id(request);
    if not found then
      raise exception using errcode = 'MI004', message = 'message_not_found';
    end if;
    if named.direction <> coalesce(request->>'direction', named.direction) then
      raise exception using errcode = 'MI063', message = 'message_not_readable', detail = named.status;
    end if;
    named := messaging.message_after_merge(named);
    select c.* into strict contact from messaging.contacts c where c.id = named.contact_id;
  end if;
  return (
    with recent as (
      select m.id, m.direction, m.message_type, m.provider_message_id, m.read_at, m.sent_at
      from messaging.messages m
      where m.contact_id = contact.id and m.sent_at <= coalesce(named.sent_at, 'infinity')
      order by m.sent_at desc
      limit 100
    ), received as (
      select r.*,
        row_number() over (order by r.id is not distinct from named.id desc, r.sent_at desc) as place
      from recent r
      where r.direction = 'inbound' and r.provider_message_id is not null
        and r.message_type <> 'call'
        and (r.message_type <> 'reaction' or r.id is not distinct from named.id)
    )
    select jsonb_build_object(
      'instance', jsonb_build_object(
        'instanceId', i.id, 'provider', i.provider, 'sealedProviderConfig', i.sealed_provider_config
      ),
      'to', messaging.contact_send_address(contact, null),
      'messages', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'messageId', u.id, 'providerMessageId', u.provider_message_id, 'isRead', u.read_at is not null
        ) order by u.place desc), '[]')
        from received u
        where u.place = 1 or u.read_at is null and u.place <= 20
      )
    )
    from messaging.instances i
    where i.id = (request->>'instanceId')::uuid
  );
end;
$$;

-- messages-api: moves a message that still waits to another instant, and its end. `request`: instanceId,
-- messageId, sendAt and expiresAt, each NULL for as it is. A paced message gets the slot that an enqueue at
-- that time gives (see enqueue_message_later), and its former one is released; any other is due then. A time
-- before its slot brings it forward, to the first slot that is free there (see bring_forward), and never
-- makes it later: where none is free it keeps its slot. What waited to be tried again waits until then. Locks
-- the message, then pacing. Tries the queue row without waiting: its holder is about to send the message.
-- Returns describe_message.
-- Errors: MI004; MI010; MI041, MI042, MI043 and MI057 (instants); MI044 (in flight, or settled already).
create or replace function public.move_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  instance messaging.instances;
  waiting messaging.message_queue;
  new_end timestamptz;
  send_at timestamptz;
  is_placed boolean := false;
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
  if not found and message.held_by = 'awaiting_reply' and request->>'sendAt' is null then
    -- It is in no queue: only its end can move.
    update messaging.messages m
    set expires_at = new_end, ladder = m.ladder - 'endsByDefault'
    where m.id = message.id
    returning m.* into message;
    return messaging.describe_message(message);
  elsif not found and message.held_by = 'awaiting_reply' then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'awaiting_reply';
  elsif not found then
    raise exception using errcode = 'MI044', message = 'message_not_movable', detail = 'sending';
  end if;
  update messaging.messages m set expires_at = new_end where m.id = message.id;
  send_at := date_trunc('milliseconds', (request->>'sendAt')::timestamptz);
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  if waiting.lane = 'paced' and send_at <= waiting.scheduled_at then
    is_placed := messaging.bring_forward(message, instance, waiting, send_at);
  end if;
  if send_at is not null and not is_placed then
    delete from messaging.message_queue q where q.message_id = message.id;
    perform messaging.release_slots(array[waiting]);
    perform messaging.place_moved_message(message, instance, waiting, send_at);
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  select m.* into strict message from messaging.messages m where m.id = message.id;
  return messaging.describe_message(message);
end;
$$;

-- move_message: puts a message back into its lane of the queue, due at `send_at`. `gone` is its row as it
-- was. The caller holds the message and pacing. Errors: MI010.
create or replace function messaging.place_moved_message(
  message messaging.messages, instance messaging.instances, gone messaging.message_queue,
  send_at timestamptz
) returns void language plpgsql set search_path = '' as $$
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
  reason := coalesce(reason, case when send_at > clock then 'delay' end);
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;

-- move_message: a waiting paced message whose caller wants it at `send_at`, not after its slot. It gets the
-- first slot that is free there, and no other message moves; where none is free it keeps its own, so that no
-- call for an earlier time makes it later. Returns whether it is done; with protection an enqueue places it
-- in the earlier slot that was found. `waiting`: its row. The caller holds the message, pacing and the row.
-- Errors: MI010.
create or replace function messaging.bring_forward(
  message messaging.messages, instance messaging.instances, waiting messaging.message_queue,
  send_at timestamptz
) returns boolean language plpgsql set search_path = '' as $$
declare
  found_slot timestamptz;
  reason text;
begin
  select e.slot, e.held_by into found_slot, reason
  from messaging.earlier_slot(message, instance, waiting, send_at) e;
  if found_slot is null then
    return true;
  end if;
  if instance.protection is not null then
    return false;
  end if;
  update messaging.message_queue q set scheduled_at = found_slot where q.message_id = message.id;
  perform messaging.release_slots(array[waiting]);
  reason := coalesce(reason, case when send_at > clock_timestamp() then 'delay' end);
  perform messaging.write_departures(array[message.id], array[found_slot], array[reason]);
  perform messaging.refresh_dispatch(array[instance.id]);
  return true;
end;
$$;

-- The first free slot of an instance's paced queue from `not_before` on and before `former`, the slot that a waiting
-- message has: in the send window, an interval from its neighbours, so that no other message moves. `slot` is
-- NULL where there is none. `held_by` says what moved it away from `not_before`.
-- With protection the days decide, see next_slot: the slot is the one that an enqueue would give.
-- The caller holds pacing. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.earlier_slot(
  message messaging.messages, instance messaging.instances, former messaging.message_queue,
  not_before timestamptz, out slot timestamptz, out held_by text
) language plpgsql stable set search_path = '' set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  spacing constant interval := messaging.spacing(
    instance.messages_per_second, former.interval_seconds, former.follows_pace
  );
  earliest timestamptz := greatest(not_before, clock);
  walk messaging.slot_walk;
  gap record;
begin
  if instance.protection is not null then
    walk := messaging.next_slot(
      instance, messaging.begin_walk(instance, clock), message.interval_seconds, not_before, typing,
      message.id::text, coalesce(former.is_new, false)
    );
    if walk.slot < former.scheduled_at then
      slot := walk.slot;
      held_by := walk.held_by;
    end if;
    return;
  end if;
  select greatest(earliest, d.paced_from + spacing) into earliest
  from messaging.dispatch d where d.instance_id = instance.id;
  for gap in
    select greatest(earliest, line.left_before + spacing) as begins_at, line.ends_at
    from (
      select
        q.scheduled_at - typing - case
          when q.message_id = message.id then interval '0'
          else messaging.spacing(instance.messages_per_second, q.interval_seconds, q.follows_pace)
        end as ends_at,
        lag(q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)) over (
          order by q.scheduled_at, q.position
        ) as left_before
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
        and (q.scheduled_at, q.position) <= (former.scheduled_at, former.position)
    ) as line
    where greatest(earliest, line.left_before + spacing) <= line.ends_at
    order by line.ends_at
  loop
    select f.slot, f.held_by into slot, held_by
    from messaging.fit_send_window(instance, gap.begins_at, typing) f;
    if slot <= gap.ends_at and slot < former.scheduled_at then
      held_by := coalesce(held_by, case when slot > greatest(not_before, clock) then 'interval' end);
      return;
    end if;
  end loop;
  slot := null;
  held_by := null;
end;
$$;

-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI034 (the contact has denied marketing by now); MI007; MI008; MI012 (any other state; its
-- expires_at has come; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
create or replace function public.retry_message(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
  if message.cancel_on is not null then
    -- It waits anew, for another reply.
    perform messaging.expect_reply(array[message.contact_id], true, false);
    message.cancel_reason := null;
  end if;
  message.ladder := message.ladder - array['from', 'refused', 'isExhausted', 'passed'];
  perform messaging.requeue_message(message);
  perform messaging.touch_noted_contacts();
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
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
-- Acceptances that show no new address and are not kept back take a short way: one immediate send
-- settle_plain_acceptance, all others settle_plain_acceptances. All else, and whatever these leave, is
-- decided one by one. Locks, in this order: provider message ids, addresses that are new and the contacts
-- that they are of, queue rows, messages, agent pauses, pacing, batches that pause, dispatch, and where an
-- address turns out to be another contact's, that one. Rows of one table in the order of their ids, so that
-- two calls about the same messages never wait for each other.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The steps inherit the
-- settings below. A scan of an index by "= any (ids)" locks in the order of the ids; a bitmap would not.
create or replace function public.settle_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
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
      if messaging.has_noted_contacts() then
        perform messaging.touch_noted_contacts();
      end if;
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
  if results @? '$[*].error ? (@.meaning == "too_fast")' then
    perform messaging.slow_paces(array_agg(s.instance_id), array_agg(s.error), clock)
    from unnest(decided) as s
    where s.outcome = 'rejected';
  end if;
  if results @? '$[*].error ? (@.meaning == "new_chat_locked")' then
    perform messaging.note_chat_locks(array_agg(s.instance_id), array_agg(s.error), clock)
    from unnest(decided) as s
    where s.outcome = 'rejected';
  end if;
  if nullif(request->'response', 'null') is not null then
    perform messaging.keep_response(request->'idempotency', request->'response', settled);
  end if;

  -- What a reply or a payment came for while a worker had it is not tried again.
  if decided is not null then
    perform messaging.cancel_follow_ups(array[m.id], m.cancel_reason)
    from messaging.messages m
    where m.id = any (array(select s.message_id from unnest(decided) as s))
      and m.status = 'queued' and m.cancel_reason is not null;
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
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;

-- Whether touch_noted_contacts has anything to do in this transaction.
create or replace function messaging.has_noted_contacts()
returns boolean language sql stable
return concat(
  current_setting('messaging.sent_contacts', true),
  current_setting('messaging.noted_contacts', true),
  current_setting('messaging.noted_persons', true),
  current_setting('messaging.idle_noted', true)
) != '';

-- Decides how a claimed message with a ladder leaves, and after a refusal what is tried next: by the same message,
-- under the same claim. `request`: instanceId, messageId, claimToken, leaseSeconds, refusal {code, message,
-- meaning} or NULL before the first call.
-- Returns {outcome}: `send`, with sentAs, and template {messageType, message, content} where a template goes
-- in the message's place, with the file of its header (see file_to_send): the claim then lasts leaseSeconds
-- from now; `waits`, for an answer to an invitation: the claim has ended; `refused` with rungs [{rung,
-- reason}] where none is left; `stands` where the refusal is not about the window: the caller settles both;
-- `lost` where the claim has ended. With `shown`, what records tell now.
-- Locks the contact, the queue row and the message, then pacing, then as release_instances.
-- Errors: MI055 where the contact is merged meanwhile; MI010.
create or replace function public.take_rung(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  refusal constant jsonb := nullif(request->'refusal', 'null');
  addressee uuid;
  queued messaging.message_queue;
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
  is_changed boolean;
begin
  select m.contact_id into addressee from messaging.messages m
  where m.id = (request->>'messageId')::uuid;
  perform from messaging.contacts c where c.id = addressee for no key update;
  select q.* into queued from messaging.message_queue q
  where q.message_id = (request->>'messageId')::uuid
    and q.claim_token = (request->>'claimToken')::uuid
  for no key update;
  if not found then
    return '{"outcome": "lost"}';
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = queued.message_id
  for no key update;
  if message.contact_id is distinct from addressee then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  decided := case
    -- A delivery event has proved that it left.
    when message.status not in ('queued', 'sending') or message.ladder->'rungs' is null then null
    when refusal is null then messaging.decide_ladder(instance, message.contact_id, message.ladder)
    else messaging.climb_ladder(instance, message, refusal)
  end;
  if decided is null then
    return '{"outcome": "stands"}';
  end if;
  is_changed := message.ladder <> decided or refusal is not null;
  message.ladder := decided;
  if refusal is not null then
    message.attempts := least(message.attempts + 1, 32767);
    message.last_error := refusal;
  end if;
  if decided ? 'isExhausted' then
    perform messaging.go_on_under_claim(message, null) where is_changed;
    return jsonb_build_object('outcome', 'refused', 'rungs', decided->'passed');
  end if;
  if decided->'shown'->>'sentAs' = 'invitation' then
    delete from messaging.message_queue q where q.message_id = message.id;
    if queued.counted_on is not null then
      -- The invitation takes a place of the day, and the message one when it leaves.
      perform from messaging.pacing p where p.instance_id = instance.id for no key update;
      perform messaging.release_day_quota(array[queued]);
    end if;
    perform messaging.await_reply(
      instance, message, decided, message.mode = 'queued' and queued.lane = 'unpaced'
    );
    perform messaging.release_instances(array[jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', message.id, 'instance_id', message.instance_id, 'lane', queued.lane,
        'outcome', 'accepted', 'is_retried', false, 'holds_instance', false
      )
    )]);
    select m.ladder into decided from messaging.messages m where m.id = message.id;
    return jsonb_build_object('outcome', 'waits', 'shown', decided->'shown');
  end if;
  if is_changed then
    perform messaging.go_on_under_claim(
      message,
      case when refusal is not null then (request->>'leaseSeconds')::double precision end
    );
  end if;
  return jsonb_build_object(
    'outcome', 'send',
    'sentAs', decided->'shown'->'sentAs',
    'shown', decided->'shown',
    'template', case when decided->'shown'->>'sentAs' = 'template' then (
      select jsonb_build_object(
        'messageType', 'template', 'message', r.rung->'message', 'content', r.rung->'content'
      )
      from (select decided->'rungs'->(decided->>'place')::integer as rung) as r
    ) end,
    'file', case when decided->'shown'->>'sentAs' = 'template' then (
      select messaging.file_to_send((r.rung->>'mediaId')::uuid)
      from (select decided->'rungs'->(decided->>'place')::integer as rung) as r
      where r.rung->>'mediaId' is not null
    ) end
  );
end;
$$;

-- Whether a message of ours with this content asks for a payment: a payment request, and a template with such
-- a button. What arrives says nothing of the goods.
create or replace function messaging.asks_to_pay(content jsonb)
returns boolean language sql immutable
return coalesce(content -> 'payment' ? 'goods', false);

-- Whether a received message counts as a reply, by its type: a reaction and a call are none.
create or replace function messaging.is_reply(message_type text)
returns boolean language sql immutable parallel safe
return message_type not in ('reaction', 'call');

-- Whether a sending call (`request` of accept_message) is a message and nothing else: of a person or a
-- system, to a phone, without an assignment, an agent, a file of ours, a message that it answers, a ladder or a
-- question.
create or replace function messaging.is_bare_message(request jsonb)
returns boolean language sql immutable
return coalesce(
  request ->> 'phone' is not null
  and request -> 'message' ->> 'messageType' is not null
  and request ->> 'assignment' is null
  and request ->> 'agent' is null
  and request -> 'message' ->> 'sentBy' is distinct from 'ai_agent'
  and request -> 'message' ->> 'mediaId' is null
  and request -> 'message' ->> 'needsPhone' is null
  and request -> 'message' ->> 'replyTo' is null
  and request -> 'message' -> 'ladder' is null
  and request -> 'message' -> 'ask' is null,
  false
);

-- Writes what match_question has decided about a message that is stored now: the end of the question, what waits
-- for its message, or the words for what does not fit, which go once, as an ordinary message.
-- The caller holds the contact and the question. `may_send`: nobody else holds the conversation.
create or replace function messaging.apply_answer(
  question_id uuid, outcome text, answer jsonb, message_id uuid, quoted text, may_send boolean
) returns void language plpgsql set search_path = '' as $$
declare
  question messaging.questions;
begin
  case outcome
    when 'answered' then
      perform messaging.end_question(question_id, 'answered', null, answer, message_id);
    when 'pending' then
      update messaging.questions q
      set pending_answer = jsonb_build_object(
        'messageId', apply_answer.message_id, 'answer', apply_answer.answer, 'quoted', quoted
      )
      where q.id = apply_answer.question_id;
    when 'invalid' then
      if may_send then
        select q.* into question from messaging.questions q where q.id = apply_answer.question_id;
        update messaging.questions q
        set invalid_message_id = messaging.send_question_words(question, question.on_invalid)
        where q.id = apply_answer.question_id;
      end if;
  end case;
end;
$$;

-- A question as messages-api reports it, with instants in the time zone of its instance.
create or replace function messaging.describe_question(question messaging.questions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  zone constant text := (
    select i.time_zone from messaging.instances i where i.id = question.instance_id
  );
begin
  return jsonb_build_object(
    'questionId', question.id,
    'messageId', question.message_id,
    'batchId', question.batch_id,
    'key', question.key,
    'accept', question.accept,
    'status', question.status,
    'reason', question.reason,
    'createdAt', messaging.iso_in_zone(question.created_at, zone),
    'openedAt', messaging.iso_in_zone(question.opened_at, zone),
    'expiresAt', messaging.iso_in_zone(question.expires_at, zone),
    'endedAt', messaging.iso_in_zone(question.ended_at, zone),
    'reminderStatus', question.reminder_status,
    'reminderMessageId', question.reminder_message_id,
    'invalidMessageId', question.invalid_message_id,
    'answerMessageId', question.answer_message_id,
    'answer', question.answer
  ) || messaging.read_message_contact(question.contact_id);
end;
$$;

-- Ends a question that waits or is open: as `answered`, `expired` or `canceled` for `reason`. Records its one
-- event, and promises to tell it at the address that the call gave. The time of a reminder that still waits is over,
-- so that no worker claims it; taking it out of the queue, which locks what this may not wait for, is left to the
-- dispatcher (see run_questions).
-- Where an answer had come to a question whose message did not leave after all, the agent is asked for a reply.
-- Returns whether it has ended now. Locks the question; whose contact is held or not.
create or replace function messaging.end_question(
  question_id uuid, status text, reason text, answer jsonb default null,
  answer_message_id uuid default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  ended messaging.questions;
  pending jsonb;
  sealed_notify text;
  event messaging.events;
begin
  select q.pending_answer, q.sealed_notify into pending, sealed_notify from messaging.questions q
  where q.id = end_question.question_id and messaging.is_question_live(q.status)
  for no key update;
  if not found then
    return false;
  end if;
  update messaging.questions q
  set status = end_question.status, reason = end_question.reason, answer = end_question.answer,
    answer_message_id = end_question.answer_message_id, ended_at = clock_timestamp(), pending_answer = null,
    sealed_notify = null,
    reminder_status = nullif(q.reminder_status, 'waiting'),
    due_at = case
      when exists (
        select from messaging.message_queue w where w.message_id = q.reminder_message_id
      ) then clock_timestamp()
    end
  where q.id = end_question.question_id
  returning q.* into ended;
  if ended.due_at is not null then
    update messaging.messages m set expires_at = ended.ended_at
    where m.id = (
      select w.id from messaging.messages w
      where w.id = ended.reminder_message_id and w.status = 'queued'
      for no key update skip locked
    );
  end if;
  event := messaging.record_event(
    ended.instance_id, case when reason is distinct from 'erased' then ended.contact_id end,
    'question.' || end_question.status, messaging.question_event_data(ended)
  );
  if sealed_notify is not null then
    insert into messaging.outbox (workspace_id, kind, payload)
    select i.workspace_id, 'question_notification', jsonb_build_object(
      'instanceId', ended.instance_id,
      'questionId', ended.id,
      'sealedNotify', sealed_notify,
      'event', messaging.describe_event(event)
    )
    from messaging.instances i
    where i.id = ended.instance_id;
  end if;
  if pending is not null and reason = 'not_sent' then
    perform messaging.request_agent_reply(i, m.contact_id, m.conversation_id, m.sent_at)
    from messaging.messages m
    join messaging.instances i on i.id = m.instance_id
    where m.id = (pending->>'messageId')::uuid;
  end if;
  return true;
end;
$$;

-- What an ended question's event tells. Of an erased person it names nobody.
create or replace function messaging.question_event_data(question messaging.questions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  is_erased constant boolean := coalesce(question.reason = 'erased', false);
begin
  return jsonb_build_object(
    'questionId', question.id,
    'key', case when not is_erased then question.key end,
    'messageId', question.message_id,
    'batchId', question.batch_id
  )
  || case
    when question.status = 'answered' then jsonb_build_object(
      'answerMessageId', question.answer_message_id, 'answer', question.answer
    )
    when question.status = 'canceled' then jsonb_build_object('reason', question.reason)
    else '{}'
  end
  || coalesce(
    case when not is_erased then messaging.read_message_contact(question.contact_id) end,
    '{"contact": null}'
  );
end;
$$;

-- Ends all questions of a contact that wait or are open as `canceled` for `reason`. The caller holds the contact.
create or replace function messaging.end_questions_of_contact(contact_id uuid, reason text)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  question_id uuid;
begin
  for question_id in
    select q.id from messaging.questions q
    where q.contact_id = any (messaging.merged_contact_ids(end_questions_of_contact.contact_id))
      and messaging.is_question_live(q.status)
    order by q.id
    for no key update
  loop
    perform messaging.end_question(question_id, 'canceled', reason);
  end loop;
end;
$$;

-- The question that `request` (instanceId, questionId) names. Errors: MI070.
create or replace function messaging.find_question(request jsonb)
returns messaging.questions language plpgsql stable set search_path = '' as $$
declare
  question messaging.questions;
begin
  select q.* into question from messaging.questions q
  where q.id = (request->>'questionId')::uuid and q.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI070', message = 'question_not_found';
  end if;
  return question;
end;
$$;

-- What a change of a message means for the question that it asks: it opens where the message has left, or may
-- have; it ends as `not_sent` where the message failed, was canceled or expired. What has ended stays so.
-- The caller holds the message. Locks the live questions of the contact, in the order of their ids.
create or replace function messaging.follow_question(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
begin
  if present.status in ('failed', 'canceled', 'expired') then
    perform messaging.end_question(present.question_id, 'canceled', 'not_sent');
  elsif present.status in ('sent', 'delivered', 'read', 'unconfirmed') then
    perform messaging.open_question(present);
  end if;
end;
$$;

-- Opens the question of a message that has left: its time counts from then. Ends the contact's older open one as
-- `replaced`. Two that leave at once wait for each other here, so that one of them stays.
create or replace function messaging.open_question(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  left_at constant timestamptz := coalesce(
    message.sent_at, message.unconfirmed_at, clock_timestamp()
  );
  older uuid;
begin
  perform from messaging.questions q
  where q.id = message.question_id and q.status = 'waiting';
  if not found then
    return;
  end if;
  perform from messaging.questions q
  where q.contact_id = any (messaging.merged_contact_ids(message.contact_id))
    and messaging.is_question_live(q.status)
  order by q.id
  for no key update;
  for older in
    select q.id from messaging.questions q
    where q.contact_id = any (messaging.merged_contact_ids(message.contact_id))
      and q.status = 'open' and q.id <> message.question_id
  loop
    perform messaging.end_question(older, 'canceled', 'replaced');
  end loop;
  update messaging.questions q
  set status = 'open', opened_at = left_at, expires_at = left_at + q.answer_within,
    due_at = left_at + least(q.remind_after, q.answer_within)
  where q.id = message.question_id and q.status = 'waiting';
end;
$$;

-- Which question of its contact a received message answers, decided before the message is stored.
-- `outcome`: `answered`; `pending` where the question's message is still under way: it answers once that is known
-- to have left; `invalid` where it comes to an open question, fits it not, and that has words for it that nobody
-- was told yet; NULL for none. `answer` as read_answer. The open question comes first, then the newest
-- one under way. A message that quotes another one than the question, its reminder, or its words for what does not
-- fit, answers none.
-- An answer is written after the question's message has left, and before the question's end. The instants of the
-- two sides come from two clocks, and an outcome may be recorded late: hence the minute.
-- The caller holds the contact, of whose mark it is the reader: where nothing is asked, the mark goes. Locks
-- pacing, where words for what does not fit may have to be counted, then the live questions in the order of their ids.
create or replace function messaging.match_question(
  of_instance uuid, of_contact uuid, message_type text, said text, content jsonb, media_id uuid,
  written_at timestamptz, quoted text
) returns messaging.matched_answer language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  matched messaging.matched_answer;
  answer jsonb;
  asked record;
  contact_ids constant uuid[] := messaging.merged_contact_ids(of_contact);
  is_live boolean := false;
begin
  perform from messaging.pacing p
  where p.instance_id = of_instance
    and exists (
      select from messaging.questions q
      where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
        and q.on_invalid is not null and q.invalid_message_id is null
    )
    and exists (
      select from messaging.instances i where i.id = of_instance and i.protection is not null
    )
  for no key update;
  perform from messaging.questions q
  where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
  order by q.id
  for no key update;
  for asked in
    select q as question, m.provider_message_id, m.created_at, reminder.provider_message_id as reminder_id,
      invalid.provider_message_id as invalid_id, coalesce(m.content ? 'choices', false) as shows_numbers,
      q.status = 'open' as is_open, m.status in ('sending', 'unconfirmed') or (
        select w.claim_token is not null from messaging.message_queue w where w.message_id = m.id
      ) as is_under_way,
      (written_at at time zone i.time_zone)::date as today
    from messaging.questions q
    join messaging.instances i on i.id = q.instance_id
    left join messaging.messages m on m.id = q.message_id
    left join messaging.messages reminder on reminder.id = q.reminder_message_id
    left join messaging.messages invalid on invalid.id = q.invalid_message_id
    where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
    order by q.status = 'open' desc, coalesce(q.opened_at, q.created_at) desc
  loop
    is_live := true;
    continue when matched.outcome in ('answered', 'pending')
      or not asked.is_open and (
        asked.is_under_way is not true or (asked.question).pending_answer is not null
      )
      or written_at < date_trunc('second', asked.created_at)
      or written_at < (asked.question).opened_at - interval '1 minute'
      or written_at >= (asked.question).expires_at
      or asked.is_open and quoted is not null
        and (quoted in (asked.provider_message_id, asked.reminder_id, asked.invalid_id)) is not true;
    answer := messaging.read_answer(
      (asked.question).accept, (asked.question).choices, message_type, said, content, media_id, asked.today,
      asked.shows_numbers
    );
    if answer is not null then
      matched.outcome := case when asked.is_open then 'answered' else 'pending' end;
    elsif asked.is_open and (asked.question).on_invalid is not null
      and (asked.question).invalid_message_id is null then
      matched.outcome := 'invalid';
    else
      continue;
    end if;
    matched.question_id := (asked.question).id;
    matched.answer := answer;
    matched.agent_id := (asked.question).agent_id;
  end loop;
  if not is_live then
    update messaging.contacts c set awaits_answer = false where c.id = of_contact;
  end if;
  return matched;
end;
$$;

-- What a received message answers to a question that accepts `accept` and offers `choices`: {text, value, choice,
-- mediaId, location, contact}, each where there is one; NULL where it does not fit. `today`: the day, in the
-- instance's zone, on which it was written. `shows_numbers`: whether the options went as numbered text.
-- A tapped or typed choice counts among this question's options alone. Where words are asked for beside options, those
-- of a tapped one are words: whether options show as buttons or as numbered text depends on the channel.
create or replace function messaging.read_answer(
  accept text, choices jsonb, message_type text, said text, content jsonb, media_id uuid,
  today date, shows_numbers boolean default true
) returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  value text;
  choice jsonb := messaging.asked_choice(choices, message_type, said, content, shows_numbers);
  is_words constant boolean := message_type = 'text' or choice is not null;
begin
  if not messaging.is_reply(message_type) then
    return null;
  elsif accept in ('number', 'date', 'email', 'document') then
    value := case when is_words then messaging.read_answer_value(accept, said, today) end;
  end if;
  if not (case accept
    when 'any' then true
    when 'choice' then choice is not null
    when 'text' then is_words and messaging.without_invisible(said) ~ '\S'
    when 'media' then message_type in ('image', 'video', 'audio', 'voice', 'document')
    when 'location' then message_type = 'location'
    when 'contact' then message_type = 'contacts'
    else value is not null
  end) then
    return null;
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'text', said,
    'value', value,
    'choice', case when accept in ('choice', 'any') then choice end,
    'mediaId', media_id,
    'location', content->'location',
    'contact', content->'contacts'->0
  ));
end;
$$;

-- The option of `choices` ({number, id, title} each) that a message chooses, {id, title}; NULL for none: one that
-- was tapped, by its id, else its title; or one that was typed, as typed_choice says, with marks around it. Where
-- the options went without numbers, titles come first, and numbers count only where no title is one itself.
create or replace function messaging.asked_choice(
  choices jsonb, message_type text, said text, content jsonb, shows_numbers boolean
) returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  tapped constant jsonb := content->'choice';
  further constant text[] := array['number', 'description'];
  typed text;
  chosen jsonb;
begin
  if choices is null then
    return null;
  elsif message_type = 'text' then
    foreach typed in array array[said, messaging.without_marks(said)] loop
      chosen := case
        when shows_numbers then messaging.typed_choice(choices, typed)
        else messaging.typed_unnumbered_choice(choices, typed)
      end;
      exit when chosen is not null;
    end loop;
    return chosen - further;
  elsif message_type not in ('choice', 'option_list') then
    return null;
  end if;
  return (
    select o - further
    from jsonb_array_elements(choices) as o
    where o->>'id' = tapped->>'id'
      or messaging.fold_choice(o->>'title')
        = messaging.fold_choice(coalesce(tapped->>'title', said))
    order by (o->>'id' = tapped->>'id') is true desc
    limit 1
  );
end;
$$;

-- As typed_choice, of options that the person saw without numbers: see asked_choice.
create or replace function messaging.typed_unnumbered_choice(choices jsonb, typed text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  titled jsonb[];
begin
  -- A title has at most 1,024 characters.
  if char_length(typed) > 1100 then
    return null;
  end if;
  titled := array(
    select o from jsonb_array_elements(choices) as o
    where messaging.fold_choice(o->>'title') = messaging.fold_choice(typed)
  );
  if cardinality(titled) = 1 then
    return titled[1];
  elsif exists (
    select from jsonb_array_elements(choices) as o
    where messaging.fold_choice(o->>'title') ~ '^[0-9]+$'
  ) then
    return null;
  end if;
  return messaging.typed_choice(choices, typed);
end;
$$;

-- The value of a typed text, as text: a number (`1.234,50` is 1234.50), a date (2026-12-25), an e-mail address, a
-- CPF or CNPJ without its signs; NULL for what is none. See read_answer.
create or replace function messaging.read_answer_value(accept text, said text, today date)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  typed text;
begin
  -- An e-mail address has at most 254 characters.
  if said is null or char_length(said) > 300 then
    return null;
  end if;
  -- Digits as emoji and of other widths are digits, and a dash of any length is a hyphen, as keyboards put them in.
  typed := regexp_replace(
    normalize(messaging.without_invisible(replace(said, '🔟', '10')), NFKC), '[\u20e3\ufe0f]', '', 'g'
  );
  typed := messaging.without_marks(translate(typed, '‐‒–—−', '-----'));
  return case accept
    when 'number' then messaging.read_number(typed)
    when 'date' then messaging.read_date(lower(typed), today)::text
    when 'email' then messaging.read_email(lower(typed))
    when 'document' then messaging.read_document(upper(typed))
  end;
end;
$$;

-- A typed text without what stands around it and says nothing: quotes and brackets, full stops and the like behind
-- it, and WhatsApp's marks of bold, italic and struck text where they stand on both sides, as an e-mail address may
-- begin with one of them.
create or replace function messaging.without_marks(typed text)
returns text language sql immutable strict parallel safe
return regexp_replace(
  regexp_replace(
    regexp_replace(typed, '^[\s"''“”(<]+|[\s.,;:!…"''“”)>]+$', '', 'g'),
    '^([*_~]+)(.*?)\1$',
    '\2'
  ),
  '^[\s"''“”(<]+|[\s.,;:!…"''“”)>]+$',
  '',
  'g'
);

-- A number as Brazilians write it: a full stop between thousands, a comma before decimals, `R$` before it or
-- `reais` behind. One full stop that parts no thousands is taken for the comma.
create or replace function messaging.read_number(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  amount constant text := regexp_replace(typed, '^([+-]?)\s*R\$\s*|\s+(reais|real)$', '\1', 'gi');
  parts text[];
begin
  if char_length(amount) > 40 then
    return null;
  end if;
  parts := coalesce(
    regexp_match(amount, '^([+-]?)\s*([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,([0-9]+))?$'),
    regexp_match(amount, '^([+-]?)\s*([0-9]+)\.([0-9]+)$')
  );
  if parts is null then
    return null;
  end if;
  return case when parts[1] = '-' then '-' else '' end
    || coalesce(nullif(ltrim(replace(parts[2], '.', ''), '0'), ''), '0')
    || coalesce('.' || parts[3], '');
end;
$$;

-- A date as Brazilians write it: day, month, year, in digits or with the month's name; without a year the next
-- such day, today included. Of two digits the year is at most 20 years ahead. Words such as `amanhã` are none.
create or replace function messaging.read_date(typed text, today date)
returns date language plpgsql immutable parallel safe set search_path = '' as $$
declare
  -- `1º` is 1o by now; with the degree sign, which keyboards have beside it, it is the same.
  plain constant text := regexp_replace(
    regexp_replace(normalize(typed, NFKD), '[\u0300-\u036f]', '', 'g'),
    '^(?:dia\s+)?([0-9]{1,2})[o°](?=[\s/.-])|^dia\s+', '\1'
  );
  months constant text[] := array[
    'janeiro', 'fevereiro', 'marco', 'abril', 'maio', 'junho', 'julho', 'agosto', 'setembro', 'outubro',
    'novembro', 'dezembro'
  ];
  this_year constant integer := extract(year from today);
  parts text[];
  month integer;
  year integer;
begin
  parts := regexp_match(plain, '^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$');
  if parts is not null then
    return messaging.day_of(parts[1]::integer, parts[2]::integer, parts[3]::integer);
  end if;
  parts := coalesce(
    regexp_match(
      plain, '^([0-9]{1,2})\s*[/.-]\s*([0-9]{1,2})(?:\s*[/.-]\s*([0-9]{4}|[0-9]{2}))?$'
    ),
    regexp_match(plain, '^([0-9]{1,2})\s+([0-9]{1,2})\s+([0-9]{4}|[0-9]{2})$'),
    regexp_match(plain, '^([0-9]{2})([0-9]{2})([0-9]{4})$'),
    regexp_match(
      plain, '^([0-9]{1,2})[\s/-]*(?:de\s+)?([a-z]{3,9})\.?(?:[\s,/-]*(?:de\s+)?([0-9]{4}|[0-9]{2}))?$'
    )
  );
  if parts is null then
    return null;
  elsif parts[2] ~ '[a-z]' then
    month := (
      select m.number from unnest(months) with ordinality as m(name, number)
      where parts[2] in (m.name, left(m.name, 3))
    );
  else
    month := parts[2];
  end if;
  if parts[3] is not null then
    year := parts[3];
    if length(parts[3]) = 2 then
      year := year + case when 2000 + year <= this_year + 20 then 2000 else 1900 end;
    end if;
    return messaging.day_of(year, month, parts[1]::integer);
  end if;
  -- The 29th of February may be eight years ahead.
  return (
    select min(d.day) from generate_series(this_year, this_year + 8) as y(number)
    cross join lateral messaging.day_of(y.number, month, parts[1]::integer) as d(day)
    where d.day >= today
  );
end;
$$;

-- The day; NULL where the calendar has none such.
create or replace function messaging.day_of(year integer, month integer, day integer)
returns date language sql immutable parallel safe
return case
  when year between 1000 and 9999
  and month between 1 and 12
  and day between 1 and extract(
    day from make_date(year, month, 1) + interval '1 month' - interval '1 day'
  ) then make_date(year, month, day)
end;

-- An e-mail address that stands by itself, or behind `e-mail:` and its like, in lower case.
create or replace function messaging.read_email(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  address constant text := (regexp_match(
    typed,
    '^(?:(?:o )?(?:meu )?e-?mail(?: [eé])?\s*:?\s*)?<?([a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*'
      || '@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})$'
  ))[1];
begin
  return case when char_length(address) <= 254 then address end;
end;
$$;

-- A CPF or CNPJ with or without its signs, by its check digits; a CNPJ may have letters (since July 2026). Of equal
-- digits alone it is none, though they check.
create or replace function messaging.read_document(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  bare constant text := regexp_replace(
    regexp_replace(typed, '^((O )?(MEU )?(CPF|CNPJ)( [EÉ])?\s*:?\s*)', ''), '[\s./-]', '', 'g'
  );
  is_cpf constant boolean := bare ~ '^[0-9]{11}$';
  checked integer;
  remainder integer;
begin
  if not is_cpf and bare !~ '^[0-9A-Z]{12}[0-9]{2}$' or bare ~ '^(.)\1*$' then
    return null;
  end if;
  for length_before in char_length(bare) - 2..char_length(bare) - 1 loop
    -- Weights rise from the right: to 11 in a CPF, to 9 and then from 2 again in a CNPJ.
    checked := (
      select sum((ascii(substr(bare, place, 1)) - 48) * case
        when is_cpf then length_before + 2 - place
        else 2 + (length_before - place) % 8
      end)
      from generate_series(1, length_before) as place
    );
    remainder := checked % 11;
    checked := case when remainder < 2 then 0 else 11 - remainder end;
    if substr(bare, length_before + 1, 1)::integer <> checked then
      return null;
    end if;
  end loop;
  return bare;
end;
$$;

-- Sends words that belong to a question, its reminder or those for what does not fit, as a text of the system, due
-- at once. They pause no agent, and expire with the question. Returns the message's id; NULL, with nothing sent,
-- where the contact may not be written to now, or the agent that asks may not speak.
-- The caller holds the contact, and the pacing row of an instance with protection.
create or replace function messaging.send_question_words(question messaging.questions, words text)
returns uuid language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  message_id constant uuid := gen_random_uuid();
  instance constant messaging.instances := messaging.find_instance(question.instance_id);
  placed record;
begin
  if messaging.words_refusal(instance, question.contact_id, clock) is not null
    or question.agent_id is not null and messaging.is_asking_agent_silent(question, clock) then
    return null;
  end if;
  placed := messaging.schedule_message(message_id, instance, question.contact_id, clock);
  perform messaging.add_outbound_messages(array[row(
    message_id, instance.id, question.contact_id,
    (messaging.resolve_conversation(instance.id, question.contact_id)).id,
    jsonb_build_object(
      'messageType', 'text', 'message', words, 'sentBy', 'system', 'pausesAgent', false
    ),
    null, null, 'scheduled', null, placed.slot, placed.held_by, null, null,
    jsonb_build_object('expiresAt', question.expires_at), null, null
  )::messaging.outbound_message]);
  return message_id;
end;
$$;

-- send_question_words: whether the agent that asks is paused for the contact, as while a person writes in its
-- place, or not active.
create or replace function messaging.is_asking_agent_silent(
  question messaging.questions, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return not exists (
    select from messaging.ai_agents a where a.id = question.agent_id and a.is_active
  ) or exists (
    select from messaging.contacts c
    where c.id = question.contact_id and messaging.keeps_agent_silent(c, clock)
  );
end;
$$;

-- What a message's record says of a question: of the message that asks, {question: {questionId, status}}; of the one
-- that answers, {answers: questionId}.
create or replace function messaging.shown_question(question_id uuid, direction text)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  if direction = 'inbound' then
    return jsonb_build_object('answers', question_id);
  end if;
  return coalesce(
    (
      select jsonb_build_object('question', jsonb_build_object('questionId', q.id, 'status', q.status))
      from messaging.questions q
      where q.id = shown_question.question_id
    ),
    '{}'
  );
end;
$$;

-- Takes what came while the message was under way for the answer, now that it is known to have left. An answer
-- that quotes another message is none. Called when the message's own events are recorded.
create or replace function messaging.take_pending_answer(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  question messaging.questions;
begin
  select q.* into question from messaging.questions q
  where q.id = message.question_id and q.status = 'open' and q.pending_answer is not null;
  if not found then
    return;
  elsif question.pending_answer->>'quoted' <> message.provider_message_id then
    update messaging.questions q set pending_answer = null where q.id = question.id;
  elsif messaging.end_question(
    question.id, 'answered', null, question.pending_answer->'answer',
    (question.pending_answer->>'messageId')::uuid
  ) then
    update messaging.messages m set question_id = question.id
    where m.id = (question.pending_answer->>'messageId')::uuid;
  end if;
end;
$$;

-- messages-api: cancels a question that waits or is open; its message stays, and so does a question that has ended.
-- `request`: instanceId, questionId. Returns the question. Locks it. Errors: MI070.
create or replace function public.cancel_question(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  question constant messaging.questions := messaging.find_question(request);
begin
  perform messaging.end_question(question.id, 'canceled', 'canceled');
  return messaging.describe_question(q) from messaging.questions q where q.id = question.id;
end;
$$;

-- messages-api: one question. `request`: instanceId, questionId. Errors: MI070.
create or replace function public.get_question(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return messaging.describe_question(messaging.find_question(request));
end;
$$;

-- admin-api: where ends of questions are told, sealed under a former key: by live questions, by batches that ask, and
-- by notifications that wait. `request`: keyIds (of all keys, the current one first), limit.
-- Returns {items: [{kind, id, instanceId, sealed}], total, unreadable: [id]}: the last are sealed under no key that
-- there is, at most `limit` of them too. Reads what has an address alone.
create or replace function public.list_notify_seals_under_old_keys(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  current_key constant text := request->'keyIds'->>0;
  most constant integer := (request->>'limit')::integer;
begin
  return (
    with former as materialized (
      select held.*, request->'keyIds' ? split_part(held.sealed, '.', 2) as is_readable
      from (
        select 'question' as kind, q.id, q.instance_id, q.sealed_notify as sealed
        from messaging.questions q
        where q.sealed_notify is not null
        union all
        select 'batch', b.id, b.instance_id, b.source->'ask'->>'sealedNotify'
        from messaging.batches b
        where b.source->'ask'->>'sealedNotify' is not null and b.status <> 'canceled'
        union all
        select 'notification', o.id, (o.payload->>'instanceId')::uuid, o.payload->>'sealedNotify'
        from messaging.outbox o
        where o.kind = 'question_notification' and o.settled_at is null
      ) as held
      where split_part(held.sealed, '.', 2) <> current_key
    )
    select jsonb_build_object(
      'items', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'kind', f.kind, 'id', f.id, 'instanceId', f.instance_id, 'sealed', f.sealed
        )), '[]')
        from (select r.* from former r where r.is_readable limit most) as f
      ),
      'total', (select count(*) from former f where f.is_readable),
      'unreadable', (
        select coalesce(jsonb_agg(f.id), '[]')
        from (select u.id from former u where not u.is_readable limit most) as f
      )
    )
  );
end;
$$;

-- messages-api: the questions of an instance, oldest first, a page at a time. `request`: instanceId, limit, `after`
-- as returned in `next`, and filters, each NULL for any: status, contactId, key, batchId. Returns {items, next}.
-- Errors: MI014, MI027; MI031 and MI035 see find_recipient.
create or replace function public.list_questions(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  of_contact constant uuid := case
    when request->>'contactId' is not null
      then (messaging.find_recipient((request->>'instanceId')::uuid, request)).id
  end;
  of_batch constant uuid := case
    when request->>'batchId' is not null then (messaging.find_batch(request)).id
  end;
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', q.created_at, 'id', q.id, 'record', messaging.describe_question(q)
      )
      from messaging.questions q
      where q.instance_id = (request->>'instanceId')::uuid
        and (q.created_at, q.id) > (page.after_at, page.after_id)
        and (request->>'status' is null or q.status = request->>'status')
        and (of_contact is null or q.contact_id = of_contact)
        and (request->>'key' is null or q.key = request->>'key')
        and (of_batch is null or q.batch_id = of_batch)
      order by q.created_at, q.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- admin-api: stores what was sealed again of list_notify_seals_under_old_keys. `request`: items [{kind, id, former,
-- sealed}]. What no longer equals `former` has ended meanwhile and stays; so does what another transaction holds:
-- the next list has it again.
-- Returns {replaced}: how many.
create or replace function public.replace_notify_seals(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  item record;
  changed integer;
  replaced integer := 0;
begin
  for item in
    select i.* from jsonb_to_recordset(request->'items') as i(kind text, id uuid, former text, sealed text)
  loop
    case item.kind
      when 'question' then
        update messaging.questions q set sealed_notify = item.sealed
        where q.id = (
          select h.id from messaging.questions h
          where h.id = item.id and h.sealed_notify = item.former
          for no key update skip locked
        );
      when 'batch' then
        update messaging.batches b
        set source = jsonb_set(b.source, '{ask,sealedNotify}', to_jsonb(item.sealed))
        where b.id = (
          select h.id from messaging.batches h
          where h.id = item.id and h.source->'ask'->>'sealedNotify' = item.former
          for no key update skip locked
        );
      when 'notification' then
        update messaging.outbox o
        set payload = jsonb_set(o.payload, '{sealedNotify}', to_jsonb(item.sealed))
        where o.id = (
          select h.id from messaging.outbox h
          where h.id = item.id and h.payload->>'sealedNotify' = item.former
          for no key update skip locked
        );
    end case;
    get diagnostics changed = row_count;
    replaced := replaced + changed;
  end loop;
  return jsonb_build_object('replaced', replaced);
end;
$$;

-- Does what is due of questions: sends reminders, ends those whose time is over, and takes reminders of ended ones
-- out of the queue. `request`: maxQuestions. Costs what is due: the look-up reads the index of due ones alone.
-- Waits for no contact, no instance's pacing and no question that another transaction holds: they are due again.
-- Locks per question the contact, pacing where its instance has protection, then the question; of an ended one the
-- reminder's message, then as end_queued_messages.
-- Returns {worked, sent, isComplete}: how many, how many reminders are to leave now, and whether none was left.
create or replace function public.run_questions(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_questions constant integer := (request->>'maxQuestions')::integer;
  clock constant timestamptz := clock_timestamp();
  seen integer := 0;
  worked integer := 0;
  sent integer := 0;
  due record;
  question messaging.questions;
begin
  for due in
    select q.id, q.contact_id, q.instance_id from messaging.questions q
    where q.due_at <= clock
    order by q.due_at
    limit max_questions
  loop
    seen := seen + 1;
    perform from messaging.contacts c where c.id = due.contact_id for no key update skip locked;
    continue when not found;
    if exists (
      select from messaging.instances i where i.id = due.instance_id and i.protection is not null
    ) then
      perform from messaging.pacing p
      where p.instance_id = due.instance_id for no key update skip locked;
      continue when not found;
    end if;
    select q.* into question from messaging.questions q
    where q.id = due.id and q.contact_id = due.contact_id and q.due_at <= clock
    for no key update skip locked;
    continue when not found;
    worked := worked + 1;
    if question.status <> 'open' then
      perform messaging.cancel_reminder(question);
    elsif question.expires_at <= clock then
      perform messaging.end_question(question.id, 'expired', null);
    elsif messaging.remind(question, clock) then
      sent := sent + 1;
    end if;
  end loop;
  return jsonb_build_object('worked', worked, 'sent', sent, 'isComplete', seen < max_questions);
end;
$$;

-- run_questions: sends the one reminder of an open question, inside the send window; where that is closed, when it
-- opens next. On the official channel only inside the conversation window. Returns whether one is to leave now.
create or replace function messaging.remind(question messaging.questions, clock timestamptz)
returns boolean language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance(question.instance_id);
  refusal constant text := messaging.words_refusal(instance, question.contact_id, clock);
  opens_at timestamptz;
  reminder_id uuid;
begin
  if question.reminder_status is distinct from 'waiting' then
    update messaging.questions q set due_at = q.expires_at where q.id = question.id;
    return false;
  elsif refusal is null and not messaging.is_send_window_open(instance, clock) then
    opens_at := messaging.next_window_start(instance, clock);
    update messaging.questions q
    set due_at = least(opens_at, q.expires_at),
      reminder_status = case
        when opens_at < q.expires_at then 'waiting' else 'outside_window'
      end
    where q.id = question.id;
    return false;
  end if;
  reminder_id := messaging.send_question_words(question, question.reminder);
  update messaging.questions q
  set due_at = q.expires_at, reminder_message_id = reminder_id,
    reminder_status = case
      when reminder_id is not null then 'sent'
      when refusal = 'outside_conversation_window' then 'outside_window'
      else 'refused'
    end
  where q.id = question.id;
  return reminder_id is not null;
end;
$$;

-- run_questions: takes the reminder of an ended question out of the queue, where no worker has it.
create or replace function messaging.cancel_reminder(question messaging.questions)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = question.reminder_message_id
  for no key update skip locked;
  if found then
    perform messaging.end_queued_messages(array[question.reminder_message_id], 'canceled');
    update messaging.questions q set due_at = null where q.id = question.id;
  end if;
end;
$$;

-- Whether a question has not ended: its message is still to leave, or it is open.
create or replace function messaging.is_question_live(status text)
returns boolean language sql immutable parallel safe
return status in ('waiting', 'open');

-- Refuses what would wait with cancelOn: payment where much waits for the same payment already: its end cancels all of
-- it in one transaction (see cancel_on_payment), which 1,000 messages and recipients of batches together bound. Calls
-- at the same time may pass it together. `payment_references`: one for each that is added, which may be NULL.
-- Errors: MI094.
create or replace function messaging.bound_payment_followers(
  of_instance uuid, payment_references text[]
) returns void language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  most constant integer := 1000;
  waiting_batches constant uuid[] := array(
    select b.id from messaging.batches b
    where b.instance_id = of_instance and b.source ? 'paymentReference'
      and b.status in ('draft', 'running', 'paused')
  );
begin
  if exists (
    select
    from (
      select a.reference, count(*) as number
      from unnest(payment_references) as a(reference)
      where a.reference is not null
      group by a.reference
    ) as added
    cross join lateral (
      select count(*) as number
      from (
        select from messaging.messages m
        where m.instance_id = of_instance and m.payment_reference = added.reference
          and m.status = 'queued'
        limit most
      ) as waiting
    ) as messages
    cross join lateral (
      select count(*) as number
      from (
        select from messaging.batch_recipients r
        where r.batch_id = any (waiting_batches) and r.draft->>'paymentReference' = added.reference
          and r.status = 'pending'
        limit most
      ) as waiting
    ) as recipients
    where added.number + messages.number + recipients.number > most
  ) then
    raise exception using errcode = 'MI094', message = 'too much waits for the payment';
  end if;
end;
$$;

-- Cancels a message that still waits, a request or the message of its Pix code: nobody shall pay by it any more.
-- What a worker has in hand goes. Locks the message, then as end_waiting_messages.
create or replace function messaging.cancel_payment_message(message_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = cancel_payment_message.message_id and m.status = 'queued'
  for no key update skip locked;
  if found then
    perform messaging.end_waiting_messages(array[message_id], 'canceled');
  end if;
end;
$$;

-- A payment as messages-api reports it, with instants in the time zone of its instance.
create or replace function messaging.describe_payment(payment messaging.payments)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  zone constant text := (
    select i.time_zone from messaging.instances i where i.id = payment.instance_id
  );
begin
  return jsonb_build_object(
    'messageId', payment.message_id,
    'reference', payment.reference,
    'amount', payment.amount::text,
    'currency', payment.currency,
    'status', payment.status,
    'codeMessageId', payment.code_message_id,
    'createdAt', messaging.iso_in_zone(payment.created_at, zone),
    'expiresAt', messaging.iso_in_zone(payment.expires_at, zone),
    'paidAt', messaging.iso_in_zone(payment.paid_at, zone),
    'changedAt', messaging.iso_in_zone(payment.changed_at, zone)
  ) || messaging.read_message_contact(payment.contact_id);
end;
$$;

-- Gives a payment its new status, tells it as payment.changed, and ends what waits for it: the request itself, the
-- message of its code, and what waits with cancelOn: payment. The caller has checked the change (see
-- payment_step), and holds the payment's message and the payment. Locks as cancel_on_payment, then as
-- cancel_payment_message.
create or replace function messaging.end_payment(
  payment messaging.payments, status text, paid_at timestamptz
) returns messaging.payments language plpgsql set search_path = '' as $$
begin
  update messaging.payments p
  set status = end_payment.status, is_open = false, changed_at = clock_timestamp(),
    paid_at = coalesce(p.paid_at, end_payment.paid_at)
  where p.message_id = payment.message_id
  returning p.* into payment;
  perform messaging.record_event(
    payment.instance_id, payment.contact_id, 'payment.changed',
    jsonb_build_object(
      'messageId', payment.message_id,
      'reference', payment.reference,
      'amount', payment.amount::text,
      'currency', payment.currency,
      'status', payment.status
    ) || messaging.read_message_contact(payment.contact_id)
  );
  -- First, as it waits for messages, and the other locks pacing: who holds a message may wait for that.
  if payment.status in ('paid', 'canceled') then
    perform messaging.cancel_on_payment(
      payment.instance_id, payment.reference,
      case payment.status when 'paid' then 'paid' else 'payment_canceled' end
    );
  end if;
  if payment.status <> 'refunded' then
    perform messaging.cancel_payment_message(payment.message_id);
    perform messaging.cancel_payment_message(payment.code_message_id);
  end if;
  return payment;
end;
$$;

-- Cancels what waits with cancelOn: payment for the payment request that an instance knows by this reference, and
-- skips the recipients of batches that wait for it. `reason`: paid or payment_canceled. In the transaction that
-- records the payment's end. Returns how many messages were canceled.
-- Locks the batches in the order of their ids, then the messages in that of theirs, then as cancel_follow_ups.
create or replace function messaging.cancel_on_payment(
  instance_id uuid, payment_reference text, reason text
) returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting uuid[];
begin
  perform messaging.skip_paid_recipients(
    cancel_on_payment.instance_id, cancel_on_payment.payment_reference, cancel_on_payment.reason
  );
  -- After the batches are locked: a message that one was just given is seen.
  waiting := array(
    select m.id
    from messaging.messages m
    where m.instance_id = cancel_on_payment.instance_id
      and m.payment_reference = cancel_on_payment.payment_reference
      and m.status = 'queued' and m.cancel_on ? 'payment'
    order by m.id
    for no key update
  );
  return case
    when waiting = '{}' then 0
    else messaging.cancel_follow_ups(waiting, reason)
  end;
end;
$$;

-- cancel_on_payment: skips the pending recipients of an instance's batches that wait for the payment.
create or replace function messaging.skip_paid_recipients(
  instance_id uuid, payment_reference text, reason text
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  batch_ids uuid[];
  places jsonb;
begin
  batch_ids := array(
    select b.id from messaging.batches b
    where b.instance_id = skip_paid_recipients.instance_id and b.source ? 'paymentReference'
      and b.status in ('draft', 'running', 'paused')
    order by b.id
    for no key update
  );
  if batch_ids = '{}' then
    return;
  end if;
  select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index)) into places
  from messaging.batch_recipients r
  where r.batch_id = any (batch_ids)
    and r.draft->>'paymentReference' = skip_paid_recipients.payment_reference
    and r.status = 'pending';
  if places is not null then
    perform messaging.skip_recipients(places, reason);
  end if;
end;
$$;

-- What a change of a message means for the payment that it asks for: it frees its reference where the message will
-- not leave, and takes it again where it is tried again or has left after all; a Pix code follows a request that has
-- left as text (see send_payment_code), and is taken back where that failed later.
-- A reference that another request has taken meanwhile: MI090 for one that is tried again; one that has left stays
-- without it. One that is tried again after its payment has ended: MI093. The caller holds the message. Locks
-- its payment, then as cancel_payment_message.
create or replace function messaging.follow_payment(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
declare
  ended constant text[] := array['failed', 'canceled', 'expired'];
  payment_status text;
begin
  if present.status = any (ended) then
    update messaging.payments p set is_open = false where p.message_id = present.id and p.is_open;
    perform messaging.cancel_payment_message(p.code_message_id)
    from messaging.payments p
    where p.message_id = present.id and p.code_message_id is not null;
    return;
  end if;
  if former.status = any (ended) then
    if present.status in ('queued', 'sending') then
      payment_status := (select p.status from messaging.payments p where p.message_id = present.id);
      if payment_status <> 'pending' then
        raise exception using errcode = 'MI093', message = 'payment_state', detail = payment_status;
      end if;
    end if;
    begin
      update messaging.payments p set is_open = true
      where p.message_id = present.id and p.status = 'pending';
    exception when unique_violation then
      if present.status in ('queued', 'sending') then
        raise exception using errcode = 'MI090', message = 'reference_in_use';
      end if;
    end;
  end if;
  if present.status in ('sent', 'delivered', 'read') and present.content->>'rendering' = 'text'
    and present.content->'payment' ? 'pixCode' then
    perform messaging.send_payment_code(present);
  end if;
end;
$$;

-- follow_payment: sends the Pix code of a request that has left as text, as a text of its own with nothing else in
-- it, due at once: once, and only while it can be paid. It expires with the payment. It takes no place of a day and
-- no slot, as it belongs to the message that had its own.
create or replace function messaging.send_payment_code(request messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  code_id constant uuid := gen_random_uuid();
  ends_at timestamptz;
begin
  update messaging.payments p set code_message_id = code_id
  where p.message_id = request.id and p.code_message_id is null and p.status = 'pending'
  returning p.expires_at into ends_at;
  if not found then
    return;
  end if;
  insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
  values (code_id, request.instance_id, 'unpaced', clock, clock);
  perform messaging.add_outbound_messages(array[row(
    code_id, request.instance_id, request.contact_id, request.conversation_id,
    jsonb_build_object(
      'messageType', 'text', 'message', request.content->'payment'->'pixCode',
      'sentBy', request.sent_by, 'purpose', request.purpose, 'pausesAgent', false
    ),
    request.operator_id, request.agent_id, 'scheduled', null, clock, null, request.phone_given, null,
    case when ends_at is not null then jsonb_build_object('expiresAt', ends_at) end, null, null
  )::messaging.outbound_message]);
end;
$$;

-- Whether a message about a payment, refused as the channel's own, is to go as text: the refusal is about this form,
-- and the call left the form to the service. `error`: {code, message, meaning}.
create or replace function messaging.gives_way_to_text(message messaging.messages, error jsonb)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return coalesce(error->>'meaning' in ('message_type_refused', 'parameter_refused'), false)
    and coalesce(message.content->>'rendering' = 'native', false)
    and (
      message.message_type = 'payment_status'
      or exists (
        select from messaging.payments p where p.message_id = message.id and p.falls_back
      )
    );
end;
$$;

-- Why a recipient of a batch gets no payment request now: `reference_in_use` where another open request has its
-- reference, `payment_ended` where its own request, which was tried before, has ended meanwhile, or ends
-- within the five minutes that it must have; NULL for nothing. `asked`: the payment of its draft.
-- `message_id`: NULL for a recipient without a message.
create or replace function messaging.payment_hindrance(
  of_instance uuid, asked jsonb, message_id uuid
) returns text language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return case
    when exists (
      select from messaging.payments p
      where p.instance_id = of_instance and p.reference = asked->>'reference' and p.is_open
        and p.message_id is distinct from payment_hindrance.message_id
    ) then 'reference_in_use'
    when (asked->>'expiresAt')::timestamptz < clock_timestamp() + messaging.payment_lead() or exists (
      select from messaging.payments p
      where p.message_id = payment_hindrance.message_id and p.status <> 'pending'
    ) then 'payment_ended'
  end;
end;
$$;

-- What a message's record shows of the payment that it asks for: what was asked, with its status and the message of
-- its code. `asked`: the part as the message keeps it.
create or replace function messaging.shown_payment(message_id uuid, asked jsonb)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  return jsonb_build_object('payment', asked || coalesce(
    (
      select jsonb_build_object('status', p.status) || case
        when p.code_message_id is null then '{}'
        else jsonb_build_object('codeMessageId', p.code_message_id)
      end
      from messaging.payments p
      where p.message_id = shown_payment.message_id
    ),
    '{}'
  ));
end;
$$;

-- messages-api: records what the caller knows of a payment. `request`: instanceId, messageId or reference (the open
-- request of that reference, else the newest), status, paidAt (NULL: now), tell {message} (words for the
-- person: see tell_payment) or NULL, idempotency.
-- The same status again changes nothing, and tells nobody. Returns the payment (see describe_payment), with
-- told {messageId, reason}, NULL where nobody was to be told.
-- Locks the key, the message, the payment, then as end_payment, then the contact's address.
-- Errors: MI004; MI007; MI008; MI092 (no such payment), MI093 (no step forward; detail: the present status).
create or replace function public.change_payment(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted_id uuid;
  asking messaging.messages;
  payment messaging.payments;
  told jsonb;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  if request->>'messageId' is not null then
    wanted_id := messaging.find_message_id(request);
  else
    select p.message_id into wanted_id
    from messaging.payments p
    where p.instance_id = of_instance and p.reference = request->>'reference'
    order by p.is_open desc, p.created_at desc
    limit 1;
  end if;
  select m.* into asking from messaging.messages m where m.id = wanted_id for no key update;
  select p.* into payment from messaging.payments p
  where p.message_id = wanted_id and p.instance_id = of_instance
  for no key update;
  if payment.message_id is null then
    raise exception using errcode = 'MI092', message = 'payment_not_found';
  end if;
  case messaging.payment_step(payment.status, request->>'status')
    when 'forward' then
      payment := messaging.end_payment(
        payment, request->>'status',
        case when request->>'status' = 'paid'
          then coalesce((request->>'paidAt')::timestamptz, clock_timestamp()) end
      );
      if nullif(request->'tell', 'null') is not null then
        told := messaging.tell_payment(asking, payment, request->'tell');
      end if;
    when 'same' then
      null;
    else
      raise exception using errcode = 'MI093', message = 'payment_state', detail = payment.status;
  end case;
  return messaging.keep_outcome(
    request, messaging.describe_payment(payment) || jsonb_build_object('told', told)
  );
end;
$$;

-- change_payment: tells the person, due at once: as the channel's own message about the order where it has one and
-- the request went as such, else as a text. Only where the contact may be written to now: on the official channel
-- inside the conversation window. `draft`: {message}. Returns {messageId, reason}, one of them NULL.
create or replace function messaging.tell_payment(
  asking messaging.messages, payment messaging.payments, draft jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(payment.instance_id);
  told_id constant uuid := gen_random_uuid();
  refusal text;
  placed record;
begin
  refusal := coalesce(
    messaging.words_refusal(instance, payment.contact_id, clock),
    case when asking.id is null then 'message_not_found' end
  );
  if refusal is not null then
    return jsonb_build_object('messageId', null, 'reason', refusal);
  end if;
  placed := messaging.schedule_message(told_id, instance, payment.contact_id, clock);
  perform messaging.add_outbound_messages(array[row(
    told_id, instance.id, payment.contact_id, asking.conversation_id,
    jsonb_build_object(
      'messageType', 'payment_status', 'message', draft->'message', 'sentBy', 'system',
      'pausesAgent', false,
      'content', jsonb_build_object(
        'paymentStatus', jsonb_build_object(
          'reference', payment.reference, 'status', payment.status
        ),
        'rendering', case
          -- What the channel has no state for goes as text.
          when messaging.shows_order(asking) and instance.provider_class = 'official'
            and payment.status <> 'refunded'
            then 'native'
          else 'text'
        end
      )
    ),
    null, null, 'scheduled', null, placed.slot, placed.held_by, asking.phone_given, null, null, null,
    null
  )::messaging.outbound_message]);
  return jsonb_build_object('messageId', told_id, 'reason', null);
end;
$$;

-- tell_payment: whether the person was shown an order, with its reference: a payment request as the channel's
-- own, or a template with the button of one. A template's other payment buttons show none.
create or replace function messaging.shows_order(asking messaging.messages)
returns boolean language sql immutable
return case
  when asking.ladder -> 'shown' ->> 'sentAs' = 'template' then coalesce(
    asking.ladder -> 'rungs' -> (
      asking.ladder ->> 'place'
    )::integer -> 'content' -> 'template' -> 'components' @> '[{"sub_type": "order_details"}]',
    false
  )
  else coalesce(
    asking.content ->> 'rendering' = 'native'
    or asking.content -> 'template' -> 'components' @> '[{"sub_type": "order_details"}]',
    false
  )
end;

-- change_payment: whether a payment may go from one status to another: `forward`, `same`; NULL where it may not.
create or replace function messaging.payment_step(former text, present text)
returns text language sql immutable
return case
  when former = present then 'same'
  when former = 'pending'
  and present in ('paid', 'failed', 'canceled', 'expired') then 'forward'
  when former in ('failed', 'expired')
  and present = 'paid' then 'forward'
  when former = 'paid'
  and present = 'refunded' then 'forward'
end;

-- Lets a claimed message about a payment go as text, as the channel has refused its own form for this person or
-- account: once, by the same message, under the same claim, which then lasts leaseSeconds from now.
-- `request`: instanceId, messageId, claimToken, leaseSeconds, refusal {code, message, meaning}.
-- Returns {outcome}: `send`; `stands` where the message is to go natively or not at all; `lost` where the claim has
-- ended. Locks the queue row and the message, then dispatch.
create or replace function public.fall_back_payment(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
begin
  perform from messaging.message_queue q
  where q.message_id = (request->>'messageId')::uuid
    and q.claim_token = (request->>'claimToken')::uuid
  for no key update;
  if not found then
    return '{"outcome": "lost"}';
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = (request->>'messageId')::uuid
  for no key update;
  if message.status not in ('queued', 'sending') or not messaging.gives_way_to_text(message, request->'refusal') then
    return '{"outcome": "stands"}';
  end if;
  message.content := message.content || '{"rendering": "text"}';
  message.attempts := least(message.attempts + 1, 32767);
  message.last_error := request->'refusal';
  perform messaging.go_on_under_claim(message, (request->>'leaseSeconds')::double precision);
  return '{"outcome": "send"}';
end;
$$;

-- messages-api: the payments of an instance, oldest first, a page at a time. `request`: instanceId, limit, `after` as
-- returned in `next`, and filters, each NULL for any: status, reference, contactId (the id of a merged contact finds
-- the survivor's), since and until (of the request, both included). Returns {items, next}. Errors: MI014; MI035.
create or replace function public.list_payments(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  of_contact constant uuid := case
    when request->>'contactId' is not null
      then (messaging.find_contact_by_id(
        (request->>'instanceId')::uuid, (request->>'contactId')::uuid
      )).id
  end;
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', p.created_at, 'id', p.message_id, 'record', messaging.describe_payment(p)
      )
      from messaging.payments p
      where p.instance_id = (request->>'instanceId')::uuid
        and (p.created_at, p.message_id) > (page.after_at, page.after_id)
        and (request->>'status' is null or p.status = request->>'status')
        and (request->>'reference' is null or p.reference = request->>'reference')
        and (request->>'contactId' is null or p.contact_id = of_contact)
        and (request->>'since' is null or p.created_at >= (request->>'since')::timestamptz)
        and (
          request->>'until' is null
          or p.created_at < (request->>'until')::timestamptz + interval '1 millisecond'
        )
      order by p.created_at, p.message_id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;

-- Ends the payments whose time is over as `expired`. `request`: maxPayments. Costs what is due: the look-up reads the
-- index of due ones alone. Waits for no message that another transaction holds: it is due again.
-- Locks per payment its message, the payment, then as end_payment: instance by instance, as all lock pacing.
-- Returns {expired, isComplete}.
create or replace function public.run_payments(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_payments constant integer := (request->>'maxPayments')::integer;
  clock constant timestamptz := clock_timestamp();
  seen integer := 0;
  expired integer := 0;
  due_id uuid;
  payment messaging.payments;
begin
  for due_id in
    with due as materialized (
      select p.message_id, p.instance_id, p.expires_at from messaging.payments p
      where p.is_open and p.expires_at <= clock
      order by p.expires_at
      limit max_payments
    )
    select due.message_id from due order by due.instance_id, due.expires_at
  loop
    seen := seen + 1;
    perform from messaging.messages m where m.id = due_id for no key update skip locked;
    continue when not found;
    select p.* into payment from messaging.payments p
    where p.message_id = due_id and p.is_open
    for no key update skip locked;
    continue when not found;
    perform messaging.end_payment(payment, 'expired', null);
    expired := expired + 1;
  end loop;
  return jsonb_build_object('expired', expired, 'isComplete', seen < max_payments);
end;
$$;

-- How long before its expiresAt a payment request leaves at the latest.
create or replace function messaging.payment_lead()
returns interval language sql immutable parallel safe
return interval '5 minutes';

-- Has the transaction end only when a synchronous standby has everything that it has seen, where one is
-- configured; else nothing. A transaction that has written waits by itself. One that has only read does not, and
-- it may have seen what the standby does not have: when the server dies, a commit that waits for the standby ends
-- its wait and becomes visible to the sessions that still work. The wait is that of Postgres itself, for the
-- commit of a record that says nothing.
create or replace function messaging.await_standby()
returns void language plpgsql set search_path = '' as $$
begin
  if current_setting('synchronous_standby_names') <> '' and not pg_is_in_recovery() then
    perform pg_logical_emit_message(true, 'messaging', '');
  end if;
end;
$$;

-- The data of a message's event: the message's record (see message_record) and its contact as they were
-- then, with the price that a delivery has got since: see shown_price.
create or replace function messaging.message_event_data(
  type text, message messaging.message_snapshot, time_zone text
) returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
declare
  data jsonb := messaging.message_record(
    jsonb_populate_record(null::messaging.messages, to_jsonb(message)), time_zone, false
  ) || messaging.message_contact(
    message.contact_id, message.contact_phone, message.contact_name, message.contact_identities
  );
begin
  if message.question is not null then
    data := data || message.question;
  end if;
  if message.media is not null then
    data := data || message.media;
  end if;
  if type = 'message.sent' and message.status <> 'sent' then
    data := data || '{"status": "sent", "deliveredAt": null, "readAt": null}';
  end if;
  return messaging.fit_event_data(data);
end;
$$;

-- The number up to which no event of the instance can appear any more. The caller reads the events in a
-- later statement, in a transaction of isolation level read committed: see the head of
-- tables/events.sql.
-- Another instance's lock with the same hash only makes the horizon lower. The key 0 is every instance's: see
-- hold_event_floor. read_position asks the same for several instances.
create or replace function messaging.event_horizon(instance_id uuid)
returns bigint language plpgsql set search_path = '' as $$
declare
  last_drawn bigint;
  lowest_floor bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  select min(messaging.event_floor(last_drawn, l.objid))
  into lowest_floor
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid in (0::oid, (uuid_hash(event_horizon.instance_id)::bigint & 4294967295)::oid)
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  return least(last_drawn, lowest_floor);
end;
$$;

-- When the first delivery of each endpoint that waits for some is due, from `due_from` on: see delivery_floor. By the
-- index of what waits: it goes from one endpoint to the next, so its cost follows the endpoints that wait for
-- something, not all there are, and not how much each waits for.
create or replace function messaging.first_deliveries(due_from timestamptz)
returns table (endpoint_id uuid, due_at timestamptz) language plpgsql stable set search_path = ''
set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
  with recursive waiting as (
    (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at >= due_from
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    )
    union all
    select n.endpoint_id, n.next_attempt_at
    from waiting w
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at
      from messaging.event_deliveries d
      where d.next_attempt_at >= due_from and d.endpoint_id > w.endpoint_id
      order by d.endpoint_id, d.next_attempt_at
      limit 1
    ) as n
  )
  select w.endpoint_id, w.next_attempt_at from waiting w;
end;
$$;

-- Records one event in the transaction that makes it true. `data`: the event's data, complete; it is
-- cut to what an event may hold (see fit_event_data). `contact_id`: the person it is about, if any.
-- Call it when the rows it is about are locked and changed, so that events stand in the order in which
-- they became true. Those of messages follow from their rows: see record_message_change.
-- Returns the event.
create or replace function messaging.record_event(
  instance_id uuid, contact_id uuid, type text, data jsonb
) returns messaging.events language plpgsql set search_path = '' as $$
declare
  event messaging.events;
begin
  perform messaging.hold_event_floor(record_event.instance_id);
  insert into messaging.events (instance_id, contact_id, type, data)
  values (
    record_event.instance_id, record_event.contact_id, record_event.type,
    messaging.fit_event_data(record_event.data)
  )
  returning * into event;
  return event;
end;
$$;

-- events-api: records `endpoint.test`, which the caller sends to the endpoint at once, whether it is
-- active or not, and then tells finish_endpoint_test. `request`: instanceId, endpointId, idempotency.
-- Returns {sequence, eventId, body, target} (see claim_event_deliveries), or {replayed}: the outcome of
-- the first call with the key. Errors: MI007, MI008, MI024.
create or replace function public.begin_endpoint_test(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  endpoint messaging.event_endpoints;
  event messaging.events;
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  endpoint := messaging.find_event_endpoint(request);
  event := messaging.record_event(
    endpoint.instance_id, null, 'endpoint.test', jsonb_build_object('endpointId', endpoint.id)
  );
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
-- after an attempt that succeeded, or that did not; places {endpointId: n}, how many instead of the endpoints that
-- the worker is calling already.
-- Returns {deliveries: [{deliveryId, claimToken, endpointId, eventId, body}], targets: [{endpointId, url,
-- sealedSecrets}]}. `body` is the same on every attempt: the event never changes.
-- A delivery of an event that is gone (erased, or purged) fails.
-- Endpoints take turns, so that no endpoint's backlog keeps another waiting.
create or replace function public.claim_event_deliveries(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock timestamptz;
  due_from timestamptz;
  per_endpoint constant integer := (request->>'perEndpoint')::integer;
  per_failing constant integer := (request->>'perFailingEndpoint')::integer;
  places constant jsonb := request->'places';
  claimable uuid[];
  answer jsonb;
begin
  perform messaging.fan_out_events(500);
  -- Read after it: what it has made is due.
  clock := clock_timestamp();
  due_from := messaging.delivery_floor(clock);
  claimable := array(
    select waiting.id
    from (
      select d.id, row_number() over (partition by e.id order by d.next_attempt_at, d.sequence) as turn
      from messaging.first_deliveries(due_from) as f
      join messaging.event_endpoints e on e.id = any (array[f.endpoint_id])
      cross join lateral (
        select x.id, x.next_attempt_at, x.sequence
        from messaging.event_deliveries x
        where x.endpoint_id = e.id and x.next_attempt_at >= due_from and x.next_attempt_at <= clock
        order by x.next_attempt_at
        limit coalesce(
          (places->>e.id::text)::integer,
          case when e.failing_since is null then per_endpoint else per_failing end
        )
        for no key update skip locked
      ) as d
      where e.is_active and f.due_at <= clock
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

-- events-api: an endpoint. `request`: instanceId, endpointId. Error: MI024.
create or replace function public.get_event_endpoint(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_event_endpoint(r) from messaging.event_endpoints r
    where r.id = (request->>'endpointId')::uuid and r.instance_id = (request->>'instanceId')::uuid
      and r.deleted_at is null
  ), 'MI024', 'endpoint_not_found');
$$;

-- events-api: the endpoints of an instance, oldest first, a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_event_endpoints(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_event_endpoint(r))
    from messaging.event_endpoints r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and r.instance_id = (request->>'instanceId')::uuid and r.deleted_at is null
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- events-api: gives an endpoint a new secret; the former one signs too for gracePeriodSeconds. While a
-- former one does, a further rotation is refused, since it was promised to sign until then; without a period
-- it ends all former ones at once. `request`: instanceId, endpointId,
-- sealedSecret (also kept with the outcome), gracePeriodSeconds, idempotency (see begin_idempotent).
-- Returns the endpoint, or {replayed} with sealedSecret. Errors: MI007, MI008, MI024,
-- MI072.
create or replace function public.rotate_endpoint_secret(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
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
    and (grace = interval '0' or coalesce(e.previous_secret_until <= clock_timestamp(), true));
  if not found then
    raise exception using errcode = 'MI072', message = 'secret_rotation_pending';
  end if;
  endpoint := messaging.find_event_endpoint(request);
  outcome := messaging.describe_event_endpoint(endpoint);
  perform messaging.keep_outcome(
    request, outcome || jsonb_build_object('sealedSecret', request->>'sealedSecret')
  );
  return outcome;
end;
$$;

-- events-api: one page of an instance's feed, oldest first. `request`: instanceId; after: a cursor, or
-- `oldest`, or NULL for now; types: NULL for all; limit; horizon: that of read_position on a standby, which sees
-- no writer's lock, else NULL.
-- Returns {state: `ok`, items (see describe_event), nextCursor, hasMore}; or {state: `unknown_cursor`};
-- or {state: `expired`, oldestCursor, the cursor to go on from} where events after the cursor are gone, or that
-- of the cursor itself: it was read from a server whose last commits were lost (see note_server).
-- A page has at most 2 MiB of data. At most 5,000 events are read per call, however few of them are of
-- the types: the next call goes on behind them. So hasMore says that there are events behind the page,
-- and where it is false, that none of the types is.
-- A cursor is always the number of an event that was read, never the horizon: numbers that no committed
-- transaction has used may be drawn again after a crash of the server. What is told is on a synchronous standby,
-- where there is one: see await_standby.
-- A sweep may delete events at any time, so how far the feed is gone is read again after the events: what
-- it deleted between the two statements is answered as `expired`, never passed over. A reader of `oldest`
-- has missed nothing, and reads again.
-- Events are found by comparing both columns of their index: by the instance alone, a plan may go by
-- the primary key and read every other instance's events.
-- The statements must stay in this order: see the head of tables/events.sql.
-- Over 80 lines: one page, whose parts must be read in this order.
create or replace function public.read_events(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
  kept_through bigint;
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
  horizon := (request->>'horizon')::bigint;
  if horizon is null then
    horizon := messaging.event_horizon(of_instance);
  end if;
  kept_through := messaging.kept_events_through(began_at);
  if kept_through is not null then
    return jsonb_build_object(
      'state', 'expired',
      'oldestCursor', messaging.seal_event_cursor(kept_through, stream.cursor_key)
    );
  end if;
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
  if position is distinct from began_at then
    perform messaging.await_standby();
  end if;
  return jsonb_build_object(
    'state', 'ok',
    'items', to_jsonb(items),
    'nextCursor', messaging.seal_event_cursor(coalesce(position, purged_through), stream.cursor_key),
    'hasMore', has_more
  );
end;
$$;

-- Where a reader of the feed goes on whose cursor stands at an event that a promotion has lost, or beyond every
-- number that was drawn here, as after a restore; NULL for any other cursor, and none. No event was passed by: the
-- numbers of what came after are higher (see note_server).
create or replace function messaging.kept_events_through(cursor_number bigint)
returns bigint language sql stable set search_path = '' as $$
  select coalesce(
    (
      select s.events_through from messaging.database_servers s
      where s.lacks_commits
        and cursor_number > s.events_through and cursor_number <= s.events_before
      order by s.id
      limit 1
    ),
    (
      select d.last_drawn
      from (
        select coalesce(pg_sequence_last_value('messaging.event_sequence'), 0) as last_drawn
      ) as d
      where cursor_number > d.last_drawn
    )
  );
$$;

-- How far behind the clock a floor stays: twice as far as what lowers it, so that a transaction may last as long.
-- Beside an old snapshot each look reads what has left since then.
create or replace function messaging.floor_lag()
returns interval language sql immutable
return interval '6 seconds';

-- Where a look for what is due begins, by a sequence that says that nothing which waits is due before: see due_floor
-- and delivery_floor. Some seconds ago at the latest (see floor_lag), so that what is written now is found although
-- the clock was just set back, or its transaction lasts.
create or replace function messaging.floor_of(floor regclass, clock timestamptz)
returns timestamptz language sql volatile
return least(
  coalesce(to_timestamp(pg_sequence_last_value(floor_of.floor)), '-infinity'::timestamptz),
  clock - messaging.floor_lag()
);

-- Where a look for deliveries that are due begins.
create or replace function messaging.delivery_floor(clock timestamptz)
returns timestamptz language sql volatile
return messaging.floor_of('messaging.delivery_floor'::regclass, clock);

-- Must be called before the transaction draws its first event number for the instance: see the head of
-- tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances. Beyond a
-- hundred instances one lock stands for all, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. What it returns says nothing.
create or replace function messaging.hold_event_floor(instance_id uuid)
returns text language sql volatile
return case
  when current_setting('messaging.event_floors', true) = '*'
  or strpos(current_setting('messaging.event_floors', true), instance_id::text) > 0 then null
  when length(
    current_setting('messaging.event_floors', true)
  ) >= 3600 then messaging.lock_event_floor(null) || set_config('messaging.event_floors', '*', true)
  else messaging.lock_event_floor(instance_id) || set_config(
    'messaging.event_floors',
    concat(current_setting('messaging.event_floors', true), instance_id),
    true
  )
end;

-- The floor that a writer's lock holds, from the low 32 bits that are its second number: the number nearest to the
-- one that was drawn last. See lock_event_floor.
create or replace function messaging.event_floor(last_drawn bigint, low_bits oid)
returns bigint language sql immutable parallel safe
return last_drawn + ((low_bits::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648;

-- When what a budget or a lock has held may leave, from the instant of its end on: in the instance's send
-- window, so that nothing leaves at midnight because a month has ended. The instant itself where the window
-- never opens.
create or replace function messaging.after_hold(
  instance messaging.instances, candidate timestamptz, typing interval
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return (messaging.fit_send_window(instance, candidate, typing)).slot;
exception when sqlstate 'MI010' then
  return candidate;
end;
$$;

-- claim_due_messages: claims the head of each due instance that has nothing in flight: in order, one
-- interval after the message before it, and inside the window.
-- An instance with a pace is left to a claim of its own (see claim_message_group): its id is in `groups`, and
-- it is due again shortly, in case that claim does not come. `claimed`: the ids of what was claimed.
-- Heads of instances with protection, a budget, or a lock on new chats are left to claim_protected_messages.
-- A head whose expires_at has come is ended instead, and the next claim takes the one behind it.
-- An instance that is due but has nothing to send now gets its new due time: see postpone_dispatch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_paced_messages(
  max_messages integer, lease interval, due_from timestamptz, clock timestamptz, out claimed uuid[],
  out groups uuid[]
) language plpgsql set search_path = '' as $$
declare
  stalled uuid[];
  protected uuid[];
  late uuid[];
begin
  with due as materialized (
    select d.instance_id, d.generation, d.queue_from, d.paced_from, d.messages_per_second,
      d.new_chats_locked_until > clock as locks_new_chats
    from messaging.dispatch d
    where d.in_flight is null and d.next_due_at >= due_from and d.next_due_at <= clock
    order by d.next_due_at
    limit max_messages
    for no key update skip locked
  ),
  head as (
    select due.instance_id, due.generation, leaving.message_id, leaving.typing, leaving.is_late,
      i.protection is not null or i.budget is not null or due.locks_new_chats as is_protected
    from due
    join messaging.instances i on i.id = any (array[due.instance_id])
    left join lateral (
      select q.message_id, q.interval_seconds
      from messaging.message_queue q
      where q.instance_id = due.instance_id and q.lane = 'paced' and q.claim_token is null
        and q.scheduled_at >= due.queue_from and q.scheduled_at <= clock
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
        and exists (
          select from messaging.open_window(i, (clock + shown.typing) at time zone i.time_zone)
        )
        and (shown.typing = interval '0' or messaging.is_send_window_open(i, clock))
    ) as leaving on true
    where due.messages_per_second is null
  ),
  marked as (
    -- An instance that is less than 50 ms late keeps the grid of its slots: the delay is not added to
    -- the next message. Beyond that the interval counts from now, and as soon as it is known from the
    -- call: see departed_at.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    from head
    -- The version that this statement sees, of which another claim and its settlement may have made a newer one
    -- before it was locked. If there was more than one settlement, nothing is claimed: the instance stays due.
    where d.instance_id = any (array[head.instance_id]) and d.generation >= head.generation - 1
      and head.message_id is not null and not head.is_protected and not head.is_late
    returning d.in_flight, d.lease_until
  ),
  claimed_rows as (
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = marked.lease_until
    from marked
    where q.message_id = any (array[marked.in_flight])
    returning q.message_id
  )
  select
    (select array_agg(claimed_rows.message_id) from claimed_rows),
    (
      select array_agg(head.instance_id) from head
      where head.message_id is null or head.is_late
    ),
    (
      select array_agg(head.message_id) from head
      where head.is_protected and not head.is_late
    ),
    (select array_agg(head.message_id) from head where head.is_late),
    (select array_agg(due.instance_id) from due where due.messages_per_second is not null)
  into claimed, stalled, protected, late, groups;

  if protected is not null then
    claimed := claimed || messaging.claim_protected_messages(protected, lease, clock);
  end if;

  if late is not null then
    perform messaging.expire_due_messages(late, clock);
  end if;
  if stalled is not null then
    perform messaging.postpone_dispatch(stalled, clock);
  end if;
  if groups is not null then
    update messaging.dispatch d
    set next_due_at = clock + interval '100 milliseconds'
    from unnest(groups) as due(instance_id)
    cross join lateral messaging.dispatch_of(due.instance_id) as own
    where d.instance_id = any (array[own.instance_id])
      and d.generation >= own.generation;
  end if;
end;
$$;

-- Moves the due time of instances that looked due but have nothing to send now: their head was
-- canceled or lies ahead, or the window is closed or will be when the head's typing has been shown.
-- Tries the pacing rows without waiting: the caller holds the dispatch rows, and an enqueue locks the
-- two in the other order.
create or replace function messaging.postpone_dispatch(instance_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  locked uuid[];
begin
  select array_agg(l.instance_id) into locked
  from (
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (instance_ids)
    order by p.instance_id
    for no key update skip locked
  ) as l;
  perform messaging.refresh_dispatch(locked);
  update messaging.dispatch d
  -- A window that never opens must not stop other instances: check such an instance daily.
  set next_due_at = case
    when not messaging.is_send_window_open(i, clock)
      then coalesce(messaging.next_window_start(i, clock), clock + interval '1 day')
    when not messaging.is_send_window_open(i, head.leaves_at)
      then coalesce(messaging.next_window_start(i, head.leaves_at), clock + interval '1 day')
    else clock
  end
  from messaging.instances i
  cross join lateral (
    select clock + interval '1 millisecond' * coalesce(max(m.delay_typing_ms), 0) as leaves_at
    from messaging.head_of_queue(i.id, '-infinity') h
    join messaging.messages m on m.id = h.message_id
  ) as head
  where d.instance_id = any (locked) and i.id = d.instance_id
    and d.in_flight is null and d.next_due_at <= clock;
end;
$$;

-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them: see take_place_of_day. What a lock on new chats keeps waits for its end. The caller
-- has locked dispatch and the queue rows. Tries the pacing rows without waiting: an enqueue locks the two in
-- the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[], lease interval, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  head record;
  place record;
  budget record;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      own.generation, own.new_chats_locked_until as locked_until,
      messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id) as is_stoppable,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    cross join lateral messaging.dispatch_of(q.instance_id) as own
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    if messaging.locks_new_chat(head.locked_until, head.contact_id, clock) then
      perform messaging.postpone_message(
        head.message_id, head.instance, head.locked_until, 'new_contacts'
      );
      perform messaging.refresh_dispatch(array[head.instance_id]);
      continue;
    end if;
    if head.is_stoppable then
      continue when not messaging.lock_budget(head.instance_id, false);
      budget := messaging.budget_state(head.instance, clock);
      if budget.is_reached then
        perform messaging.postpone_message(head.message_id, head.instance, budget.month_ends_at, 'budget');
        perform messaging.refresh_dispatch(array[head.instance_id]);
        continue;
      end if;
    end if;
    if (head.instance).protection is null then
      select true as is_taken, null::date as day, head.takes_new as counts_as_new into place;
    else
      place := messaging.take_place_of_day(
        head.instance, head.contact_id, head.takes_new, head.scheduled_at, clock
      );
    end if;
    continue when not place.is_taken;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = place.day,
      is_new = place.counts_as_new
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
    where d.instance_id = head.instance_id and d.generation >= head.generation;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;

-- claim_due_messages: claims unpaced messages that are visible, the oldest first. Returns the ids.
-- What is to be paced gets its slot in the paced queue instead (see enqueue_message_later); what has
-- come to its expires_at is ended.
-- What leaves after another message waits until that one is settled: see postpone_followers.
-- A claimed message is invisible until its lease ends, one of an instance that an operator holds or
-- that is disconnected until that ends.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_unpaced_messages(
  max_messages integer, lease interval, due_from timestamptz, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  claimed_ids uuid[];
  held_ids uuid[];
  to_be_paced uuid[];
  due_ids uuid[];
  followers uuid[];
begin
  with due as (
    select q.message_id, q.instance_id, q.interval_seconds > 0 as is_to_be_paced,
      q.goes_after
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
    order by q.visible_at
    limit max_messages
    for no key update skip locked
  ),
  checked as (
    select due.message_id, due.is_to_be_paced,
      messaging.stopped_until(own) > clock
        and not due.is_to_be_paced as is_held,
      own.new_chats_locked_until as locked_until,
      due.goes_after is not null and exists (
        select from messaging.message_queue f where f.message_id = any (array[due.goes_after])
      ) as is_follower
    from due
    cross join lateral messaging.dispatch_of(due.instance_id) as own
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
      and not checked.is_to_be_paced and not checked.is_follower and coalesce(m.expires_at > clock, true)
      and not messaging.locks_new_chat(checked.locked_until, m.contact_id, clock)
      -- Of all that is unpaced a budget may stop marketing alone: batches are paced.
      and (
        m.purpose is distinct from 'marketing'
        or not messaging.stopped_by_budget(
          (messaging.find_instance(m.instance_id)).budget, m.purpose, m.batch_id
        )
      )
    returning q.message_id
  )
  select
    (select array_agg(claimed.message_id) from claimed),
    (select array_agg(checked.message_id) from checked where checked.is_held),
    (select array_agg(checked.message_id) from checked where checked.is_to_be_paced),
    (
      select array_agg(checked.message_id)
      from checked
      where not checked.is_held and not checked.is_to_be_paced and not checked.is_follower
    ),
    (
      select array_agg(checked.message_id)
      from checked
      where checked.is_follower and not checked.is_held
    )
  into claimed_ids, held_ids, to_be_paced, due_ids, followers;

  if held_ids is not null then
    perform messaging.postpone_held_messages(held_ids, clock);
  end if;
  if to_be_paced is not null then
    perform messaging.enqueue_waiting_messages(to_be_paced, clock);
  end if;
  if followers is not null then
    perform messaging.postpone_followers(followers, clock);
  end if;
  -- What was due and not claimed has come to its expires_at, would open a chat that is locked, or its instance's
  -- budget decides.
  if cardinality(due_ids) > coalesce(cardinality(claimed_ids), 0) then
    perform messaging.expire_due_messages(due_ids, clock);
    perform messaging.postpone_new_chats(due_ids, clock);
    claimed_ids := claimed_ids || messaging.claim_unpaced_within_budget(
      array(select d from unnest(due_ids) as d where d <> all (coalesce(claimed_ids, '{}'))),
      lease, clock
    );
  end if;
  return claimed_ids;
end;
$$;

-- claim_due_messages: gives messages that waited for an instant of the caller's their slots in the paced
-- queue (see enqueue_message_later), in the order of the slots they were promised. The caller holds their
-- queue rows. Never waits for messages and pacing rows: what another session holds is left for later.
create or replace function messaging.enqueue_waiting_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  waiting record;
  instance messaging.instances;
  enqueued record;
begin
  for waiting in
    select q.instance_id, q.message_id, q.scheduled_at, q.attempts,
      case when not q.follows_pace then q.interval_seconds end as interval_seconds,
      q.max_attempts, m.contact_id, m.held_by, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
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
      perform messaging.write_departures(
        array[waiting.message_id], array[enqueued.slot],
        array[coalesce(enqueued.held_by, waiting.held_by)]
      );
    exception when sqlstate 'MI010' then
      -- A window that never opens is looked at daily, as by postpone_dispatch.
      update messaging.message_queue q
      set visible_at = clock + interval '1 day'
      where q.message_id = waiting.message_id;
    end;
  end loop;
end;
$$;

-- claim_unpaced_messages: has those of these due messages that would open a locked chat (see locks_new_chat) wait
-- until the lock ends. The caller has locked the queue rows. Leaves messages that another transaction is changing
-- for the next claim.
create or replace function messaging.postpone_new_chats(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting record;
begin
  for waiting in
    select m.id as message_id, m.contact_id, i as instance, d.new_chats_locked_until as locked_until
    from messaging.message_queue q
    join messaging.dispatch d on d.instance_id = any (array[q.instance_id])
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[m.instance_id])
    where q.message_id = any (message_ids) and q.claim_token is null
      and d.new_chats_locked_until > clock
      and messaging.locks_new_chat(d.new_chats_locked_until, m.contact_id, clock)
    order by i.id, q.visible_at, m.id
    for no key update of m skip locked
  loop
    -- Once more: it may have written before its message was locked, see release_known_contacts.
    continue when not messaging.locks_new_chat(waiting.locked_until, waiting.contact_id, clock);
    perform messaging.postpone_message(
      waiting.message_id, waiting.instance, waiting.locked_until, 'new_contacts'
    );
  end loop;
end;
$$;

-- claim_unpaced_messages: claims those of these due messages that an instance's budget may stop (see
-- stopped_by_budget), as far as the budget reaches, and has the others wait until the month ends. Returns the ids of
-- the claimed ones. The caller has locked the queue rows. Leaves messages that another transaction is changing, or
-- of a budget that another one has taken, for the next claim.
create or replace function messaging.claim_unpaced_within_budget(
  message_ids uuid[], lease interval, clock timestamptz
) returns uuid[] language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting record;
  of_instance uuid;
  has_budget boolean;
  budget record;
  budget_left numeric;
  claimed_ids uuid[];
begin
  for waiting in
    select m.id as message_id, i as instance, i.id as instance_id,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[m.instance_id])
    where q.message_id = any (message_ids) and q.claim_token is null
      and messaging.stopped_by_budget(i.budget, m.purpose, m.batch_id)
    order by i.id, q.visible_at, m.id
    for no key update of m skip locked
  loop
    if waiting.instance_id is distinct from of_instance then
      of_instance := waiting.instance_id;
      has_budget := messaging.lock_budget(of_instance, false);
      budget := messaging.budget_state(waiting.instance, clock);
      -- NULL without rates: such a budget is never reached.
      budget_left := case
        when budget.currency is not null then budget.amount - budget.spent - budget.under_way
      end;
    end if;
    continue when not has_budget;
    if budget_left <= 0 then
      perform messaging.postpone_message(
        waiting.message_id, waiting.instance, budget.month_ends_at, 'budget'
      );
      continue;
    end if;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + waiting.typing,
      visible_at = clock + lease + waiting.typing
    where q.message_id = waiting.message_id;
    budget_left := budget_left - coalesce(
      (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
    );
    claimed_ids := claimed_ids || waiting.message_id;
  end loop;
  return claimed_ids;
end;
$$;

-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb language plpgsql stable set search_path = '' as $$
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
        -- A campaign answers nobody.
        case when m.batch_id is null then i.read_receipts else 'off' end as "readReceipts",
        c.is_blocked as "isContactBlocked",
        messaging.denies_marketing(
          messaging.effective_consent(
            m.purpose, i.people_scope, i.workspace_id, c.id, c.identity_key, c.consent_marketing,
            c.consent_at
          ),
          m.purpose
        ) as "isOptedOut",
        -- Only the agent's own answers: a caller cancels its own messages.
        m.purpose is not distinct from 'agent_answer' and exists (
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
        m.quoted_provider_message_id as "quotedProviderMessageId",
        case when m.quoted_message_id is not null then (
          select q.direction = 'outbound' from messaging.messages q where q.id = m.quoted_message_id
        ) end as "quotedIsOurs",
        m.delay_typing_ms as "delayTypingMs",
        m.ladder->'rungs' is not null as "hasLadder",
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

-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, `daily_limit`, `new_contacts`, `warm_up`, or NULL. `is_held`: whether the instance
-- is held at the slot.
-- With protection the rules of next_slot hold; `jitter_seed` is the message's id where it is not given.
-- Without, what next_slot does for such an instance is one statement, because others wait for this row.
-- `interval_seconds` is NULL for a message without an interval of its own: it follows the pace of its instance.
create or replace function messaging.enqueue_message(
  message_id uuid, instance messaging.instances, interval_seconds integer, not_before timestamptz,
  typing interval, contact_id uuid default null, jitter_seed text default null,
  out slot timestamptz, out held_by text, out is_held boolean
) language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  is_paced boolean;
  is_open boolean;
  -- That the instance is held at the slot, and that a message leaves before it.
  found_there boolean[];
  is_protected boolean := instance.protection is not null;
  is_new boolean;
  follows_pace constant boolean := interval_seconds is null;
begin
  interval_seconds := coalesce(interval_seconds, messaging.default_interval_seconds());
  if not is_protected then
    -- The clock is read under the lock: Postgres computes the new row version after the wait.
    update messaging.pacing p
    set last_slot_at = messaging.next_free_slot(
      p.last_slot_at,
      messaging.spacing(instance.messages_per_second, interval_seconds, follows_pace),
      not_before, date_trunc('milliseconds', clock_timestamp())
    ) + typing
    where p.instance_id = instance.id
    returning p.last_slot_at - typing, p.is_protected, exists (
      select from messaging.open_window(
        instance, (p.last_slot_at - typing) at time zone instance.time_zone
      )
    ) into strict slot, is_protected, is_open;
  end if;
  if is_protected then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    select t.slot, t.held_by, t.pace, t.is_new into slot, held_by, interval_seconds, is_new
    from messaging.take_protected_slot(
      instance.id, contact_id, case when not follows_pace then interval_seconds end, not_before, typing,
      coalesce(jitter_seed, message_id::text)
    ) t;
  else
    is_paced := slot > greatest(not_before, date_trunc('milliseconds', clock_timestamp()));
    if not is_open
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
    message_id, instance_id, lane, scheduled_at, interval_seconds, is_new, follows_pace
  )
  values (
    enqueue_message.message_id, instance.id, 'paced', slot, enqueue_message.interval_seconds, is_new,
    follows_pace
  )
  returning (
    select array[
      coalesce(messaging.held_until(own) > slot, false),
      exists (
        select from messaging.message_queue q
        where q.instance_id = instance.id and q.lane = 'paced' and q.claim_token is null
          and q.scheduled_at <= slot and q.scheduled_at >= own.queue_from
      )
    ]
    from messaging.dispatch_of(instance.id) as own
  ) into found_there;
  is_held := found_there[1];
  -- Lowers the due time and where the queue begins, and only for a new head: a message behind another one leaves
  -- after it. Without need no lock is taken that would make a claim skip the instance.
  if not found_there[2] then
    update messaging.dispatch d
    set next_due_at = least(
        d.next_due_at,
        messaging.next_due_at(d, slot, enqueue_message.interval_seconds, follows_pace)
      ),
      queue_from = least(d.queue_from, slot)
    from messaging.dispatch_of(instance.id) as own
    where d.instance_id = any (array[own.instance_id]) and d.generation >= own.generation
      and (
        d.queue_from > slot
        or d.next_due_at
          > messaging.next_due_at(d, slot, enqueue_message.interval_seconds, follows_pace)
      );
  end if;
end;
$$;

-- When a waiting message may leave as things are, and the one answer to what holds it until then: its slot, one
-- interval after the message that left last, its instance's reached budget, a hold of its instance, the send
-- window (which its typing must not outlast). For an unpaced message: its due time, unless it is to be paced
-- (see enqueue_message_later). Messages before it in the queue are not counted. `leaves_at` is NULL where a
-- hold has no end; `held_by` is NULL for what may leave now. While a hold of the whole instance keeps it,
-- that is the reason, and `hold_reason`, `hold_code` and `held_until` tell of it: see instance_hold.
-- `budget_ends_at`: see reached_budget_ends_at.
create or replace function messaging.expected_departure(
  queued messaging.message_queue, message messaging.messages, instance messaging.instances,
  dispatch messaging.dispatch, budget_ends_at timestamptz, out leaves_at timestamptz,
  out held_by text, out hold_reason text, out hold_code text, out held_until timestamptz
) language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  after_last constant timestamptz := dispatch.paced_from + messaging.present_spacing(
    dispatch, dispatch.paced_from, queued.interval_seconds, queued.follows_pace
  );
  typing constant interval := interval '1 millisecond' * coalesce(message.delay_typing_ms, 0);
  is_paced constant boolean := queued.lane = 'paced' or queued.interval_seconds > 0;
  is_refused boolean;
  hold record;
  looked_at timestamptz;
begin
  leaves_at := queued.scheduled_at;
  -- What is tried again waits for its next attempt.
  held_by := case when queued.attempts > 0 then 'delay' else message.held_by end;
  -- A wider window and an ended protection leave slots where they are: what moved them is no reason any more.
  if held_by in ('window', 'holiday')
      and messaging.is_send_window_open(instance, leaves_at - interval '1 millisecond')
    or held_by in ('daily_limit', 'warm_up', 'new_contacts') and instance.protection is null
      and not (held_by = 'new_contacts' and dispatch.new_chats_locked_until > clock) then
    held_by := 'interval';
  end if;
  if is_paced and after_last > leaves_at then
    leaves_at := after_last;
    held_by := 'interval';
  end if;
  if budget_ends_at > greatest(leaves_at, clock)
    and messaging.stopped_by_budget(instance.budget, message.purpose, message.batch_id) then
    leaves_at := budget_ends_at;
    held_by := 'budget';
  end if;
  -- A message that met the refusal of the whole instance waits for its end, and then for its next attempt. One
  -- beside the queue does so for as long as the queue.
  is_refused := coalesce(message.last_error->>'code' = dispatch.hold_error->>'code', false)
    and case when is_paced then queued.scheduled_at <= clock else dispatch.hold_until >= leaves_at end;
  if is_paced and is_refused and held_by = 'interval' then
    held_by := 'delay';
  end if;
  -- Whose turn has not come waits for the messages before it, which a hold of this moment keeps.
  select h.* into hold
  from messaging.instance_hold(
    dispatch,
    greatest(case when not is_refused and held_by is distinct from 'interval' then leaves_at end, clock),
    is_paced or is_refused
  ) as h;
  if found then
    held_by := hold.held_by;
    hold_reason := hold.reason;
    hold_code := hold.code;
    held_until := hold.ends_at;
    leaves_at := greatest(
      leaves_at,
      case when is_paced then messaging.held_until(dispatch) else messaging.stopped_until(dispatch) end
    );
    if not isfinite(leaves_at) then
      leaves_at := null;
      return;
    end if;
  end if;
  looked_at := greatest(leaves_at, clock);
  if is_paced and messaging.is_send_window_open(instance, looked_at) then
    looked_at := looked_at + typing;
  end if;
  if is_paced and not messaging.is_send_window_open(instance, looked_at) then
    leaves_at := coalesce(messaging.next_window_start(instance, looked_at), leaves_at);
    if held_until is null then
      held_by := messaging.window_closed_reason(instance, looked_at);
    end if;
  elsif leaves_at <= clock then
    held_by := null;
  end if;
end;
$$;

-- claim_due_messages: ends messages that were due after their expires_at: they become `expired` instead
-- of being claimed. The caller holds their queue rows. What another session holds is left for later:
-- nothing waits here. The caller sees to it that the instance gets its next due time.
create or replace function messaging.expire_due_messages(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
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
  perform messaging.end_messages(late, 'expired');
  perform messaging.release_slots(gone);
end;
$$;

-- What was told about the connections of instances holds no longer: their credentials are new, or an
-- operator releases them. The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_connection(instance_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  perform messaging.resume_unpaced_messages(
    d.instance_id, greatest(d.disconnected_until, d.wrong_phone_until), clock
  )
  from messaging.dispatch d
  where d.instance_id = any (instance_ids)
    and greatest(d.disconnected_until, d.wrong_phone_until) > clock;
  update messaging.dispatch d
  set connection = null, connection_told_at = '-infinity', disconnected_until = '-infinity',
    disconnected_at = null, disconnected_reason = null, connected_at = null, paired_phone = null,
    wrong_phone_until = '-infinity'
  where d.instance_id = any (instance_ids);
end;
$$;

-- Lets those of the next 2,000 messages of an instance's queue leave that it holds for the release's reason, and
-- stores how far that is where more follow. What is held once more meanwhile lies before them: it waits for the same
-- instant, or for an earlier one. The caller holds pacing, and refreshes dispatch.
create or replace function messaging.go_on_releasing(
  release messaging.held_releases, clock timestamptz
) returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  max_messages constant integer := 2000;
  message_ids uuid[];
begin
  with waiting as materialized (
    select q.message_id, q.scheduled_at, q.position
    from (
      (
        select p.message_id, p.scheduled_at, p.position
        from messaging.message_queue p
        where p.instance_id = release.instance_id and p.lane = 'paced'
          and (p.scheduled_at, p.position) > (release.until_at, release.until_position)
        order by p.scheduled_at, p.position
        limit max_messages
      )
      union all
      (
        select u.message_id, u.scheduled_at, u.position
        from messaging.message_queue u
        where u.instance_id = release.instance_id and u.lane = 'unpaced'
          and (u.scheduled_at, u.position) > (release.until_at, release.until_position)
        order by u.scheduled_at, u.position
        limit max_messages
      )
    ) as q
    order by q.scheduled_at, q.position
    limit max_messages
  )
  select array_agg(w.message_id order by w.scheduled_at, w.position),
    (array_agg(w.scheduled_at order by w.scheduled_at desc, w.position desc))[1],
    (array_agg(w.position order by w.scheduled_at desc, w.position desc))[1]
  into message_ids, release.until_at, release.until_position
  from waiting w;
  perform messaging.release_messages(message_ids, release.reason, clock);
  if cardinality(message_ids) = max_messages then
    insert into messaging.held_releases (instance_id, reason, until_at, until_position)
    values (release.instance_id, release.reason, release.until_at, release.until_position)
    on conflict on constraint held_releases_pkey do update
    set until_at = excluded.until_at, until_position = excluded.until_position;
  elsif release.begins_anew then
    update messaging.held_releases r
    set until_at = default, until_position = default, begins_anew = default
    where r.instance_id = release.instance_id and r.reason = release.reason;
  else
    delete from messaging.held_releases r
    where r.instance_id = release.instance_id and r.reason = release.reason;
  end if;
end;
$$;

-- Holds an instance whose gateway has a session of another number than its connectedPhone: everything that the
-- dispatcher sends would leave under that number. Releases it when the session is the right number's, or that
-- number is the expected one now. Records instance.held and tells the workspace's alert address (see
-- tell_hold). The caller holds pacing and dispatch, and refreshes dispatch.
create or replace function messaging.hold_wrong_phone(
  instance messaging.instances, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  dispatch messaging.dispatch;
  is_wrong boolean;
begin
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  is_wrong := messaging.is_expected_phone(dispatch.paired_phone, instance.connected_phone_key) is false;
  if is_wrong = (dispatch.wrong_phone_until > clock) then
    return;
  end if;
  update messaging.dispatch d
  set wrong_phone_until = case when is_wrong then 'infinity' else '-infinity' end::timestamptz
  where d.instance_id = instance.id;
  if is_wrong then
    perform messaging.record_instance_holds(array[instance.id], 'wrong_phone');
    perform messaging.tell_hold(instance, 'wrong_phone', true, clock);
  else
    perform messaging.resume_unpaced_messages(instance.id, dispatch.wrong_phone_until, clock);
  end if;
end;
$$;

-- Moves the slots of the last stretch that is planned for an instance (see plan_slot_moves). Returns
-- how many slots moved, NULL where none are planned.
-- The caller holds the pacing row. Locks the dispatch row, so that no message is claimed out of order
-- meanwhile. Skips locked messages: they are about to leave or to be canceled.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.move_slots(instance messaging.instances)
returns bigint language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  stretch messaging.slot_moves;
  moved bigint;
  message_ids uuid[];
  slots timestamptz[];
  reasons text[];
begin
  perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
  delete from messaging.slot_moves s
  where s.instance_id = instance.id
    and s.place = (select max(l.place) from messaging.slot_moves l where l.instance_id = instance.id)
  returning s.* into stretch;
  if not found then
    return null;
  end if;
  with fitted as materialized (
    select f.message_id, f.slot, f.held_by
    from messaging.fitted_slots(instance, stretch) f
    where f.held_by is not null
  ),
  free as materialized (
    select q.message_id, fitted.slot, fitted.held_by
    from fitted
    join messaging.message_queue q on q.message_id = any (array[fitted.message_id])
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.claim_token is null
    for no key update of q, m skip locked
  ),
  queued as (
    update messaging.message_queue q
    set scheduled_at = free.slot
    from free
    where q.message_id = any (array[free.message_id])
  )
  select count(*), array_agg(free.message_id), array_agg(free.slot), array_agg(free.held_by)
  into moved, message_ids, slots, reasons
  from free;
  perform messaging.write_departures(message_ids, slots, reasons);
  return moved;
end;
$$;

-- WhatsApp has refused messages because new chats are locked (`errors` at the same place as their instances): an
-- instance of which no lock is known has one from now on, for a day, as nothing tells its end, and
-- instance.limit_changed tells it. Locks dispatch; the caller holds pacing, or locks nothing of the instance
-- afterwards.
create or replace function messaging.note_chat_locks(
  instance_ids uuid[], errors jsonb[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  locked messaging.instances;
begin
  for locked in
    select i.* from messaging.instances i
    where i.id in (
      select refused.instance_id
      from unnest(instance_ids, errors) as refused(instance_id, error)
      where refused.error->>'meaning' = 'new_chat_locked'
    )
    order by i.id
  loop
    perform from messaging.dispatch d
    where d.instance_id = locked.id and d.new_chats_locked_until <= clock
    for no key update;
    continue when not found;
    perform messaging.keep_allowance(locked, jsonb_build_object('timeLock', jsonb_build_object(
      'isActive', true,
      'until', messaging.iso_in_zone(clock + interval '1 day', 'UTC'),
      'kind', null
    )));
    perform messaging.tell_limit_change(locked, 'NEW_CHAT_LOCKED', '{}');
  end loop;
end;
$$;

-- A claim finds that a message may not leave until `ends_at`: it waits for that, and for the send window
-- then. `reason` is what holds it: budget (its instance has reached it) or new_contacts (new chats are
-- locked). A message that another transaction is changing is left for the next claim. The caller holds the
-- queue row; of a paced message pacing too, and refreshes dispatch.
create or replace function messaging.postpone_message(
  message_id uuid, instance messaging.instances, ends_at timestamptz, reason text
) returns void language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  queued messaging.message_queue;
  slot timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = postpone_message.message_id
  for no key update skip locked;
  if not found then
    return;
  end if;
  select q.* into strict queued from messaging.message_queue q where q.message_id = message.id;
  slot := messaging.after_hold(
    instance, ends_at,
    interval '1 millisecond'
      * case queued.lane when 'paced' then coalesce(message.delay_typing_ms, 0) else 0 end
  );
  update messaging.message_queue q
  set scheduled_at = slot, visible_at = case when q.lane = 'unpaced' then slot end
  where q.message_id = message.id;
  if queued.lane = 'paced' then
    -- After the move: the day's last departure is then that of what stays.
    perform messaging.release_day_quota(array[queued]);
  end if;
  perform messaging.write_departures(array[message.id], array[slot], array[reason]);
end;
$$;

-- Records instance.held for instances that the caller has just held, or holds for longer, and what there is to
-- know of that hold (see instance_holds), `held_by`: heldUntil is NULL where it has no end.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_instance_holds(instance_ids uuid[], held_by text)
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(
    d.instance_id, null, 'instance.held',
    jsonb_build_object('reason', h.reason, 'heldBy', h.held_by)
      || messaging.shown_hold(h.reason, h.code, h.ends_at, i.time_zone)
  )
  from unnest(instance_ids) as held(instance_id)
  join messaging.dispatch d on d.instance_id = any (array[held.instance_id])
  join messaging.instances i on i.id = any (array[held.instance_id])
  cross join lateral messaging.instance_holds(d) as h
  where h.held_by = record_instance_holds.held_by;
end;
$$;

-- Recomputes when each instance is due next, from the head of its queue. The caller must hold their
-- pacing rows, locked in an earlier statement: otherwise an enqueue that has inserted but not
-- committed is overlooked, and its message never wakes the dispatcher.
-- Of instances with a message in flight it lowers queue_from alone: settling it refreshes them.
-- Looks from the start of the queue: what calls this may have brought a message before queue_from.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.refresh_dispatch(instance_ids uuid[])
returns void language sql set search_path = '' as $$
  update messaging.dispatch d
  set next_due_at = case
      when d.in_flight is not null then d.next_due_at
      else messaging.next_due_at(d, head.scheduled_at, head.interval_seconds, head.follows_pace)
    end,
    queue_from = coalesce(head.scheduled_at, 'infinity')
  from unnest(refresh_dispatch.instance_ids) as wanted(instance_id)
  cross join lateral messaging.dispatch_of(wanted.instance_id) as own
  left join lateral messaging.head_of_queue(wanted.instance_id, '-infinity') as head on true
  where d.instance_id = any (array[own.instance_id])
    and d.generation >= own.generation
    and (d.in_flight is null or head.scheduled_at < d.queue_from);
$$;

-- Lets what an instance holds for a reason (budget, new_contacts) leave, see release_messages: what is among the
-- first 2,000 messages of its queue at once, and the rest by the dispatcher's maintenance (see move_waiting_slots), so
-- that no call takes as long as the queue. Where that is under way already, it goes through the queue once more.
-- The caller holds pacing, and refreshes dispatch.
create or replace function messaging.release_held_messages(
  instance_id uuid, reason text, clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  release messaging.held_releases;
begin
  update messaging.held_releases r
  set begins_anew = true
  where r.instance_id = release_held_messages.instance_id
    and r.reason = release_held_messages.reason
  returning r.* into release;
  if not found then
    release.instance_id := release_held_messages.instance_id;
    release.reason := release_held_messages.reason;
    release.until_at := '-infinity';
    release.until_position := 0;
    release.begins_anew := false;
  end if;
  perform messaging.go_on_releasing(release, clock);
end;
$$;

-- Lets the instances of settled paced messages go on, holds the instances that their provider refuses,
-- and recomputes when each is due next. An instance is released only where the settled message is the
-- one it has in flight. Of a settlement it reads message_id, instance_id and lane, outcome and
-- called_after_ms for the pace (see departed_at), and to hold the instance retry_at, error, is_retried,
-- is_outage and sealed_provider_config: a refusal of credentials that have been replaced holds nothing.
-- Records instance.held where a hold begins or is prolonged, and tells of it (see tell_hold). Gives the
-- running batches of released instances their next message.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_instances(settlements messaging.settlement[])
returns void language plpgsql set search_path = '' as $$
declare
  released uuid[];
  held uuid[];
  held_longer uuid[];
  held_for_good uuid[];
  has_returned boolean;
  feeding uuid[];
  clock constant timestamptz := clock_timestamp();
begin
  select array_agg(s.instance_id) filter (where s.lane = 'paced'),
    array_agg(s.instance_id) filter (where s.holds_instance),
    bool_or(s.is_retried and s.lane = 'paced')
  into released, held, has_returned
  from unnest(settlements) as s;
  if released is null and held is null then
    return;
  end if;
  perform from messaging.pacing p
  where p.instance_id = any (released || held)
  order by p.instance_id
  for no key update;

  if has_returned then
    perform messaging.recount_unsent_claims(
      array(select s.message_id from unnest(settlements) as s where s.is_retried)
    );
  end if;
  if held is not null then
    with former as (
      select d.instance_id, greatest(messaging.held_until(d), clock_timestamp()) as ends_at
      from messaging.dispatch d
      where d.instance_id = any (held)
    ), refused as (
      update messaging.dispatch d
      set hold_until = greatest(d.hold_until, s.retry_at),
        hold_error = s.error,
        hold_refused_at = case when s.is_retried then clock_timestamp() end,
        refused_at = case when s.is_outage then clock_timestamp() else d.refused_at end
      from unnest(settlements) as s
      join messaging.instances i on i.id = any (array[s.instance_id])
      where s.holds_instance and d.instance_id = any (array[s.instance_id])
        and i.sealed_provider_config = coalesce(s.sealed_provider_config, i.sealed_provider_config)
      returning d.instance_id, d.hold_until, s.is_retryable
    )
    select array_agg(r.instance_id), array_agg(r.instance_id) filter (where not r.is_retryable)
    into held_longer, held_for_good
    from refused r
    join former f on f.instance_id = any (array[r.instance_id])
    where r.hold_until > f.ends_at;
    if held_longer is not null then
      perform messaging.record_instance_holds(held_longer, 'instance_held');
      perform messaging.tell_hold(i, 'instance_held', coalesce(i.id = any (held_for_good), false), clock)
      from messaging.instances i
      where i.id = any (held_longer);
    end if;
  end if;

  if released is not null then
    with freed as (
    update messaging.dispatch d
    set in_flight = null,
      lease_until = null,
      generation = d.generation + 1,
      queue_from = coalesce(head.scheduled_at, 'infinity'),
      paced_from = messaging.departed_at(d, s.outcome, s.called_after_ms, clock),
      next_due_at = greatest(
        messaging.next_due_at(d, head.scheduled_at, head.interval_seconds, head.follows_pace),
        messaging.departed_at(d, s.outcome, s.called_after_ms, clock)
          + messaging.spacing(d.messages_per_second, head.interval_seconds, head.follows_pace)
      )
    from unnest(settlements) as s
    cross join lateral messaging.dispatch_of(s.instance_id) as own
    -- What comes back has its former slot, which may be before all others.
    left join lateral messaging.head_of_queue(
      s.instance_id, case when s.is_retried then '-infinity' else own.queue_from end
    ) as head on true
    -- "is true" keeps the plan off the index of everything in flight.
    where s.lane = 'paced' and d.instance_id = any (array[own.instance_id])
      and d.generation >= own.generation and (d.in_flight = s.message_id) is true
    returning d.instance_id, d.feeds_batches
    )
    select array_agg(f.instance_id order by f.instance_id) into feeding from freed f where f.feeds_batches;
  end if;

  -- A message of a group that comes back is nobody's in flight: see claim_instance_group.
  if has_returned then
    held := held || array(
      select s.instance_id from unnest(settlements) as s where s.is_retried and s.lane = 'paced'
    );
  end if;
  if held is not null then
    perform messaging.refresh_dispatch(held);
  end if;
  if feeding is not null then
    perform messaging.feed_after_settling(feeding);
  end if;
end;
$$;

-- release_instances: feeds the batches of instances (see feed_instance) without endangering what has been
-- settled: where the send window never opens, nothing is queued until it is changed; where a payment's reference is
-- being taken, the dispatcher's maintenance comes back. The caller holds the pacing rows.
create or replace function messaging.feed_after_settling(instance_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  instance_id uuid;
begin
  foreach instance_id in array instance_ids loop
    begin
      perform messaging.feed_instance(instance_id);
    exception when sqlstate 'MI010' or sqlstate 'MI090' then
      null;
    end;
  end loop;
end;
$$;

-- These contacts have written, for the first time as far as the caller knows: what WhatsApp's lock on new chats holds
-- for them (see locks_new_chat) leaves at the next slot. Reads one row for each where no lock is active.
-- A claim that has found them new just now is seen, as it holds pacing or the message until it ends.
-- The caller holds the contacts. Locks the messages in the order of their ids, then pacing, then dispatch.
create or replace function messaging.release_known_contacts(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  locked uuid[];
  waiting uuid[];
  instance_ids uuid[];
begin
  locked := array(
    select c.id
    from messaging.contacts c
    cross join lateral messaging.dispatch_of(c.instance_id) as d
    where c.id = any (contact_ids) and d.new_chats_locked_until > clock_timestamp()
  );
  if locked = '{}' then
    return;
  end if;
  -- By messages_history: what has not left has no sent_at. Also what is not held yet: a claim may be about to hold it.
  waiting := array(
    select m.id
    from messaging.messages m
    where m.contact_id = any (array(
        select own.id
        from unnest(locked) as c(id)
        cross join lateral unnest(messaging.merged_contact_ids(c.id)) as own(id)
      ))
      and m.sent_at is null and m.status = 'queued'
    order by m.id
    for no key update
  );
  if waiting = '{}' then
    return;
  end if;
  instance_ids := array(
    select p.instance_id from messaging.pacing p
    where p.instance_id = any (array(
      select c.instance_id from messaging.contacts c where c.id = any (locked)
    ))
    order by p.instance_id
    for no key update
  );
  perform messaging.release_messages(
    waiting, 'new_contacts', date_trunc('milliseconds', clock_timestamp())
  );
  perform messaging.refresh_dispatch(instance_ids);
end;
$$;

-- Lets those of these messages that are held for a reason (budget, new_contacts) leave: they are due at once,
-- in their former order and at their instance's pace; what has no pace, when the send window is open. A claim
-- holds them again where that still holds. The caller holds pacing, and refreshes dispatch. Skips messages
-- that another transaction holds.
create or replace function messaging.release_messages(
  message_ids uuid[], reason text, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  released uuid[];
  slots timestamptz[];
  reasons text[];
begin
  with held as materialized (
    select q.message_id, q.instance_id
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (message_ids) and q.lane in ('paced', 'unpaced')
      and q.claim_token is null
      and m.held_by = reason
    for no key update of q, m skip locked
  ),
  open as materialized (
    select i.id as instance_id, messaging.after_hold(i, clock, interval '0') as slot
    from messaging.instances i
    where i.id in (select h.instance_id from held h)
  ),
  due as (
    update messaging.message_queue q
    set scheduled_at = case when q.lane = 'unpaced' then o.slot else clock end,
      visible_at = case when q.lane = 'unpaced' then o.slot else q.visible_at end
    from held h
    join open o on o.instance_id = any (array[h.instance_id])
    where q.message_id = any (array[h.message_id])
    returning q.message_id, q.scheduled_at
  )
  select array_agg(d.message_id), array_agg(d.scheduled_at),
    array_agg(case when d.scheduled_at > clock then 'window' else 'interval' end)
  into released, slots, reasons
  from due d;
  perform messaging.write_departures(released, slots, reasons);
end;
$$;

-- Releases what rows that were taken out of the queue unsent had: the instance's last slot, and the
-- places in its days' counts (see release_day_quota). Any other slot stays unused, so that no other message
-- moves. `gone`: the rows as they were, without a claim. The caller holds the pacing rows.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_slots(gone messaging.message_queue[])
returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = p.instance_id and q.lane = 'paced'
        -- It waits for another month, or for the end of a lock, and nothing behind it. Where new contacts have
        -- their days, what waits for one has its slot there.
        and m.held_by is distinct from 'budget'
        and (m.held_by = 'new_contacts' and not p.is_protected) is not true
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  from unnest(gone) as g
  join messaging.messages m on m.id = any (array[g.message_id])
  where g.lane = 'paced' and p.instance_id = any (array[g.instance_id])
    and p.last_slot_at = g.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0);
  perform messaging.release_day_quota(gone);
end;
$$;

-- Puts a failed or unconfirmed message back into the queue: a queued message into the paced lane with
-- a new slot, any other into the unpaced lane, due at once. `message`: its row, which the caller holds, as the
-- caller has changed it (see wait_again).
create or replace function messaging.requeue_message(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
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
  perform messaging.wait_again(message, slot, held_by);
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
  instance_ids uuid[], hold_until timestamptz, reason text
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
    perform messaging.record_instance_holds(held_anew, 'operator_hold');
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

-- Tells the workspace's alert address, where there is one, that an instance is held, and what there is to know
-- of that hold, `held_by` (see instance_holds): at most every ten minutes, but at once of another one than it was
-- told of last, since nothing would tell of it later. `is_lasting`: whether the hold comes again until a person puts
-- something right; else it tells only of one that lasts longer than a minute. The caller holds dispatch.
create or replace function messaging.tell_hold(
  instance messaging.instances, held_by text, is_lasting boolean, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_held_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'heldBy', h.held_by,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  ) || messaging.shown_hold(h.reason, h.code, h.ends_at, instance.time_zone)
  from messaging.workspaces w
  join messaging.dispatch d on d.instance_id = instance.id
  cross join lateral messaging.instance_holds(d) as h
  where w.id = instance.workspace_id and w.alert_email is not null
    and h.held_by = tell_hold.held_by and (is_lasting or h.ends_at > clock + interval '1 minute')
    and (
      coalesce(d.told_held_at < clock - interval '10 minutes', true)
      or d.told_held_by is distinct from h.held_by
    );
  if found then
    update messaging.dispatch d
    set told_held_at = clock, told_held_by = tell_hold.held_by
    where d.instance_id = instance.id;
  end if;
end;
$$;

-- Whether an instance's channel has delivered anything since, see proves_channel. Of the newest 500 events.
create or replace function messaging.has_confirmed_since(instance_id uuid, since timestamptz)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    select from (
      select e.recorded_at, messaging.proves_channel(e.type, (e.message).direction) as is_proof
      from messaging.events e
      where e.instance_id = has_confirmed_since.instance_id
      order by e.sequence desc
      limit 500
    ) as newest
    where newest.recorded_at > since and newest.is_proof
  );
end;
$$;

-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced messages that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it), crowdingInstances: the
-- ids of instances that have as many calls waiting for their provider as one may have; NULL for none.
-- Their unpaced messages wait (see postpone_crowding_messages).
-- Returns {messages, nextDueInMs, isOutboxDue, isTurnDue, webhooks, groups}: nextDueInMs says in how long
-- something is due that was not handed out (by the database's clock; NULL for nothing known), isOutboxDue
-- whether claim_outbox has work, isTurnDue whether end_turns has, webhooks what event_work says, groups the
-- instances with a pace that are due: see claim_message_group (NULL for none). Never waits for a lock: what
-- another session holds is left for later.
-- An outbox row that is due counts for isOutboxDue alone. For nextDueInMs it would be due at once for as
-- long as its worker has no room for it: 50 polls a second beside received files, most of their cost.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The two claims inherit
-- the settings below. Joins are written `key = any (array[other.key])`, here and wherever a table that
-- drains is joined: while statistics call it empty, a plain equality lets the planner read the whole
-- primary key for each row of the other side, which an array cannot be joined by.
create or replace function public.claim_due_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  max_messages constant integer := (request->>'maxMessages')::integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
  message_due_at constant timestamptz := messaging.next_wake_up();
  outbox_due_at constant timestamptz := (
    select o.run_at from messaging.outbox o where o.settled_at is null order by o.run_at limit 1
  );
  is_outbox_due constant boolean := coalesce(outbox_due_at <= clock, false);
  is_turn_due constant boolean := exists (
    select from messaging.conversation_turns t where t.due_at <= clock
  );
  max_paced integer;
  paced record;
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
      'isTurnDue', is_turn_due,
      'webhooks', messaging.event_work()
    );
  end if;
  if request->>'crowdingInstances' is not null then
    perform messaging.postpone_crowding_messages(
      array(select jsonb_array_elements_text(request->'crowdingInstances')::uuid), due_from, clock
    );
  end if;
  -- However many paced messages are due, the unpaced lane gets a quarter of the batch if it needs it.
  select max_messages - count(*) into max_paced
  from (
    select from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
    order by q.visible_at
    limit max_messages / 4
  ) as unpaced_due;
  paced := messaging.claim_paced_messages(max_paced, lease, due_from, clock);
  unpaced := messaging.claim_unpaced_messages(
    max_messages - coalesce(cardinality(paced.claimed), 0), lease, due_from, clock
  );
  return jsonb_build_object(
    'messages', messaging.claimed_messages(paced.claimed || unpaced),
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
    'isTurnDue', is_turn_due,
    'webhooks', messaging.event_work(),
    'groups', to_jsonb(paced.groups)
  );
end;
$$;

-- When the next message is due: how long the dispatcher may sleep. NULL for never.
-- Of unpaced ones only what is due within a second: no dispatcher sleeps longer, and behind it are the ends of the
-- leases of all that has just left at once, which a look beside an old snapshot would read.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.next_wake_up()
returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
begin
  return nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null and d.next_due_at >= due_from order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at >= due_from and q.visible_at <= clock + interval '1 second'
      order by q.visible_at limit 1
    )
  ), 'infinity');
end;
$$;

-- claim_due_messages: makes the due unpaced messages of instances whose provider hangs invisible for ten
-- seconds, oldest first, so that a claim reads those of the others. A bounded number a claim.
-- Skips what another session holds. Plans: see claim_due_messages, whose settings it inherits.
create or replace function messaging.postpone_crowding_messages(
  instance_ids uuid[], due_from timestamptz, clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  with crowding as (
    select q.message_id
    from messaging.message_queue q
    where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
      and q.claim_token is null
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

-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second. In one statement for
-- all endpoints: one for each of them took six times as long.
create or replace function messaging.event_work()
returns text language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  if not exists (select from messaging.event_endpoints e where e.is_active) then
    return 'none';
  end if;
  return case
    when exists (
        select from messaging.first_deliveries(messaging.delivery_floor(clock)) as f
        join messaging.event_endpoints e on e.id = any (array[f.endpoint_id])
        where e.is_active and f.due_at <= clock
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

-- Hands out the messages of an instance with a pace that leave next (see claim_instance_group), each with a claim
-- that its settling must show. A call of its own, beside claim_due_messages, so that nobody waits for it.
-- `request`: instanceId, maxMessages, leaseSeconds (from the message's departure; a message's typing delay is
-- added to it). Returns {messages, departuresInMs, messagesPerSecond, feedsBatches}: departuresInMs says by
-- message how long after this call's beginning, by the database's clock, its call is to begin, feedsBatches
-- whether a batch of the instance is running. Returns no messages where the instance is locked, or has no
-- pace any more.
-- Plans must not depend on statistics: the queue may hold ten rows or a million.
create or replace function public.claim_message_group(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch messaging.dispatch;
  claimed uuid[];
begin
  select own.* into dispatch
  from (
    -- As dispatch_of, with a lock.
    select d.* from messaging.dispatch d
    where d.instance_id = (request->>'instanceId')::uuid
    order by d.generation desc
    limit 1
    for no key update skip locked
  ) as own
  where own.in_flight is null and own.messages_per_second is not null;
  if found then
    claimed := messaging.claim_instance_group(
      dispatch,
      messaging.find_instance(dispatch.instance_id),
      (request->>'maxMessages')::integer,
      make_interval(secs => (request->>'leaseSeconds')::double precision),
      clock
    );
  end if;
  return jsonb_build_object(
    'messages', messaging.claimed_messages(claimed),
    'departuresInMs', (
      select coalesce(
        jsonb_object_agg(q.message_id, extract(epoch from q.departs_at - clock) * 1000), '{}'
      )
      from messaging.message_queue q
      where q.message_id = any (claimed)
    ),
    'messagesPerSecond', dispatch.messages_per_second,
    'feedsBatches', coalesce(dispatch.feeds_batches, false)
  );
end;
$$;

-- claim_message_group: claims what leaves next of an instance with a pace, in order, and says when each call is
-- to begin (`departs_at`): at its slot, and as far behind the message before it as present_spacing says. So no
-- second has more departures than the pace, whatever the claims and their workers do. Each lies in the window
-- and behind what holds the instance. Returns the ids.
-- While it is in flight, a message of a group is in the unpaced lane, whose leases end one by one: many are in
-- flight at once, two seconds' worth at most. Of one contact there is only one: the next one waits until that is
-- settled, and others pass it.
-- What a reached budget stops waits for the end of the month: see postpone_message.
-- A message whose expires_at has come by then is ended instead. With protection each takes its place of the day.
-- The caller has locked dispatch. Tries pacing without waiting, since an enqueue locks the two in the other
-- order: without it the next due time is a guess, because a message that is being queued cannot be seen, and
-- the instance is looked at again shortly. Never waits for queue rows either.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claim_instance_group(
  dispatch messaging.dispatch, instance messaging.instances, max_messages integer, lease interval,
  clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  -- Twice the lead, so that a poll that is late by no more than that loses no departure.
  horizon constant timestamptz := clock + 2 * messaging.group_lead();
  due_from constant timestamptz := messaging.due_floor(clock);
  most_in_flight constant integer := greatest(10, 2 * dispatch.messages_per_second);
  has_pacing boolean;
  has_budget boolean := true;
  busy uuid[];
  room integer;
  waiting record;
  budget record;
  budget_left numeric;
  place record;
  left_at timestamptz := dispatch.paced_from;
  leaves_at timestamptz;
  open_until timestamptz := '-infinity';
  claimed uuid[];
  late uuid[];
  next_due_at timestamptz;
  head_at timestamptz;
  not_before timestamptz := clock + interval '5 milliseconds';
begin
  perform from messaging.pacing p
  where p.instance_id = dispatch.instance_id for no key update skip locked;
  has_pacing := found;
  select array_agg(m.contact_id), least(max_messages, most_in_flight - count(*)) into busy, room
  from messaging.message_queue q
  join messaging.messages m on m.id = any (array[q.message_id])
  where q.instance_id = dispatch.instance_id and q.departs_at is not null
    and q.visible_at >= due_from;

  if instance.budget is not null then
    has_budget := messaging.lock_budget(instance.id, false);
    budget := messaging.budget_state(instance, clock);
    if budget.currency is not null then
      budget_left := budget.amount - budget.spent - budget.under_way;
    end if;
  end if;
  for waiting in
    select q.message_id, q.scheduled_at, q.interval_seconds, q.follows_pace, q.is_new, m.contact_id,
      m.expires_at, messaging.stopped_by_budget(instance.budget, m.purpose, m.batch_id) as is_stoppable, interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.instance_id = dispatch.instance_id and q.lane = 'paced' and q.claim_token is null
      and q.scheduled_at >= dispatch.queue_from and q.scheduled_at <= horizon
    order by q.scheduled_at, q.position
    limit greatest(200, dispatch.messages_per_second)
    for no key update of q skip locked
  loop
    leaves_at := greatest(
      waiting.scheduled_at,
      left_at + messaging.present_spacing(
        dispatch, left_at, waiting.interval_seconds, waiting.follows_pace
      ),
      messaging.held_until(dispatch),
      clock
    );
    exit when leaves_at > horizon;
    if room <= 0 then
      not_before := clock + interval '50 milliseconds';
      exit;
    end if;
    if waiting.expires_at <= leaves_at then
      late := late || waiting.message_id;
      continue;
    end if;
    if waiting.contact_id = any (busy) then
      not_before := clock + interval '50 milliseconds';
      continue;
    end if;
    if leaves_at >= open_until then
      if messaging.is_send_window_open(instance, leaves_at) then
        open_until := messaging.window_open_until(instance, leaves_at);
      else
        not_before := messaging.next_window_start(instance, leaves_at) - messaging.group_lead();
        exit;
      end if;
    end if;
    if leaves_at + waiting.typing >= open_until
      and not messaging.is_send_window_open(instance, leaves_at + waiting.typing) then
      not_before := messaging.next_window_start(instance, leaves_at + waiting.typing)
        - messaging.group_lead();
      exit;
    end if;
    if waiting.is_stoppable and not has_budget then
      not_before := clock + interval '20 milliseconds';
      exit;
    end if;
    if waiting.is_stoppable and budget_left <= 0 then
      exit when not has_pacing;
      perform messaging.postpone_message(waiting.message_id, instance, budget.month_ends_at, 'budget');
      continue;
    end if;
    if instance.protection is not null then
      exit when not has_pacing;
      place := messaging.take_place_of_day(
        instance, waiting.contact_id, waiting.is_new, waiting.scheduled_at, leaves_at
      );
      if not place.is_taken then
        not_before := clock + interval '5 seconds';
        exit;
      end if;
      update messaging.message_queue q
      set counted_on = place.day, is_new = place.counts_as_new
      where q.message_id = waiting.message_id;
    end if;
    update messaging.message_queue q
    set lane = 'unpaced',
      claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = leaves_at + lease + waiting.typing,
      visible_at = leaves_at + lease + waiting.typing,
      departs_at = leaves_at
    where q.message_id = waiting.message_id;
    if budget_left is not null then
      budget_left := budget_left - coalesce(
        (select s.amount from messaging.sending_costs(array[waiting.message_id]) as s), 0
      );
    end if;
    claimed := claimed || waiting.message_id;
    busy := busy || waiting.contact_id;
    room := room - 1;
    left_at := leaves_at + waiting.typing;
  end loop;

  if late is not null then
    perform messaging.expire_due_messages(late, horizon);
  end if;
  if not has_pacing then
    not_before := clock + interval '20 milliseconds';
  end if;
  -- A window that never opens must not stop other instances: such an instance is looked at daily.
  not_before := coalesce(not_before, clock + interval '1 day');
  dispatch.paced_from := left_at;
  if has_pacing then
    select messaging.next_due_at(
      dispatch, head.scheduled_at, head.interval_seconds, head.follows_pace
    ), head.scheduled_at
    into next_due_at, head_at
    from messaging.head_of_queue(dispatch.instance_id, dispatch.queue_from) as head;
    not_before := greatest(not_before, coalesce(next_due_at, 'infinity'));
    head_at := coalesce(head_at, 'infinity');
  end if;
  update messaging.dispatch d
  set paced_from = left_at,
    next_due_at = not_before,
    generation = d.generation + has_pacing::integer,
    queue_from = coalesce(head_at, d.queue_from)
  where d.instance_id = dispatch.instance_id and d.generation >= dispatch.generation;
  return claimed;
end;
$$;

-- Ends claims whose lease is over. Their worker died before it recorded the outcome, so it is unknown
-- whether the provider was called: the message becomes `unconfirmed` and is not sent again by itself.
-- Ends at most `request`.maxMessages a call. Returns {expired}: how many. Every run of the dispatcher
-- calls this, so it also counts the runs: metrics shows when the last one was.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function public.expire_claims(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  due_from constant timestamptz := messaging.due_floor(clock);
  expired jsonb;
  settled integer := 0;
begin
  with lapsed as materialized (
    (
      select d.in_flight as message_id
      from messaging.dispatch d
      where d.in_flight is not null and d.lease_until >= due_from and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from messaging.message_queue q
      where q.lane = 'unpaced' and q.visible_at >= due_from and q.visible_at <= clock
        and q.claim_token is not null
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
    where d.in_flight is not null and d.lease_until >= due_from and d.lease_until <= clock
      and not exists (select from messaging.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
  else
    settled := jsonb_array_length(
      public.settle_messages(jsonb_build_object('results', expired))->'settled'
    );
    perform messaging.count_metric('messaging_claim_expiries_total', settled);
  end if;
  perform messaging.count_metric('messaging_maintenance_runs_total', 1);
  perform messaging.raise_due_floor();
  perform messaging.raise_delivery_floor();
  return jsonb_build_object('expired', settled);
end;
$$;

-- Raises the floors of what is due (see floor_of) to the first that waits, and lowers them there where a
-- transaction that lasted longer than half a minute, or a restored dump, has brought something below. Not while a
-- transaction is open that has lowered one. They come last: others wait for their locks until commit.
create or replace function messaging.raise_due_floor()
returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  if not messaging.lock_floor('messaging.due_floor') then
    return;
  end if;
  perform messaging.set_floor('messaging.due_floor', least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select d.lease_until from messaging.dispatch d
      where d.in_flight is not null order by d.lease_until limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    )
  ));
end;
$$;

create or replace function messaging.raise_delivery_floor()
returns void language plpgsql set search_path = '' as $$
begin
  if messaging.lock_floor('messaging.delivery_floor') then
    perform messaging.set_floor('messaging.delivery_floor', (
      select min(f.due_at) from messaging.first_deliveries('-infinity') as f
    ));
  end if;
end;
$$;

-- Before a floor is raised, in an earlier statement than the look at what waits: see lower_floor.
create or replace function messaging.lock_floor(floor text)
returns boolean language sql set search_path = '' as $$
  select pg_try_advisory_xact_lock(hashtextextended(lock_floor.floor, 0));
$$;

create or replace function messaging.set_floor(floor text, first_due timestamptz)
returns void language sql set search_path = '' as $$
  select setval(
    set_floor.floor::regclass,
    messaging.floor_value(least(first_due, clock_timestamp() - messaging.floor_lag()))
  );
$$;

-- Ends messages that wait beyond their expires_at: they become `expired`, the oldest first, at most
-- `request`.maxMessages a call. A message in flight stays, and one that another session holds is left
-- for later. Returns {expired}: how many.
-- Claims look at expires_at too (see expire_due_messages): this is for what was not due by then, and for
-- messages of paused batches and those that wait for an answer, which have no place in the queue.
-- Locks the messages, then as end_waiting_messages.
create or replace function public.expire_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
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
        or (m.batch_id is not null or m.held_by = 'awaiting_reply') and not exists (
          select from messaging.message_queue q where q.message_id = m.id
        )
      )
    order by m.expires_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  ) as l;
  return jsonb_build_object('expired', case
    when late is null then 0
    else messaging.end_waiting_messages(late, 'expired')
  end);
end;
$$;

-- messages-api: whether an instance's messages go out. `request`: instanceId. Returns, with instants
-- in the instance's zone: status, oldestDueAt and oldestDueSeconds (of what should have left by now),
-- nextDueAt, queueDepth, inFlight, unconfirmed, isWindowOpen, heldBy, holdReason, holdCode and heldUntil,
-- connection, webhooks {state, url} as they were last seen, channelLimit, allowance (see shown_allowance),
-- pace {messagesPerSecond, current, slowedUntil} (NULL for none), budget (see describe_budget; NULL for
-- none), protection (see describe_day), lastSuccessAt, lastFailure {at, status, code, message}.
-- heldBy, and what belongs to it, is the one answer to why nothing leaves (see instance_hold), else what holds the
-- message that leaves next (see expected_departure); NULL where that may leave, or nothing waits.
-- `status`: `held` while the provider refuses the whole instance or an operator holds it (heldUntil is
-- NULL where that has no end), `disconnected` while its connection is lost, else `late` when something that may
-- leave is over a minute late (no dispatcher runs, or the provider is slow), else `ok`.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.get_instance_health(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  dispatch messaging.dispatch;
  clock constant timestamptz := clock_timestamp();
  is_window_open boolean;
  hold record;
  next_held_by text;
  is_stopped boolean;
  is_disconnected boolean;
  oldest_due timestamptz;
  queue_depth bigint;
  in_flight bigint;
  first_lease_end timestamptz;
  failure record;
begin
  select d.* into strict dispatch from messaging.dispatch_of(instance.id) as d;
  is_window_open := messaging.is_send_window_open(instance, clock);
  select h.* into hold from messaging.instance_hold(dispatch, clock, true) as h;
  is_stopped := messaging.stopped_until(dispatch) > clock;
  is_disconnected := dispatch.disconnected_until > clock;
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
        and not is_stopped
      order by q.scheduled_at
      limit 1
    )
    union all
    select first_lease_end
  ) as due
  where due.since <= clock;
  if hold.held_by is null then
    select e.held_by into next_held_by
    from (
      (
        select p as queued
        from messaging.message_queue p
        where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
        order by p.scheduled_at, p.position
        limit 1
      )
      union all
      (
        select u
        from messaging.message_queue u
        where u.instance_id = instance.id and u.lane = 'unpaced' and u.claim_token is null
        order by u.scheduled_at, u.position
        limit 1
      )
    ) as q
    join messaging.messages m on m.id = any (array[(q.queued).message_id])
    cross join lateral messaging.expected_departure(
      q.queued, m, instance, dispatch, messaging.reached_budget_ends_at(instance, clock)
    ) as e
    order by (q.queued).scheduled_at, (q.queued).position
    limit 1;
  end if;
  select newest.* into failure
  from (
    (
      select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at) as at
      from messaging.messages m
      where m.instance_id = instance.id and m.status = 'failed'
      order by coalesce(m.failed_at, m.unconfirmed_at) desc
      limit 1
    )
    union all
    (
      select m.status, m.last_error, coalesce(m.failed_at, m.unconfirmed_at)
      from messaging.messages m
      where m.instance_id = instance.id and m.status = 'unconfirmed'
      order by coalesce(m.failed_at, m.unconfirmed_at) desc
      limit 1
    )
    union all
    -- A refusal of the whole instance lets its message wait: no message's own state tells of it.
    select 'queued', dispatch.hold_error, dispatch.hold_refused_at
    where dispatch.hold_refused_at is not null
  ) as newest
  order by newest.at desc
  limit 1;
  return jsonb_build_object(
    'status', case
      when hold.held_by = 'disconnected' then 'disconnected'
      when hold.held_by is not null then 'held'
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
    'heldBy', coalesce(hold.held_by, next_held_by),
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
    'webhooks', jsonb_build_object(
      'state', coalesce(dispatch.webhooks_state, 'unknown'), 'url', dispatch.webhooks_url
    ),
    'channelLimit', dispatch.channel_limit,
    'allowance', messaging.shown_allowance(
      dispatch.allowance, instance.provider_class, clock, instance.time_zone
    ),
    'pace', case when dispatch.messages_per_second is not null then jsonb_build_object(
      'messagesPerSecond', instance.messages_per_second,
      'current', case
        when dispatch.slowed_until > clock then dispatch.messages_per_second / 2.0
        else dispatch.messages_per_second
      end,
      'slowedUntil', messaging.iso_in_zone(
        case when dispatch.slowed_until > clock then dispatch.slowed_until end, instance.time_zone
      )
    ) end,
    'budget', case when instance.budget is not null then messaging.describe_budget(instance, clock) end,
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
  ) || messaging.shown_hold(hold.reason, hold.code, hold.ends_at, instance.time_zone);
end;
$$;

-- Holds instances that accept messages and confirm none any more (see is_suspect), until something is
-- confirmed or received, or an operator releases them; and releases those that have confirmed. An
-- instance that is held, disconnected or connected to a wrong phone already is left alone. `request`: maxInstances.
-- Returns {held, released}: how many. Looks at the newest messages of each instance, in their index:
-- called once a run of the dispatcher. Without jit: see rescue_stalled_instances.
-- Locks as set_operator_hold; never waits for pacing.
create or replace function public.hold_suspects(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
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
    where messaging.stopped_until(d) <= clock
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
    perform messaging.tell_hold(i, 'operator_hold', true, clock)
    from messaging.instances i
    where i.id = any (held);
  end if;
  return jsonb_build_object('held', coalesce(cardinality(held), 0), 'released', released);
end;
$$;

-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count. Nor do reactions, which no channel has to
-- confirm: the official one never does.
-- Reads the newest messages and events, in their indexes.
create or replace function messaging.is_suspect(
  instance_id uuid, trusted_from timestamptz, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  streak constant integer := 20;
  ids uuid[];
  has_confirmed boolean;
  first_at timestamptz;
begin
  select array_agg(newest.id), bool_or(newest.is_confirmed), min(newest.sent_at)
  into ids, has_confirmed, first_at
  from (
    select recent.*
    from (
      -- What a person typed on the phone came from the channel: it is alive.
      select m.id, m.sent_at, m.message_type, m.status <> 'sent' or m.is_typed_on_phone as is_confirmed
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed'
      order by m.sent_at desc
      limit 200
    ) as recent
    where recent.message_type <> 'reaction'
    order by recent.sent_at desc
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

-- Whether an instance's channel has delivered anything after the first of these messages was sent, see
-- proves_channel. By the order of the newest 500 events; where they do not reach back to that message, of these.
create or replace function messaging.has_confirmed_after(instance_id uuid, message_ids uuid[])
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    with newest as materialized (
      select e.sequence, e.type, (e.message).id as message_id,
        messaging.proves_channel(e.type, (e.message).direction) as is_proof
      from messaging.events e
      where e.instance_id = has_confirmed_after.instance_id
      order by e.sequence desc
      limit 500
    )
    select from newest n
    where n.is_proof
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

-- admin-api: after a restore, what may have left since the dump, from the database that was dumped.
-- `request`: since (the instant of the dump), until (when that database stopped sending, at most now;
-- NULL: now), instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next, since, until, total, acceptedSince, instances}: a page of messages, oldest first;
-- how many there are; how many in the queue were accepted after `since` and are therefore not listed; and
-- for each instance concerned the counts by state, with e-mails and agents' replies of the outbox.
-- Error: MI014.
create or replace function public.list_may_have_left(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
        'assignment_email', 'endpoint_disabled_email', 'instance_disconnected_email', 'instance_held_email',
        'batch_paused_email', 'budget_email'
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
-- Returns {items, total, next, protection (see describe_day)}. An item's `position` is its place in the
-- queue, from 1; for `scheduledFor`, `heldBy`, `holdReason`, `holdCode` and `heldUntil` see
-- expected_departure. Each lane is read by its own index and the two are merged, so that other tenants'
-- queues are not read.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.list_message_queue(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  budget_ends_at constant timestamptz := messaging.reached_budget_ends_at(
    instance, clock_timestamp()
  );
  dispatch messaging.dispatch;
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select d.* into strict dispatch from messaging.dispatch_of(instance.id) as d;
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
        ) || messaging.shown_hold(
          expected.hold_reason, expected.hold_code, expected.held_until, instance.time_zone
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
    page.queued, m, instance, dispatch, budget_ends_at
  ) as expected;
  return jsonb_build_object(
    'items', items,
    'total', total,
    'next', next,
    'protection', messaging.describe_day(instance, clock_timestamp())
  );
end;
$$;

-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free; or plans them, where a claim has asked for it (request_slot_plan).
-- Lets a further part leave of what an instance held for a reason that is over (see release_held_messages).
-- `request`: nothing. Returns {moved, isComplete}: how many slots,
-- and whether neither is left. Locks pacing, dispatch, queue rows, messages; waits for dispatch
-- alone, which is never locked for long.
create or replace function public.move_waiting_slots(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  chosen uuid;
  moved bigint := 0;
  release messaging.held_releases;
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
  select r.* into release
  from messaging.held_releases r
  join messaging.pacing p on p.instance_id = any (array[r.instance_id])
  order by r.instance_id, r.reason
  limit 1
  for no key update of p skip locked;
  if found then
    perform messaging.go_on_releasing(
      release, date_trunc('milliseconds', clock_timestamp())
    );
    perform messaging.refresh_dispatch(array[release.instance_id]);
  end if;
  return jsonb_build_object(
    'moved', moved,
    'isComplete', not exists (select from messaging.slot_moves)
      and not exists (select from messaging.held_releases)
  );
end;
$$;

-- admin-api: ends an operator's hold of an instance, or of all instances that are held. What has become
-- due meanwhile leaves at the instance's pace and inside its window. `request`: instanceId or NULL for
-- all, idempotency. Returns {instances}: how many were held; or {replayed}. A hold by the provider's
-- refusal goes on. An instance that is named is also taken as connected again, and to the right phone: its
-- provider's word that it is may have been lost. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.release_queue(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
    where d.instance_id = wanted_id
      and greatest(d.disconnected_until, d.wrong_phone_until) > clock
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

-- Finds stalled instances, which have waiting messages and no due time, or one before queue_from, where no claim
-- looks, and makes them due again. A safety net for lost wake-ups: none is ever expected, and the dispatcher logs each.
-- Handles at most `request`.maxInstances a call. Returns {woken}: how many.
-- Steps from instance to instance through message_queue_head, so that neither long queues nor
-- instances with an empty queue cost anything. Without jit: what is switched off has no other way in one
-- place, and its price alone would have the plan compiled at every call.
create or replace function public.rescue_stalled_instances(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
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
    cross join lateral messaging.dispatch_of(queued.instance_id) as d
    cross join lateral messaging.head_of_queue(d.instance_id, '-infinity') as head
    -- A hold without an end is no lost wake-up.
    where d.in_flight is null and d.next_due_at = 'infinity' and d.operator_hold_until < 'infinity'
      and d.disconnected_until < 'infinity' and d.wrong_phone_until < 'infinity'
      or head.scheduled_at < d.queue_from
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

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is released: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
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
  perform messaging.release_day_quota(rows_gone);
  perform messaging.end_messages(canceled, 'canceled');
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;

-- The dispatch row of an instance. Reads the newest version first, so that beside an old snapshot it reads none
-- of the former ones; `where instance_id = ...` finds the same row, and reads them all.
-- A statement that changes the row finds it by `d.instance_id = any (array[own.instance_id]) and d.generation >=
-- own.generation`, from dispatch_of(...) as own: the version that it waits for, if any, is a newer one.
create or replace function messaging.dispatch_of(instance_id uuid)
returns setof messaging.dispatch language sql stable rows 1
begin atomic
  select d.*
  from messaging.dispatch as d
  where d.instance_id = dispatch_of.instance_id
  order by d.generation desc
  limit 1;
end;

-- Where a look for messages that are due, or whose lease is over, begins.
create or replace function messaging.due_floor(clock timestamptz)
returns timestamptz language sql volatile
return messaging.floor_of('messaging.due_floor'::regclass, clock);

-- An instant as the sequence of a floor holds it: seconds since 1970.
create or replace function messaging.floor_value(due_at timestamptz)
returns bigint language sql stable
return greatest(floor(extract(epoch from due_at)), 1)::bigint;

-- The paced message of an instance that leaves next: the earliest slot among those not in flight, from
-- `queue_from` on: that of its dispatch row, behind what has left, or -infinity for what that may not know yet.
create or replace function messaging.head_of_queue(instance_id uuid, queue_from timestamptz)
returns table (
  message_id uuid, scheduled_at timestamptz, interval_seconds integer, follows_pace boolean
) language sql stable rows 1
begin atomic
  select q.message_id, q.scheduled_at, q.interval_seconds, q.follows_pace
  from messaging.message_queue as q
  where
    q.instance_id = head_of_queue.instance_id
    and q.lane = 'paced'
    and q.claim_token is null
    and q.scheduled_at >= head_of_queue.queue_from
  order by q.scheduled_at, q.position
  limit 1;
end;

-- Everything that may keep a whole instance from sending, each with the word for it (`heldBy` of answers), why,
-- the provider's code where one refused it, and until when: `infinity` for no end known. What is over has its
-- end all the same. `place`: of several at once the first one is told, since it is what a person has to end.
create or replace function messaging.instance_holds(dispatch messaging.dispatch)
returns table (place integer, held_by text, reason text, code text, ends_at timestamptz)
language sql immutable rows 4
begin atomic
  select h.*
  from
    (
      values
        (1, 'operator_hold', dispatch.operator_hold_reason, null, dispatch.operator_hold_until),
        (2, 'disconnected', dispatch.disconnected_reason, null, dispatch.disconnected_until),
        (3, 'wrong_phone', 'wrong_phone', null, dispatch.wrong_phone_until),
        (
          4,
          'instance_held',
          'provider_refused',
          dispatch.hold_error ->> 'code',
          dispatch.hold_until
        )
    ) as h (place, held_by, reason, code, ends_at);
end;

-- The one answer to why nothing of an instance leaves at an instant: see instance_holds. No row where nothing
-- keeps it. `is_paced`: whether the queue is meant; what leaves beside it is tried in spite of a refusal.
create or replace function messaging.instance_hold(
  dispatch messaging.dispatch, at timestamptz, is_paced boolean
) returns table (held_by text, reason text, code text, ends_at timestamptz) language sql immutable
rows 1
begin atomic
  select h.held_by, h.reason, h.code, h.ends_at
  from messaging.instance_holds(dispatch) as h
  where h.ends_at > instance_hold.at and (is_paced or h.held_by != 'instance_held')
  order by h.place
  limit 1;
end;

-- A hold as answers and events show it, beside its `heldBy`: {holdReason, holdCode, heldUntil}, each NULL where
-- it is not known. See instance_hold.
create or replace function messaging.shown_hold(
  reason text, code text, ends_at timestamptz, time_zone text
) returns jsonb language sql stable
return jsonb_build_object(
  'holdReason', reason,
  'holdCode', code,
  'heldUntil', messaging.iso_in_zone(
    case
      when isfinite(ends_at) then ends_at
    end,
    time_zone
  )
);

-- Until when nothing of an instance leaves, whether paced or not: an operator's hold, a lost connection, or a
-- session of another number. `infinity` for no end known, NULL where none is.
create or replace function messaging.stopped_until(dispatch messaging.dispatch)
returns timestamptz language sql immutable
return greatest(
  dispatch.operator_hold_until,
  dispatch.disconnected_until,
  dispatch.wrong_phone_until
);

-- Until when an instance is held (see held_until), where it is held at that instant; else no row.
create or replace function messaging.hold_at(instance_id uuid, at timestamptz)
returns table (held_until timestamptz) language sql stable
begin atomic
  select messaging.held_until(own)
  from messaging.dispatch_of(hold_at.instance_id) as own
  where messaging.held_until(own) > at;
end;

-- Whether a session's number is the one that the instance's key stands for, in any spelling of it. NULL where
-- the session's number is not known.
create or replace function messaging.is_expected_phone(paired_phone text, connected_phone_key text)
returns boolean language sql immutable
return messaging.phone_identity_key(paired_phone) = connected_phone_key;

-- locks_new_chat: whether a contact never wrote, and all that was ever sent to it has failed, at least once because
-- of this lock. A gateway may tell so only later: such a message has left, and counts for is_new_contact.
create or replace function messaging.is_refused_as_new(contact_id uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return not exists (
    select from messaging.contacts c
    where c.id = is_refused_as_new.contact_id and c.last_inbound_at is not null
  ) and not exists (
    select from messaging.messages m
    where m.contact_id = is_refused_as_new.contact_id and m.sent_at is not null
      and m.status <> 'failed'
  ) and exists (
    select from messaging.messages m
    where m.contact_id = is_refused_as_new.contact_id
      and m.last_error->>'meaning' = 'new_chat_locked'
  );
end;
$$;

-- Whether WhatsApp's lock on new chats keeps a message from its contact now: it never wrote, and nothing was
-- ever sent to it but what that lock has refused. `locked_until` is the dispatch row's
-- new_chats_locked_until.
create or replace function messaging.locks_new_chat(
  locked_until timestamptz, contact_id uuid, clock timestamptz
) returns boolean language sql stable
return locked_until > clock
and (messaging.is_new_contact(contact_id) or messaging.is_refused_as_new(contact_id));

-- How many messages a second the channel lets an official number send, by what it told (see `allowance` of
-- dispatch): 20 where the number is also used in the WhatsApp Business app, 1,000 at the level HIGH, else 80.
create or replace function messaging.allowed_pace(allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when allowance ->> 'isOnBusinessApp' = 'true' then 20
  when allowance ->> 'throughput' = 'HIGH' then 1000
  else 80
end;

-- The pace at which an instance sends: its own, at most what its number is allowed. NULL for no pace.
create or replace function messaging.present_pace(messages_per_second integer, allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when messages_per_second > messaging.allowed_pace(allowance) then messaging.allowed_pace(
    allowance
  )
  else messages_per_second
end;

-- What a number may do, as answers and events show it, by what the channel told (see `allowance` of dispatch)
-- and at a moment: {messagesPerSecond, source, newChats {used, quota, until}, timeLock {isActive, until, kind}}.
-- A gateway tells no speed. A lock whose end has passed is over, also where nobody told; so is what was used of a
-- quota: how much of the present one is, and when it ends, nobody has told.
create or replace function messaging.shown_allowance(
  allowance jsonb, provider_class text, at timestamptz, time_zone text
) returns jsonb language sql stable
return jsonb_build_object(
  'messagesPerSecond', case
    when provider_class = 'official' then messaging.allowed_pace(allowance)
  end,
  'source', case
    when provider_class != 'official' then null
    when allowance ->> 'isOnBusinessApp' = 'true' then 'coexistence'
    when allowance ->> 'throughput' in ('STANDARD', 'HIGH') then 'throughput'
    else 'default'
  end,
  'newChats', case
    when (allowance -> 'newChats' ->> 'until')::timestamptz <= at then jsonb_build_object(
      'used', null,
      'quota', allowance -> 'newChats' -> 'quota',
      'until', null
    )
    when allowance ? 'newChats' then jsonb_build_object(
      'used', allowance -> 'newChats' -> 'used',
      'quota', allowance -> 'newChats' -> 'quota',
      'until', messaging.iso_in_zone((allowance -> 'newChats' ->> 'until')::timestamptz, time_zone)
    )
  end,
  'timeLock', case
    when allowance ? 'timeLock' then jsonb_build_object(
      'isActive', allowance -> 'timeLock' ->> 'isActive' = 'true'
      and coalesce((allowance -> 'timeLock' ->> 'until')::timestamptz > at, true),
      'until', messaging.iso_in_zone((allowance -> 'timeLock' ->> 'until')::timestamptz, time_zone),
      'kind', allowance -> 'timeLock' -> 'kind'
    )
  end
);

-- Whether an event proves that the channel of an instance delivers: a message or a reaction received, or a
-- confirmation. `direction`: of the event's message.
create or replace function messaging.proves_channel(event_type text, direction text)
returns boolean language sql immutable
return event_type in ('message.received', 'message.delivered', 'message.read')
or event_type = 'message.reaction'
and direction = 'inbound';

-- The server that was noted last; all NULL where none was.
create or replace function messaging.noted_server()
returns messaging.database_servers language sql stable set search_path = '' as $$
  select s from messaging.database_servers s order by s.id desc limit 1;
$$;

-- Names a noted server as no other one is named: two standbys that were promoted with the same number of a timeline
-- have noted it at different instants. NULL for none.
create or replace function messaging.server_mark(server messaging.database_servers)
returns text language sql stable set search_path = '' as $$
  select concat_ws(
    '/', server.system_identifier, server.timeline, extract(epoch from server.noted_at)
  )
  where server.id is not null;
$$;

-- On a standby: whether it has replayed up to a position that read_position has told, so that what is read next sees
-- everything up to it. `request`: server, lsn, as told. Called in a statement before the one that reads: the snapshot
-- of its own statement may be older. FALSE on a server that is no standby: it may be another one than writes go to.
create or replace function public.has_replayed(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select to_jsonb(
    pg_is_in_recovery()
      and pg_last_wal_replay_lsn() >= (request->>'lsn')::pg_lsn
      and exists (
        select from messaging.noted_server() as s
        where messaging.server_mark(s) = request->>'server'
      )
  );
$$;

-- Notes on which server the database is. Called by each process on each new connection before anything else, so
-- that nothing is done on a promoted server before this, and by the dispatcher. `request`: promotion: `hold` or
-- `continue`; renews: whether to renew seen_at, as the dispatcher does.
-- Returns {state}: `known`, or, to the one call that notes it, `promoted` with {timeline, lacksCommits,
-- replayedAt, held}: whether commits may be missing, the last that was replayed, and how many instances are
-- held for that. Error: 25006 on a standby.
-- Commits are missing unless the server before was synchronous when it was last noted, within ten minutes, is of
-- the same cluster and an earlier timeline, and no recovery to a point in time is set. (What is older may be an
-- archive, or a standby that had been cut off.) Then:
--   * what they recorded may have left, so every queue is held as after a restore (see hold_queue), but for
--     `continue`. An operator's hold without an end stays.
--   * the numbers of their events are not drawn again: a reader who has seen those would pass by the new ones.
-- Locks: one note at a time; then as set_operator_hold.
create or replace function public.note_server(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  server record;
  known messaging.database_servers;
  lacks_commits boolean;
  event_jump constant bigint := 1000000000;
  last_drawn bigint;
  last_kept bigint;
  held integer := 0;
begin
  if pg_is_in_recovery() then
    raise exception 'a standby' using errcode = '25006';
  end if;
  select s.* into server from messaging.present_server() as s;
  known := messaging.noted_server();
  if (known.system_identifier, known.timeline, known.is_synchronous)
    is not distinct from (server.system_identifier, server.timeline, server.is_synchronous) then
    if server.is_synchronous and (request->>'renews')::boolean then
      update messaging.database_servers s
      set seen_at = clock
      where s.id = known.id and s.seen_at < clock - interval '1 minute';
    end if;
    return jsonb_build_object('state', 'known');
  end if;
  perform pg_advisory_xact_lock(hashtext('messaging server'));
  known := messaging.noted_server();
  if known.id is null then
    insert into messaging.database_servers (system_identifier, timeline, is_synchronous)
    values (server.system_identifier, server.timeline, server.is_synchronous);
    return jsonb_build_object('state', 'known');
  elsif (known.system_identifier, known.timeline) = (server.system_identifier, server.timeline) then
    update messaging.database_servers s
    set is_synchronous = server.is_synchronous, seen_at = clock
    where s.id = known.id and s.is_synchronous <> server.is_synchronous;
    return jsonb_build_object('state', 'known');
  end if;

  lacks_commits := not (
    known.is_synchronous and known.seen_at > clock - interval '10 minutes'
    and known.system_identifier = server.system_identifier
    and known.timeline < server.timeline
    and concat(
      current_setting('recovery_target'), current_setting('recovery_target_lsn'),
      current_setting('recovery_target_name'), current_setting('recovery_target_time'),
      current_setting('recovery_target_xid')
    ) = ''
  );
  if lacks_commits then
    last_drawn := coalesce(pg_sequence_last_value('messaging.event_sequence'), 0);
    last_kept := coalesce((select max(e.sequence) from messaging.events e), last_drawn);
    perform setval('messaging.event_sequence', last_drawn + event_jump);
  end if;
  insert into messaging.database_servers (
    system_identifier, timeline, is_synchronous, lacks_commits, replayed_at, events_through, events_before
  )
  values (
    server.system_identifier, server.timeline, server.is_synchronous, lacks_commits,
    pg_last_xact_replay_timestamp(), last_kept, last_drawn + event_jump
  );
  if lacks_commits and request->>'promotion' is distinct from 'continue' then
    held := messaging.hold_promoted();
  end if;
  return jsonb_build_object(
    'state', 'promoted',
    'timeline', server.timeline,
    'lacksCommits', lacks_commits,
    'replayedAt', messaging.iso_in_zone(pg_last_xact_replay_timestamp(), 'UTC'),
    'held', held
  );
end;
$$;

-- The server that executes this, which must not be in recovery: its cluster, its timeline, and whether its
-- commits wait for a standby. The file of the write position names the timeline at once after a promotion;
-- pg_control_checkpoint does so after the next checkpoint only.
create or replace function messaging.present_server()
returns table (system_identifier bigint, timeline integer, is_synchronous boolean) language sql
set search_path = '' as $$
  select c.system_identifier,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer,
    current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')
  from pg_control_system() as c;
$$;

-- note_server: holds every instance, since what commits of a lost server recorded may have left, and tells the
-- workspaces' alert addresses, each once, of its first instance. One that an operator holds without an end
-- stays as it is; one that is suspect is held anew, because its hold would end with a confirmation. Returns
-- how many. Locks as set_operator_hold.
create or replace function messaging.hold_promoted()
returns integer language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  held constant uuid[] := array(
    select d.instance_id from messaging.dispatch d
    where d.operator_hold_until < 'infinity' or d.suspected_at is not null
  );
begin
  perform messaging.set_operator_hold(held, 'infinity', 'database_promoted');
  perform messaging.tell_hold(i, 'operator_hold', true, clock)
  from (
    select distinct on (i.workspace_id) i.id
    from messaging.instances i
    where i.id = any (held)
    order by i.workspace_id, i.created_at, i.id
  ) as first
  join messaging.instances i on i.id = first.id;
  return cardinality(held);
end;
$$;

-- Tells a process what a standby must have replayed to answer a read as the primary would: everything that was
-- committed, and answered, before this call. `request`: instanceIds, whose feeds are read there;
-- settledThrough, of the answer before.
-- Returns {server: the mark of the noted server; lsn; horizons {instanceId: n}: see event_horizon; settledThrough}.
-- A position of the log counts on one timeline only. A standby that replays another one than this server's may be
-- beyond `lsn` and lack what it means; it also lacks the row of note_server, so it has another mark.
-- `lsn` is read after the horizons: who reads up to a horizon on a standby that has replayed so far sees every event
-- up to it. A commit is flushed before it becomes visible, unless synchronous_commit is off.
-- What is told is on a synchronous standby first, where there is one (await_standby). settledThrough saves that: no
-- writer was at work, and no number has been drawn since, so that was waited for before. NULL where one was at work.
-- Over a standby the statements must stay in this order: see the head of events/tables/events.sql.
create or replace function public.read_position(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  last_drawn bigint;
  horizons jsonb;
  is_settled boolean;
begin
  select case when s.is_called then s.last_value else 0 end into last_drawn
  from messaging.event_sequence s;
  with floors as materialized (
    select l.classid::bigint as key, min(messaging.event_floor(last_drawn, l.objid)) as lowest
    from pg_catalog.pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    group by l.classid
  )
  select
    coalesce(
      jsonb_object_agg(
        i.id,
        least(last_drawn, (
          select min(f.lowest) from floors f
          where f.key in (0, uuid_hash(i.id::uuid)::bigint & 4294967295)
        ))
      ),
      '{}'
    ),
    not exists (select from floors)
  into horizons, is_settled
  from jsonb_array_elements_text(request->'instanceIds') as i(id);
  if horizons <> '{}' and last_drawn is distinct from (request->>'settledThrough')::bigint then
    perform messaging.await_standby();
  end if;
  return jsonb_build_object(
    'server', (select messaging.server_mark(s) from messaging.noted_server() as s),
    'lsn', case
      when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn()
    end,
    'horizons', horizons,
    'settledThrough', case when is_settled and horizons <> '{}' then last_drawn end
  );
end;
$$;

-- Lets the recipients of these messages that are pending be told by their messages again: a pause had taken
-- the message out of the queue, or it was to be tried again, and it has ended or arrived since. The caller
-- holds the messages, or their batches. Locks the batches in the order of their ids, even where nobody is
-- pending: who makes recipients pending holds the batch until that is committed.
create or replace function messaging.accept_pending_recipients(message_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from messaging.batches b
  where b.id = any (array(select m.batch_id from messaging.messages m where m.id = any (message_ids)))
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
      where m.id = any (message_ids) and own.status = 'pending'
    ))
    returning r.batch_id
  )
  update messaging.batches b
  set pending_count = b.pending_count - t.number
  from (select told.batch_id, count(*) as number from told group by told.batch_id) as t
  where b.id = any (array[t.batch_id]);
end;
$$;

-- Adds entries of a list to a draft, in order. `request`: entries, errors, idempotency. `entries`: [{phone |
-- userId | contactId, reason, cardId, draft}]; those with a reason are kept as skipped, with the contact of
-- the person that they name, if any. The second entry of a contact, in whatever spelling, is a duplicate: it
-- is skipped too, and named in `duplicates` with the one that is written to. The index of an entry is its
-- place in the whole list, from 0.
-- `errors` ([{index, issues}]) come with their places in the call, and are returned with their indexes.
-- Returns the outcome {batchId, status, added, duplicates, errors}, with sealedNotify where the batch asks and tells
-- the ends of its questions, which it keeps: see keep_outcome.
-- Locks what add_entry_contacts locks, the files, then the batch.
-- Errors: MI028 (no draft), MI029 (more than 100,000), MI051 to MI054 (see take_batch_files), MI055,
-- MI094 (see bound_payment_followers).
-- Over 80 lines: what is inserted, its counts and its duplicates are one statement, which judges each entry once.
create or replace function messaging.add_recipients(batch_id uuid, request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  entries constant jsonb := request->'entries';
  of_instance constant uuid := (
    select b.instance_id from messaging.batches b where b.id = add_recipients.batch_id
  );
  batch messaging.batches;
  contact_ids uuid[];
  file_ids uuid[];
  added integer;
  skipped integer;
  duplicates jsonb;
begin
  perform messaging.take_denial_hashes(request);
  contact_ids := messaging.add_entry_contacts(of_instance, entries);
  file_ids := messaging.take_batch_files(of_instance, add_recipients.batch_id, entries);
  select b.* into strict batch from messaging.batches b
  where b.id = add_recipients.batch_id
  for no key update;
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  if batch.recipient_count + jsonb_array_length(entries) > 100000 then
    raise exception using errcode = 'MI029', message = 'too_many_recipients';
  end if;
  if batch.source ? 'paymentReference' then
    perform messaging.bound_payment_followers(
      of_instance, array(
        select e->'draft'->>'paymentReference' from jsonb_array_elements(entries) as e
        where e->>'reason' is null
      )
    );
  end if;
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
      case when told.reason is null then j.entry->'draft' end, coalesce(j.entry->'draft'->>'cardId', j.entry->>'cardId')
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
    skipped_count = b.skipped_count + skipped,
    file_ids = array(select distinct f from unnest(b.file_ids || add_recipients_files.ids) as f)
  from (select file_ids as ids) as add_recipients_files
  where b.id = add_recipients.batch_id;
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', batch.id,
    'status', batch.status,
    'added', added,
    'duplicates', duplicates,
    'errors', (
      select coalesce(
        jsonb_agg(e || jsonb_build_object('index', batch.recipient_count + (e->>'index')::integer)), '[]'
      )
      from jsonb_array_elements(request->'errors') as e
    )
  ) || case
    when batch.source->'ask'->>'sealedNotify' is not null
    then jsonb_build_object('sealedNotify', batch.source->'ask'->'sealedNotify')
    else '{}'
  end);
end;
$$;

-- add_recipients: takes the files that a batch's messages name (see take_media), so that they stay for as long as
-- somebody may get them: that of its message, and those of the templates in `entries` (see add_recipients), by
-- themselves or in a ladder. Returns their ids. Locks the files in the order of their ids.
-- Errors: MI051 to MI054.
create or replace function messaging.take_batch_files(
  instance_id uuid, batch_id uuid, entries jsonb
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  file_ids constant uuid[] := array(
    select distinct named.id::uuid
    from (
      select b.source->'message'->>'mediaId' as id
      from messaging.batches b
      where b.id = take_batch_files.batch_id
      union all
      select e->'draft'->>'mediaId' from jsonb_array_elements(entries) as e
      union all
      select f.id::text
      from jsonb_array_elements(entries) as e
      cross join unnest(messaging.ladder_files(e->'draft'->'ladder')) as f(id)
      where e->'draft' ? 'ladder'
    ) as named
    where named.id is not null
    order by 1
  );
  file_id uuid;
begin
  foreach file_id in array file_ids loop
    perform messaging.take_media(take_batch_files.instance_id, file_id);
  end loop;
  return file_ids;
end;
$$;

-- Gives each person of a list a contact and a conversation, as resolve_recipient and resolve_conversation
-- do for one, in a few statements for all. `entries`: [{phone | userId | contactId}]; those that name
-- nobody are passed over, and so are unknown contactIds. The contacts cannot be merged until the caller
-- commits: it holds their rows.
-- Locks: addresses of new contacts, contacts in the order of their ids, contact_activity.
-- Returns the contact of each entry, in order; NULL where it has none.
-- Errors: MI055 where a contact was merged meanwhile; the call must be repeated.
create or replace function messaging.add_entry_contacts(of_instance uuid, entries jsonb)
returns uuid[] language plpgsql set search_path = '' set enable_seqscan = off as $$
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
    where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
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
      where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
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

-- How many messages the running batches of an instance may be given now. One, where none of theirs waits in the
-- queue for its slot: a single send waits for no more than one interval for their sake. One that waits for
-- another day because its contact is new holds up nobody. Where all of them follow the pace of the instance,
-- as many as leave in a second may wait, and they are given by halves: two transactions a second, not more.
create or replace function messaging.batch_room(of_instance uuid)
returns integer language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  pace integer;
  waiting integer;
begin
  select case
    when not exists (
      select from messaging.batches b
      where b.instance_id = of_instance and b.status = 'running' and not b.follows_pace
    ) then d.messages_per_second
  end
  into pace
  from messaging.dispatch_of(of_instance) as d;
  if pace is null then
    return case when messaging.has_waiting_message(of_instance) then 0 else 1 end;
  end if;
  select count(*) into waiting
  from messaging.batches b
  join messaging.messages m on m.batch_id = any (array[b.id]) and m.status = 'queued'
  join messaging.message_queue q on q.message_id = any (array[m.id])
  where b.instance_id = of_instance and b.status = 'running' and q.claim_token is null
    and q.attempts = 0
    and (m.held_by is distinct from 'new_contacts' or q.scheduled_at <= clock + interval '1 second');
  return case when pace - waiting >= (pace + 1) / 2 then (pace + 1) / 2 else 0 end;
end;
$$;

-- The record of a batch, with instants in its instance's zone. firstScheduledFor and lastScheduledFor are
-- those of its messages, and of the slots that are forecast for its pending recipients: see walk_batches, and
-- for many of them expected_end.
create or replace function messaging.describe_batch(batch messaging.batches)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
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
  estimates jsonb := '{"estimatedCostAfterChange": null}';
begin
  select min(m.scheduled_for), max(m.scheduled_for) into first_slot, last_slot
  from messaging.messages m
  where m.batch_id = batch.id;
  if batch.status = 'running' and batch.pending_count > 0 then
    begin
      select min(w.slot), max(w.slot) into first_expected, last_expected
      from messaging.walk_batches(
        instance, clock, null, null, batch.id,
        case when batch.pending_count > most_forecast then batch.first_pending end, null
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
  if batch.status = 'draft' or messaging.announced_category(batch) is not null then
    estimates := messaging.describe_estimates(
      instance, batch, messaging.planned_recipients(instance, batch, clock)
    );
  end if;
  if batch.status <> 'draft' then
    estimates := estimates
      || jsonb_build_object('estimatedCost', messaging.batch_cost(instance, batch));
  end if;
  return estimates || jsonb_build_object(
    'batchId', batch.id,
    'name', batch.name,
    'status', batch.status,
    'templateId', batch.source->'template'->'templateId',
    'purpose', coalesce(batch.purpose, 'service'),
    'validation', batch.validation,
    'intervalSeconds', trim_scale(extract(epoch from messaging.spacing(
      instance.messages_per_second, batch.interval_seconds, batch.follows_pace
    ))),
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
    'pauseError', messaging.shown_error(batch.pause_error),
    'warnings', messaging.batch_warnings(batch)
  );
end;
$$;

-- About when the last of a running batch's many recipients will be written to: by the windows, the intervals
-- and the daily limits, as if nobody were passed over and nothing else were sent, with half the jitter.
-- NULL where the send window never opens. See walk_batches for the exact slots of few.
create or replace function messaging.expected_end(
  instance messaging.instances, batch messaging.batches, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  walk messaging.slot_walk := messaging.begin_walk(instance, clock);
  running constant integer := (
    select count(*) from messaging.batches b
    where b.instance_id = instance.id and b.status = 'running'
  );
  pace constant interval := greatest(running, 1) * case
    when batch.follows_pace and instance.messages_per_second is not null
      then messaging.spacing(instance.messages_per_second, batch.interval_seconds, true)
    else make_interval(secs => batch.interval_seconds + coalesce(walk.jitter_seconds, 0) / 2.0)
  end;
  remaining integer := batch.pending_count;
  slot timestamptz;
  fitting bigint;
begin
  walk := messaging.next_slot(
    instance, walk, messaging.own_interval(batch), batch.start_at, interval '0', null, false
  );
  slot := walk.slot;
  loop
    fitting := 1 + floor(extract(epoch from greatest(
      messaging.window_open_until(instance, slot) - slot - interval '1 millisecond', interval '0'
    )) / extract(epoch from pace));
    fitting := greatest(
      least(
        fitting, messaging.day_limit(walk, (slot at time zone instance.time_zone)::date)
      ),
      1
    );
    exit when remaining <= fitting;
    remaining := remaining - fitting;
    slot := greatest(messaging.window_open_until(instance, slot), slot + pace * fitting);
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

-- The contact of each entry of a list, in order (see entry_contact); NULL for entries that name nobody.
create or replace function messaging.entry_contacts(of_instance uuid, entries jsonb)
returns uuid[] language sql stable set search_path = '' as $$
  select array(
    select case
      when coalesce(e.entry->>'phone', e.entry->>'userId', e.entry->>'contactId') is not null
      then messaging.entry_contact(
        of_instance,
        (e.entry->>'contactId')::uuid,
        messaging.phone_identity_key(coalesce(e.entry->>'phone', e.entry->>'userId'))
      )
    end
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    order by e.place
  );
$$;

-- Gives the running batches of an instance their next message, where none of theirs waits in its queue; those
-- that follow the pace of the instance, as many as batch_room says. Ends those that have nothing left. So an
-- instance has at most one message of its batches waiting, beside those that wait for another day as new
-- contacts: a single send waits for no more than one interval for their sake. A slot behind the end of a
-- window that is open, or at a later start_at, is taken one interval before. Where only new contacts are left
-- that have no place today, the first of them is queued: it says what the batch waits for, and known ones
-- pass it.
-- Whom the batches pass over until then is skipped, with its reason. A recipient without a slot in time stays
-- pending: it reads as expired when the batch's time is over.
-- The caller holds the pacing row. Locks the batches, and tries the recipient's contact and message without
-- waiting: who merges, erases or cancels them may wait for the pacing row. The dispatcher's maintenance
-- comes back then.
-- Errors: MI010; MI090 where another transaction takes the reference of a payment request at this moment: feed it
-- again.
-- Over 80 lines: each step of the forecast is acted on where it is read, and what the steps have in common is
-- written once after them.
create or replace function messaging.feed_instance(of_instance uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(of_instance);
  batch messaging.batches;
  step messaging.batch_step;
  waiting_as_new jsonb := '{}';
  first_as_new messaging.batch_step;
  placed_id uuid;
  -- Each message that was given, in order, and its batch.
  placed_ids uuid[] := '{}';
  placed_of uuid[] := '{}';
  room integer;
begin
  perform from messaging.batches b
  where b.instance_id = of_instance and b.status = 'running'
  order by b.id
  for no key update;
  room := messaging.batch_room(of_instance);
  if room = 0 then
    perform messaging.finish_batches(of_instance);
    return;
  end if;
  for step in
    select w.* from messaging.walk_batches(instance, clock, null, null, null, null, room) as w
  loop
    continue when step.reason = 'expires_before_slot';
    if step.reason = 'new_contacts' then
      waiting_as_new := waiting_as_new || jsonb_build_object(step.batch_id, step.index + 1);
      if first_as_new.batch_id is null and step.slot is not null and step.message_id is null then
        first_as_new := step;
      end if;
      continue;
    end if;
    if step.message_id is not null
      and exists (select from messaging.messages m where m.id = step.message_id) then
      perform from messaging.messages m where m.id = step.message_id for no key update skip locked;
      continue when not found;
    end if;
    if batch.id is distinct from step.batch_id then
      select b.* into batch from messaging.batches b where b.id = step.batch_id;
      batch.turns := batch.turns
        + coalesce(cardinality(array_positions(placed_of, batch.id)), 0);
    end if;
    if step.reason is null then
      continue when not messaging.take_recipient(batch, step.contact_id);
      -- Since the walk has looked.
      step.reason := messaging.late_reason(batch, step);
    end if;
    if step.reason = 'settled' then
      update messaging.batch_recipients r set status = 'accepted'
      where r.batch_id = batch.id and r.index = step.index;
      update messaging.batches b set pending_count = b.pending_count - 1 where b.id = batch.id;
    elsif step.reason is not null then
      perform messaging.skip_recipients(
        jsonb_build_array(jsonb_build_object('batch', batch.id, 'index', step.index)), step.reason
      );
    else
      placed_id := messaging.place_batch_message(instance, batch, step.index);
      placed_ids := placed_ids || placed_id;
      placed_of := placed_of || batch.id;
      batch.turns := batch.turns + 1;
    end if;
  end loop;
  -- Once, not for each message: each look at a row passes all its versions of the same transaction.
  update messaging.batches b
  set pending_count = b.pending_count - given.messages, waiting_message = given.newest,
    served_at = clock, turns = b.turns + given.messages
  from (
    select p.batch_id, count(*) as messages,
      (array_agg(p.message_id order by p.place desc))[1] as newest
    from unnest(placed_of, placed_ids) with ordinality as p(batch_id, message_id, place)
    group by p.batch_id
  ) as given
  where b.id = any (array[given.batch_id]);
  select b.* into batch from messaging.batches b
  where placed_id is null and b.id = first_as_new.batch_id and not exists (
    select from messaging.message_queue q where q.message_id = b.waiting_message
  );
  if found then
    if messaging.take_recipient(batch, first_as_new.contact_id)
      and messaging.late_reason(batch, first_as_new) is null then
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

-- feed_instance: holds the contact of a recipient without waiting, and returns whether it does: as who stores a
-- message, and as who records a reply where one is expected.
create or replace function messaging.take_recipient(batch messaging.batches, contact_id uuid)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  if messaging.expects_reply(batch) then
    perform from messaging.contacts c
    where c.id = take_recipient.contact_id and c.merged_into is null
    for no key update skip locked;
  else
    perform from messaging.contacts c
    where c.id = take_recipient.contact_id and c.merged_into is null
    for key share skip locked;
  end if;
  return found;
end;
$$;

-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact, and
-- counts the turn.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances, batch messaging.batches, recipient_index integer
) returns uuid language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  message messaging.messages;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  if messaging.expects_reply(batch) then
    perform messaging.expect_reply(
      array[recipient.contact_id], messaging.cancels_on_reply(batch), batch.source ? 'ask'
    );
  end if;
  placed := messaging.enqueue_message(
    placed_id, instance, messaging.own_interval(batch), batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    select m.* into strict message from messaging.messages m
    where m.id = placed_id for no key update;
    -- It waits anew: what came for it while a worker had it cancels the former attempt alone.
    message.cancel_reason := null;
    perform messaging.wait_again(message, placed.slot, moved_by);
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    perform messaging.add_outbound_messages(array[row(
      placed_id, instance.id, recipient.contact_id, conversation.id,
      messaging.asking_draft(batch, recipient.draft) || jsonb_build_object('purpose', batch.purpose), null, null, 'queued',
      messaging.own_interval(batch), placed.slot, moved_by, nullif(recipient.phone, c.phone), batch.id,
      jsonb_strip_nulls(jsonb_build_object(
        'expiresAt', batch.expires_at,
        'cancelOn', batch.source->'cancelOn',
        'paymentReference', recipient.draft->'paymentReference'
      )), null, null
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

-- place_batch_message: a recipient's draft, with where the end of its question is told. That is kept once for the
-- batch, so that a new key has it to seal anew once: see list_notify_seals_under_old_keys.
create or replace function messaging.asking_draft(batch messaging.batches, draft jsonb)
returns jsonb language sql immutable
return case
  when batch.source -> 'ask' ? 'sealedNotify' then jsonb_set(
    draft,
    '{ask,sealedNotify}',
    batch.source -> 'ask' -> 'sealedNotify'
  )
  else draft
end;

-- Whether a reply cancels the messages of a batch that still wait (cancelOn), and this contact has written since the
-- batch was started: no reaction, no call. False for every other batch, without a look.
create or replace function messaging.has_replied(batch messaging.batches, contact_id uuid)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return messaging.cancels_on_reply(batch) and exists (
    select from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(has_replied.contact_id))
      -- By messages_history. A channel may deliver what was written a day before.
      and m.sent_at >= batch.started_at - interval '1 day'
      and m.created_at >= batch.started_at and m.direction = 'inbound'
      and messaging.is_reply(m.message_type)
  );
end;
$$;

-- What is known of a recipient before it has a slot: why it gets no message (`contact` as it is now), and
-- what its slot depends on. `contact` is a row of NULLs but for the identity of whom no contact exists yet.
-- `phone`: as the list has it. `draft`: its message.
create or replace function messaging.judge_recipient(
  instance messaging.instances, purpose text, contact messaging.contacts, phone text, draft jsonb,
  inout candidate messaging.batch_candidate
) language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  refusal text;
begin
  candidate.is_new := false;
  if candidate.reason is not null then
    return;
  end if;
  -- The window is judged by the slot: see reachable_until.
  refusal := messaging.send_refusal(
    contact.is_blocked,
    messaging.effective_consent(
      purpose, instance.people_scope, instance.workspace_id, contact.id, contact.identity_key,
      contact.consent_marketing, contact.consent_at
    ),
    null, null, draft->>'messageType', purpose, null
  );
  if refusal = 'contact_blocked' then
    candidate.reason := 'blocked';
  elsif refusal = 'contact_opted_out' then
    candidate.reason := 'opted_out';
  elsif phone is null and contact.phone is null and messaging.lacks_address(
    instance, contact, draft->'content'->'template'->'needsPhone' is not null
  ) then
    candidate.reason := 'recipient_needs_phone';
  elsif messaging.asks_to_pay(draft->'content') then
    candidate.reason := messaging.payment_hindrance(
      instance.id, draft->'content'->'payment', candidate.message_id
    );
  end if;
  -- With a ladder the message is decided when it leaves.
  if messaging.needs_open_window(instance.provider_class, draft->>'messageType')
    and nullif(draft->'ladder', 'null') is null then
    candidate.reachable_until := messaging.window_closes_at(contact.last_inbound_at);
  end if;
  if instance.protection->>'newContactsPerDay' is null or candidate.reason is not null then
    return;
  end if;
  candidate.is_new := candidate.contact_id is null or messaging.is_new_contact(candidate.contact_id);
  if candidate.is_new then
    select f.scheduled_at into candidate.not_before
    from messaging.first_to_new_contact(candidate.contact_id) f;
    candidate.is_new := not found;
  end if;
end;
$$;

-- Why a recipient gets no message after all, since walk_batches has looked: its contact has replied, or what was sent
-- meanwhile hinders its payment request (see payment_hindrance). NULL for nothing, without a look at most batches.
create or replace function messaging.late_reason(batch messaging.batches, step messaging.batch_step)
returns text language plpgsql set search_path = '' as $$
begin
  if messaging.has_replied(batch, step.contact_id) then
    return 'replied';
  elsif messaging.asks_for_payment(batch) then
    return messaging.payment_hindrance(
      batch.instance_id,
      (
        select coalesce(r.draft, jsonb_build_object('content', m.content))->'content'->'payment'
        from messaging.batch_recipients r
        left join messaging.messages m on m.id = r.message_id
        where r.batch_id = batch.id and r.index = step.index
      ),
      step.message_id
    );
  end if;
  return null;
end;
$$;

-- The row of a batch as the creating call asks for it; without recipients, not stored. `request` as in
-- create_batch.
create or replace function messaging.new_batch(request jsonb)
returns messaging.batches language plpgsql volatile set search_path = '' as $$
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
  batch.follows_pace := request->>'intervalSeconds' is null;
  batch.interval_seconds := coalesce(
    (request->>'intervalSeconds')::integer, messaging.default_interval_seconds()
  );
  batch.start_at := date_trunc('milliseconds', (request->>'startAt')::timestamptz);
  -- No request leaves when its payment ends within the five minutes that it must have.
  batch.expires_at := least(
    (request->>'expiresAt')::timestamptz,
    (request->'source'->'message'->'payment'->>'expiresAt')::timestamptz - messaging.payment_lead()
  );
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
  batch.file_ids := '{}';
  batch.created_at := date_trunc('milliseconds', clock_timestamp());
  return batch;
end;
$$;

-- A pause: takes the waiting messages of a batch out of the queue, and gives their slots back. They keep
-- their ids, and their recipients are pending again. A message in flight stays.
-- The caller holds pacing and the batch. Tries the queue rows without waiting: their holders are about to
-- send the messages.
create or replace function messaging.unqueue_batch_messages(batch messaging.batches)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
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
  perform messaging.write_departures(array_agg(g.message_id), null, null) from unnest(gone) as g;
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
  perform messaging.release_slots(gone);
  perform messaging.refresh_dispatch(array[batch.instance_id]);
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
-- With `most_messages` the walk ends with so many recipients whose messages may be queued now; NULL for all. Who waits
-- for another day as new is returned with its slot and the reason `new_contacts`. A message that would hold
-- up single sends may not be queued: one whose slot the window's end has moved to another day while the
-- window is open, or start_at, by more than an interval. The walk ends there, with nobody's message.
-- Reads recipients from cursors: a caller that needs few reads few. Writes and locks nothing. Errors: MI010.
-- Over 80 lines: one loop, whose turns, cursors and slots each next step depends on.
create or replace function messaging.walk_batches(
  instance messaging.instances, clock timestamptz, draft messaging.batches, entries jsonb,
  of_batch uuid, last_index integer, most_messages integer
) returns setof messaging.batch_step language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
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
  is_follow_up boolean;
  asks_payment boolean;
  reason text;
  slot timestamptz;
  is_far boolean;
  waits_as_new boolean := false;
  stops_at_message constant boolean := most_messages is not null;
  -- No message is held up by what leaves within a second.
  near interval;
begin
  select p.last_slot_at into front from messaging.pacing p where p.instance_id = instance.id;
  for batch in
    select b.* from messaging.batches b where b.instance_id = instance.id and b.status = 'running'
    union all
    select draft.* where draft.instance_id is not null
    order by served_at nulls first, created_at, id
  loop
    is_follow_up := messaging.cancels_on_reply(batch);
    asks_payment := messaging.asks_for_payment(batch);
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
          when looks_closer or r.status = 'skipped' or r.message_id is not null or is_follow_up
            or asks_payment
            or messaging.may_be_refused(
              c.is_blocked, c.phone, c.consent_marketing, instance.people_scope, batch.purpose
            )
          then messaging.judge_recipient(
            instance, batch.purpose, c, r.phone,
            case when r.message_id is null then r.draft else jsonb_build_object(
              'messageType', m.message_type, 'content', m.content, 'ladder', m.ladder
            ) end,
            row(
              r.index, r.contact_id, r.message_id,
              case
                when r.status = 'skipped' then r.reason
                when r.message_id is not null and coalesce(m.status not in ('queued', 'failed'), true)
                  then 'settled'
                when c.id is null then 'contact_erased'
                when is_follow_up and messaging.has_replied(batch, r.contact_id) then 'replied'
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
        <= greatest(clock, front + messaging.spacing(
          instance.messages_per_second, batch.interval_seconds, batch.follows_pace
        )) then
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
          instance, walk, messaging.own_interval(batch), greatest(batch.start_at, head.not_before),
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
            near := greatest(
              messaging.spacing(
                instance.messages_per_second, walk.interval_seconds, batch.follows_pace
              ),
              interval '1 second'
            );
            is_far := slot > clock + near;
            waits_as_new := is_far
              and (head.is_new and walk.held_by = 'new_contacts' or head.not_before > clock) is true;
            if stops_at_message and waits_as_new then
              reason := 'new_contacts';
            elsif stops_at_message and is_far and (
                batch.start_at > clock + near
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

    if stops_at_message and slot is not null and reason is null then
      most_messages := most_messages - 1;
    end if;
    if most_messages <= 0
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
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
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
    perform messaging.unqueue_batch_messages(batch);
  elsif action = 'cancel' then
    perform messaging.end_queued_messages(
      array(
        select m.id from messaging.messages m
        where m.batch_id = batch.id and m.status = 'queued'
        order by m.id
        for no key update
      ),
      'canceled'
    );
    perform messaging.end_unqueued_of_batch(batch.id, 'canceled');
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
  perform messaging.touch_noted_contacts();
  select b.* into strict batch from messaging.batches b where b.id = batch.id;
  return messaging.keep_outcome(request, messaging.describe_batch(batch));
end;
$$;

-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see
-- begin_idempotent). Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, MI051 to
-- MI054 (see take_batch_files), MI055, MI094.
create or replace function public.create_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch constant messaging.batches := messaging.new_batch(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.batches select batch.*;
  return messaging.add_recipients(batch.id, request);
end;
$$;

-- batches-api: what starting a draft now would do, from `fromIndex` on, for at most `limit` recipients.
-- `request`: instanceId, batchId, fromIndex, limit. Returns {summary {send, skip, firstScheduledFor,
-- lastScheduledFor, days, and what count_open_windows gives}, items [{index, outcome, reason,
-- scheduledFor}], samples (see filled_samples), nextIndex, warnings, and what describe_estimates gives of them}.
-- It is the walk that starting takes, see walk_batches. Writes and locks nothing.
-- Errors: MI010, MI027, MI028 (no draft).
create or replace function public.dry_run_batch(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
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
      instance, date_trunc('milliseconds', clock_timestamp()), batch, null, batch.id, last, null
    ) as w
  );
  return messaging.describe_dry_run(
    instance, batch, null, array(select s from unnest(steps) as s where s.index >= first),
    case when last + 1 < batch.recipient_count then last + 1 end,
    messaging.batch_warnings(batch)
  ) || messaging.describe_estimates(
    instance, batch, messaging.planned_steps(instance, batch, steps, null, first)
  ) || jsonb_build_object('samples', messaging.filled_samples(batch.id, array(
    select s.index from unnest(steps) as s
    where s.slot is not null and s.index >= first
    order by s.index
    limit 10
  )));
end;
$$;

-- What these recipients of a draft are sent, in the order of the list: [{index, message}]. A message without words
-- has NULL.
create or replace function messaging.filled_samples(batch_id uuid, indexes integer[])
returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object('index', r.index, 'message', r.draft->'message') order by r.index
    ), '[]'
  )
  from messaging.batch_recipients r
  where r.batch_id = filled_samples.batch_id and r.index = any (filled_samples.indexes);
$$;

-- Dispatcher's maintenance: gives running batches their next message where none of theirs waits, and ends
-- those that have nothing left (see feed_instance). A settlement does so at once; this is for batches that
-- begin later, and for what went wrong or was locked then. `request`: maxInstances; instanceId for
-- one instance alone. Returns {fed}: how many
-- instances it has looked after. Passes over instances whose pacing row is locked.
create or replace function public.feed_batches(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
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
      where b.status = 'running'
        and b.instance_id = coalesce((request->>'instanceId')::uuid, b.instance_id)
        and messaging.batch_room(b.instance_id) > 0
    ))
    -- Those whose next slot is far away come back each time: none of them may always come first.
    order by random()
    limit (request->>'maxInstances')::integer
    for no key update skip locked
  loop
    begin
      perform messaging.feed_instance(hungry);
      fed := fed + 1;
    exception when sqlstate 'MI010' or sqlstate 'MI090' then
      -- The send window never opens: nothing can be done until it is changed. Or a reference is being taken.
      null;
    end;
  end loop;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('fed', fed);
end;
$$;

-- batches-api: the record of one batch, with what it sends: `template` {templateId, name, language} or `message`,
-- as they were when it was created. `request`: instanceId, batchId. Errors: MI027.
create or replace function public.get_batch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  batch messaging.batches;
  template jsonb;
begin
  -- For what the batch has cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  batch := messaging.find_batch(request);
  template := batch.source->'template';
  -- The batch and its messages in one statement: between two an erasure may take a message from one to the other.
  return messaging.describe_batch(messaging.find_batch(request)) || jsonb_build_object(
    'template', case when template is not null then jsonb_build_object(
      'templateId', template->'templateId',
      'name', template->'name',
      'language', template->'language'
    ) end,
    'message', batch.source->'message'
  );
end;
$$;

-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Of one that is queued it tells what its message waits for, of a pending one
-- that its batch is paused; of pending recipients of a running batch it tells the slot that is forecast, or
-- why they would get none: see walk_batches. Errors: MI027.
-- Over 80 lines: the members of one record, a line each.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  -- Nobody knows the slots of a queue that is held until somebody releases it, or disconnected.
  is_held constant boolean := exists (
    select from messaging.dispatch d
    where d.instance_id = instance.id
      and messaging.stopped_until(d) = 'infinity'
  );
  budget_ends_at constant timestamptz := messaging.reached_budget_ends_at(
    instance, clock_timestamp()
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
      'questionId', m.question_id,
      'cardId', r.card_id,
      'scheduledFor', case
        when told.status = 'queued' then waiting.record->'scheduledFor'
        when told.status <> 'pending' then
          to_jsonb(messaging.iso_in_zone(m.scheduled_for, instance.time_zone))
      end,
      'heldBy', case
        when told.status = 'pending' and batch.status = 'paused' then '"batch_paused"'
        else waiting.record->'heldBy'
      end,
      'holdReason', waiting.record->'holdReason',
      'holdCode', waiting.record->'holdCode',
      'heldUntil', waiting.record->'heldUntil',
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
    -- As messages-api tells it: how things stand now.
    cross join lateral (
      select case
        when told.status = 'queued' then messaging.describe_message(m, budget_ends_at)
      end as record
      offset 0
    ) as waiting
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
        instance, date_trunc('milliseconds', clock_timestamp()), null, null, batch.id, last_pending, null
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

-- batches-api: the batches of an instance, oldest first, or with order `desc` newest first, a page at a time.
-- `request`: instanceId, limit, order, status (NULL for any), `after` as returned in `next`. Returns
-- {items, next}.
create or replace function public.list_batches(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  page constant record := messaging.begin_page(request);
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  is_first constant boolean := request->>'after' is null;
begin
  -- For what the batches have cost.
  perform messaging.settle_usage_notes((request->>'instanceId')::uuid);
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', (listed.batch).created_at, 'id', (listed.batch).id,
        'record', messaging.describe_batch(listed.batch)
      )
      from (
        (
          select b
          from messaging.batches b
          where not is_backward
            and b.instance_id = (request->>'instanceId')::uuid
            and (b.created_at, b.id) > (page.after_at, page.after_id)
            and (request->>'status' is null or b.status = request->>'status')
          order by b.created_at, b.id
          limit page.size + 1
        )
        union all
        (
          select b
          from messaging.batches b
          where is_backward
            and b.instance_id = (request->>'instanceId')::uuid
            and (is_first or (b.created_at, b.id) < (page.after_at, page.after_id))
            and (request->>'status' is null or b.status = request->>'status')
          order by b.created_at desc, b.id desc
          limit page.size + 1
        )
      ) as listed(batch)
    ),
    page.size
  );
end;
$$;

-- Whether each message of a batch asks for a payment.
create or replace function messaging.asks_for_payment(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'message' ->> 'messageType' = 'payment_request', false)
or batch.source ? 'asksForPayment';

-- Whether a reply cancels the messages of a batch that still wait.
create or replace function messaging.cancels_on_reply(batch messaging.batches)
returns boolean language sql immutable
return coalesce(batch.source -> 'cancelOn' ? 'reply', false);

-- Whether a reply to a message of a batch matters: it cancels what still waits, or answers the batch's question.
create or replace function messaging.expects_reply(batch messaging.batches)
returns boolean language sql immutable
return messaging.cancels_on_reply(batch) or coalesce(batch.source ? 'ask', false);

-- Makes what a contact's keyword said (see read_keyword) its consent. Where that denies marketing anew,
-- queues the instance's one confirmation: a message of the system, due at once. It pauses no agent.
-- None goes to a blocked contact, nor where the official channel would refuse it: the contact wrote more
-- than 24 hours ago, nor while another responder holds the conversation (`is_standby`). `message_id`: the
-- contact's message, which the agent then does not see.
create or replace function messaging.apply_keyword(
  instance_id uuid, contact_id uuid, conversation_id uuid, message_id uuid, said text,
  written_at timestamptz, is_standby boolean
) returns void language plpgsql set search_path = '' as $$
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
  ) or said <> 'denied' or is_standby then
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
  placed := messaging.schedule_message(
    confirmation_id, instance, apply_keyword.contact_id,
    date_trunc('milliseconds', clock_timestamp())
  );
  perform messaging.add_outbound_messages(array[row(
    confirmation_id, instance.id, apply_keyword.contact_id, apply_keyword.conversation_id,
    jsonb_build_object(
      'messageType', 'text', 'message', instance.opt_out_confirmation, 'sentBy', 'system',
      'purpose', 'opt_out_confirmation'
    ),
    null, null, 'scheduled', null, placed.slot, null, null, null, null, null, null
  )::messaging.outbound_message]);
end;
$$;

-- The contact whom a channel shows these addresses of, of one person; NULL where none of them is known. Addresses of
-- several contacts prove that the contacts without a phone are this person: they are merged. Two phones
-- prove nothing: a number can have had another owner. The caller holds lock_addresses.
create or replace function messaging.find_shown_contact(instance_id uuid, addresses text[])
returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  found_contact messaging.contacts;
  known text;
begin
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
  return contact;
end;
$$;

-- A text as typed choices are compared: without case, accents, marks that nobody sees, the frame of emoji
-- digits, blanks at its ends and WhatsApp's marks of bold, italic and struck text around the whole.
create or replace function messaging.fold_choice(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return regexp_replace(
    btrim(
      regexp_replace(
        lower(
          regexp_replace(
            normalize(messaging.without_invisible(replace(given, '🔟', '10')), NFKD),
            '[\u0300-\u036f\u20e3]', '', 'g'
          )
        ),
        '\s+', ' ', 'g'
      )
    ),
    '^([*_~]+) ?(.*?) ?\1$', '\2'
  );
end;
$$;

-- Imports a message from before the number was connected: it stands in the history at the instant at which it
-- was written, as the phone has it. Nothing follows from it: no event, agent, pause, keyword or reopened
-- conversation. An inbound one counts for the window and as the newest message by its own instant.
-- `event`: as of a message, with status of our own (sent, delivered, read, failed).
-- Returns false for a message that is stored already, imported or not, unless it completes one whose file the
-- channel had left out (unsupportedType media_placeholder).
-- The caller holds lock_provider_messages for the message and lock_addresses for its contact.
create or replace function messaging.import_message(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  written_at constant timestamptz := messaging.event_instant(event);
  is_inbound constant boolean := event->>'origin' = 'inbound';
  file constant jsonb := messaging.read_event_file(event);
  file_id constant uuid := messaging.event_media_id(file);
  quoted_id constant uuid := messaging.find_quoted_message(instance.id, event);
  shown constant jsonb := case
    when event->'content'->'reaction' is null then event->'content'
    else jsonb_set(event->'content', '{reaction,messageId}', coalesce(to_jsonb(quoted_id), 'null'))
  end;
  contact messaging.contacts;
  conversation messaging.conversations;
  former messaging.messages;
begin
  select m.* into former from messaging.messages m
  where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  for no key update
  limit 1;
  if found then
    if former.content->>'unsupportedType' is distinct from 'media_placeholder'
      or shown->>'unsupportedType' = 'media_placeholder'
    then
      return false;
    end if;
    former.message_type := event->>'messageType';
    former.message := event->>'message';
    former.content := shown;
    former.media_id := file_id;
    perform messaging.write_content(former);
    contact.id := former.contact_id;
  else
    contact := messaging.resolve_sender(instance.id, event);
    conversation := messaging.resolve_conversation(instance.id, contact.id);
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, content, sent_by,
      is_typed_on_phone, status, provider_message_id, sent_at, failed_at, is_group, created_at,
      quoted_message_id, media_id, quoted_provider_message_id
    )
    values (
      instance.id, contact.id, conversation.id,
      case when is_inbound then 'inbound' else 'outbound' end, event->>'messageType', event->>'message',
      shown, case when not is_inbound then 'phone' end, not is_inbound,
      case when is_inbound then 'received' else coalesce(event->>'status', 'sent') end,
      event->>'providerMessageId', written_at,
      case when event->>'status' = 'failed' then written_at end,
      -- In lists too it stands where it was written.
      false, written_at,
      quoted_id, file_id, event->>'quotedProviderMessageId'
    );
    update messaging.contacts c
    set last_inbound_at = greatest(c.last_inbound_at, written_at)
    where c.id = contact.id and is_inbound and event->>'messageType' <> 'reaction';
  end if;
  if file_id is not null then
    perform messaging.add_channel_media(
      file_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  return true;
end;
$$;

-- Keeps what the channel says a number may do: the members of `told` replace those that are kept, a null one
-- removes its own (see `allowance` of dispatch). A pace that is more than the number now has falls to that, and
-- rises again with it. While a lock on new chats is active, what a claim finds for new contacts waits until
-- it ends: for a day where no end was told. What a lock holds that is over, or ends sooner now, leaves; a claim
-- holds it again until the new end. Returns whether the number may do something else now; how much of a quota is
-- used does not count. The caller has locked pacing where `told` has a lock, then dispatch, and refreshes dispatch.
create or replace function messaging.keep_allowance(instance messaging.instances, told jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  former jsonb;
  present jsonb;
  former_until timestamptz;
  locked_until timestamptz;
begin
  select d.allowance, d.new_chats_locked_until into strict former, former_until
  from messaging.dispatch d where d.instance_id = instance.id;
  present := nullif(jsonb_strip_nulls(coalesce(former, '{}') || coalesce(told, '{}')), '{}');
  if present is not distinct from former then
    return false;
  end if;
  locked_until := case
    -- Told without an end, it ends a day after it was told first.
    when present->'timeLock' is not distinct from former->'timeLock' then former_until
    when present->'timeLock'->>'isActive' = 'true'
      then coalesce((present->'timeLock'->>'until')::timestamptz, clock + interval '1 day')
    else '-infinity'
  end;
  update messaging.dispatch d
  set allowance = present,
    new_chats_locked_until = locked_until,
    -- Not the pace that the caller has read: it may be another one since.
    messages_per_second = messaging.present_pace(
      (select i.messages_per_second from messaging.instances i where i.id = d.instance_id), present
    )
  where d.instance_id = instance.id;
  if former_until > clock and locked_until < former_until then
    perform messaging.release_held_messages(instance.id, 'new_contacts', clock);
  end if;
  return messaging.allowed_pace(present) <> messaging.allowed_pace(former)
    or (present->'newChats') - 'used' is distinct from (former->'newChats') - 'used'
    or present->'timeLock' is distinct from former->'timeLock';
end;
$$;

-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes; it may have waited for weeks until it left. A message in flight
-- keeps the echo until its own outcome tells whose it was (see resolve_pending_echo). Otherwise the echo
-- confirms the oldest unconfirmed message.
-- Media without a caption have no words: they match only a message in flight. A reaction matches one to the
-- same message by the same emoji, whichever way the emoji is colored.
-- Returns whether the echo is ours, as far as is known.
-- Plans must not depend on statistics: "offset 0" reads the unsent messages of this contact by
-- messages_history, where the instance and the state would suggest all that the instance has unsent.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.match_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
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
      -- A retried message still has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (
          (m.message is not null or m.message_type = 'reaction')
          and m.unconfirmed_at > clock - interval '15 minutes'
        )
      )
      -- Gateways trim whitespace. Options may stand around the words, as text or as buttons. What has no
      -- words of its own, such as a location, is told with some.
      and (
        btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
        or (
          m.content ? 'rendering'
          and strpos(words, btrim(regexp_replace(m.message, '\s+', ' ', 'g'))) > 0
        )
        or (m.message is null and m.message_type = event->>'messageType')
      )
      and (
        m.message_type <> 'reaction' or replace((m.content->'reaction')::text, e'\ufe0f', '')
          is not distinct from replace((event->'content'->'reaction')::text, e'\ufe0f', '')
      )
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
returns void language plpgsql set search_path = '' as $$
declare
  duplicate record;
  contact messaging.contacts;
  placeholder messaging.contacts;
begin
  for duplicate in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at,
      case when e.pricing->>'source' = 'channel' then e.pricing - 'market' end as pricing
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
        failed_at = null, pricing = null, estimated_cost = null, cost_currency = null,
        is_free_service = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
    else
      update messaging.messages e set deleted_at = clock_timestamp() where e.id = duplicate.echo_id;
      delete from messaging.messages e where e.id = duplicate.echo_id;
    end if;
    if duplicate.status in ('delivered', 'read') then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, duplicate.status, duplicate.arrived_at, null,
        duplicate.pricing
      );
    end if;
    if duplicate.status = 'failed' then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, 'failed', duplicate.failed_at, duplicate.last_error,
        null
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

-- What a contact's message decides about marketing: `denied` or `granted` where the whole message is one
-- of the instance's keywords, NULL for any other. A word within a sentence never counts.
create or replace function messaging.read_keyword(
  keywords text[], resume_keywords text[], message text
) returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  folded text;
begin
  -- Most messages end here. A keyword has at most 40 characters; the rest is for what does not count: marks
  -- that nobody sees, blanks and punctuation.
  if message is null or char_length(message) > 200 then
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

-- A text as keywords are compared: without regard to case and accents, without marks that nobody sees, and
-- without the blanks and the punctuation around it. A question mark stays: a question is no decision.
create or replace function messaging.fold_keyword(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  -- No ASCII text has marks or accents, and most keywords are such.
  if octet_length(given) > char_length(given) then
    given := regexp_replace(
      normalize(messaging.without_invisible(given), NFKD), '[\u0300-\u036f]', '', 'g'
    );
  end if;
  return regexp_replace(
    lower(given),
    '^[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+|[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+$', '', 'g'
  );
end;
$$;

-- The calls of record_provider_events (`calls`) that have one event that most webhooks have: an inbound
-- message, or a delivery event that neither fails a message nor repeats its words nor names a group's member.
-- Of several calls about one message, or of one that quotes it, only the first is given: the others must see
-- what it has done.
-- Executes no statement, whose start would cost more than the reading, except for a message that quotes
-- another one.
create or replace function messaging.read_plain_events(
  calls jsonb, out messages messaging.plain_event[], out statuses messaging.plain_event[]
) language plpgsql set search_path = '' as $$
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
            or (event->>'isEdit')::boolean or (event->>'mayRepeat')::boolean
          when 'status' then event->>'status' not in ('sent', 'delivered', 'read')
            or event->'sent' is not null or event->'member' is not null
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
      plain.pricing := event->'pricing';
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
    plain.profile_picture_url := event->>'profilePictureUrl';
    plain.message_type := event->>'messageType';
    plain.message := event->>'message';
    plain.content := nullif(event->'content', 'null');
    plain.is_group := coalesce((event->>'isGroup')::boolean, false);
    plain.chat_name := event->>'chatName';
    plain.may_ask_agent := not plain.is_group
      and (event->>'isReaction')::boolean is not true
      and (event->>'isUnreadable')::boolean is not true;
    plain.is_standby := coalesce((event->>'isStandby')::boolean, false);
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
-- about, NULL for all of the account: see concerns_other_instance), pairedPhone (the number that a gateway's
-- session is of, NULL for not told), at, isAnswer. The newest by the provider's own time wins: what is older
-- than what was told last changes nothing. `isAnswer`: the provider was asked just now. Its answer counts
-- whenever it comes, and leaves that time as it is, because it has none of the provider's own.
-- While the connection is lost, nothing that the dispatcher sends leaves; immediate sends are tried. When
-- it is back, the paced queue goes on at its pace, and what has become due beside it leaves ten seconds
-- apart.
-- Records instance.connected or instance.disconnected, and tells the workspace's alert address, at most
-- every ten minutes. A session of a wrong phone holds the instance: see hold_wrong_phone; the right one ends the
-- links to connect it: see end_used_links. Returns whether the state has changed. Locks pacing, then dispatch.
create or replace function messaging.record_connection_event(
  instance messaging.instances, event jsonb
) returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock);
  is_answer constant boolean := coalesce((event->>'isAnswer')::boolean, false);
  state constant text := event->>'state';
  former messaging.dispatch;
  is_expected boolean;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  perform from messaging.pacing p where p.instance_id = instance.id for no key update;
  select d.* into strict former
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  if not is_answer and told_at < former.connection_told_at then
    return false;
  end if;
  update messaging.dispatch d
  set connection = event->>'state',
    connection_told_at = case when is_answer then d.connection_told_at else told_at end,
    disconnected_until = case state
      when 'disconnected' then coalesce((event->>'until')::timestamptz, 'infinity')
      else '-infinity'
    end,
    disconnected_at = case
      when state = 'connected' then null
      when former.connection = 'disconnected' then d.disconnected_at
      else least(told_at, clock)
    end,
    connected_at = case
      when state = 'disconnected' then null
      when former.connection = 'connected' then d.connected_at
      else least(told_at, clock)
    end,
    paired_phone = coalesce(event->>'pairedPhone', d.paired_phone),
    disconnected_reason = case when state = 'disconnected' then event->>'reason' end,
    -- What was refused while the connection was lost says nothing about the one that is back.
    hold_until = case
      when state = 'connected' and former.connection = 'disconnected' then '-infinity'
      else d.hold_until
    end
  where d.instance_id = instance.id
  returning messaging.is_expected_phone(d.paired_phone, instance.connected_phone_key)
  into is_expected;
  if former.connection is not distinct from state then
    perform messaging.hold_wrong_phone(instance, clock);
    perform messaging.refresh_dispatch(array[instance.id]);
    if state = 'connected' then
      perform messaging.end_used_links(instance.id, is_expected, clock);
    end if;
    return false;
  end if;
  perform messaging.record_event(
    instance.id, null, 'instance.' || state,
    jsonb_build_object('reason', event->'reason') || case state
      when 'disconnected' then jsonb_build_object(
        'until', messaging.iso_in_zone((event->>'until')::timestamptz, 'UTC'),
        'heldBy', 'disconnected'
      ) || messaging.shown_hold(
        event->>'reason', null, (event->>'until')::timestamptz, instance.time_zone
      )
      else '{}'
    end
  );
  -- After instance.connected: instance.held says what that is worth.
  perform messaging.hold_wrong_phone(instance, clock);
  perform messaging.refresh_dispatch(array[instance.id]);
  if state = 'connected' then
    perform messaging.resume_unpaced_messages(instance.id, former.disconnected_until, clock);
    perform messaging.end_used_links(instance.id, is_expected, clock);
  elsif coalesce(former.told_disconnected_at < clock - interval '10 minutes', true) then
    perform messaging.tell_disconnection(instance, clock);
  end if;
  return true;
end;
$$;

-- Tells the workspace's alert address, where there is one, that an instance has lost its connection. The
-- caller holds the dispatch row.
create or replace function messaging.tell_disconnection(
  instance messaging.instances, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into messaging.outbox (workspace_id, kind, payload)
  select w.id, 'instance_disconnected_email', jsonb_build_object(
    'instanceId', instance.id,
    'instanceName', instance.name,
    'reason', h.reason,
    'waiting', (
      select count(*) from messaging.queue_of_instance(instance.id) as q
      where q.claim_token is null
    ),
    'alertEmail', w.alert_email
  ) || messaging.shown_hold(h.reason, h.code, h.ends_at, instance.time_zone)
  from messaging.workspaces w
  join messaging.dispatch d on d.instance_id = instance.id
  cross join lateral messaging.instance_holds(d) as h
  where w.id = instance.workspace_id and w.alert_email is not null and h.held_by = 'disconnected';
  if found then
    update messaging.dispatch d
    set told_disconnected_at = clock
    where d.instance_id = instance.id;
  end if;
end;
$$;

-- The phone of an instance is connected, so its links to connect it have done their work: those that a page has
-- opened end, and instance.connection_link_used tells each once. One that nobody has opened ends when it is.
-- `is_expected`: whether it is the instance's own phone, NULL for not known; a wrong one leaves the links as they are,
-- for the right one is still to come.
create or replace function messaging.end_used_links(
  instance_id uuid, is_expected boolean, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  link_id uuid;
begin
  if is_expected is false then
    return;
  end if;
  for link_id in
    update messaging.connection_links l
    set used_at = clock
    where l.instance_id = end_used_links.instance_id and l.expires_at > clock
      and l.used_at is null and l.revoked_at is null and l.looks_whole_at > '-infinity'
    returning l.id
  loop
    perform messaging.record_event(
      instance_id, null, 'instance.connection_link_used', jsonb_build_object('linkId', link_id)
    );
  end loop;
end;
$$;

-- Records that the official channel has handed a conversation over. `event`: address, otherAddresses, handledBy
-- (who holds it now), former (who did, NULL where it is not told), reason (passed, taken or message), summary
-- (NULL for none), at. Returns whether it was news. Errors: MI055, as resolve_sender.
create or replace function messaging.record_control_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact constant messaging.contacts := messaging.resolve_sender(instance_id, event);
  conversation constant messaging.conversations := messaging.resolve_conversation(
    instance_id, contact.id
  );
begin
  return messaging.change_control(
    conversation.id, event->>'handledBy', event->>'reason',
    -- The channel tells whole seconds: a message of the same one was before the handover that it led to.
    messaging.event_instant(event) + case
      when event->>'reason' = 'message' then interval '0' else interval '1 microsecond'
    end,
    event->>'former', event->>'summary'
  );
end;
$$;

-- Records inbound messages of known persons and their payloads: one statement for all of them. An inbound
-- message opens a closed conversation and requests the agent's answer. Groups and reactions do neither of
-- them anything, and a message that the channel does not show, or that another responder answers, requests
-- no answer; it says who holds the conversation, see change_control. A keyword of the instance
-- decides about marketing instead: see apply_keyword. Any other text that names an option of what was asked
-- last is stored as the choice of it: see offered_choices and typed_choice. What answers an open question ends it,
-- and asks no agent but the one that has asked: see match_question.
-- On the official channel what waits for the person's answer leaves, before the agent is asked: see
-- release_waiting_messages; a keyword that denies marketing ends it.
-- What waits with cancelOn: reply ends: see cancel_on_reply. No reaction and no call is a reply. What a lock on new
-- chats holds for a person who writes for the first time leaves: see release_known_contacts.
-- Where the instance has turns, each message but a reaction joins its contact's: see join_turn.
-- Where the instance tells its channel at once that what arrives is read, the dispatcher does it (outbox,
-- read_receipt).
-- Returns the places of the recorded events. Leaves the others untouched: those that new_messages leaves
-- out, of unknown persons, of addresses that belong to several contacts, and of contacts that another
-- transaction holds. An event with a contact_id is always recorded: see add_inbound_message.
-- The caller holds lock_plain_events. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.record_inbound_messages(events messaging.plain_event[])
returns integer[] language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  recorded integer[] := '{}';
  named uuid[] := '{}';
  stored record;
  stored_at timestamptz;
  chosen jsonb;
  holder text;
  controlled uuid[] := '{}';
  replied uuid[] := '{}';
  become_known uuid[] := '{}';
  asked messaging.matched_answer;
begin
  for stored in
    with known as (
      select e.*, gen_random_uuid() as stored_id, contact.id as sender_id, contact.is_nameless,
        contact.cancels_on_reply,
        contact.awaits_answer,
        contact.becomes_known,
        conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id, conversation.handled_by,
        instance.read_receipts = 'on_receive' and not e.is_group and not e.is_standby as marks_read,
        instance.has_window, instance.turns,
        case
          when offer.choices is not null then messaging.typed_choice(offer.choices, e.message)
        end as choice,
        case
          when e.may_ask_agent and messaging.may_hold_keyword(e.message_type)
          then messaging.read_keyword(instance.keywords, instance.resume_keywords, e.message)
        end as keyword_said
      from messaging.new_messages(events) as e
      cross join lateral (
        select i.opt_out_keywords as keywords, i.opt_out_resume_keywords as resume_keywords,
          i.read_receipts, i.provider_class = 'official' as has_window, i.turns
        from messaging.instances i
        where i.id = e.instance_id
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone, c.name is null as is_nameless, c.cancels_on_reply, c.awaits_answer,
          -- For one that this transaction has created nothing waits.
          c.last_inbound_at is null and c.created_at <> now() as becomes_known
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
        select v.id, v.status, v.agent_id, v.handled_by from messaging.conversations v
        where v.contact_id = contact.id
        limit 1
      ) as conversation
      left join lateral messaging.offered_choices(
        contact.id, e.occurred_at, e.quoted_provider_message_id
      ) as offer on e.message_type = 'text'
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
    contacts as (
      update messaging.contacts c
      set name = coalesce(c.name, told.name),
        is_profile_name = c.is_profile_name or c.name is null and told.name is not null,
        last_inbound_at = greatest(c.last_inbound_at, told.last_at),
        profile_picture_url = case
          when messaging.may_refresh_picture(c.profile_picture_at, clock)
            then coalesce(told.picture, c.profile_picture_url)
          else c.profile_picture_url
        end,
        profile_picture_at = case
          when told.picture <> coalesce(c.profile_picture_url, '')
            and messaging.may_refresh_picture(c.profile_picture_at, clock) then clock
          else c.profile_picture_at
        end
      from (
        select k.sender_id, max(k.occurred_at) as last_at, max(k.profile_picture_url) as picture,
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
          or told.picture <> coalesce(c.profile_picture_url, '')
            and messaging.may_refresh_picture(c.profile_picture_at, clock)
        )
    )
    select k.*, k.is_nameless and k.contact_name is not null as tells_name,
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
      k.may_ask_agent and not k.is_standby and k.keyword_said is null and (
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
    chosen := case when stored.keyword_said is null then stored.choice end;
    asked := null;
    if stored.awaits_answer and stored.may_ask_agent and stored.keyword_said is null then
      asked := messaging.match_question(
        stored.instance_id, stored.sender_id, stored.message_type, stored.message, stored.content,
        stored.media_id, stored.occurred_at, stored.quoted_provider_message_id
      );
      if asked.answer is not null and stored.message_type = 'text' then
        chosen := asked.answer->'choice';
      end if;
    end if;
    -- After the questions: who ends one may wait for the conversation.
    holder := stored.handled_by;
    if not stored.is_group and (
      coalesce(stored.is_standby, false) <> (holder <> 'us')
      -- An earlier message of this call may have changed it.
      or stored.conversation_id = any (controlled)
    ) then
      perform messaging.change_control(
        stored.conversation_id,
        case when stored.is_standby then 'other' else 'us' end,
        case when stored.is_standby then 'standby' else 'message' end,
        stored.occurred_at
      );
      controlled := controlled || stored.conversation_id;
      select v.handled_by into strict holder
      from messaging.conversations v where v.id = stored.conversation_id;
    end if;
    if stored.media_id is not null then
      perform messaging.add_channel_media(
        stored.media_id, stored.instance_id, stored.sender_id,
        case when chosen is not null then 'choice' else stored.message_type end, stored.file
      );
    end if;
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.sender_id, stored.addresses);
    end if;
    if stored.tells_name and stored.sender_id <> all (named) then
      named := named || stored.sender_id;
      perform messaging.record_contact_changes(
        stored.instance_id, stored.sender_id, jsonb '{"name": null}'
      );
    end if;
    -- Not the transaction's instant: messages keep their order by it.
    stored_at := clock_timestamp();
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
      quoted_message_id, media_id, quoted_provider_message_id, author, question_id, handled_by
    )
    values (
      stored.stored_id, stored.instance_id, stored.sender_id, stored.conversation_id, 'inbound',
      case when chosen is not null then 'choice' else stored.message_type end,
      stored.message,
      case
        when chosen is not null
        then coalesce(stored.content, '{}') || jsonb_build_object('choice', chosen)
        else stored.content
      end,
      false, 'received', stored.provider_message_id, stored.occurred_at, stored.is_group, stored.chat_name,
      stored_at, stored.quoted_message_id, stored.media_id, stored.quoted_provider_message_id,
      stored.author, case when asked.outcome = 'answered' then asked.question_id end,
      case when stored.is_standby then messaging.standby_holder(holder) end
    );
    if stored.cancels_on_reply and messaging.is_reply(stored.message_type) then
      replied := replied || stored.sender_id;
    end if;
    if stored.becomes_known then
      become_known := become_known || stored.sender_id;
    end if;
    if asked.question_id is not null then
      perform messaging.apply_answer(
        asked.question_id, asked.outcome, asked.answer, stored.stored_id,
        stored.quoted_provider_message_id, not coalesce(stored.is_standby, false)
      );
    end if;
    if stored.keyword_said = 'denied' and stored.awaits_answer then
      perform messaging.end_questions_of_contact(stored.sender_id, 'opted_out');
    end if;
    if stored.turns is not null and stored.message_type <> 'reaction' then
      perform messaging.join_turn(
        stored.turns, stored.instance_id, stored.sender_id, stored.conversation_id, stored.stored_id,
        stored_at
      );
    end if;
    if stored.is_closed then
      perform messaging.reopen_conversation(stored.conversation_id);
    end if;
    if stored.keyword_said is not null then
      perform messaging.apply_keyword(
        stored.instance_id, stored.sender_id, stored.conversation_id, stored.stored_id,
        stored.keyword_said, stored.occurred_at, coalesce(stored.is_standby, false)
      );
    end if;
    if stored.has_window then
      if stored.keyword_said = 'denied' then
        perform messaging.cancel_waiting_messages(stored.sender_id);
      else
        perform messaging.release_waiting_messages(stored.sender_id);
      end if;
    end if;
    if stored.marks_read then
      insert into messaging.outbox (workspace_id, kind, payload)
      select i.workspace_id, 'read_receipt',
        jsonb_build_object('instanceId', i.id, 'messageId', stored.stored_id)
      from messaging.instances i where i.id = stored.instance_id;
    end if;
    if stored.asks_agent and (asked.answer is null or asked.agent_id is not null) then
      perform messaging.await_transcript(stored.media_id, stored.conversation_id)
      from messaging.instances i
      where i.id = stored.instance_id and messaging.request_agent_reply(
        i, stored.sender_id, stored.conversation_id, stored.occurred_at
      );
    end if;
  end loop;
  -- Last: they lock pacing, which who waits for a contact may hold. Where the first one finds something, it locks
  -- all that the second one does.
  if become_known <> '{}' then
    perform messaging.release_known_contacts(become_known);
  end if;
  if replied <> '{}' then
    perform messaging.cancel_on_reply(replied);
  end if;
  return recorded;
end;
$$;

-- Records that the official channel has changed how much a number may send, or says that it will.
-- `event`: change, limit (NULL where it is not told), allowance (see keep_allowance; NULL for nothing told),
-- effectiveAt (of what is planned), phone (as the channel displays it), at. The newest by the provider's own
-- time wins, and what was told already is no event; nor are a limit and an allowance that are as they were.
-- News of a number that is another instance's are not this one's. Returns whether it was news. Locks pacing
-- where it tells of a lock, then dispatch.
create or replace function messaging.record_limit_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  told_at constant timestamptz := coalesce((event->>'at')::timestamptz, clock_timestamp());
  former messaging.dispatch;
  is_news boolean;
begin
  if messaging.concerns_other_instance(instance, event->>'phone') then
    return false;
  end if;
  if event->'allowance' ? 'timeLock' then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
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
  is_news := messaging.keep_allowance(instance, event->'allowance') or case
    when event->>'limit' is not null then event->>'limit' is distinct from former.channel_limit
    else event->'allowance' is null
  end;
  if is_news then
    perform messaging.tell_limit_change(instance, event->>'change', jsonb_build_object(
      'limit', event->'limit',
      'previousLimit', former.channel_limit,
      'effectiveAt', event->'effectiveAt'
    ));
  end if;
  if event->'allowance' ? 'timeLock' then
    perform messaging.refresh_dispatch(array[instance.id]);
  end if;
  return true;
end;
$$;

-- Records that a person has edited a message, the contact or somebody on the business's own phone:
-- replaces its words, those of a caption also by none. No agent is asked again; an agent that has yet to
-- answer reads the new words. Typed words that chose an option are a text from then on. The echo of an edit
-- that a call asked for is none of a person's (see is_echo_of_edit). Returns whether words changed.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_edit(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  words constant text := event->>'message';
  has_words constant boolean := words is not null
    or messaging.media_kind(event->>'messageType') in ('image', 'video', 'document');
  message messaging.messages;
  edited text;
  is_edited boolean := false;
begin
  if words is not null
    and messaging.is_echo_of_edit(instance_id, event->>'providerMessageId', words) then
    return false;
  end if;
  for message in
    select m.*
    from messaging.messages m
    where m.instance_id = record_message_edit.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      -- One that waits to be sent once more is not what the provider knows by this id.
      and m.status not in ('queued', 'sending') and has_words
    for no key update
  loop
    -- In a group the words stand after their author's name, which the edit does not contain.
    edited := case
      when message.is_group and message.direction = 'inbound' and event->>'kind' = 'message_edit'
        then coalesce(substring(message.message from '^[^:\n]{1,200}: '), '') || words
      else words
    end;
    continue when message.message is not distinct from edited;
    message.message := edited;
    message.edited_at := messaging.event_instant(event);
    if message.message_type = 'choice' then
      message.message_type := 'text';
      message.content := nullif(message.content - 'choice', '{}');
    end if;
    perform messaging.write_content(message);
    is_edited := true;
  end loop;
  return is_edited;
end;
$$;

-- Whether an edit that a provider tells is the echo of one that a call asked for, by its words. Takes note of
-- it: each edit has one echo, so the same words once more are a person's. The newest edit is proved by its
-- echo, whatever the provider's answer was; that of an earlier one changes nothing.
-- Locks the message. The caller holds lock_provider_messages for it.
create or replace function messaging.is_echo_of_edit(
  instance_id uuid, provider_message_id text, words text
) returns boolean language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  place integer;
begin
  select m.* into message
  from messaging.messages m
  where m.instance_id = is_echo_of_edit.instance_id
    and m.provider_message_id = is_echo_of_edit.provider_message_id
    and m.change is not null
  limit 1
  for no key update;
  select a.place - 1 into place
  from jsonb_array_elements_text(message.change->'awaited') with ordinality as a(digest, place)
  where a.digest = md5(words)
  order by a.place
  limit 1;
  if place is null then
    return false;
  end if;
  message.change := jsonb_set(message.change, '{awaited}', (message.change->'awaited') - place);
  if message.change->>'kind' = 'edit' and message.change->>'message' = words
    and message.change->>'status' <> 'done' then
    perform messaging.end_message_change(message, 'done', null);
  else
    perform messaging.write_content(message);
  end if;
  return true;
end;
$$;

-- Records what a person wrote where no shorter way does: a message that comes with others or has to wait
-- for its sender (see add_inbound_message), an edit, and what somebody wrote on the business's own phone.
-- Such an echo pauses the agent, as any operator's message does, but not in groups, nor a reaction, nor what
-- another program has sent through the same channel (isOfOtherApp).
-- An edit (isEdit) is of the message with its id: it replaces the words of a stored one, and is stored as a
-- message where there is none.
-- Returns false for a message that is stored already, unless the event edits its words, and for a vote that
-- another event has told (mayRepeat, see repeats_vote and complete_vote).
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_edit constant boolean := coalesce((event->>'isEdit')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  is_standby constant boolean := coalesce((event->>'isStandby')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
  vote messaging.messages;
  file constant jsonb := messaging.read_event_file(event);
  media_id constant uuid := messaging.event_media_id(file);
  sent_by constant text := case when (event->>'isOfOtherApp')::boolean then 'other_app' else 'phone' end;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    perform messaging.attach_embedded_file(instance.id, event);
    return is_edit and messaging.record_message_edit(instance.id, event);
  end if;
  if (event->>'mayRepeat')::boolean then
    vote := messaging.newest_vote(instance.id, event);
    if messaging.repeats_vote(vote, event, clock_timestamp()) then
      return false;
    elsif messaging.complete_vote(instance, vote, event) then
      return true;
    end if;
  end if;
  if event->>'origin' = 'inbound' then
    perform messaging.add_inbound_message(r.messages[1], event)
    from messaging.read_plain_events(jsonb_build_array(jsonb_build_object(
      'instanceId', instance.id, 'events', jsonb_build_array(event - '{isEdit,mayRepeat}'::text[])
    ))) as r;
    return true;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false) and not is_edit
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if is_standby and conversation.handled_by = 'us' and not is_group then
    perform messaging.change_control(conversation.id, 'other', 'standby', written_at);
  end if;
  if media_id is not null then
    perform messaging.add_channel_media(
      media_id, instance.id, contact.id, event->>'messageType', file
    );
  end if;
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, media_id, quoted_provider_message_id, author, handled_by
  )
  values (
    instance.id, contact.id, conversation.id, 'outbound', event->>'messageType', event->>'message',
    nullif(event->'content', 'null'), sent_by, true, 'sent', event->>'providerMessageId', written_at,
    is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    messaging.find_quoted_message(instance.id, event), media_id, event->>'quotedProviderMessageId',
    nullif(event->'author', 'null'),
    case when is_standby then messaging.standby_holder(conversation.handled_by) end
  )
  returning id into message_id;
  perform messaging.apply_unmatched_statuses(array[message_id]);
  if not is_group and (event->>'isReaction')::boolean is not true
    and (event->>'isOfOtherApp')::boolean is not true then
    perform messaging.pause_agent(instance.id, contact.id, written_at);
  end if;
  return true;
end;
$$;

-- Whether an inbound vote in a poll (`event`) says what the person's newest recorded vote in it says (see
-- newest_vote). Evolution tells a vote as a message and as an update of the poll, each with an id of its own:
-- it is one vote. Somebody who votes anew chooses something else. A message whose vote Evolution could not
-- decrypt (isUnreadable) says nothing beside an update of the last ten minutes.
create or replace function messaging.repeats_vote(
  vote messaging.messages, event jsonb, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  if vote.id is null then
    return false;
  elsif coalesce((event->>'isUnreadable')::boolean, false) then
    return vote.created_at > clock - interval '10 minutes';
  end if;
  return vote.content->'pollVote'->'options' = event->'content'->'pollVote'->'options';
end;
$$;

-- Writes what was chosen into a vote (see newest_vote) that Evolution could not decrypt, where an update of the poll
-- (`event`) tells it within ten minutes: it is one vote, told as edited, and asks the agent now. Returns
-- whether it is. A vote that was taken back has no options either, but its update has none then.
create or replace function messaging.complete_vote(
  instance messaging.instances, vote messaging.messages, event jsonb
) returns boolean language plpgsql set search_path = '' as $$
declare
  chosen constant jsonb := event->'content'->'pollVote'->'options';
begin
  if (
    vote.content->'pollVote'->'options' = '[]' and jsonb_array_length(chosen) > 0
    and vote.provider_message_id not like 'vote:%' and event->>'providerMessageId' like 'vote:%'
    and vote.created_at > clock_timestamp() - interval '10 minutes'
  ) is not true then
    return false;
  end if;
  select m.* into vote from messaging.messages m where m.id = vote.id for no key update;
  if not found then
    return false;
  end if;
  vote.message := event->>'message';
  vote.content := vote.content || (event->'content');
  perform messaging.write_content(vote);
  perform messaging.request_agent_reply(
    instance, vote.contact_id, vote.conversation_id, messaging.event_instant(event)
  )
  where not vote.is_group;
  return true;
end;
$$;

-- Gives a message that is stored already its file, where that is not there and now came with the event: the
-- delivery is made again where the storage had failed. The caller holds lock_provider_messages.
create or replace function messaging.attach_embedded_file(instance_id uuid, event jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  file constant jsonb := messaging.read_event_file(event);
  message messaging.messages;
  former_file uuid;
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
  former_file := message.media_id;
  message.media_id := messaging.event_media_id(file);
  perform messaging.write_content(message);
  perform messaging.forget_media(array[former_file]);
end;
$$;

-- The newest recorded vote of the last day of the person of an inbound vote in a poll (`event`), in the same
-- poll; NULL for none. The caller holds lock_addresses for the event's addresses, so that of two tellings the
-- later one sees the earlier.
create or replace function messaging.newest_vote(instance_id uuid, event jsonb)
returns messaging.messages language plpgsql stable set search_path = '' as $$
declare
  voter constant jsonb := coalesce(nullif(event->'author', 'null'), '{}');
  person_id uuid;
  vote messaging.messages;
begin
  person_id := (messaging.find_contact(instance_id, event->>'address')).id;
  select m.* into vote
  from (
    select v.* from messaging.messages v
    where v.contact_id = person_id
      and v.sent_at > messaging.event_instant(event) - interval '1 day'
    offset 0
  ) as m
  where m.message_type = 'poll_vote'
    and m.direction = 'inbound'
    and m.quoted_provider_message_id = event->>'quotedProviderMessageId'
    and (
      not coalesce((event->>'isGroup')::boolean, false)
      or m.author->>'phone' = voter->>'phone'
      or m.author->>'lid' = voter->>'lid'
      or m.author->>'userId' = voter->>'userId'
    )
  -- An update has no instant of its own, a message one of whole seconds.
  order by m.created_at desc
  limit 1;
  return vote;
end;
$$;

-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[] language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
  -- First of all: what is told again costs little, however often.
  if messages is not null and exists (
    select from unnest(messages) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id)
  ) then
    unchanged := messaging.keep_retold_messages(messages);
    messages := array(select e from unnest(messages) as e where e.place <> all (unchanged));
  end if;
  perform messaging.lock_plain_events(messages || statuses);
  if cardinality(messages) > 0 then
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

-- Stores the payloads of inbound messages that are stored already: a channel delivers until it is answered,
-- and delivers again what was recorded all the same. Returns their places. Leaves the others untouched, and
-- one that brings its file with it: see attach_embedded_file.
-- Holds the messages, so that an erasure, which deletes them before the payloads of their person, waits and
-- finds the payloads. Waits for nobody: one that is being deleted is left untouched.
create or replace function messaging.keep_retold_messages(events messaging.plain_event[])
returns integer[] language plpgsql set search_path = '' as $$
declare
  retold integer[];
begin
  retold := array(
    select e.place from unnest(events) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id) as stored(id)
    cross join lateral (
      select from messaging.messages m where m.id = stored.id for key share skip locked
    ) as held
    where e.file->'stored' is null
  );
  if cardinality(retold) > 0 then
    retold := array(
      select e.place from unnest(events) as e
      cross join lateral messaging.present_credentials(e.instance_id, e.sealed_provider_config)
      where e.place = any (retold)
    );
    insert into messaging.provider_events (instance_id, payload)
    select e.instance_id, e.payload from unnest(events) as e
    where e.place = any (retold) and e.payload is not null
    order by e.place;
  end if;
  return retold;
end;
$$;

-- Applies delivery events of messages that the provider has accepted, and stores their payloads, as
-- record_status_event does: one statement for all of them. One that is late or repeated may still tell how
-- the message is billed, which is no event. `changed` and `unchanged` are the places of
-- the recorded events. Leaves the others untouched: those of messages that are unknown, have not been
-- accepted or have failed, of messages that another transaction holds, of messages that are queued
-- once more, and those that correct how a message is billed that has its price (see take_back_usage).
-- The caller holds lock_plain_events.
create or replace function messaging.record_plain_statuses(
  events messaging.plain_event[], out changed integer[], out unchanged integer[]
) language plpgsql set search_path = '' as $$
begin
  with known as (
    select distinct on (message.id) e.place, e.instance_id, e.payload, e.status, e.occurred_at,
      message.id as message_id,
      case messaging.message_transition(message.status, e.status)
        when 'always' then true else false
      end as is_forward,
      e.pricing, instance.is_official, e.status <> 'sent' and message.delivered_at is null as is_first,
      e.pricing is not null and message.pricing->>'source' is distinct from 'channel' as tells_pricing
    from unnest(events) as e
    cross join lateral (
      select i.provider_class = 'official' as is_official from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    cross join lateral (
      select m.id, m.status, m.pricing, m.delivered_at
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
      and (
        e.pricing is null or message.pricing ? 'market' is not true
        or message.pricing->>'source' = 'channel'
      )
    order by message.id, e.place
  ),
  payloads as (
    insert into messaging.provider_events (instance_id, payload)
    select k.instance_id, k.payload from known k where k.payload is not null order by k.place
  ),
  messages as (
    update messaging.messages m
    set status = case when k.is_forward then k.status else m.status end,
      delivered_at = case
        when k.is_forward then coalesce(m.delivered_at, k.occurred_at) else m.delivered_at
      end,
      read_at = case when k.is_forward and k.status = 'read' then k.occurred_at else m.read_at end,
      pricing = messaging.known_pricing(
        m.pricing, k.pricing, k.status, k.is_official,
        messaging.sent_category(m.message_type, m.purpose, m.ladder)
      ) - case when k.is_first then 'market' else '' end,
      failed_at = null,
      canceled_at = null,
      unconfirmed_at = null,
      is_retryable = false,
      last_error = null
    -- Told in the order of the events.
    from (select * from known order by place) as k
    where m.id = any (array[k.message_id]) and (k.is_forward or k.tells_pricing)
  )
  select array_agg(k.place) filter (where k.is_forward or k.tells_pricing),
    array_agg(k.place) filter (where not k.is_forward and not k.tells_pricing)
  into changed, unchanged
  from known k;
end;
$$;

-- Records that a person has reacted to a message, the contact or somebody on the business's own phone, or has
-- taken the reaction back (`emoji` NULL). It is a message of its own in the history, told as message.reaction.
-- It opens no window and no closed conversation, is never a conversation's newest message, pauses no agent
-- and asks for no answer. Returns false for one that is stored already.
-- The caller holds lock_provider_messages for the reaction.
create or replace function messaging.record_reaction(instance messaging.instances, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  target_id constant uuid := messaging.find_quoted_message(instance.id, event);
  content constant jsonb := jsonb_build_object(
    'reaction', jsonb_build_object('messageId', target_id, 'emoji', event->'emoji')
  );
  contact messaging.contacts;
  conversation messaging.conversations;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return false;
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  -- One that a call sends, told before its provider's answer is recorded, or whose answer was lost.
  if not is_inbound and messaging.match_echo(
    instance.id, contact.id,
    event || jsonb_build_object('message', null, 'messageType', 'reaction', 'content', content)
  ) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content, sent_by,
    is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at,
    quoted_message_id, quoted_provider_message_id, author
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end, 'reaction', event->>'message',
    content || jsonb_strip_nulls(jsonb_build_object('groupId', event->'groupId')),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', messaging.event_instant(event),
    coalesce((event->>'isGroup')::boolean, false), event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp(),
    target_id, event->>'quotedProviderMessageId', nullif(event->'author', 'null')
  );
  return true;
end;
$$;

-- Finds the contact of a message event by any of its addresses, or creates it with origin `inbound`,
-- without a phone where the provider shows none. All addresses find the contact from now on. The first
-- one is where messages go, and becomes the phone of a contact without one.
-- Contacts without a phone that turn out to be this person are merged: see find_shown_contact.
-- Errors: MI055 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.resolve_sender(instance_id uuid, event jsonb)
returns messaging.contacts language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  address constant text := event->>'address';
  addresses constant text[] := array[address] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  );
  profile_name constant text := case
    when event->>'origin' = 'inbound' then event->>'contactName'
  end;
  is_new boolean := false;
begin
  -- The contact is locked before its addresses, whether it is known or new: two deliveries of one
  -- contact wait for each other here and nowhere else.
  contact := messaging.find_shown_contact(instance_id, addresses);
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
    perform messaging.record_new_contacts(
      array[contact.id],
      case
        when contact.phone is null or cardinality(addresses) > 1
        then messaging.told_identities(addresses)
      end
    );
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

-- Records instance.limit_changed with what the number may do now. `reason` is the channel's word, NULL where the
-- service has read it by itself; `change`: limit, previousLimit, effectiveAt, each NULL for none.
create or replace function messaging.tell_limit_change(
  instance messaging.instances, reason text, change jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  allowance constant jsonb := (
    select d.allowance from messaging.dispatch d where d.instance_id = instance.id
  );
begin
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', reason,
      'limit', change->'limit',
      'previousLimit', change->'previousLimit',
      'effectiveAt', change->'effectiveAt',
      'allowance', messaging.shown_allowance(
        allowance, instance.provider_class, clock_timestamp(), 'UTC'
      )
    )
  );
end;
$$;

-- The option of `choices` ({number, id, title, description} each) that a typed text names, without its number;
-- or NULL. It names one by its number (`2`, `2.`, `2)`, `*2*`, the number as emoji), by its title, or by both
-- (`2 - Ouro`), without regard to case, accents, and blanks around. Anything else names none, nor does what
-- fits two.
create or replace function messaging.typed_choice(choices jsonb, typed text)
returns jsonb language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  said text;
  parts text[];
  title text;
  option jsonb;
  found_option jsonb;
begin
  -- A title has at most 1,024 characters.
  if char_length(typed) > 1100 then
    return null;
  end if;
  said := messaging.fold_choice(typed);
  parts := regexp_match(said, '^([0-9]{1,2})(?:\s*[.):–—-]+\s*|\s+)(\S.*)$');
  for option in select * from jsonb_array_elements(choices)
  loop
    title := messaging.fold_choice(option->>'title');
    continue when not (
      said in (option->>'number', (option->>'number') || '.', (option->>'number') || ')')
      or said in (title, title || '.')
      or coalesce(parts[1] = option->>'number' and parts[2] = title, false)
    );
    if found_option is not null then
      return null;
    end if;
    found_option := option - 'number';
  end loop;
  return found_option;
end;
$$;

-- admin-api, connect: with which provider and credentials an instance's connection is asked for. `request`:
-- instanceId. Returns {provider, sealedProviderConfig, configureWebhooks, webhooksState}; the last is NULL while
-- nobody has asked where the provider sends events. Error: MI014.
create or replace function public.get_connection_target(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'configureWebhooks', instance.configure_webhooks,
    'webhooksState', (
      select d.webhooks_state from messaging.dispatch d where d.instance_id = instance.id
    )
  );
end;
$$;

-- admin-api, connect: what a gateway has just answered about an instance's session. `request`: instanceId,
-- sealedProviderConfig (the credentials that were asked with), state (connected, or another word for not),
-- phone (the session's number in digits, NULL for not told). A session that is there counts as told (see
-- record_connection_event); one that is not, only where it was there before: nothing is lost of an instance
-- that was never connected. Of the official channel only `allowance` is noted, what it said that the number may
-- do (see keep_allowance; NULL for nothing), because its events are about what the account may do. What other
-- credentials than the present ones have found counts nothing. Returns {since, isExpectedPhone}, each NULL
-- where it is not known; `since` is of the state. Error: MI014. Locks pacing, then dispatch.
create or replace function public.note_connection(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  is_connected constant boolean := request->>'state' = 'connected';
  dispatch messaging.dispatch;
begin
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  if instance.provider_class = 'gateway'
    and instance.sealed_provider_config = request->>'sealedProviderConfig'
    and (
      is_connected and (
        dispatch.connection is distinct from 'connected'
        or dispatch.paired_phone is distinct from coalesce(request->>'phone', dispatch.paired_phone)
      )
      or request->>'state' = 'disconnected' and dispatch.connection = 'connected'
    ) then
    perform messaging.record_connection_event(instance, jsonb_build_object(
      'state', request->'state',
      'reason', case when not is_connected then 'not_connected' end,
      'pairedPhone', request->'phone',
      'isAnswer', true
    ));
    select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  end if;
  if jsonb_typeof(request->'allowance') = 'object'
    and instance.sealed_provider_config = request->>'sealedProviderConfig' then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
    if messaging.keep_allowance(instance, request->'allowance') then
      perform messaging.tell_limit_change(
        instance, null, jsonb_build_object('previousLimit', dispatch.channel_limit)
      );
      perform messaging.refresh_dispatch(array[instance.id]);
    end if;
  end if;
  return jsonb_build_object(
    'since', messaging.iso_in_zone(
      case
        when is_connected then dispatch.connected_at
        when request->>'state' <> 'unknown' and dispatch.connection = 'disconnected'
          then dispatch.disconnected_at
      end,
      'UTC'
    ),
    'isExpectedPhone', messaging.is_expected_phone(request->>'phone', instance.connected_phone_key)
  );
end;
$$;

-- A gateway tells that a person types: the quiet time of its open turn begins anew, within what a turn may last, and
-- the agent's answer waits with it. Stores nothing else, and begins no turn. Where a transaction holds the
-- conversation nothing is to do: it records a message, which does the same.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against), addresses.
-- Returns {recorded}: 1 where a turn lasts longer, else 0; NULL where the credentials have been replaced.
-- Locks the conversation, the turn, the agent's outbox row, as join_turn.
create or replace function public.note_typing(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  instance record;
  turn messaging.conversation_turns;
begin
  select i.id, i.turns, i.sealed_provider_config into strict instance
  from messaging.instances i where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  elsif instance.turns is null then
    return jsonb_build_object('recorded', 0);
  end if;
  select t.* into turn
  from jsonb_array_elements_text(request->'addresses') as told(address)
  cross join lateral messaging.find_contact(instance.id, told.address) as person
  join messaging.conversation_turns t on t.contact_id = any (array[person.id])
  limit 1;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  perform from messaging.conversations c where c.id = turn.conversation_id
  for no key update skip locked;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  update messaging.conversation_turns t
  set due_at = least(t.ends_by, clock_timestamp() + make_interval(secs => t.quiet_seconds))
  where t.contact_id = turn.contact_id and t.due_at > clock_timestamp() and t.due_at < t.ends_by
  returning t.* into turn;
  if not found then
    return jsonb_build_object('recorded', 0);
  end if;
  perform messaging.postpone_agent_reply(turn.conversation_id, turn.due_at);
  return jsonb_build_object('recorded', 1);
end;
$$;

-- admin-api, connect: where a provider was just seen to send an instance's events. `request`: instanceId,
-- sealedProviderConfig (the credentials that were asked with), state (ours, elsewhere, unknown), url (without
-- secrets, NULL for none). What other credentials than the present ones have found counts nothing. Returns
-- {noted}. Locks dispatch.
create or replace function public.note_webhooks(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.dispatch d
  set webhooks_state = request->>'state', webhooks_url = request->>'url'
  from messaging.instances i
  where i.id = (request->>'instanceId')::uuid and d.instance_id = i.id
    and i.sealed_provider_config = request->>'sealedProviderConfig';
  return jsonb_build_object('noted', found);
end;
$$;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, reactions, echoes of
-- what was typed on the phone, imported messages, names, addresses, delivery events, template decisions, changed
-- numbers and keys, preferences, handovers, connections, limits, facts of the own number.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages), and denialHashes in a repeated call (see take_denial_hashes).
-- The same event twice, or at the same time in two calls, counts once. Events of messages of erased persons
-- count nothing, and are not stored; nor do those of the business's own number: see without_own_number.
-- Returns {recorded}: how many events changed something; NULL, with nothing stored, where the credentials
-- have been replaced.
-- Most webhooks have one plain event, which a shorter path records: see record_plain_events.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
-- Plans are made once: for each message anew they would take longer than the message.
create or replace function public.record_provider_events(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
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
    event := messaging.without_own_number(instance, event);
    continue when event is null;
    recorded := recorded + case
      when case event->>'kind'
        when 'message' then messaging.record_message_event(instance, event)
        when 'reaction' then messaging.record_reaction(instance, event)
        when 'imported_message' then messaging.import_message(instance, event)
        when 'history_progress' then messaging.record_history_progress(instance.id, event)
        when 'contact_name' then messaging.record_contact_name(instance.id, event)
        when 'addresses' then messaging.record_addresses(instance.id, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'message_deletion' then messaging.record_message_deletion(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'template_warning' then messaging.record_template_warning(instance.id, event)
        when 'number' then messaging.record_number_event(instance, event)
        when 'identity' then messaging.record_identity_event(instance.id, event)
        when 'preference' then messaging.record_preference_event(instance.id, event)
        when 'connection' then messaging.record_connection_event(instance, event)
        when 'control' then messaging.record_control_event(instance.id, event)
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

-- Records that a person has deleted a message for everyone: the contact, or somebody on the business's
-- own phone. Tells it once; the message keeps its words and its status. A deletion of an unknown message
-- changes nothing, also where the message arrives later. Returns whether it was news.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_deletion(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
begin
  for message in
    select m.*
    from messaging.messages m
    where m.instance_id = record_message_deletion.instance_id
      and m.provider_message_id = event->>'providerMessageId'
      and m.deleted_at is null
      -- One that waits to be sent once more is not what the provider knows by this id.
      and m.status not in ('queued', 'sending')
    for no key update
  loop
    message.deleted_at := clock_timestamp();
    perform messaging.write_content(message);
  end loop;
  return found;
end;
$$;

-- An event of a channel without the business's own number among a person's addresses: gateways tell it beside
-- a contact's, and it is never a contact's. NULL for an event that concerns the own number as if it were a
-- person: a note to self, its profile, its entry in the address book, its change.
create or replace function messaging.without_own_number(instance messaging.instances, event jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
declare
  own_key constant text := instance.connected_phone_key;
  others constant jsonb := event->'otherAddresses';
begin
  if messaging.phone_identity_key(event->>'address') = own_key
    or messaging.phone_identity_key(event->>'oldAddress') = own_key
    or messaging.phone_identity_key(event->>'newAddress') = own_key then
    return null;
  end if;
  if coalesce(jsonb_array_length(others), 0) = 0 then
    return event;
  end if;
  return event || jsonb_build_object('otherAddresses', (
    select coalesce(jsonb_agg(o.address order by o.place), '[]')
    from jsonb_array_elements_text(others) with ordinality as o(address, place)
    where messaging.phone_identity_key(o.address) <> own_key
  ));
end;
$$;

-- Whether a message, by its content, has options to choose from: a list, buttons, or a template whose quick replies
-- went as numbers. Links, requests for a place and what is about a payment go as text too, and have none.
create or replace function messaging.has_options(content jsonb)
returns boolean language sql immutable
return content ?| array['choices', 'optionList', 'buttons'];

-- What a text of a contact, written at `written_at`, may choose: the numbered options of the newest message
-- with options that was sent to it, where that went as text and is less than 24 hours old. No row for none.
-- A text that quotes a message (`quoted_id`, the provider's) answers that one alone. A message in flight
-- counts: its answer may come before its outcome is recorded. So does an unconfirmed one, until another is
-- sent after it. The instants of the two sides come from two clocks, and an outcome may be recorded late:
-- hence the minute.
create or replace function messaging.offered_choices(
  contact_id uuid, written_at timestamptz, quoted_id text
) returns table (choices jsonb) language sql stable
begin atomic
  select newest.content -> 'choices'
  from
    (
      select
        m.content,
        m.deleted_at,
        m.provider_message_id,
        coalesce(m.sent_at, m.unconfirmed_at, written_at) as asked_at
      from messaging.messages as m
      where
        m.contact_id = offered_choices.contact_id
        and m.content ? 'rendering'
        and m.direction = 'outbound'
        and (
          m.status in ('sent', 'delivered', 'read', 'sending')
          or m.status = 'unconfirmed'
          and m.unconfirmed_at > written_at - interval '24 hours'
          and not exists (
            select
            from messaging.messages as later
            where
              later.contact_id = offered_choices.contact_id
              and later.content ? 'rendering'
              and later.direction = 'outbound'
              and messaging.has_options(later.content)
              and later.sent_at > m.unconfirmed_at
              and later.sent_at < written_at + interval '1 minute'
          )
          or m.status = 'queued'
          and (
            select q.claim_token is not null
            from messaging.message_queue as q
            where q.message_id = m.id
          )
        )
        and messaging.has_options(m.content)
        and (m.sent_at is null or m.sent_at < written_at + interval '1 minute')
      order by m.sent_at desc, m.created_at desc
      limit 1
    ) as newest
  where
    newest.deleted_at is null
    and newest.asked_at > written_at - interval '24 hours'
    and newest.content ? 'choices'
    and (quoted_id is null or newest.provider_message_id = quoted_id);
end;

-- One row, the identity key of the own number, where a delivery was checked against the credentials that its
-- instance has now.
create or replace function messaging.present_credentials(
  instance_id uuid, sealed_provider_config text
) returns setof text language sql stable
begin atomic
  select i.connected_phone_key
  from messaging.instances as i
  where
    i.id = present_credentials.instance_id
    and (i.sealed_provider_config != present_credentials.sealed_provider_config) is not true
  limit 1;
end;

-- The id of the message with this provider's id; no row where none is stored.
-- Returns rows, for a function that reads a table is inlined only in FROM.
create or replace function messaging.stored_message(instance_id uuid, provider_message_id text)
returns setof uuid language sql stable
begin atomic
  select m.id
  from messaging.messages as m
  where
    m.instance_id = stored_message.instance_id
    and m.provider_message_id = stored_message.provider_message_id
  limit 1;
end;

-- Those of the inbound messages that are to be recorded: their credentials have not been replaced, they name
-- the business's own number nowhere (see without_own_number), and they are neither stored already nor erased.
-- The look-up is no EXISTS: its plan may read all rows of the instance.
create or replace function messaging.new_messages(events messaging.plain_event[])
returns setof messaging.plain_event language sql stable
begin atomic
  select e.*
  from unnest(events) as e
  where
    (
      select true
      from messaging.present_credentials(e.instance_id, e.sealed_provider_config) as own (phone_key)
      where own.phone_key != all (e.identity_keys)
    )
    and (
      select true
      from messaging.stored_message(e.instance_id, e.provider_message_id)
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

-- A text without the marks that nobody sees: Unicode's default ignorables, as copied numbers, keyboards and
-- spreadsheets put them around words. shared/model/visible_text.ts takes out the same; a test compares both.
create or replace function messaging.without_invisible(given text)
returns text language sql immutable strict parallel safe
return regexp_replace(
  given,
  '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164' 
 '\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
  '',
  'g'
);

-- The newest messages that were really sent to or received from a contact in a span of time (the end
-- is not included), oldest first: what messages-context shows and what an agent is given.
-- `wanted_direction`: inbound, outbound, or NULL for both.
-- Returns {messages, hasMore}: hasMore says whether older ones of the span were left out. Instants
-- are Unix milliseconds.
-- A page is at most 1 MiB in the answer, with the sender's name beside each message and 4 KiB for
-- what stands around them; beyond it the older ones are left out. Sizes are first summed as stored,
-- which reads no text, so that never much more than a page is put together; then as messages-context
-- shows them with `format=raw`, where a member that `content` lacks is shown as null.
-- Most providers tell whole seconds, so a reply can seem older than the message that it answers:
-- within one second messages stand in the order in which they came here, or could leave at the
-- earliest; those that were reported more exactly in their own. So the page is found by the index, but
-- cut within its oldest second by that order.
-- Whole sorts are off: the planner takes a contact for one with few messages and would read all that
-- it has in the span, where index order and an incremental sort stop at the page.
-- Without jit: see rescue_stalled_instances.
-- Over 80 lines: one statement, so that the rows that are measured are those that are shown.
create or replace function messaging.history_page(
  instance_id uuid, contact_id uuid, starts_at timestamptz, ends_at timestamptz,
  wanted_direction text, page_size integer
) returns jsonb language plpgsql stable set search_path = '' set enable_sort = off set jit = off
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
  -- A row of format=raw has over 500 bytes that an item of a conversation lacks.
  select greatest(
    coalesce(octet_length(to_jsonb(c.name)::text), 0) + octet_length(to_jsonb(i.name)::text) - 400, 0
  )
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
        'handledBy', coalesce(n.handled_by, 'us'),
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
      ) || messaging.shown_price(
        n.id, n.delivered_at, n.pricing, n.estimated_cost, n.cost_currency
      ) || case
        when n.group_receipts is null then '{}'
        else jsonb_build_object('groupReceipts', n.group_receipts)
      end || case
        when n.question_id is null then '{}'
        else messaging.shown_question(n.question_id, n.direction)
      end || case
        when n.message_type <> 'reaction' then '{}'
        else jsonb_build_object('reactedTo', (
          select coalesce(nullif(left(q.message, 200), ''), '[' || q.message_type || ']')
          from messaging.messages q where q.id = n.quoted_message_id
        ))
      end as item
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

-- How often the work of an outbox row is tried: 12 times (about 10 hours), 5 for an agent's reply
-- (minutes: later it would answer out of the blue), 5 for a received file (an hour) and 3 for a transcript,
-- which is worth little later; 8 for the end of a question, as for a webhook endpoint.
create or replace function messaging.outbox_attempts(kind text)
returns integer language sql immutable parallel safe set search_path = '' as $$
  select case kind
    when 'agent_reply' then 5
    when 'media_fetch' then 5
    when 'media_transcription' then 3
    when 'question_notification' then 8
    else 12
  end;
$$;

-- Claims outbox rows that are due; settling a row requires its claim. A row of a worker that died is due
-- again when its lease ends, and `dead` after its last attempt: work that kills its worker must not
-- come back for ever.
-- A row of an instance that an operator holds is due when the hold ends, unless it is about files: those
-- are fetched and deleted all the same, because providers do not keep them, or tells of the hold itself. Its
-- dispatch row is locked for that, without waiting: see postpone_held_messages.
-- Instances take turns: one row of each before a second one of any, so that what waits of one delays no
-- other's. `request`: kinds, maxRows, leaseSeconds, crowdingInstances: the ids of instances that have as many
-- calls under way as one may have: their rows wait; NULL for none.
-- Returns {rows: [{outboxId, claimToken, kind, payload, lastError}]}.
-- Joins by `= any (array[...])` and the settings below: see claim_due_messages. In plpgsql, which keeps its
-- plan: making it anew for each call took most of the call's time.
-- Over 80 lines: one statement, so that what is claimed, postponed and given up is decided on the same locked
-- rows.
create or replace function public.claim_outbox(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
declare
  claimed_rows jsonb;
  unanswered uuid[];
begin
  -- The clock is a value: a volatile function would make the plan read the index to its end.
  with recursive waiting as (
    -- The instances with work of a kind. Each step reads one entry of the index.
    select wanted.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = wanted.kind and o.settled_at is null
      order by messaging.outbox_owner(o.payload)
      limit 1
    ) as owner
    from jsonb_array_elements_text(request->'kinds') as wanted(kind)
    union all
    select w.kind, (
      select messaging.outbox_owner(o.payload)
      from messaging.outbox o
      where o.kind = w.kind and o.settled_at is null
        and messaging.outbox_owner(o.payload) > w.owner
      order by messaging.outbox_owner(o.payload)
      limit 1
    )
    from waiting w
    where w.owner is not null
  ),
  -- Twice as many as wanted, for some of them may be another worker's at this moment.
  turns as (
    select o.id, o.turn, o.run_at
    from waiting w
    cross join lateral (
      select r.id, r.run_at, row_number() over (order by r.run_at) as turn
      from messaging.outbox r
      where r.kind = w.kind and messaging.outbox_owner(r.payload) = w.owner
        and r.settled_at is null and r.run_at <= (select clock_timestamp())
      order by r.run_at
      limit 2 * (request->>'maxRows')::integer
    ) as o
    where not coalesce(request->'crowdingInstances' ? w.owner, false)
    order by o.turn, o.run_at
    limit 2 * (request->>'maxRows')::integer
  ),
  due as (
    select o.id, o.kind, (o.payload->>'instanceId')::uuid as instance_id,
      o.claim_token is not null and o.attempts >= messaging.outbox_attempts(o.kind) as is_over
    from turns
    join messaging.outbox o on o.id = any (array[turns.id])
    -- Asked again under the lock.
    where o.settled_at is null and o.run_at <= (select clock_timestamp())
    order by turns.turn, turns.run_at
    limit (request->>'maxRows')::integer
    for no key update of o skip locked
  ),
  checked as (
    select due.id, due.instance_id, due.is_over, due.kind not like 'media_%'
      and due.kind <> 'instance_held_email' and exists (
      select from messaging.dispatch_of(due.instance_id) as d
      where d.operator_hold_until > (select clock_timestamp())
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
    returning o.kind, o.payload, o.conversation_id
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
    returning o.id, o.claim_token, o.kind, o.payload, o.last_error
  )
  select jsonb_build_object('rows', coalesce(
    jsonb_agg(jsonb_build_object(
      'outboxId', c.id,
      'claimToken', c.claim_token,
      'kind', c.kind,
      'payload', c.payload,
      'lastError', c.last_error
    )),
    '[]'
  )), (
    select array_agg(g.conversation_id) from given_up g where g.kind = 'agent_reply'
  )
  into claimed_rows, unanswered
  from claimed c;
  if unanswered is not null then
    perform messaging.record_needed_persons(unanswered, 'worker_lost');
  end if;
  return claimed_rows;
end;
$$;

-- admin-api: what was promised to be done after a request, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, status or NULL for any, limit,
-- `after` as returned in `next`. Returns {items, next}. Error: MI013.
create or replace function public.list_outbox(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_outbox_row(r))
    from messaging.outbox r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'status' is null or r.status = request->>'status')
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles. An agent's answer that is `dead` is recorded as agent.needs_person, with the error as its reason.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  settled_status text;
  unanswered uuid;
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
  returning o.status, case when o.kind = 'agent_reply' then o.conversation_id end
  into settled_status, unanswered;
  if settled_status = 'dead' and unanswered is not null then
    perform messaging.record_needed_persons(array[unanswered], coalesce(request->>'error', 'unknown'));
  end if;
  return jsonb_build_object('status', settled_status);
end;
$$;

-- How long an outbox row waits after this many attempts: 5 seconds, tripled each time, at most two hours.
-- A file's five attempts spread over an hour; the end of a question is told on the schedule of webhook endpoints.
create or replace function messaging.outbox_delay(kind text, attempts integer)
returns interval language sql volatile set search_path = '' as $$
  select case
    when kind = 'media_fetch'
      then make_interval(secs => (array[15, 120, 600, 2700])[least(greatest(attempts, 1), 4)])
    when kind = 'question_notification' then messaging.delivery_pause(least(attempts, 7), null)
    else least(interval '5 seconds' * power(3, attempts - 1), interval '2 hours')
  end;
$$;

-- The kinds of the outbox, each of which has series of its own in the metrics: those of outbox_kind_known.
create or replace function messaging.outbox_kinds()
returns text[] language sql immutable
return array[
  'assignment_email',
  'endpoint_disabled_email',
  'instance_disconnected_email',
  'instance_held_email',
  'batch_paused_email',
  'budget_email',
  'agent_reply',
  'media_fetch',
  'media_delete',
  'media_transcription',
  'read_receipt',
  'question_notification'
];

-- Lets a message of this instance have an uploaded or a received file: it must be there (see lock_media_to_send), and
-- stays from now on for as long as its message. Errors: MI051 to MI054.
create or replace function messaging.take_media(instance_id uuid, media_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.lock_media_to_send(take_media.instance_id, take_media.media_id);
  update messaging.media m set expires_at = null
  where m.id = take_media.media_id and m.expires_at is not null;
end;
$$;

-- Holds an uploaded or a received file of this instance to the end of the transaction, so that it cannot expire
-- meanwhile: it must be there.
-- Errors: MI051 (none of the instance's), MI052 (still being fetched), MI053 (could not be fetched),
-- MI054 (gone).
create or replace function messaging.lock_media_to_send(instance_id uuid, media_id uuid)
returns void language plpgsql set search_path = '' as $$
declare
  media messaging.media;
begin
  select m.* into media
  from messaging.media m
  where m.id = lock_media_to_send.media_id and m.instance_id = lock_media_to_send.instance_id
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
end;
$$;

-- The files that only these messages name, and no batch and no message
-- with a ladder that may still send them. For forget_media, before the messages are deleted.
create or replace function messaging.media_of_messages(message_ids uuid[])
returns uuid[] language plpgsql stable set search_path = '' set enable_seqscan = off as $$
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
      and not messaging.is_held_file(own.media_id)
  );
end;
$$;

-- Whether a batch that may still send it names this file: as its message's, or in a recipient's header or ladder.
create or replace function messaging.is_file_of_batch(instance_id uuid, media_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from messaging.batches b
    where b.instance_id = is_file_of_batch.instance_id
      and b.status in ('draft', 'running', 'paused')
      and (
        is_file_of_batch.media_id = any (b.file_ids)
        -- A batch from before it kept file_ids.
        or b.source->'message'->>'mediaId' = is_file_of_batch.media_id::text
      )
  );
end;
$$;

-- Whether a message that waits may still send this file, by a template of its ladder: see hold_ladder_files.
create or replace function messaging.is_held_file(media_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from messaging.media m
    where m.id = is_held_file.media_id and m.held_until > clock_timestamp()
  );
end;
$$;

-- Lets the agent answer that waits for a file's words, at the end of the contact's turn where there is one: nothing
-- more will come of the file. See await_transcript.
create or replace function messaging.release_agent_reply(media_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.outbox o
  set run_at = greatest(clock_timestamp(), (
    select max(t.due_at) from messaging.conversation_turns t
    where t.contact_id = any (array(
      select m.contact_id from messaging.messages m
      where m.media_id = release_agent_reply.media_id
    ))
  ))
  where o.conversation_id = any (array(
      select m.conversation_id from messaging.messages m
      where m.media_id = release_agent_reply.media_id
    ))
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
    and o.run_at > clock_timestamp();
end;
$$;

-- Claims received files that are due to be fetched, with what a worker needs for it. What there is nothing
-- to fetch for (any more) is settled. A file that a person has sent round again is `pending` again.
-- `crowding_instances`: see claim_outbox.
-- Returns an array of {outboxId, claimToken, file}.
create or replace function messaging.take_media_fetches(
  max_rows integer, lease_seconds integer, crowding_instances jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  claimed constant jsonb := public.claim_outbox(
    jsonb_build_object(
      'kinds', jsonb '["media_fetch"]', 'maxRows', max_rows, 'leaseSeconds', lease_seconds,
      'crowdingInstances', crowding_instances
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

-- Whether an agent is about to answer in a conversation: its answer waits or is being made, and neither a
-- pause nor a block nor a switch keeps it from being sent, as read_agent_turn decides.
create or replace function messaging.expects_agent_reply(conversation_id uuid)
returns boolean language sql stable set search_path = '' as $$
  select exists (
    select from messaging.conversations c
    join messaging.contacts p on p.id = c.contact_id
    join messaging.ai_agents a on a.id = messaging.conversation_agent(c) and a.is_active
    where c.id = expects_agent_reply.conversation_id
      and exists (
        select from messaging.outbox o
        where o.conversation_id = any (array[c.id]) and o.kind = 'agent_reply' and o.status = 'pending'
      )
      and not messaging.keeps_agent_silent(p, clock_timestamp())
  );
$$;

-- Claims received files that are due to be fetched: claim_outbox and begin_media_fetch in one call.
-- `request`: maxRows, leaseSeconds, crowdingInstances (see claim_outbox). Returns {files: [{outboxId,
-- claimToken, file}]}.
create or replace function public.claim_media_fetches(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  return jsonb_build_object('files', messaging.take_media_fetches(
    (request->>'maxRows')::integer, (request->>'leaseSeconds')::integer, request->'crowdingInstances'
  ));
end;
$$;

-- A file of a message or an upload. `request`: mediaId; instanceId, where the caller may read one
-- instance's files alone: a signed link names none.
-- Returns describe_media's object. Errors: MI051.
create or replace function public.get_media(request jsonb)
returns jsonb language sql set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_media(r) from messaging.media r
    where r.id = (request->>'mediaId')::uuid
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
  ), 'MI051', 'media_not_found');
$$;

-- media-api: the first answer to an upload with this `Idempotency-Key`, before anything is fetched: see
-- recall_call.
create or replace function public.recall_upload(request jsonb)
returns jsonb language sql set search_path = '' as $$
  select public.recall_call(request);
$$;

-- Records how the fetching of a file ended, with its outbox row. `request`: outboxId, claimToken, mediaId,
-- outcome (stored | failed | expired | retry), error {code, message}, retryAfterMs; of a stored one
-- mimeType, size, sha256, and asksTranscript, whether its words are to be written down.
-- `isOutage`: the storage failed, not the file. Such an attempt does not count on the file's first day.
-- After its last attempt a file is `failed`. Only the holder of the claim settles.
-- `nextLeaseSeconds`: claims the next file for so long, in the same transaction; absent for none. With
-- crowdingInstances (see claim_outbox).
-- Returns {status, isForgotten, next}: the file's status now, NULL where the claim was lost; isForgotten
-- says that a stored file is wanted no more, and is to be deleted; next is the file that was claimed
-- (see take_media_fetches), NULL for none.
create or replace function public.settle_media_fetch(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  settled constant jsonb := messaging.record_media_fetch(request);
  lease_seconds constant integer := (request->>'nextLeaseSeconds')::integer;
begin
  return settled || jsonb_build_object('next', case
    when lease_seconds is not null then messaging.take_media_fetches(
      1, lease_seconds, request->'crowdingInstances'
    )->0
  end);
end;
$$;

-- The first steps of an erasure: what waits to be sent, then as much as a call should do. The rest is
-- run_erasures'. Returns the erasure after them, stored. The caller holds the erasure, the person's addresses
-- and the contact.
create or replace function messaging.begin_erasing(
  erasure messaging.erasures, contact messaging.contacts, max_rows integer
) returns messaging.erasures language plpgsql set search_path = '' as $$
begin
  perform from messaging.conversations c where c.contact_id = contact.id for update;
  perform messaging.end_questions_of_contact(contact.id, 'erased');
  erasure := messaging.add_erased(erasure, messaging.erase_messages(contact, max_rows, true));
  for step in 1..8 loop
    erasure := messaging.continue_erasure(erasure, max_rows);
    exit when erasure.status = 'done' or nullif(erasure.work->'after', 'null') is not null
      or step = 1 and erasure.work->>'part' = 'rows';
  end loop;
  if erasure.work->>'part' = 'rows' then
    perform messaging.bury_contacts(contact.instance_id, array[contact.id]);
  end if;
  return erasure;
end;
$$;

-- Makes tombstones of an erased person's contacts: calls that name them are answered contact_erased, and
-- readers of changes see it.
create or replace function messaging.bury_contacts(instance_id uuid, contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  changed_at constant timestamptz := messaging.change_instant(instance_id);
begin
  delete from messaging.idle_watches w where w.contact_id = any (contact_ids);
  delete from messaging.conversation_turns t where t.contact_id = any (contact_ids);
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
-- The caller holds it locked. Plans must not depend on statistics: the settings hold for all its parts.
-- `work` is {part, after, contactIds, marks}: which part comes next and where it goes on, and the texts by
-- which payloads name the person. The parts after the first look through what does not name contacts.
create or replace function messaging.continue_erasure(erasure messaging.erasures, max_rows integer)
returns messaging.erasures language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
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
      then messaging.sweep_provider_events(erasure.instance_id, marks, pattern, after, max_rows)
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

-- The files that belong to one contact alone: those that came from it, and those that were sent to it and
-- to nobody else, by no batch and no message with a ladder
-- that may still send them. For forget_media, before the contact's messages are deleted.
create or replace function messaging.media_of_contact(contact_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
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
      and not messaging.is_held_file(own.media_id)
  );
end;
$$;

-- Part of an erasure: deletes the words of a person by identities that no contact of the workspace has any more.
-- Those that a contact of another instance has stay with that contact. See person_words.
create or replace function messaging.erase_words(instance_id uuid, identity_keys text[])
returns void language plpgsql set search_path = '' as $$
declare
  of_workspace constant uuid := (
    select i.workspace_id from messaging.instances i where i.id = erase_words.instance_id
  );
begin
  delete from messaging.person_words w
  where w.workspace_id = of_workspace
    and w.identity_key = any (array(
      select known.identity_key from unnest(identity_keys) as known(identity_key)
      where not exists (
        select
        from messaging.instances i
        cross join lateral messaging.address_owners(i.id, array[known.identity_key]) as o
        where i.workspace_id = of_workspace
      )
    ));
end;
$$;

-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
  of_instance uuid, marks text[], pattern text, after jsonb, max_rows integer
) returns jsonb language sql set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
  with seen as materialized (
    select p.id, p.received_at,
      case
        -- A search for literal texts costs a twentieth of the expression.
        when p.payload like any (array(select '%' || m.mark || '%' from unnest(marks) as m(mark)))
          and p.payload ~ pattern
          then p.payload
      end as hit
    from messaging.provider_events p
    where p.instance_id = of_instance
      and (p.received_at, p.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'), coalesce((after->>'id')::bigint, 0)
      )
    order by p.instance_id, p.received_at, p.id
    limit max_rows
  ),
  redacted as materialized (
    select s.id, messaging.redact_payload(s.hit, pattern) as rest from seen s where s.hit is not null
  ),
  gone as (
    delete from messaging.provider_events p
    where p.id = any (array(select r.id from redacted r where r.rest is null))
  ),
  kept as (
    update messaging.provider_events p set payload = r.rest
    from redacted r
    where p.id = any (array[r.id]) and r.rest is not null
  )
  select messaging.swept(
    'providerPayloads', (select count(*) from redacted),
    (select jsonb_build_object('at', s.received_at, 'id', s.id) from seen s offset max_rows - 1)
  );
$$;

-- Part of an erasure: keeps the hashes of a person who denies marketing, and deletes those of one who no longer
-- does. `hashes` {identity: [the hash at the contact's instance, those at the others of people_instances that
-- keep denials]}; a text in place of a list of one. The caller has asked lacking_hashes.
-- Another instance's hashes go only where the person has said something since.
create or replace function messaging.keep_denial(contact messaging.contacts, hashes jsonb)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  if messaging.contact_consent(contact, 'marketing') = 'denied' then
    insert into messaging.kept_denials (instance_id, identity_hash)
    select contact.instance_id, coalesce(hashes->known.identity->>0, hashes->>known.identity)
    from jsonb_object_keys(hashes) as known(identity)
    order by 2
    on conflict do nothing;
    return;
  end if;
  delete from messaging.kept_denials d
  where d.instance_id = any (messaging.people_instances(contact.instance_id))
    and d.identity_hash = any (array(
      select hash.value
      from jsonb_each(hashes) as known
      cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(known.value)
          when 'array' then known.value
          else jsonb_build_array(known.value)
        end
      ) as hash
    ))
    and (d.instance_id = contact.instance_id or d.kept_at <= contact.consent_at);
end;
$$;

-- What keep_denial lacks of `hashes`: {instanceId, identities, instanceIds}, the contact's instance first; NULL
-- where it has all, or needs none. It needs them of a person who denies marketing, so that they are kept,
-- and where hashes are kept, because those of a person who no longer denies must go.
create or replace function messaging.lacking_hashes(contact messaging.contacts, hashes jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  keeping constant uuid[] := messaging.keeping_instances(
    array_remove(messaging.people_instances(contact.instance_id), contact.instance_id)
  );
  identities text[];
begin
  if messaging.contact_consent(contact, 'marketing') <> 'denied' and cardinality(keeping) = 0
    and cardinality(messaging.keeping_instances(array[contact.instance_id])) = 0 then
    return null;
  end if;
  identities := messaging.denial_identities(messaging.person_addresses(contact));
  if hashes ?& identities and not exists (
    select from unnest(identities) as known(identity)
    where jsonb_typeof(hashes->known.identity) = 'array'
      and jsonb_array_length(hashes->known.identity) < 1 + cardinality(keeping)
  ) then
    return null;
  end if;
  return jsonb_build_object(
    'instanceId', contact.instance_id,
    'identities', to_jsonb(identities),
    'instanceIds', to_jsonb(contact.instance_id || keeping)
  );
end;
$$;

-- Part of an erasure: deletes at most `max_rows` of a contact's messages with all that hangs on them, and
-- keeps hashes of their ids where a webhook may still name them (see erased_messages).
-- A message that a worker holds stays until it is settled or its lease is over: its outcome, and the echo
-- that some channels send of it, must find it. `is_unsent_only`: only those that have not left.
-- Their files go with them, unless others have got the same ones. The recipients of batches whose messages they
-- were are skipped from now on: the erasure may have to wait for another message.
-- Returns {messages, media, phones}: how many, and the spellings of the phone that their calls used.
-- Locks the messages in the order of their ids, then pacing where one waited, then the batches; the queue's rows go
-- by cascade. A message of the queue with a lease that is over may be its instance's one in flight: the instance
-- goes on.
create or replace function messaging.erase_messages(
  contact messaging.contacts, max_rows integer, is_unsent_only boolean default false
) returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
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
  perform messaging.settle_usage_notes(contact.instance_id, ids);
  delete from messaging.budget_under_way b where b.message_id = any (ids);
  delete from messaging.free_service_messages f where f.message_id = any (ids);
  delete from messaging.payments p where p.message_id = any (ids);
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
  perform messaging.skip_recipients(left_out.places, 'contact_erased')
  from (
    select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index)) as places
    from messaging.batch_recipients r
    where r.contact_id = contact.id and r.message_id = any (ids) and r.status = 'accepted'
  ) as left_out
  where left_out.places is not null;
  return erased;
end;
$$;

-- purge_expired: deletes messages that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`, with the files that no other message names and their places in the lists of
-- batches. What still waits to be sent stays, and what asks a question that has not ended; an ended one goes with
-- the message that asked it.
-- Contacts and conversations stay. Where a contact's last message is among them, its activity is read anew,
-- so that reading the contact shows no message that is gone.
-- Returns how many. Waits for no lock but those of contact_activity, which are the last.
-- Plans: see purge_expired.
create or replace function messaging.purge_messages(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
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
        and (
          m.question_id is null or (
            select true from messaging.questions o
            where o.id = m.question_id and messaging.is_question_live(o.status)
            limit 1
          ) is null
        )
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
    returning m.id, m.contact_id, m.batch_id, m.sent_at, m.question_id
  ),
  unasked as (
    delete from messaging.questions o
    using gone g
    where o.id = any (array[g.question_id]) and o.message_id = g.id
  ),
  unlisted as (
    delete from messaging.batch_recipients r
    using gone g
    where r.contact_id = any (array[g.contact_id]) and r.batch_id = any (array[g.batch_id])
      and r.message_id = g.id and r.status = 'accepted'
  ),
  unpaid as (
    delete from messaging.payments p
    using gone g
    where p.message_id = any (array[g.id])
  )
  select array_agg(a.contact_id) into contact_ids
  from (select g.contact_id, max(g.sent_at) as last_at from gone g group by g.contact_id) as newest
  cross join lateral (
    select x.contact_id from messaging.contact_activity x
    where x.contact_id = newest.contact_id and x.last_message_at <= newest.last_at
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

-- contacts-api: the next page of a list of an export. `request`: instanceId, contactId, limit, list
-- (messages | notes | transfers | consentLog | questions | payments), and `after` {at, id} as returned in `next`.
-- Returns {items, next}: oldest first, `next` NULL on the last page. Messages that have not left come
-- first. Of messages the record as messages-api gives it, and their whole content.
-- Pages are read by keys, each of its own list; what is added meanwhile may be on a later page.
-- Errors: MI031, MI035.
create or replace function public.export_contact_page(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  contact messaging.contacts;
  of_conversation uuid;
  zone text;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce((request->'after'->>'at')::timestamptz, '-infinity');
  after_id constant text := coalesce(request->'after'->>'id', '');
  after_uuid constant uuid := case
    when request->>'list' in ('questions', 'payments')
      then coalesce(nullif(after_id, ''), '00000000-0000-0000-0000-000000000000')
  end;
  found_items jsonb[];
begin
  contact := messaging.find_recipient(instance.id, request);
  select v.id into of_conversation from messaging.conversations v where v.contact_id = contact.id;
  zone := instance.time_zone;
  case request->>'list'
    when 'messages' then
      found_items := messaging.export_messages(contact, zone, request->'after', page_size + 1);
    when 'notes', 'transfers' then
      found_items := array(
        select jsonb_build_object('at', l.at, 'id', l.id, 'item', l.record)
        from messaging.conversation_log(of_conversation, request->>'list', zone) as l
        where (l.at, l.id::text) > (after_at, after_id)
        order by l.at, l.id::text
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
    when 'questions' then
      found_items := array(
        select jsonb_build_object(
          'at', q.created_at, 'id', q.id, 'item', messaging.describe_question(q) - 'contact'
        )
        from messaging.questions q
        where q.contact_id = contact.id and (q.created_at, q.id) > (after_at, after_uuid)
        order by q.created_at, q.id
        limit page_size + 1
      );
    when 'payments' then
      found_items := array(
        select jsonb_build_object(
          'at', p.created_at, 'id', p.message_id, 'item', messaging.describe_payment(p) - 'contact'
        )
        from messaging.payments p
        where p.contact_id = contact.id and (p.created_at, p.message_id) > (after_at, after_uuid)
        order by p.created_at, p.message_id
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

-- Returns the snapshot, and takes a new one where it is no longer fresh.
-- A snapshot stays fresh for twenty times as long as it took, 15 seconds at most: scrapes take at most
-- a twentieth of one processor, however often they come, and a snapshot that took little is taken anew
-- each time.
-- One session takes a snapshot at a time, under the lock of its row. Others return the former one while
-- that is at most 15 seconds old, else they wait.
create or replace function messaging.refresh_metrics()
returns messaging.metric_snapshots language plpgsql set search_path = '' as $$
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
    select * from messaging.bloat_samples(clock)
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

-- Whether each instance's messages go out, by the rules of get_instance_health: `status` is `held`,
-- `disconnected`, `late` or `ok`; `oldest_due` is of what should have left by `clock`.
-- Reads the queue once as a whole, whatever the number of instances. Messages are not read, but those
-- that are unconfirmed, in their index.
create or replace function messaging.instance_states(clock timestamptz)
returns setof messaging.instance_state language sql stable set search_path = '' as $$
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
    select i.id, i.provider, hold.held_by, hold.reason, hold.code, hold.ends_at,
      least(
        case
          when d.in_flight is null and d.next_due_at <= clock
            and messaging.is_send_window_open(i, clock) then d.next_due_at
        end,
        case
          when q.first_unpaced <= clock
            and messaging.stopped_until(d) <= clock then q.first_unpaced
        end,
        case when q.first_lease_end <= clock then q.first_lease_end end
      ) as oldest_due,
      coalesce(q.waiting, 0) as waiting, coalesce(q.in_flight, 0) as in_flight,
      coalesce(u.messages, 0) as unconfirmed
    from messaging.instances i
    join messaging.dispatch d on d.instance_id = i.id
    left join lateral messaging.instance_hold(d, clock, true) as hold on true
    left join queues q on q.instance_id = i.id
    left join unconfirmed u on u.instance_id = i.id
  )
  select s.id, s.provider,
    case
      when s.held_by = 'disconnected' then 'disconnected'
      when s.held_by is not null then 'held'
      when s.oldest_due < clock - interval '1 minute' then 'late'
      else 'ok'
    end,
    s.ends_at, s.oldest_due, s.waiting, s.in_flight, s.unconfirmed, s.held_by, s.code, s.reason
  from states s;
$$;

-- The answer of get_service_health, without the age of what it says. `attention`: the twenty instances
-- that need it most, those that are late first.
create or replace function messaging.describe_service_health(
  states messaging.instance_state[], clock timestamptz
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
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
        'name', a.name,
        'status', a.status,
        'heldBy', a.held_by,
        'oldestDueSeconds', floor(extract(epoch from clock - a.oldest_due)),
        'queueDepth', a.waiting,
        'unconfirmed', a.unconfirmed
      ) || messaging.shown_hold(a.hold_reason, a.hold_code, a.hold_until, 'UTC') order by a.place)
      from (
        select s.*, i.name, row_number() over (
          order by s.status = 'late' desc, s.status = 'disconnected' desc, s.status = 'held' desc,
            s.oldest_due nulls last,
            s.unconfirmed desc, s.instance_id
        ) as place
        from unnest(states) as s
        join messaging.instances i on i.id = s.instance_id
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
-- have the instance `other`, so the number of series does not grow with the number of instances. What a person
-- holds on purpose is apart from what its provider or this service holds: only the latter is a fault.
create or replace function messaging.instance_samples(
  states messaging.instance_state[], clock timestamptz
) returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
as $$
  with states as materialized (
    select s.*, extract(epoch from clock - s.oldest_due) as due_seconds,
      -- This service holds too, as an operator does, and says why: see hold_suspects and hold_promoted.
      coalesce(
        s.held_by = 'operator_hold'
          and coalesce(s.hold_reason, '') not in ('suspect', 'database_promoted'),
        false
      ) as is_held_by_person
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
      count(*) filter (where r.status = 'held' and not r.is_held_by_person) as held,
      count(*) filter (where r.is_held_by_person) as held_by_person,
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
    ('messaging_instance_operator_hold', n.held_by_person),
    ('messaging_instance_disconnected', n.disconnected)
  ) as k(name, value);
$$;

-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
set enable_seqscan = off as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from unnest(messaging.outbox_kinds()) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;

-- The totals: counters as reported, 0 where nothing has happened yet, and how many rows of the queue
-- and of the provider events were ever numbered. The lateness histogram's buckets are added up here.
-- Over 80 lines: one row for each counter.
create or replace function messaging.counter_samples()
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
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
    from unnest(messaging.outbox_kinds()) as k(kind)
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
    (
      select 'messaging_deprecated_calls_total', '{"deprecated": "none", "token_id": "none"}'::jsonb
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_deprecated_calls_total'
    )
    union all
    (
      select 'messaging_estimated_cost_total',
        jsonb_build_object('currency', t.currency, 'category', k.category)
      from messaging.rate_tables t
      cross join unnest(messaging.priced_categories()) as k(category)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_estimated_cost_total'
    )
    union all
    (
      select 'messaging_delivered_messages_total',
        jsonb_build_object('category', k.category, 'billing', b.billing)
      from unnest(messaging.priced_categories()) as k(category)
      cross join (values ('charged'), ('free'), ('unknown')) as b(billing)
      union
      select c.name, c.labels from messaging.metric_counters c
      where c.name = 'messaging_delivered_messages_total'
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

-- The samples about dead rows: how many the hot tables have, and what keeps VACUUM from removing them or
-- Postgres from removing its log. Reads the server's statistics and the sizes of files, never a table's rows.
create or replace function messaging.bloat_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric) language sql stable set search_path = ''
as $$
  with tables as materialized (
    select t.name as table_name, c.oid
    from unnest(messaging.hot_tables()) as t(name)
    join pg_catalog.pg_class c on c.relname = t.name
      and c.relnamespace = 'messaging'::regnamespace
  )
  select 'messaging_table_dead_rows', jsonb_build_object('table', t.table_name),
    pg_stat_get_dead_tuples(t.oid)
  from tables t
  union all
  select 'messaging_table_bytes', jsonb_build_object('table', t.table_name),
    pg_total_relation_size(t.oid)
  from tables t
  union all
  select k.name, k.labels, k.value
  from messaging.session_ages(clock) as a
  cross join lateral (values
    ('messaging_oldest_transaction_seconds', '{}'::jsonb, a.transaction_seconds),
    ('messaging_oldest_snapshot_seconds', '{}', a.snapshot_seconds),
    ('messaging_vacuum_held_transactions', '{"holder": "session"}', a.held_transactions)
  ) as k(name, labels, value)
  where k.value is not null
  union all
  select 'messaging_vacuum_held_transactions', '{"holder": "prepared_transaction"}',
    coalesce(max(age(p.transaction)), 0)
  from pg_catalog.pg_prepared_xacts p
  union all
  select 'messaging_vacuum_held_transactions', '{"holder": "replication_slot"}',
    coalesce(max(age(s.xmin)), 0)
  from pg_catalog.pg_replication_slots s
  union all
  select 'messaging_replication_slot_lag_bytes', '{}',
    coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)), 0)
  from pg_catalog.pg_replication_slots s;
$$;

-- Of all other sessions: how long the oldest transaction is open, how long the oldest that keeps VACUUM from
-- removing rows (it holds a snapshot, or has written), and how many transactions have begun since what such
-- sessions may still see. The last also counts standbys with hot_standby_feedback. 0 where there is none; NULL
-- where the owner may not see other roles' sessions (it lacks pg_read_all_stats).
-- Runs as its owner, because service_role sees no other role's sessions. It tells nothing but these ages.
create or replace function messaging.session_ages(clock timestamptz)
returns table (transaction_seconds numeric, snapshot_seconds numeric, held_transactions integer)
language sql stable security definer set search_path = '' as $$
  select coalesce(max(a.seconds), 0), coalesce(max(a.seconds) filter (where a.held is not null), 0),
    coalesce(max(a.held), 0)
  from (
    select extract(epoch from clock - s.xact_start) as seconds,
      greatest(age(s.backend_xmin), age(s.backend_xid)) as held
    from pg_catalog.pg_stat_activity s
    where s.pid <> pg_backend_pid() and s.backend_type in ('client backend', 'walsender')
  ) as a
  having pg_has_role(current_user, 'pg_read_all_stats', 'usage');
$$;

-- Counts a call of what is to go (shared/model/deprecations.ts), by token, so that the operator of the service
-- knows whom to tell. `request`: names (of what the call has used), tokenId (NULL for a call without a token).
-- The first hundred pairs are counted by themselves, of all later ones the token is `other`, so that tokens
-- cannot fill the metrics. Returns {}. Locks the rows of the counters in one order.
create or replace function public.count_deprecated_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  counter constant text := 'messaging_deprecated_calls_total';
  most_series constant integer := 100;
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select counter, named.labels, count(*), count(*)
  from jsonb_array_elements_text(request->'names') as used(name)
  cross join lateral (
    select jsonb_build_object(
      'deprecated', used.name, 'token_id', coalesce(request->>'tokenId', 'none')
    ) as labels
  ) as own
  cross join lateral (
    select case
      when exists (
        select from messaging.metric_counters k where k.name = counter and k.labels = own.labels
      ) or (
        select count(*) < most_series from messaging.metric_counters k where k.name = counter
      ) then own.labels
      else own.labels || '{"token_id": "other"}'
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

-- provider-webhook: counts the names in a payload that no reader knows (shared/providers/webhooks/known_fields.ts).
-- `request`: provider, fields. Of a provider the first hundred names are counted by themselves, all later ones
-- as `other`, so that no payload can fill the metrics. Returns {}. Locks the rows of the counters in one order.
create or replace function public.count_unknown_fields(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  counter constant text := 'messaging_unknown_webhook_fields_total';
  most_names constant integer := 100;
begin
  insert into messaging.metric_counters as c (name, labels, counted, reported)
  select counter, named.labels, count(*), count(*)
  from jsonb_array_elements_text(request->'fields') as unknown(field)
  cross join lateral (
    select jsonb_build_object('provider', request->>'provider', 'field', unknown.field) as labels
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

-- The tables that sending and receiving write most: what the metrics and the bench soak tell of dead rows.
create or replace function messaging.hot_tables()
returns text[] language sql immutable
return array[
  'message_queue',
  'dispatch',
  'pacing',
  'messages',
  'contacts',
  'contact_activity',
  'conversations',
  'provider_events',
  'idempotency_keys',
  'events',
  'event_streams',
  'event_deliveries',
  'outbox',
  'usage_changes'
];

-- What follows from a change of a message: that its contact's last message is another one (see
-- touch_noted_contacts), that a silence begins (see watch_idle_conversations), the events that it makes due, in
-- their order, with the message as it is now (see snapshot_message), what becomes of the question that it asks
-- (see follow_question), and of the payment (see follow_payment), and what it changes in the sums (see
-- tables/usage_notes.sql). Nobody is told of what waits, nor of what was said before the number was
-- connected; that only its contact, its place in the queue or its ladder changes is no event.
-- A message that has arrived before it was known to be sent is told as sent first: see message_event_data.
-- Conditions stand here, not in the trigger: there they are parsed anew for each statement. The first one
-- ends what most changes are.
create or replace function messaging.record_message_change()
returns trigger language plpgsql set search_path = '' as $$
declare
  due text[] := '{}';
  event_type text;
  floor text;
  noted text;
  is_sent boolean;
  is_delivered boolean;
  tells_idle boolean;
begin
  if new.sent_at is distinct from old.sent_at and new.message_type <> 'reaction' then
    -- What is sent now is later than what the contact wrote. What was sent before, as an echo or an import
    -- tells, is read anew.
    if new.direction = 'outbound' and old.sent_at is null and new.sent_at >= now() then
      noted := set_config('messaging.sent_contacts', concat(
        current_setting('messaging.sent_contacts', true), new.contact_id, '@', new.sent_at, ','
      ), true);
    else
      perform messaging.note_contact(new.contact_id);
    end if;
  end if;
  if tg_op = 'INSERT' then
    if new.status in ('queued', 'sending') or new.content ? 'isImported' then
      return null;
    end if;
    due := array[messaging.status_event(new.message_type, new.status)];
  elsif new.status = old.status
    and new.sent_at is not distinct from old.sent_at
    and new.delivered_at is not distinct from old.delivered_at
    and new.message is not distinct from old.message
    and new.deleted_at is not distinct from old.deleted_at
    and new.pricing is not distinct from old.pricing
  then
    return null;
  else
    if new.status <> old.status and new.status not in ('queued', 'sending') then
      if new.status in ('delivered', 'read') and old.sent_at is null then
        due := array[messaging.status_event(new.message_type, 'sent')];
      end if;
      due := due || messaging.status_event(new.message_type, new.status);
    end if;
    -- That an import completes a message whose file it had left out is no edit.
    if new.message is distinct from old.message and (
      old.content->>'unsupportedType' is distinct from 'media_placeholder'
      or new.content->>'unsupportedType' = 'media_placeholder'
    ) then
      due := due || 'message.edited'::text;
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      due := due || 'message.deleted'::text;
    end if;
  end if;

  if new.question_id is not null and new.direction = 'outbound' then
    perform messaging.follow_question(old, new);
  end if;
  if due <> '{}' then
    floor := messaging.hold_event_floor(new.instance_id);
    foreach event_type in array due loop
      insert into messaging.events (instance_id, contact_id, type, message)
      select new.instance_id, new.contact_id, event_type, messaging.snapshot_message(
        new, c.name, shown.phone, shown.identities, claim.is_held
      )
      from messaging.contacts c
      cross join lateral messaging.shown_contact(c) as shown
      -- A row of its own, so that the snapshot is written out in the statement.
      cross join lateral (
        select exists (
          select from messaging.message_queue q
          where q.message_id = new.id and q.claim_token is not null
        ) as is_held
        offset 0
      ) as claim
      where c.id = new.contact_id
      returning (
        select i.idle is not null from messaging.instances i where i.id = new.instance_id
      ) into tells_idle;
    end loop;
    if tells_idle and old.sent_at is null and new.sent_at is not null
      and new.message_type <> 'reaction' then
      noted := set_config(
        'messaging.idle_noted',
        concat(
          current_setting('messaging.idle_noted', true), new.contact_id, '@',
          case when tg_op = 'INSERT' then new.created_at else new.sent_at end, '@',
          case new.direction when 'inbound' then 'us' else 'customer' end, '@', new.id, ','
        ),
        true
      );
    end if;
  end if;
  if new.question_id is not null and new.direction = 'outbound' then
    perform messaging.take_pending_answer(new);
  end if;
  if messaging.asks_to_pay(new.content) then
    perform messaging.follow_payment(old, new);
  end if;
  -- What an employee types on the phone is not this service's.
  if new.direction = 'outbound' and not new.is_typed_on_phone then
    is_sent := new.sent_at is distinct from old.sent_at;
    is_delivered := new.delivered_at is distinct from old.delivered_at
      or messaging.is_billed_anew(old.pricing, new.pricing);
    if is_sent and old.sent_at is not null or is_delivered and old.delivered_at is not null then
      perform messaging.take_back_usage(old, new);
    end if;
    if is_sent and new.sent_at is not null then
      insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
      values (new.id, new.instance_id, new.sent_at, false);
    end if;
    -- Also of what was not delivered after all: it may hold one of the month's free places.
    if is_delivered and (new.delivered_at is not null or old.is_free_service) then
      insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
      values (new.id, new.instance_id, coalesce(new.delivered_at, old.delivered_at), true);
    end if;
  end if;
  return null;
end;
$$;

-- Whether a message is billed in another way than before. That its price has become known (see count_notes)
-- is none.
create or replace function messaging.is_billed_anew(former jsonb, present jsonb)
returns boolean language sql immutable
return former - 'market' is distinct from present - 'market'
or former ? 'market'
and not present ? 'market';

-- The event that tells a message's new status. That a reaction is sent or received is told as the reaction.
create or replace function messaging.status_event(message_type text, status text)
returns text language sql immutable
return 'message.' || case
  when message_type = 'reaction'
  and status in ('sent', 'received') then 'reaction'
  else status
end;

-- Takes back from the sums what has been counted of an outbound message of ours that is not so after all: that
-- it was sent or delivered, or how it was billed. `former` and `present`: the message before and after.
create or replace function messaging.take_back_usage(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
declare
  changes constant messaging.usage_changes[] := array(
    select messaging.counted_note(
      row(former.id, former.instance_id, former.sent_at, false)::messaging.usage_notes, former, -1
    )
    where former.sent_at is not null and former.sent_at is distinct from present.sent_at
    union all
    select messaging.counted_delivery(former, -1)
    where former.delivered_at is not null
      and not messaging.awaits_price(former.delivered_at, former.pricing)
      and (former.delivered_at, former.pricing) is distinct from (present.delivered_at, present.pricing)
  );
begin
  if changes <> '{}' then
    perform messaging.add_usage_changes(changes);
  end if;
  if present.sent_at is null then
    delete from messaging.budget_under_way b where b.message_id = present.id;
  end if;
end;
$$;

-- What an event keeps of a message: see tables/message_snapshot.sql. `contact_phone` as
-- contact_display_phone, `contact_identities` as hidden_identities. `is_claimed`: whether the message is
-- still in a worker's hands.
create or replace function messaging.snapshot_message(
  message messaging.messages, contact_name text, contact_phone text, contact_identities jsonb,
  is_claimed boolean
) returns messaging.message_snapshot language sql stable
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
    else message.content - array['template', 'choices', 'mediaUrl', 'mediaFilename'] || case
      when messaging.asks_to_pay(message.content) then messaging.shown_payment(
        message.id,
        message.content -> 'payment'
      )
      else '{}'
    end
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
  message.expires_at,
  message.pricing,
  message.group_receipts,
  message.estimated_cost,
  message.cost_currency,
  case
    when message.ladder is not null then jsonb_build_object('shown', message.ladder -> 'shown')
  end,
  message.cancel_on,
  message.payment_reference,
  message.cancel_reason,
  case
    when message.question_id is not null then messaging.shown_question(
      message.question_id,
      message.direction
    )
  end,
  message.handled_by
)::messaging.message_snapshot;

-- Trigger: has each look for what is due begin at the row's time at the latest, until expire_claims knows better. At
-- once, also where the transaction is rolled back: that costs a few looks. Its argument is the sequence: see floor_of.
-- The lock keeps what raises the floor, which tries it and never waits, from raising it above a row that it
-- does not see yet. Of two that lower it at the same instant the later row's may win: expire_claims lowers it then.
create or replace function messaging.lower_floor()
returns trigger language plpgsql set search_path = '' as $$
declare
  due_at timestamptz;
begin
  if tg_table_name = 'dispatch' then
    due_at := least(case when new.in_flight is null then new.next_due_at end, new.lease_until);
  elsif tg_table_name = 'message_queue' then
    due_at := new.visible_at;
  else
    due_at := new.next_attempt_at;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[0], 0));
  perform setval(tg_argv[0]::regclass, messaging.floor_value(due_at))
  where pg_sequence_last_value(tg_argv[0]::regclass) > messaging.floor_value(due_at);
  return null;
end;
$$;

-- Trigger: has looks for the head of an instance's queue begin at the message's slot. The caller holds pacing.
create or replace function messaging.lower_queue_from()
returns trigger language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.dispatch d
  set queue_from = new.scheduled_at
  from messaging.dispatch_of(new.instance_id) as own
  where d.instance_id = any (array[own.instance_id]) and d.generation >= own.generation
    and d.queue_from > new.scheduled_at;
  return null;
end;
$$;

comment on column messaging.batch_recipients.draft is
  '{messageType, message, content, mediaId, cardId, metadata, paymentReference}; NULL for a skipped entry with errors.';

comment on column messaging.ai_agents.answers_within_seconds is
  'What was written longer ago, by the channel''s instant, asks it nothing: see is_young_enough.';

comment on column messaging.conversations.handled_by is
  'Who holds it on the official channel: us, channel_agent (Meta''s Business Agent) or other. See change_control.';

comment on column messaging.conversations.control_at is
  'When that was decided, by the channel''s clock: what it tells of before changes nothing.';

comment on column messaging.media.held_until is
  'Until then a message that waits may send it, by a template of its ladder. NULL for most files.';

comment on column messaging.dispatch.messages_per_second is
  'The pace of the instance, see present_pace, so that a due time follows from this row. Its messages are claimed in groups: see claim_instance_group.';

comment on column messaging.dispatch.generation is
  'Grows with each settlement of a paced message, under the lock of pacing: the newest version of the row is the last one in its index.';

comment on column messaging.plain_event.is_standby is
  'Another responder of the number holds the conversation: a keyword is obeyed, and no agent answers.';

comment on column messaging.dispatch.hold_error is
  'The refusal that hold_until follows from, as last_error of messages.';

comment on column messaging.batches.file_ids is
  'The files that its messages name, by themselves, in a template''s header or in a ladder: they stay while it may still send.';

comment on column messaging.dispatch.hold_refused_at is
  'When that refusal met a message that waits since; NULL where the refused message has failed, and tells it itself.';

comment on column messaging.dispatch.told_held_at is
  'When the workspace''s alert address was last told of a hold by e-mail: see tell_hold.';

comment on column messaging.dispatch.connected_at is
  'Since when the connection is there; NULL while it is not, or nothing is known of it.';

comment on column messaging.contacts.identity_change is
  'How the person''s last change of key was told: {at, sources, names, former}, see record_identity_event; NULL where none was.';

comment on column messaging.dispatch.paired_phone is
  'The number that the gateway''s session was last told to be of; NULL while none was told.';

comment on column messaging.contacts.cancels_on_reply is
  'Messages to it may wait with cancelOn: reply. Set with such a message, cleared by the reply that finds none left: see cancel_on_reply.';

comment on column messaging.dispatch.wrong_phone_until is
  'infinity while paired_phone is another number than the instance''s connectedPhone: see hold_wrong_phone.';

comment on column messaging.instances.people_scope is
  'That of its workspace: see update_workspace. Here, a send knows it without looking for the workspace.';

comment on column messaging.contacts.awaits_answer is
  'Whether a question to the contact may wait or be open: what arrives is looked at then, see match_question.';

comment on column messaging.dispatch.webhooks_state is
  'Where the provider was last seen to send events; NULL while nobody has asked.';

comment on column messaging.messages.is_typed_on_phone is
  'A person wrote it on the business''s own phone, or another program sent it, as the provider reports. sent_by does not tell: it is any text that the caller chose.';

comment on column messaging.dispatch.webhooks_url is
  'That address without its secrets; NULL where it is not known, or events go nowhere.';

comment on column messaging.dispatch.allowance is
  'What the channel told that the number may do: {throughput, isOnBusinessApp, newChats {used, quota, until}, timeLock {isActive, until, kind}}, each only where it was told; NULL while nothing was. See shown_allowance.';

comment on column messaging.instances.configure_webhooks is
  'Whether the service sets the provider''s webhooks when a phone is being connected.';

comment on column messaging.dispatch.new_chats_locked_until is
  'Until then WhatsApp locks new chats, by allowance.timeLock: what a claim finds for a new contact waits, see locks_new_chat.';

comment on column messaging.instances.idle is
  'After which silences conversation.idle is told: [{afterMinutes, awaiting}]; NULL for none. A message that begins one is noted only where this is set.';

comment on column messaging.dispatch.queue_from is
  'No paced message that waits has an earlier slot: where a look for the head of the queue begins. Raised and lowered under the lock of pacing; infinity for an empty queue.';

comment on column messaging.instances.turns is
  'When a person''s messages in a row are told together by conversation.turn: {quietSeconds, maxSeconds}; NULL for never. Messages join a turn only where this is set.';

comment on column messaging.messages.purpose is
  'marketing, utility or authentication as the sending call or its template says; NULL is service. opt_out_confirmation is this service''s own answer to a keyword, and pauses no agent; agent_answer is an agent''s own answer, which a pause stops while it waits.';

comment on column messaging.dispatch.told_held_by is
  'Of which hold that was, in the word of heldBy: another one is told at once.';

comment on column messaging.message_snapshot.question is
  'What a record shows of it, see shown_question; NULL where the message neither asks nor answers.';

comment on column messaging.messages.cancel_on is
  'What cancels it while it waits, a list of reply and payment; NULL for nothing. contacts.cancels_on_reply says that a contact may have one.';

comment on column messaging.messages.payment_reference is
  'The payment request whose end cancels it while it waits; NULL without cancel_on payment.';

comment on column messaging.messages.cancel_reason is
  'Why it was canceled: replied, paid or payment_canceled. Of one that a worker had claimed then, why it is not tried again. NULL for all others.';

comment on column messaging.messages.question_id is
  'Of a message that asks, its question; of a received one, the question that it answers. NULL for all others. No foreign key: it would cost every deleted question a look-up.';

comment on column messaging.messages.handled_by is
  'Who held the conversation where that was another responder of the number, as conversations.handled_by; NULL for us.';

revoke all on sequence messaging.event_sequence from public, anon, authenticated, service_role;

revoke all on sequence messaging.event_sequence from public, anon, authenticated;

grant usage, select, update on sequence messaging.event_sequence to service_role;

alter table messaging.ai_agents add constraint ai_agents_answers_within CHECK (((answers_within_seconds >= 1) AND (answers_within_seconds <= 2592000))) not valid;

alter table messaging.batches add constraint batches_pause_reason_known CHECK ((pause_reason = ANY (ARRAY['template_refused'::text, 'account_restricted'::text, 'failures_in_row'::text]))) not valid;

alter table messaging.conversations add constraint conversations_handled_by_known CHECK ((handled_by = ANY (ARRAY['us'::text, 'channel_agent'::text, 'other'::text]))) not valid;

alter table messaging.dispatch add constraint dispatch_webhooks_known CHECK ((webhooks_state = ANY (ARRAY['ours'::text, 'elsewhere'::text, 'unknown'::text]))) not valid;

alter table messaging.instances drop constraint instances_messages_per_second, add constraint instances_messages_per_second CHECK (((messages_per_second >= 1) AND (messages_per_second <= 1000))) not valid;

alter table messaging.instances drop constraint instances_provider_known, add constraint instances_provider_known CHECK ((provider = ANY (ARRAY['whatsapp_cloud'::text, 'zapi'::text, 'evolution'::text, 'waha'::text]))) not valid;

alter table messaging.outbox drop constraint outbox_kind_known, add constraint outbox_kind_known CHECK ((kind = ANY (ARRAY['assignment_email'::text, 'endpoint_disabled_email'::text, 'instance_disconnected_email'::text, 'instance_held_email'::text, 'batch_paused_email'::text, 'budget_email'::text, 'agent_reply'::text, 'media_fetch'::text, 'media_delete'::text, 'media_transcription'::text, 'read_receipt'::text, 'question_notification'::text]))) not valid;

create index if not exists batch_recipients_payment on messaging.batch_recipients (
  batch_id,
  (draft ->> 'paymentReference')
)
where status = 'pending' and draft ->> 'paymentReference' is not null;

-- For skip_paid_recipients: the few batches that wait for payments.
create index if not exists batches_of_payments on messaging.batches (instance_id)
where source ? 'paymentReference' and status in ('draft', 'running', 'paused');

-- What a new key seals anew: see list_notify_seals_under_old_keys.
create index if not exists batches_sealed on messaging.batches (id)
where (source -> 'ask' ->> 'sealedNotify') is not null and status != 'canceled';

create unique index if not exists instances_name_at_waha on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'waha';

-- Usually empty: what a group has in flight (see claim_instance_group), to be read from due_floor on.
create index if not exists message_queue_in_flight on messaging.message_queue (instance_id, visible_at)
where departs_at is not null;

-- For cancel_on_payment and bound_payment_followers. The shortest predicate: each statement that writes a
-- message prepares it again.
create index if not exists messages_payment_reference on messaging.messages (
  instance_id,
  payment_reference,
  status
)
where payment_reference is not null;

-- A thousand files that wait must not be read by each look for e-mails, nor one instance's by the look for
-- another's.
create index if not exists outbox_due_by_owner on messaging.outbox (
  kind,
  (messaging.outbox_owner(payload)),
  run_at
)
where settled_at is null;

-- What becomes due long after its time (an instance that is released, a message that is given back) may lie
-- below the floor. Settling and accepting write nothing so old.
create trigger dispatch_lower_due_floor
after insert or update on messaging.dispatch
for each row
when
  (
    new.in_flight is null
    and new.next_due_at < now() - interval '3 seconds'
    or new.lease_until < now() - interval '3 seconds'
  )
execute function messaging.lower_floor('messaging.due_floor');

-- Deliveries are as old as their events, which may have waited for their dispatcher.
create trigger event_deliveries_lower_floor
after insert or update of next_attempt_at on messaging.event_deliveries
for each row
when (new.next_attempt_at < now() - interval '3 seconds')
execute function messaging.lower_floor('messaging.delivery_floor');

create trigger message_queue_lower_due_floor
after insert or update of visible_at on messaging.message_queue
for each row
when (new.visible_at < now() - interval '3 seconds')
execute function messaging.lower_floor('messaging.due_floor');

-- A message that is brought forward may become the head of its instance's queue. What is queued, or comes back from
-- a claim, is seen to where that is done: see enqueue_message and release_instances.
create trigger message_queue_lower_queue_from
after update of scheduled_at on messaging.message_queue
for each row
when (new.scheduled_at < old.scheduled_at and new.lane = 'paced')
execute function messaging.lower_queue_from();

create trigger messages_record_change
after insert or update on messaging.messages
for each row
execute function messaging.record_message_change();

drop function messaging.add_moved_contact(uuid,text);

drop function messaging.after_budget(messaging.instances,timestamp with time zone,interval);

drop function messaging.begin_people_walk(messaging.people_scope_changes);

drop function messaging.describe_people_scope_change(messaging.workspaces);

drop function messaging.endpoints_with_due_deliveries(timestamp with time zone);

drop function messaging.hold_event_floors(uuid[]);

drop function messaging.hold_for_budget(uuid,messaging.instances,timestamp with time zone);

drop function messaging.hold_unpaced_for_budget(uuid[],timestamp with time zone);

drop function messaging.may_token_send(messaging.client_tokens,timestamp with time zone);

drop function messaging.note_usage(messaging.messages,messaging.messages);

drop function messaging.record_identity_change(messaging.contacts,jsonb);

drop function messaging.record_message_events(uuid[],text[],boolean);

drop function messaging.record_recalled_denial(messaging.contacts);

drop function messaging.release_budget_holds(uuid,timestamp with time zone);

drop function messaging.resolve_agent(uuid,uuid);

drop function messaging.set_people_scope(messaging.workspaces,text);

drop function messaging.tell_noted_persons();

drop function messaging.transfer_to_nobody(messaging.conversations);

drop function messaging.waits_for_budget(messaging.messages,timestamp with time zone);

drop index messaging.message_queue_group;

drop index messaging.outbox_due_by_kind;
