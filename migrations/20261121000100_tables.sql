-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/schema.sql
-- The tables and everything that only SQL calls stand in `messaging`, which the Data API does not
-- expose; `public` holds the functions that TypeScript calls.
create schema messaging;
revoke all on schema messaging from public;
grant usage on schema messaging to service_role;

-- New objects belong to no other role until they are granted: the platform's defaults
-- would let anon and authenticated execute every new function and touch every new table.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

-- source: supabase/schemas/contacts/internal/phone_identity_key.sql
-- The key by which a phone identifies one person (decisions, section 3); for identity alone, never
-- an address. Brazil: a mobile without its ninth digit gets it. Mexico: 521 = 52. Argentina: 549 = 54.
-- shared/phone.ts holds the same rule; a test compares the two.
create or replace function messaging.phone_identity_key(phone text)
returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return case
    when phone ~ '^55[0-9]{2}[6-9][0-9]{7}$' then left(phone, 4) || '9' || substr(phone, 5)
    when phone ~ '^521[0-9]{10}$' then '52' || substr(phone, 4)
    when phone ~ '^549[0-9]{10}$' then '54' || substr(phone, 4)
    else phone
  end;
end;
$$;
revoke all on function messaging.phone_identity_key(text) from public, anon, authenticated;
grant execute on function messaging.phone_identity_key(text) to service_role;

