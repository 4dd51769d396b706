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
