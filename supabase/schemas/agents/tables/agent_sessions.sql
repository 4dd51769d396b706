-- What an agent knows about a conversation beyond its messages: `externalContext`, merged.
create table messaging.agent_sessions (
  conversation_id uuid primary key references messaging.conversations (id)
    on delete cascade,
  instance_id uuid not null,
  agent_id uuid not null references messaging.ai_agents (id)
    on delete cascade,
  collected_data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  answered_count bigint not null default 0,
  answered_at timestamptz[] not null default '{}',
  constraint agent_sessions_collected_data_object check (jsonb_typeof(collected_data) = 'object')
);
create index agent_sessions_agent on messaging.agent_sessions (agent_id);
alter table messaging.agent_sessions enable row level security;
comment on column messaging.agent_sessions.answered_count is
  'How many of the conversation''s question_count have had their answer: at most one each.';
comment on column messaging.agent_sessions.answered_at is
  'When the newest answers were given, oldest first, as many as agent_limited_until counts.';
