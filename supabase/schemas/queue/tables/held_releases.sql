-- How far what an instance held for a reason that is over has been let go: to the row of its queue at
-- (until_at, until_position). See release_held_messages.
create table messaging.held_releases (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  reason text not null,
  until_at timestamptz not null default '-infinity',
  until_position bigint not null default 0,
  begins_anew boolean not null default false,
  constraint held_releases_pkey primary key (instance_id, reason)
);
alter table messaging.held_releases enable row level security;
comment on column messaging.held_releases.begins_anew is
  'Whether it was asked for again since it began: at the end of the queue it begins at the start once more.';
comment on column messaging.held_releases.reason is 'As messages.held_by: budget or new_contacts.';
