create table messaging.ai_agents (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text not null,
  instructions text not null,
  model text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  max_messages_per_answer integer not null default 1,
  answers_within_seconds integer not null default 21600,
  constraint ai_agents_name_length check (char_length(name) between 1 and 200),
  constraint ai_agents_answer_length check (max_messages_per_answer between 1 and 10),
  constraint ai_agents_answers_within check (answers_within_seconds between 1 and 2592000)
);
create index ai_agents_instance on messaging.ai_agents (instance_id, created_at, id);
alter table messaging.ai_agents enable row level security;
comment on column messaging.ai_agents.answers_within_seconds is
  'What was written longer ago, by the channel''s instant, asks it nothing: see is_young_enough.';
comment on column messaging.ai_agents.max_messages_per_answer is
  'An answer is that many messages at most, split at blank lines.';
