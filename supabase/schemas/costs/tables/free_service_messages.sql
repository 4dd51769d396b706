-- The service messages that are counted off a month's free ones. A delivery that is reported late may be earlier
-- than one of them, and takes its place: see count_free_services.
-- No foreign keys: each would cost every deleted message a look-up. purge_expired deletes rows of past months.
create table messaging.free_service_messages (
  message_id uuid primary key,
  instance_id uuid not null,
  month date not null,
  delivered_at timestamptz not null
);
create index free_service_messages_order on messaging.free_service_messages (
  instance_id,
  month,
  delivered_at,
  message_id
);
create index free_service_messages_age on messaging.free_service_messages (delivered_at);
alter table messaging.free_service_messages enable row level security;
comment on column messaging.free_service_messages.month is 'Its first day, in UTC.';
