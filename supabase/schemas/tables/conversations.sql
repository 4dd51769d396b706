-- One conversation per contact, created `open` with the first operation that needs it.
create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null references public.contacts (id) on delete cascade,
  status text not null default 'open',
  assigned_to uuid references public.operators (id),
  department_id uuid references public.departments (id),
  agent_id uuid references public.ai_agents (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  question_count bigint not null default 0,
  constraint conversations_status_known check (status in ('open', 'closed', 'pending'))
);
create unique index conversations_contact on public.conversations (contact_id);
create unique index conversations_tenant on public.conversations (instance_id, contact_id, id);
create index conversations_agent on public.conversations (agent_id) where agent_id is not null;
alter table public.conversations enable row level security;
revoke all on table public.conversations from public, anon, authenticated;
grant select, insert, update, delete on table public.conversations to service_role;
comment on column public.conversations.question_count is
  'Messages of the contact that asked for an answer of the agent; counted in the transaction that records them.';