-- source: supabase/schemas/messages/internal/is_message_content.sql
-- Whether `content` has the shape that its message type needs: none for words alone, an option list or
-- the choice of an option, a template, else a file. A received file may have neither URL nor id, where
-- the provider tells none. What a sent message needs is checked before it is stored
-- (shared/model/message_content.ts).
create or replace function messaging.is_message_content(message_type text, content jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return coalesce(
    case message_type
      when 'text' then content is null
      when 'other' then content is null
      when 'option_list' then jsonb_typeof(content->'optionList') = 'object'
        or jsonb_typeof(content->'choice'->'title') = 'string'
      when 'template' then jsonb_typeof(content->'template') = 'object'
      else content is null
        or jsonb_typeof(content->'mediaUrl') = 'string'
        or jsonb_typeof(content->'mediaId') = 'string'
        or jsonb_typeof(content->'mediaFilename') = 'string'
    end,
    false
  );
end;
$$;
revoke all on function messaging.is_message_content(text, jsonb) from public, anon, authenticated;
grant execute on function messaging.is_message_content(text, jsonb) to service_role;

-- source: supabase/schemas/messages/internal/is_message_state.sql
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
    if status not in
      ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed') then
      return false;
    end if;
  elsif direction <> 'inbound' or status <> 'received' then
    return false;
  end if;
  if mode not in ('sent', 'queued', 'scheduled') then
    return false;
  end if;
  if held_by not in ('interval', 'window', 'holiday', 'delay') then
    return false;
  end if;
  if message_type = 'text' then
    return content is null;
  end if;
  return messaging.is_message_content(message_type, content);
end;
$$;
revoke all
on function messaging.is_message_state(text, text, text, text, timestamptz, text, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.is_message_state(text, text, text, text, timestamptz, text, jsonb)
to service_role;

-- source: supabase/schemas/idempotency/tables/idempotency_keys.sql
-- Outcomes of executions by `Idempotency-Key`, written in the execution's own transaction, so that
-- a crash leaves either both or neither.
create table messaging.idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  outcome jsonb,
  response jsonb,
  message_id uuid,
  attempt smallint,
  created_at timestamptz not null default now(),
  primary key (scope, key),
  constraint idempotency_keys_key_length check (char_length(key) between 1 and 255)
);
create index idempotency_keys_age on messaging.idempotency_keys (created_at);
alter table messaging.idempotency_keys enable row level security;
revoke all on table messaging.idempotency_keys from public, anon, authenticated;
grant select, insert, update, delete on table messaging.idempotency_keys to service_role;
comment on column messaging.idempotency_keys.scope is
  'The client token''s id, or "admin" for the secret key.';
comment on column messaging.idempotency_keys.outcome is
  'What the transaction decided; the response is a pure function of it.';
comment on column messaging.idempotency_keys.response is
  'Status and body (as text, whose members keep their order), where the provider''s answer is part of them.';
comment on column messaging.idempotency_keys.attempt is
  'Which attempt of the message the response tells of.';

-- source: supabase/schemas/inbound/tables/plain_event.sql
-- A webhook with one event that its plain path can record: an inbound message, or a delivery event of an
-- accepted message. The steps of record_plain_events pass arrays of it.
create type messaging.plain_event as (
  place integer,
  instance_id uuid,
  sealed_provider_config text,
  payload text,
  provider_message_id text,
  occurred_at timestamptz,
  message_id uuid,
  status text,
  addresses text[],
  identity_keys text[],
  contact_name text,
  message_type text,
  message text,
  content jsonb,
  is_group boolean,
  chat_name text,
  may_ask_agent boolean
);
comment on column messaging.plain_event.place is 'The call''s place among the calls, from 1.';
comment on column messaging.plain_event.sealed_provider_config is
  'What the delivery''s credential was checked against.';
comment on column messaging.plain_event.message_id is
  'Of a delivery event: our own id of the message, where the provider returns it.';
comment on column messaging.plain_event.addresses is
  'All addresses of the person, the one to send to first; identity_keys has their keys, in the same order.';
comment on column messaging.plain_event.may_ask_agent is
  'Whether an active agent is to answer the message.';

-- source: supabase/schemas/messages/tables/acceptance.sql
-- One sending call of a batch, as accept_messages prepares and writes it. Its steps pass arrays of it.
create type messaging.acceptance as (
  place integer,
  instance_id uuid,
  time_zone text,
  has_active_agent boolean,
  phone text,
  identity_key text,
  token_id uuid,
  function_name text,
  requests_per_minute integer,
  is_token_use_due boolean,
  idempotency jsonb,
  message jsonb,
  delivery jsonb,
  message_id uuid,
  claim_token uuid,
  contact_id uuid,
  conversation_id uuid,
  operator_id uuid,
  phone_given text,
  send_address text,
  paused_until timestamptz
);
comment on column messaging.acceptance.place is 'Which call of the request it is, from 1.';
comment on column messaging.acceptance.contact_id is
  'NULL until the contact of a new phone is stored; conversation_id likewise.';
comment on column messaging.acceptance.token_id is
  'The client token that this transaction authenticated; NULL where the caller did so before.';

-- source: supabase/schemas/messages/tables/settlement.sql
-- What settle_messages decides about one result, once it holds the claim. Its steps pass arrays of it.
create type messaging.settlement as (
  message_id uuid,
  instance_id uuid,
  contact_id uuid,
  claim_token uuid,
  lane text,
  outcome text,
  provider_message_id text,
  wa_id text,
  error jsonb,
  sealed_provider_config text,
  echo jsonb,
  is_unsent boolean,
  is_retryable boolean,
  is_retried boolean,
  retry_at timestamptz,
  is_outage boolean,
  holds_instance boolean,
  has_old_credentials boolean,
  is_revived boolean,
  pauses_agent boolean
);
comment on column messaging.settlement.sealed_provider_config is
  'The credentials that the call was made with; NULL for not known.';
comment on column messaging.settlement.echo is
  'The event that the message kept while it was in flight: see resolve_pending_echo.';
comment on column messaging.settlement.is_unsent is
  'The provider was not called: the attempt does not count.';
comment on column messaging.settlement.is_retryable is
  'Whether the provider calls its refusal temporary.';
comment on column messaging.settlement.is_retried is
  'Whether the message goes back into the queue, until retry_at; else its row of the queue goes.';
comment on column messaging.settlement.is_outage is
  'The whole instance is refused, and not by a rate limit: the attempt does not count.';
comment on column messaging.settlement.holds_instance is
  'The whole instance is refused: nothing of it leaves before retry_at.';
comment on column messaging.settlement.has_old_credentials is
  'The whole instance was refused with credentials that have been replaced since.';
comment on column messaging.settlement.is_revived is
  'The message failed by an earlier attempt, which has another id; this attempt was accepted.';
comment on column messaging.settlement.pauses_agent is
  'A person''s immediate message has left: the agent''s pause begins again.';

-- source: supabase/schemas/outbox/tables/outbox.sql
-- Slow work that a request promised: e-mails, agent replies. Written in the request's transaction and
-- done after it at least once; the row's id is the receiver's idempotency key.
create table messaging.outbox (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null,
  kind text not null,
  payload jsonb not null,
  status text not null default 'pending',
  run_at timestamptz not null default now(),
  attempts smallint not null default 0,
  claim_token uuid,
  last_error text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  conversation_id uuid,
  constraint outbox_kind_known check (kind in ('assignment_email', 'agent_reply')),
  constraint outbox_status_known check (status in ('pending', 'done', 'dead')),
  constraint outbox_settled_when_over check ((status = 'pending') = (settled_at is null))
)
with (fillfactor = 70);
create index outbox_conversation on messaging.outbox (conversation_id)
where status = 'pending' and conversation_id is not null;
create index outbox_settled on messaging.outbox (status, settled_at) where status != 'pending';
create index outbox_workspace on messaging.outbox (workspace_id, created_at, id);
create index outbox_age on messaging.outbox (created_at, id);
-- Not `where status = 'pending'`, which means the same: a look-up of pending rows by another column must
-- not find this index, which it would read from end to end while statistics call the table empty.
create index outbox_due on messaging.outbox (run_at) where settled_at is null;
alter table messaging.outbox enable row level security;
revoke all on table messaging.outbox from public, anon, authenticated;
grant select, insert, update, delete on table messaging.outbox to service_role;
comment on column messaging.outbox.run_at is 'When due; while claimed, when the lease ends.';

-- source: supabase/schemas/tenancy/tables/workspaces.sql
-- A workspace owns instances, operators, departments, templates and agents (decisions, section 2).
create table messaging.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  constraint workspaces_name_length check (char_length(name) between 1 and 200)
);
create index workspaces_age on messaging.workspaces (created_at, id);
alter table messaging.workspaces enable row level security;
revoke all on table messaging.workspaces from public, anon, authenticated;
grant select, insert, update, delete on table messaging.workspaces to service_role;
comment on table messaging.workspaces is 'Tenants.';

