-- How many messages of an instance were sent and delivered on a day, and what they cost: once for the whole
-- day (`day`), and once for each way to group them. Names nobody, and stays when people are erased.
create table messaging.usage (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  grouping text not null,
  day date not null,
  key text not null,
  currency text not null,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  free bigint not null default 0,
  unknown bigint not null default 0,
  amount numeric not null default 0,
  primary key (instance_id, grouping, day, key, currency),
  constraint usage_grouping
    check (
      grouping in ('day', 'category', 'type', 'messageType', 'sentBy', 'agent', 'batch', 'market')
    )
);
alter table messaging.usage enable row level security;
comment on column messaging.usage.day is 'In the time zone that the instance had then.';
comment on column messaging.usage.key is
  'The category, the agent and so on; empty for none, and of a whole day.';
comment on column messaging.usage.currency is 'Of the amount; empty for what had no rate.';
