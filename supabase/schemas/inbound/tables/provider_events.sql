-- Webhook payloads as received: the evidence for every status. Unknown payloads are stored too.
create table messaging.provider_events (
  id bigint generated always as identity primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  payload text not null,
  received_at timestamptz not null default now(),
  is_kept_longer boolean not null default false
);
create index provider_events_usual_age on messaging.provider_events (received_at)
where not is_kept_longer;
create index provider_events_of_instance on messaging.provider_events (
  instance_id,
  received_at,
  id
);
alter table messaging.provider_events enable row level security;
-- counter_samples reads how many rows were ever numbered.
grant select on sequence messaging.provider_events_id_seq to service_role;
comment on column messaging.provider_events.is_kept_longer is
  'It is older than 30 days, and its instance keeps it longer: see purge_provider_events.';
comment on column messaging.provider_events.payload is
  'The body as text: whatever was signed and sent can be kept, however it is nested or escaped.';
