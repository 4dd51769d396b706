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
  category text,
  deleted_at timestamptz,
  quality text,
  status_reason text,
  disables_at timestamptz,
  category_changes_to text,
  category_changes_at timestamptz,
  is_auto_generated boolean not null default false,
  edited_at timestamptz[] not null default '{}',
  call_token uuid,
  call_ends_at timestamptz,
  has_open_call boolean not null default false,
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
comment on column messaging.message_templates.defined_at is
  'As of when its name, language and components are known: an older list does not change them.';
comment on column messaging.message_templates.deleted_at is
  'When it was deleted by a call: its name stays taken at the channel for 30 days. NULL for all others.';
comment on column messaging.message_templates.is_auto_generated is
  'Made by the channel itself: nobody chooses, changes or deletes it.';
comment on column messaging.message_templates.edited_at is
  'When it was edited at the channel while it was approved, in the last 30 days: the channel counts them.';
comment on column messaging.message_templates.call_ends_at is
  'Until when a call to the channel may be under way; call_token is its right to settle it.';
comment on column messaging.message_templates.has_open_call is
  'A call to the channel has begun and its outcome is not known.';
comment on column messaging.message_templates.category is
  'The purpose of its messages, as the official channel spells it: MARKETING, UTILITY, AUTHENTICATION; NULL where nobody has told it.';
comment on column messaging.message_templates.quality is
  'The channel''s rating: GREEN, YELLOW, RED, UNKNOWN; NULL while it has not told.';
comment on column messaging.message_templates.status_reason is
  'Why the channel has rejected or paused it, in its word; NULL for none.';
comment on column messaging.message_templates.disables_at is
  'When the channel will disable it, as it has announced; NULL for no plan.';
comment on column messaging.message_templates.category_changes_to is
  'The category that the channel will give it at category_changes_at, as it has announced; NULL for none.';
