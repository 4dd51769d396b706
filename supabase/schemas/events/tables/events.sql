-- What became true of an instance's messages, contacts, conversations and connection, written in the
-- transaction that made it true. Read by the feed (read_events) and by the webhooks' dispatcher.
--
-- Reading misses nothing, although transactions commit in another order than that of their numbers, and
-- no writer waits for another one:
--   A writer calls hold_event_floor before it draws its first number. That reads the number that was
--   drawn last, its floor, and holds it as a shared advisory lock until its rows are visible: Postgres
--   releases locks after it has made the transaction's rows visible.
--   A reader calls event_horizon, then reads the rows up to the horizon, in this order: the number that
--   was drawn last; the smallest floor of the instance's writers; the rows.
--   A writer that took its lock after the reader looked at the locks draws numbers above the first. A
--   writer with a lock that the reader saw draws numbers above its floor. A writer that had released its lock
--   before is visible. So nothing up to the smaller of the two can still appear.
-- A gap in the numbers (a transaction that rolled back, another instance's event) is never waited for. A
-- slow transaction delays only the events of its own instance.
-- The events of one message carry its order: their numbers are drawn under the lock of its row.
create sequence messaging.event_sequence as bigint;
revoke all on sequence messaging.event_sequence from public, anon, authenticated;
grant usage, select, update on sequence messaging.event_sequence to service_role;

-- No foreign keys: each would cost every send a look-up. Events of an instance or a contact that is gone
-- stay until their retention is over, or until the person's data are erased.
create table messaging.events (
  sequence bigint primary key default nextval('messaging.event_sequence'),
  id uuid not null default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid,
  type text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  data jsonb,
  message messaging.message_snapshot,
  constraint events_are_about_something check (num_nonnulls(data, message) = 1)
);
create index events_of_instance on messaging.events (instance_id, sequence);
-- To find what is stored about a person.
create index events_of_contact on messaging.events (contact_id)
where contact_id is not null;
alter table messaging.events enable row level security;
comment on column messaging.events.type is 'See shared/model/event_types.ts.';
comment on column messaging.events.recorded_at is 'When it became true; `timestamp` of the event.';
comment on column messaging.events.data is
  'The state at that moment; never changed, whatever becomes of what it is about. See message.';
comment on column messaging.events.message is
  'Of message.* events, instead of data, which is made from it when it is read: see describe_event.';
