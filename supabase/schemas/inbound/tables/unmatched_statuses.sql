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
  pricing jsonb,
  primary key (instance_id, provider_message_id, status),
  constraint unmatched_statuses_status_known
    check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index unmatched_statuses_age on messaging.unmatched_statuses (received_at);
alter table messaging.unmatched_statuses enable row level security;