-- source: supabase/schemas/tenancy/tables/departments.sql
create table messaging.departments (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  name text not null,
  created_at timestamptz not null default now(),
  constraint departments_name_length check (char_length(name) between 1 and 200)
);
create index departments_workspace on messaging.departments (workspace_id, created_at, id);
alter table messaging.departments enable row level security;
revoke all on table messaging.departments from public, anon, authenticated;
grant select, insert, update, delete on table messaging.departments to service_role;

-- source: supabase/schemas/tenancy/tables/instances.sql
-- One channel connection: a number at a provider, its send window and its credentials.
create table messaging.instances (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  name text not null,
  provider text not null,
  provider_class text not null generated always as (
    case
      when provider in ('whatsapp_cloud') then 'official'
      else 'gateway'
    end
  ) stored,
  sealed_provider_config text not null,
  gateway_instance_id text,
  business_instance_id text,
  embed_key text not null,
  connected_phone text not null,
  connected_phone_key text not null,
  time_zone text not null,
  window_start time not null default '08:00',
  window_end time not null default '20:00',
  window_days smallint[] not null default '{1,2,3,4,5}',
  on_unconfirmed text not null default 'hold',
  requests_per_minute integer default 18000,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint instances_provider_known check (provider in ('whatsapp_cloud', 'zapi', 'evolution')),
  constraint instances_embed_key_prefixed check (embed_key like 'emb\_%'),
  constraint instances_connected_phone_digits check (connected_phone ~ '^[0-9]{8,15}$'),
  constraint instances_window_end_after_start check (window_end > window_start),
  constraint instances_window_days_iso
    check (
      cardinality(window_days) between 1 and 7
      and window_days <@ '{1,2,3,4,5,6,7}'::smallint[]
    ),
  constraint instances_requests_per_minute_positive check (requests_per_minute > 0),
  constraint instances_on_unconfirmed_known check (on_unconfirmed in ('hold', 'retry'))
);
create unique index instances_embed_key on messaging.instances (embed_key);
create unique index instances_gateway_id on messaging.instances (provider, gateway_instance_id);
create index instances_named_outside on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
);
-- What an instance is called outside is unique at its provider, and a business instance id in the
-- whole project: it stands in the index of every provider, beside that provider's own ids.
create unique index instances_name_at_zapi on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'zapi';
create unique index instances_name_at_evolution on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'evolution';
create unique index instances_name_at_whatsapp_cloud on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'whatsapp_cloud';
create index instances_retrying on messaging.instances (id) where on_unconfirmed = 'retry';
create index instances_age on messaging.instances (created_at, id);
create index instances_workspace on messaging.instances (workspace_id, created_at, id);
alter table messaging.instances enable row level security;
revoke all on table messaging.instances from public, anon, authenticated;
grant select, insert, update, delete on table messaging.instances to service_role;
comment on column messaging.instances.sealed_provider_config is
  'Credentials, AES-256-GCM sealed by the API; the database never sees them open.';
