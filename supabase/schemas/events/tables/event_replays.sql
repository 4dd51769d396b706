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
