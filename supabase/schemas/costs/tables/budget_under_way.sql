-- Messages of instances with a budget that the channel has accepted and not delivered yet, with what they will
-- cost. Written when their sending is counted (see count_notes), until they are delivered or have failed.
-- No foreign keys: each would cost every deleted message a look-up. purge_expired deletes what is not delivered
-- any more.
create table messaging.budget_under_way (
  message_id uuid primary key,
  instance_id uuid not null,
  sent_at timestamptz not null,
  amount numeric not null
);
create index budget_under_way_instance on messaging.budget_under_way (instance_id);
create index budget_under_way_age on messaging.budget_under_way (sent_at);
alter table messaging.budget_under_way enable row level security;
