-- What has just been counted of messages and is not in the sums yet: appended in the transaction that makes
-- it true, so that no two deliveries wait for one row of sums. fold_usage adds it up.
-- No foreign keys: they would cost every delivery a look-up, and the rows are gone within a minute.
create table messaging.usage_changes (
  id bigint generated always as identity primary key,
  instance_id uuid not null,
  counted_at timestamptz not null,
  sent smallint not null default 0,
  delivered smallint not null default 0,
  free smallint not null default 0,
  unknown smallint not null default 0,
  amount numeric not null default 0,
  currency text,
  category text,
  pricing_type text,
  market text,
  message_type text,
  sent_by text,
  agent_id uuid,
  batch_id uuid
);
create index usage_changes_instance on messaging.usage_changes (instance_id);
alter table messaging.usage_changes enable row level security;
comment on column messaging.usage_changes.counted_at is
  'When the message was sent, or delivered: it counts on that day.';
comment on column messaging.usage_changes.sent is '1, or -1 where it was not so after all.';
comment on column messaging.usage_changes.unknown is
  'A delivered message of the official channel for which no rate was known.';