comment on column messaging.instances.provider_class is
  'Whether the provider is the official channel, with its own rules, or a gateway.';
comment on column messaging.instances.requests_per_minute is
  'What each client token may ask of each function, see count_request; NULL is no limit.';
comment on column messaging.instances.gateway_instance_id is
  'The provider''s own id of the instance.';

-- source: supabase/schemas/tenancy/tables/operators.sql
-- People who answer conversations. E-mail identifies one within the workspace, whatever its case.
create table messaging.operators (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  name text not null,
  email text not null,
  created_at timestamptz not null default now(),
  constraint operators_name_length check (char_length(name) between 1 and 200)
);
create unique index operators_email on messaging.operators (workspace_id, lower(email));
alter table messaging.operators enable row level security;
revoke all on table messaging.operators from public, anon, authenticated;
grant select, insert, update, delete on table messaging.operators to service_role;

-- source: supabase/schemas/agents/tables/ai_agents.sql
create table messaging.ai_agents (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text not null,
  instructions text not null,
  model text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ai_agents_name_length check (char_length(name) between 1 and 200)
);
create index ai_agents_instance on messaging.ai_agents (instance_id, created_at, id);
alter table messaging.ai_agents enable row level security;
revoke all on table messaging.ai_agents from public, anon, authenticated;
grant select, insert, update, delete on table messaging.ai_agents to service_role;

-- source: supabase/schemas/contacts/tables/contacts.sql
-- Identity is (instance, identity key): both spellings of a Brazilian mobile are one contact.
create table messaging.contacts (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  phone text,
  identity_key text not null,
  name text,
  email text,
  company text,
  job_title text,
  notes text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  custom_labels jsonb not null default '{}',
  is_favorite boolean not null default false,
  is_archived boolean not null default false,
  is_blocked boolean not null default false,
  origin text not null,
  last_inbound_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  is_profile_name boolean not null default false,
  constraint contacts_identity unique (instance_id, identity_key),
  constraint contacts_phone_digits check (phone ~ '^[0-9]{8,15}$'),
  constraint contacts_custom_labels_object check (jsonb_typeof(custom_labels) = 'object')
);
alter table messaging.contacts enable row level security;
revoke all on table messaging.contacts from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contacts to service_role;
comment on column messaging.contacts.phone is
  'As first given: the address to send to until another one is proven. NULL for a contact that wrote without showing a number.';
comment on column messaging.contacts.is_profile_name is
  'The name is what the contact calls itself, as a webhook told it: never an instruction to a model, and replaced by any name that is given.';

-- source: supabase/schemas/contacts/tables/tags.sql
-- Labels of an instance, told apart without regard to case, kept as first written.
create table messaging.tags (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text not null,
  color text not null,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 50 and name = btrim(name)),
  constraint tags_color_hex check (color ~ '^#[0-9a-f]{6}$')
);
create unique index tags_name on messaging.tags (instance_id, lower(name));
alter table messaging.tags enable row level security;
revoke all on table messaging.tags from public, anon, authenticated;
grant select, insert, update, delete on table messaging.tags to service_role;

-- source: supabase/schemas/inbound/tables/provider_events.sql
-- Webhook payloads as received: the evidence for every status. Unknown payloads are stored too.
create table messaging.provider_events (
  id bigint generated always as identity primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  payload text not null,
  received_at timestamptz not null default now()
);
create index provider_events_age on messaging.provider_events (received_at);
create index provider_events_instance on messaging.provider_events (instance_id);
alter table messaging.provider_events enable row level security;
revoke all on table messaging.provider_events from public, anon, authenticated;
grant select, insert, update, delete on table messaging.provider_events to service_role;
comment on column messaging.provider_events.payload is
  'The body as text: whatever was signed and sent can be kept, however it is nested or escaped.';

