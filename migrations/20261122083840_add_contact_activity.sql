set local check_function_bodies = off;
-- The trigger needs a lock on contacts, for an instant: where it is not to be had, run this again.
set local lock_timeout = '3s';

-- One row per contact: when something that reading it or its conversation shows has changed last, and
-- what its last message was. `updatedSince` reads it in the order of (updated_at, contact_id).
-- A table of its own: a send writes this narrow row, and contacts keep their small updates.
-- Has no foreign key to contacts: the row of a merged or erased contact stays, as its tombstone.
-- A row is added with its contact, by a trigger, whoever creates the contact. It is the last row that
-- a transaction locks, in the order of contact_id: whoever holds one waits for nothing but a rate limit.
create table messaging.contact_activity (
  contact_id uuid primary key,
  instance_id uuid not null,
  updated_at timestamptz not null,
  last_message_at timestamptz,
  awaits_reply boolean not null default false,
  merged_into uuid,
  erased_at timestamptz
);
create index contact_activity_updated on messaging.contact_activity (
  instance_id,
  updated_at,
  contact_id
);
create index contact_activity_awaits_reply on messaging.contact_activity (instance_id, contact_id)
where awaits_reply;
create index contact_activity_merged on messaging.contact_activity (merged_into)
where merged_into is not null;
alter table messaging.contact_activity enable row level security;
revoke all on table messaging.contact_activity from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contact_activity to service_role;
comment on column messaging.contact_activity.updated_at is
  'In whole milliseconds, taken as change_instant says: readers rely on its order.';
comment on column messaging.contact_activity.last_message_at is
  'When the last message was sent or received; a message that waits or has failed does not count.';
comment on column messaging.contact_activity.awaits_reply is
  'Whether the last message is the contact''s.';
comment on column messaging.contact_activity.merged_into is
  'The contact that this one was merged into: always a living one, never another tombstone.';

-- Trigger: gives new contacts their rows of contact_activity. Once for each statement, for all of them.
create or replace function messaging.add_contact_activity()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, changed.at
  from (select distinct n.instance_id from new_contacts n) as instances
  cross join lateral (select messaging.change_instant(instances.instance_id) offset 0) as changed(at)
  join new_contacts c on c.instance_id = instances.instance_id
  order by c.id
  on conflict do nothing;
  return null;
end;
$$;
revoke all on function messaging.add_contact_activity() from public, anon, authenticated;
grant execute on function messaging.add_contact_activity() to service_role;

-- The instant below which no change of an instance's contacts can appear any more: the lowest floor of
-- the transactions under way (see change_instant), or the present. A reader with `updatedSince` takes
-- the horizon first, and in a later statement the rows with updated_at below it.
-- The clock is read before the locks: who announces its floor after the look takes a later instant.
-- A floor is known by its low 32 bits, and lies within 24 days of the clock. One that was announced
-- between the two looks lies after the clock, and changes nothing.
create or replace function messaging.change_horizon(instance_id uuid)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  clock_ms constant bigint := floor(extract(epoch from clock) * 1000);
  distance bigint;
begin
  select min(
    -- As a signed difference of 32 bits.
    ((l.objid::bigint + 2147483648 - clock_ms + 2147483648) & 4294967295) - 2147483648
  ) into distance
  from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.classid = (uuid_hash(instance_id) # 1163284301)::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  return clock + least(distance, 0) * interval '1 millisecond';
end;
$$;
revoke all on function messaging.change_horizon(uuid) from public, anon, authenticated;
grant execute on function messaging.change_horizon(uuid) to service_role;

-- The instant to store as updated_at of a contact that this transaction changes.
-- Transactions commit out of the order in which they took their instants. A reader that goes on from
-- the last instant that it saw would miss what commits later with an earlier one. So the transaction
-- announces a floor before it takes its instant: a shared advisory lock, whose second key is the floor
-- in milliseconds (its low 32 bits). It is held until the transaction's changes are visible.
-- change_horizon reads the floors: below the lowest nothing can appear any more. Writers never wait for
-- each other by it, and a slow transaction delays only the readers of its own instance.
-- The floor is taken first, then the instant, so that instant >= floor. Both are whole milliseconds, as
-- the API shows them. Where it is written out in a statement, its place must keep that order.
create or replace function messaging.change_instant(instance_id uuid)
returns timestamptz
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(
    uuid_hash(instance_id) # 1163284301,
    ((floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648)::integer
  );
  return date_trunc('milliseconds', clock_timestamp());
end;
$$;
revoke all on function messaging.change_instant(uuid) from public, anon, authenticated;
grant execute on function messaging.change_instant(uuid) to service_role;

-- Adds the rows of contact_activity that contacts lack which are older than the table: all of them
-- (NULL, as the migration does), or those of `contact_ids`.
create or replace function messaging.fill_contact_activity(contact_ids uuid[])
returns void
language sql
set search_path = ''
as $$
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select c.id, c.instance_id,
    date_trunc('milliseconds', greatest(c.updated_at, v.updated_at, last.sent_at)),
    last.sent_at, coalesce(last.direction = 'inbound', false)
  from messaging.contacts c
  left join messaging.conversations v on v.contact_id = c.id
  left join lateral (
    select m.sent_at, m.direction from messaging.messages m
    where m.contact_id = c.id and m.sent_at is not null
    order by m.sent_at desc
    limit 1
  ) as last on true
  where (contact_ids is null or c.id = any (contact_ids))
    and not exists (select from messaging.contact_activity a where a.contact_id = c.id)
  order by c.id
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_activity(uuid[]) from public, anon, authenticated;
grant execute on function messaging.fill_contact_activity(uuid[]) to service_role;

-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- `contact_ids`: each once. Locks their rows in the order of the ids: a scan of an index by
-- "= any (ids)" goes through them in order.
create or replace function messaging.touch_contacts(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  touched integer;
begin
  for attempt in 1..2 loop
    -- The condition announces the floor of change_instant before SET takes the instant.
    update messaging.contact_activity a
    set updated_at = greatest(a.updated_at, date_trunc('milliseconds', clock_timestamp()))
    where a.contact_id = any (contact_ids) and messaging.change_instant(a.instance_id) is not null;
    get diagnostics touched = row_count;
    exit when touched >= cardinality(contact_ids);
    -- While a database is upgraded, contacts may lack their rows.
    perform messaging.fill_contact_activity(contact_ids);
  end loop;
end;
$$;
revoke all on function messaging.touch_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.touch_contacts(uuid[]) to service_role;

-- Built after the functions that they execute.
create trigger contacts_add_activity
after insert on messaging.contacts
referencing new table as new_contacts
for each statement
execute function messaging.add_contact_activity();
