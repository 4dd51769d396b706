-- Contacts of persons that are to be looked at again: what was said at one instance of a workspace is brought to
-- the person's contacts at the others, see tell_person. A row is added with each word, each new contact
-- and each new identity, and is read after that has been committed: of two that cross each other, the
-- later one sees the former.
create table messaging.person_updates (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references messaging.workspaces (id)
    on delete cascade,
  contact_id uuid not null,
  next_at timestamptz not null default clock_timestamp()
);
create index person_updates_due on messaging.person_updates (next_at, id);
create index person_updates_workspace on messaging.person_updates (workspace_id);
alter table messaging.person_updates enable row level security;
comment on column messaging.person_updates.next_at is
  'Later than it was added where another transaction held a contact of the person.';