-- source: supabase/schemas/inbound/tables/unmatched_statuses.sql
-- Delivery events whose message is not known by its provider id yet, because the send is not recorded.
-- apply_unmatched_statuses applies them when it is.
create table messaging.unmatched_statuses (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  provider_message_id text not null,
  status text not null,
  occurred_at timestamptz not null,
  error jsonb,
  received_at timestamptz not null default now(),
  primary key (instance_id, provider_message_id, status),
  constraint unmatched_statuses_status_known
    check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index unmatched_statuses_age on messaging.unmatched_statuses (received_at);
alter table messaging.unmatched_statuses enable row level security;
revoke all on table messaging.unmatched_statuses from public, anon, authenticated;
grant select, insert, update, delete on table messaging.unmatched_statuses to service_role;

-- source: supabase/schemas/queue/tables/dispatch.sql
-- When an instance's queue is due next, and its one paced message in flight. One row per instance:
-- that is what keeps two paced messages from leaving at once.
create table messaging.dispatch (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  next_due_at timestamptz not null default 'infinity',
  in_flight uuid,
  lease_until timestamptz,
  paced_from timestamptz not null default '-infinity',
  hold_until timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  constraint dispatch_flight_has_a_lease check ((in_flight is null) = (lease_until is null))
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index dispatch_due on messaging.dispatch (next_due_at) where in_flight is null;
create index dispatch_leases on messaging.dispatch (lease_until) where in_flight is not null;
alter table messaging.dispatch enable row level security;
revoke all on table messaging.dispatch from public, anon, authenticated;
grant select, insert, update, delete on table messaging.dispatch to service_role;
comment on column messaging.dispatch.paced_from is
  'When the last paced message left; the next one leaves at least its interval later.';
comment on column messaging.dispatch.refused_at is
  'When the provider last refused the whole instance for good: see hold_for_refusal.';
comment on column messaging.dispatch.hold_until is
  'Set when the provider refuses the whole instance: nothing paced leaves before.';

-- source: supabase/schemas/queue/tables/pacing.sql
-- The last slot given out per instance. Simultaneous enqueues of an instance wait for this row. A
-- table of its own, so that an enqueue's lock does not hide a due instance from a claim.
create table messaging.pacing (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  last_slot_at timestamptz not null default '-infinity'
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.pacing enable row level security;
revoke all on table messaging.pacing from public, anon, authenticated;
grant select, insert, update, delete on table messaging.pacing to service_role;

-- source: supabase/schemas/queue/tables/slot_moves.sql
-- Stretches of an instance's paced queue whose slots a changed send window has yet to move: see
-- plan_slot_moves. The stretch with the highest place is moved first.
create table messaging.slot_moves (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  place integer not null,
  from_at timestamptz not null,
  from_position bigint not null,
  until_at timestamptz not null,
  until_position bigint not null,
  left_at timestamptz,
  planned_at timestamptz not null,
  constraint slot_moves_pkey primary key (instance_id, place)
);
alter table messaging.slot_moves enable row level security;
revoke all on table messaging.slot_moves from public, anon, authenticated;
grant select, insert, update, delete on table messaging.slot_moves to service_role;
comment on column messaging.slot_moves.until_at is
  'With until_position the first row after the stretch, by its slot as it was planned.';
comment on column messaging.slot_moves.left_at is
  'When the message before the stretch will have left; NULL where nothing before it moves.';

-- source: supabase/schemas/templates/tables/message_templates.sql
-- Stored templates (specification, sections 2 and 4.7); components in the official channel's shape.
create table messaging.message_templates (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references messaging.workspaces (id),
  instance_id uuid references messaging.instances (id)
    on delete cascade,
  name text not null,
  language text not null,
  parameter_format text not null,
  components jsonb not null,
  provider_status text,
  provider_template_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  defined_at timestamptz not null default now(),
  constraint message_templates_format_known check (parameter_format in ('POSITIONAL', 'NAMED')),
  constraint message_templates_components_array check (jsonb_typeof(components) = 'array')
);
create index message_templates_workspace on messaging.message_templates (
  workspace_id,
  created_at,
  id
);
create index message_templates_synced on messaging.message_templates (
  instance_id,
  provider_template_id
);
create index message_templates_at_provider on messaging.message_templates (provider_template_id);
alter table messaging.message_templates enable row level security;
revoke all on table messaging.message_templates from public, anon, authenticated;
grant select, insert, update, delete on table messaging.message_templates to service_role;
comment on column messaging.message_templates.defined_at is
  'As of when its name, language and components are known: an older list does not change them.';

-- source: supabase/schemas/tenancy/tables/client_tokens.sql
-- Tokens of `X-Client-Token`. Only the SHA-256 is kept; each opens exactly one instance.
create table messaging.client_tokens (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  token_hash text not null,
  label text,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint client_tokens_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$')
);
create unique index client_tokens_hash on messaging.client_tokens (token_hash);
create index client_tokens_instance on messaging.client_tokens (instance_id, created_at, id);
alter table messaging.client_tokens enable row level security;
revoke all on table messaging.client_tokens from public, anon, authenticated;
grant select, insert, update, delete on table messaging.client_tokens to service_role;

-- source: supabase/schemas/tenancy/tables/holidays.sql
-- Days on which an instance's queue does not send, whatever the weekday.
create table messaging.holidays (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  day date not null,
  primary key (instance_id, day)
);
alter table messaging.holidays enable row level security;
revoke all on table messaging.holidays from public, anon, authenticated;
grant select, insert, update, delete on table messaging.holidays to service_role;

-- source: supabase/schemas/agents/tables/agent_pauses.sql
-- Until when the instance's agent keeps silent towards a contact (specification, section 3).
create table messaging.agent_pauses (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  paused_until timestamptz not null
);
alter table messaging.agent_pauses enable row level security;
revoke all on table messaging.agent_pauses from public, anon, authenticated;
grant select, insert, update, delete on table messaging.agent_pauses to service_role;

-- source: supabase/schemas/contacts/tables/contact_addresses.sql
-- Addresses proven to reach a contact: a `wa_id` from the provider, or the sender of an inbound
-- message. The newest is where messages go; each of them finds the contact again, however it is
-- spelled: one row per identity key, with the spelling that was proven last.
create table messaging.contact_addresses (
  instance_id uuid not null,
  address text not null,
  identity_key text not null generated always as (messaging.phone_identity_key(address)) stored,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  proven_at timestamptz not null default now(),
  changed_by text,
  primary key (instance_id, identity_key)
);
create index contact_addresses_contact on messaging.contact_addresses (contact_id, proven_at desc);
alter table messaging.contact_addresses enable row level security;
revoke all on table messaging.contact_addresses from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contact_addresses to service_role;
comment on column messaging.contact_addresses.changed_by is
  'The provider''s id of the event by which a contact went on under this number: it counts once.';

-- source: supabase/schemas/contacts/tables/contact_tags.sql
create table messaging.contact_tags (
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  tag_id uuid not null references messaging.tags (id)
    on delete cascade,
  created_at timestamptz not null default now(),
  primary key (contact_id, tag_id)
);
create index contact_tags_tag on messaging.contact_tags (tag_id);
alter table messaging.contact_tags enable row level security;
revoke all on table messaging.contact_tags from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contact_tags to service_role;

-- source: supabase/schemas/conversations/tables/conversations.sql
-- One conversation per contact, created `open` with the first operation that needs it.
create table messaging.conversations (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  status text not null default 'open',
  assigned_to uuid references messaging.operators (id),
  department_id uuid references messaging.departments (id),
  agent_id uuid references messaging.ai_agents (id)
    on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  question_count bigint not null default 0,
  constraint conversations_status_known check (status in ('open', 'closed', 'pending'))
);
create unique index conversations_contact on messaging.conversations (contact_id);
create unique index conversations_tenant on messaging.conversations (instance_id, contact_id, id);
-- Deleting an operator or a department looks for its conversations.
create index conversations_operator on messaging.conversations (assigned_to)
where assigned_to is not null;
create index conversations_department on messaging.conversations (department_id)
where department_id is not null;
create index conversations_agent on messaging.conversations (agent_id) where agent_id is not null;
alter table messaging.conversations enable row level security;
revoke all on table messaging.conversations from public, anon, authenticated;
grant select, insert, update, delete on table messaging.conversations to service_role;
comment on column messaging.conversations.question_count is
  'Messages of the contact that asked for an answer of the agent; counted in the transaction that records them.';

-- source: supabase/schemas/conversations/tables/portfolios.sql
-- Contacts that one operator alone sees in the queue: at most one portfolio per contact.
create table messaging.portfolios (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  operator_id uuid not null references messaging.operators (id),
  created_at timestamptz not null default now()
);
create index portfolios_operator on messaging.portfolios (operator_id);
alter table messaging.portfolios enable row level security;
revoke all on table messaging.portfolios from public, anon, authenticated;
grant select, insert, update, delete on table messaging.portfolios to service_role;

-- source: supabase/schemas/tenancy/tables/rate_limits.sql
-- How much of its allowance a token has used, per function: one row each, as the instant at which the
-- allowance is whole again (generic cell rate algorithm). Unlogged: counting a request then waits for
-- no disk, and after a crash of the server every token has its whole allowance.
create unlogged table messaging.rate_limits (
  token_id uuid not null references messaging.client_tokens (id)
    on delete cascade,
  function_name text not null,
  whole_at timestamptz not null,
  constraint rate_limits_pkey primary key (token_id, function_name)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table messaging.rate_limits enable row level security;
revoke all on table messaging.rate_limits from public, anon, authenticated;
grant select, insert, update, delete on table messaging.rate_limits to service_role;

-- source: supabase/schemas/agents/tables/agent_sessions.sql
-- What an agent knows about a conversation beyond its messages: `externalContext`, merged.
create table messaging.agent_sessions (
  conversation_id uuid primary key references messaging.conversations (id)
    on delete cascade,
  instance_id uuid not null,
  agent_id uuid not null references messaging.ai_agents (id)
    on delete cascade,
  collected_data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  answered_count bigint not null default 0,
  answered_at timestamptz[] not null default '{}',
  constraint agent_sessions_collected_data_object check (jsonb_typeof(collected_data) = 'object')
);
create index agent_sessions_agent on messaging.agent_sessions (agent_id);
alter table messaging.agent_sessions enable row level security;
revoke all on table messaging.agent_sessions from public, anon, authenticated;
grant select, insert, update, delete on table messaging.agent_sessions to service_role;
comment on column messaging.agent_sessions.answered_count is
  'How many of the conversation''s question_count have had their answer: at most one each.';
comment on column messaging.agent_sessions.answered_at is
  'When the newest answers were given, oldest first, as many as agent_limited_until counts.';

-- source: supabase/schemas/conversations/tables/chat_transfer_log.sql
-- One row per change from one operator to a different one.
create table messaging.chat_transfer_log (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references messaging.conversations (id)
    on delete cascade,
  from_operator_id uuid not null references messaging.operators (id),
  to_operator_id uuid not null references messaging.operators (id),
  transferred_at timestamptz not null default now(),
  constraint chat_transfer_log_operators_differ check (from_operator_id != to_operator_id)
);
create index chat_transfer_log_conversation on messaging.chat_transfer_log (
  conversation_id,
  transferred_at
);
-- Deleting an operator looks for its transfers.
create index chat_transfer_log_from on messaging.chat_transfer_log (from_operator_id);
create index chat_transfer_log_to on messaging.chat_transfer_log (to_operator_id);
alter table messaging.chat_transfer_log enable row level security;
revoke all on table messaging.chat_transfer_log from public, anon, authenticated;
grant select, insert, update, delete on table messaging.chat_transfer_log to service_role;

-- source: supabase/schemas/conversations/tables/internal_notes.sql
-- Visible to operators only. Automatic ones are written by a transfer.
create table messaging.internal_notes (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references messaging.conversations (id)
    on delete cascade,
  note text not null,
  is_automatic boolean not null default false,
  created_at timestamptz not null default now(),
  constraint internal_notes_not_empty check (note != '')
);
create index internal_notes_conversation on messaging.internal_notes (conversation_id, created_at);
alter table messaging.internal_notes enable row level security;
revoke all on table messaging.internal_notes from public, anon, authenticated;
grant select, insert, update, delete on table messaging.internal_notes to service_role;

-- source: supabase/schemas/messages/tables/messages.sql
-- Every message, sent or received. An outbound message is stored before its provider is called.
-- A queued message that is being sent keeps its status until it is settled: message_queue has the
-- claim.
create table messaging.messages (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null,
  conversation_id uuid not null,
  direction text not null,
  message_type text not null,
  message text,
  content jsonb,
  card_id text,
  sent_by text,
  operator_id uuid,
  agent_id uuid,
  delay_typing_ms integer,
  mode text,
  interval_seconds integer,
  status text not null,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  attempts smallint not null default 0,
  last_error jsonb,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  canceled_at timestamptz,
  unconfirmed_at timestamptz,
  is_group boolean not null default false,
  chat_name text,
  phone_given text,
  confirmed_by_echo boolean not null default false,
  is_typed_on_phone boolean not null default false,
  is_retryable boolean not null default false,
  lost_claim_token uuid,
  constraint messages_belong_to_their_conversation
    foreign key (instance_id, contact_id, conversation_id) references messaging.conversations (
      instance_id,
      contact_id,
      id
    )
      on delete cascade,
  constraint messages_state
    check (
      messaging.is_message_state(direction, status, mode, held_by, sent_at, message_type, content)
    )
);
-- Covers unsent messages too: deleting a conversation finds its messages by it. A contact belongs to
-- one instance, so the index does not begin with the instance: before the table has statistics, the
-- planner would use such a prefix for look-ups by provider_message_id and read every message of the
-- instance (a webhook of 4,000 messages took more than 8 s).
create index messages_history on messaging.messages (contact_id, sent_at desc);
create index messages_provider_id on messaging.messages (instance_id, provider_message_id)
where provider_message_id is not null;
create index messages_told on messaging.messages (instance_id, provider_message_id)
where is_typed_on_phone or confirmed_by_echo;
create unique index messages_inbound_once on messaging.messages (instance_id, provider_message_id)
where direction = 'inbound';
create index messages_sent on messaging.messages (instance_id, sent_at desc)
where direction = 'outbound' and sent_at is not null and status != 'failed';
create index messages_gone_wrong on messaging.messages (
  instance_id,
  (coalesce(failed_at, unconfirmed_at)) desc
)
where coalesce(failed_at, unconfirmed_at) is not null;
create index messages_unconfirmed on messaging.messages (instance_id, unconfirmed_at)
where status = 'unconfirmed';
alter table messaging.messages enable row level security;
revoke all on table messaging.messages from public, anon, authenticated;
grant select, insert, update, delete on table messaging.messages to service_role;
comment on column messaging.messages.message is
  'The text, the caption, the body of an option list, or the wording of a template.';
comment on column messaging.messages.content is
  'What a message of this type holds beside its words, NULL for a plain text; see shared/model/message_content.ts.';
comment on column messaging.messages.phone_given is
  'The phone as the sending call wrote it, where the contact''s own is spelled otherwise.';
comment on column messaging.messages.confirmed_by_echo is
  'The provider''s answer was lost; an echo of the message''s words proved that it left, and its id.';
comment on column messaging.messages.is_retryable is
  'Whether it failed by a refusal that the provider calls temporary: the same Idempotency-Key tries again.';
comment on column messaging.messages.lost_claim_token is
  'The claim whose outcome is unknown. Its worker may still report that it did not call the provider: see take_back_unsent.';
comment on column messaging.messages.is_typed_on_phone is
  'A person wrote it on the business''s own phone, as the provider reports. sent_by does not tell: it is any text that the caller chose.';
comment on column messaging.messages.chat_name is 'The name that the provider gives the chat.';

-- source: supabase/schemas/queue/tables/message_queue.sql
-- Messages that still have to leave, and messages in flight (with a claim). Settling deletes the row;
-- the outcome stays in messages.
-- A row is in one of two lanes. A paced row has a slot: a claim finds it through its instance's row of
-- dispatch, as the head of (instance_id, scheduled_at, position). An unpaced row is found by its own
-- visible_at, the visibility time-out: when it may be claimed, and while it is claimed the end of the
-- lease.
-- The foreign key is checked at commit: the slot is taken first, and the message is written with it.
-- The constraint is short, because Postgres parses it again for each statement that writes a row.
-- No index contains a claim column, so that the claim of a paced row is a heap-only update.
create table messaging.message_queue (
  message_id uuid primary key references messaging.messages (id)
    on delete cascade
    deferrable initially deferred,
  instance_id uuid not null,
  position bigint generated always as identity,
  lane text not null,
  scheduled_at timestamptz not null,
  visible_at timestamptz,
  interval_seconds integer not null default 0,
  max_attempts smallint not null default 6,
  attempts smallint not null default 0,
  claim_token uuid,
  lease_until timestamptz,
  echo jsonb,
  constraint message_queue_state
    check (
      (claim_token is null) = (lease_until is null)
      and lane = case
        when visible_at is null then 'paced'
        else 'unpaced'
      end
    )
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index message_queue_head on messaging.message_queue (instance_id, scheduled_at, position)
where lane = 'paced';
-- Not `where lane = 'unpaced'`, which means the same: a look-up of an instance's unpaced rows must not
-- find this index, which it would read from end to end.
create index message_queue_visible on messaging.message_queue (visible_at)
where visible_at is not null;
create index message_queue_scheduled on messaging.message_queue (
  instance_id,
  scheduled_at,
  position
)
where lane = 'unpaced';
alter table messaging.message_queue enable row level security;
revoke all on table messaging.message_queue from public, anon, authenticated;
grant select, insert, update, delete on table messaging.message_queue to service_role;
comment on column messaging.message_queue.visible_at is
  'Of an unpaced row: no claim takes it before. NULL for a paced row, which its instance makes due.';
comment on column messaging.message_queue.echo is
  'A message event that came while this message was in flight and may be its echo: see match_echo.';
comment on column messaging.message_queue.max_attempts is
  '1 for an immediate send, which is tried once; 6 for all others: the first try and 5 more.';
