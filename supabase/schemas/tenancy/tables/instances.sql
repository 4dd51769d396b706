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
  opt_out_keywords text[] not null default '{STOP,SAIR,PARAR,DESCADASTRAR}',
  opt_out_resume_keywords text[] not null default '{START,VOLTAR}',
  opt_out_confirmation text default 'Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.',
  protection jsonb,
  retention_messages_days integer,
  retention_media_days integer,
  retention_provider_events_days integer,
  transcribe_voice text not null default 'agent',
  interactive_rendering text not null default 'auto',
  read_receipts text not null default 'off',
  free_service_messages_per_month integer not null default 1000,
  messages_per_second integer,
  people_scope text not null default 'instance',
  direct_send boolean not null default false,
  budget jsonb,
  configure_webhooks boolean not null default true,
  idle jsonb,
  turns jsonb,
  constraint instances_provider_known
    check (provider in ('whatsapp_cloud', 'zapi', 'evolution', 'waha')),
  constraint instances_embed_key_prefixed check (embed_key like 'emb\_%'),
  constraint instances_connected_phone_digits check (connected_phone ~ '^[0-9]{8,15}$'),
  constraint instances_window_end_after_start check (window_end > window_start),
  constraint instances_window_days_iso
    check (
      cardinality(window_days) between 1 and 7
      and window_days <@ '{1,2,3,4,5,6,7}'::smallint[]
    ),
  constraint instances_free_service_messages check (free_service_messages_per_month >= 0),
  constraint instances_messages_per_second check (messages_per_second between 1 and 1000),
  constraint instances_pace_is_official
    check (messages_per_second is null or provider = 'whatsapp_cloud'),
  constraint instances_people_scope_known check (people_scope in ('instance', 'workspace')),
  constraint instances_requests_per_minute_positive check (requests_per_minute > 0),
  constraint instances_on_unconfirmed_known check (on_unconfirmed in ('hold', 'retry')),
  constraint instances_read_receipts_known
    check (read_receipts in ('off', 'on_reply', 'on_receive')),
  constraint instances_transcribe_voice_known
    check (transcribe_voice in ('agent', 'always', 'never')),
  constraint instances_interactive_rendering_known
    check (interactive_rendering in ('auto', 'native', 'text')),
  constraint instances_retention_days
    check (
      least(retention_messages_days, retention_media_days) >= 1
      and retention_provider_events_days >= 0
    )
);
-- For purge_expired: most instances keep the usual time.
create index instances_with_retention on messaging.instances (id)
where retention_messages_days is not null or retention_media_days is not null;
create index instances_with_payload_retention on messaging.instances (id)
where retention_provider_events_days > 0;
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
create unique index instances_name_at_waha on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'waha';
create unique index instances_name_at_whatsapp_cloud on messaging.instances (
  (coalesce(business_instance_id, gateway_instance_id))
)
where business_instance_id is not null or provider = 'whatsapp_cloud';
create index instances_retrying on messaging.instances (id) where on_unconfirmed = 'retry';
create index instances_age on messaging.instances (created_at, id);
create index instances_workspace on messaging.instances (workspace_id, created_at, id);
alter table messaging.instances enable row level security;
comment on column messaging.instances.sealed_provider_config is
  'Credentials, AES-256-GCM sealed by the API; the database never sees them open.';
comment on column messaging.instances.provider_class is
  'Whether the provider is the official channel, with its own rules, or a gateway.';
comment on column messaging.instances.requests_per_minute is
  'What each client token may ask of each function, see count_request; NULL is no limit.';
comment on column messaging.instances.gateway_instance_id is
  'The provider''s own id of the instance.';
comment on column messaging.instances.budget is
  'What a month may cost, in the currency of the rates: {monthlyAmount, warnAtPercent, stops}; NULL for no budget. See budget_state.';
comment on column messaging.instances.free_service_messages_per_month is
  'How many service messages of a month in UTC the official channel bills nothing for: see count_free_services.';
comment on column messaging.instances.messages_per_second is
  'The pace of an official instance, for what has no interval of its own; NULL for none: see spacing.';
comment on column messaging.instances.direct_send is
  'Whether the channel lets the account send utility messages outside the window without a template.';
comment on column messaging.instances.configure_webhooks is
  'Whether the service sets the provider''s webhooks when a phone is being connected.';
comment on column messaging.instances.transcribe_voice is
  'Which received voice messages are written down; see transcribes_voice.';
comment on column messaging.instances.retention_messages_days is
  'After how many days purge_expired deletes messages; NULL for never.';
comment on column messaging.instances.retention_media_days is
  'After how many days purge_expired lets files go; NULL for never.';
comment on column messaging.instances.retention_provider_events_days is
  'After how many days purge_expired deletes webhook payloads; NULL for 30, 0 for never.';
comment on column messaging.instances.protection is
  '{dailyLimit, newContactsPerDay, jitterSeconds, warmUp {startPerDay, rampDays, startedAt}}, each optional; NULL for none. See next_slot.';
comment on column messaging.instances.opt_out_keywords is
  'A message that is one of them and nothing else denies marketing; see read_keyword.';
comment on column messaging.instances.opt_out_confirmation is
  'The one answer to such a message; NULL for none.';
comment on column messaging.instances.read_receipts is
  'When received messages are marked as read on the channel without a call: never, when an answer was sent, or when they arrive.';
comment on column messaging.instances.people_scope is
  'That of its workspace: see update_workspace. Here, a send knows it without looking for the workspace.';
comment on column messaging.instances.idle is
  'After which silences conversation.idle is told: [{afterMinutes, awaiting}]; NULL for none. A message that begins one is noted only where this is set.';
comment on column messaging.instances.turns is
  'When a person''s messages in a row are told together by conversation.turn: {quietSeconds, maxSeconds}; NULL for never. Messages join a turn only where this is set.';
