-- One conversation per contact, created `open` with the first operation that needs it.
create table messaging.conversations (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  status text not null default 'open',
  assigned_to uuid references messaging.operators (id),
  department_id uuid references messaging.departments (id),
  agent_id uuid references messaging.ai_agents (id)
    on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  question_count bigint not null default 0,
  is_merged boolean not null default false,
  handled_by text not null default 'us',
  control_at timestamptz not null default '-infinity',
  constraint conversations_status_known check (status in ('open', 'closed', 'pending')),
  constraint conversations_handled_by_known check (handled_by in ('us', 'channel_agent', 'other'))
);
create unique index conversations_contact on messaging.conversations (contact_id);
create unique index conversations_tenant on messaging.conversations (instance_id, contact_id, id);
-- Deleting an operator or a department looks for its conversations.
create index conversations_operator on messaging.conversations (assigned_to)
where assigned_to is not null;
create index conversations_department on messaging.conversations (department_id)
where department_id is not null;
create index conversations_agent on messaging.conversations (agent_id) where agent_id is not null;
-- For list_conversations: all, or those of one filter, in the order of creation.
-- The predicate `created_at > '-infinity'` is always true and only the lists state it: foreign keys to
-- this table cannot take these indexes, and so read all conversations of an instance.
create index conversations_listed on messaging.conversations (instance_id, created_at, id)
where created_at > '-infinity';
create index conversations_listed_by_operator on messaging.conversations (
  instance_id,
  assigned_to,
  created_at,
  id
)
where assigned_to is not null;
create index conversations_listed_by_department on messaging.conversations (
  instance_id,
  department_id,
  created_at,
  id
)
where department_id is not null;
create index conversations_listed_by_status on messaging.conversations (
  instance_id,
  status,
  created_at,
  id
)
where created_at > '-infinity';
alter table messaging.conversations enable row level security;
comment on column messaging.conversations.question_count is
  'Messages of the contact that asked for an answer of the agent; counted in the transaction that records them.';
comment on column messaging.conversations.is_merged is
  'Its contact is merged into another one, and it goes when its messages have moved there: no call finds it.';
comment on column messaging.conversations.handled_by is
  'Who holds it on the official channel: us, channel_agent (Meta''s Business Agent) or other. See change_control.';
comment on column messaging.conversations.control_at is
  'When that was decided, by the channel''s clock: what it tells of before changes nothing.';
