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
comment on column messaging.message_templates.category is
  'The purpose of its messages, as the official channel spells it: MARKETING, UTILITY, AUTHENTICATION; NULL where nobody has told it.';
