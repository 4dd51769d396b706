-- What the feed knows of an instance beside its events. The row is made by the first reading.
create table messaging.event_streams (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  cursor_key uuid not null default gen_random_uuid(),
  purged_through bigint not null default 0
);
alter table messaging.event_streams enable row level security;
comment on column messaging.event_streams.cursor_key is
  'Seals the instance''s cursors: see seal_event_cursor. It never leaves the database.';
comment on column messaging.event_streams.purged_through is
  'The last event whose retention is over. A cursor before it has missed something.';
