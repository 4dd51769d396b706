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
