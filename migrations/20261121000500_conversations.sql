-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/tables/conversations.sql
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

-- source: supabase/schemas/tables/portfolios.sql
-- Contacts that one operator alone sees in the queue: at most one portfolio per contact.
create table public.portfolios (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  instance_id uuid not null,
  operator_id uuid not null references public.operators (id),
  created_at timestamptz not null default now()
);
create index portfolios_operator on public.portfolios (operator_id);
alter table public.portfolios enable row level security;
revoke all on table public.portfolios from public, anon, authenticated;
grant select, insert, update, delete on table public.portfolios to service_role;

-- source: supabase/schemas/tables/internal_notes.sql
-- Visible to operators only. Automatic ones are written by a transfer.
create table public.internal_notes (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references public.conversations (id) on delete cascade,
  note text not null,
  is_automatic boolean not null default false,
  created_at timestamptz not null default now(),
  constraint internal_notes_not_empty check (note <> '')
);
create index internal_notes_conversation on public.internal_notes (conversation_id, created_at);
alter table public.internal_notes enable row level security;
revoke all on table public.internal_notes from public, anon, authenticated;
grant select, insert, update, delete on table public.internal_notes to service_role;

-- source: supabase/schemas/tables/chat_transfer_log.sql
-- One row per change from one operator to a different one.
create table public.chat_transfer_log (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  conversation_id uuid not null references public.conversations (id) on delete cascade,
  from_operator_id uuid not null references public.operators (id),
  to_operator_id uuid not null references public.operators (id),
  transferred_at timestamptz not null default now(),
  constraint chat_transfer_log_operators_differ check (from_operator_id <> to_operator_id)
);
create index chat_transfer_log_conversation
  on public.chat_transfer_log (conversation_id, transferred_at);
alter table public.chat_transfer_log enable row level security;
revoke all on table public.chat_transfer_log from public, anon, authenticated;
grant select, insert, update, delete on table public.chat_transfer_log to service_role;

-- source: supabase/schemas/tables/agent_sessions.sql
-- What an agent knows about a conversation beyond its messages: `externalContext`, merged.
create table public.agent_sessions (
  conversation_id uuid primary key references public.conversations (id) on delete cascade,
  instance_id uuid not null,
  agent_id uuid not null references public.ai_agents (id) on delete cascade,
  collected_data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  answered_count bigint not null default 0,
  answered_at timestamptz[] not null default '{}',
  constraint agent_sessions_collected_data_object check (jsonb_typeof(collected_data) = 'object')
);
create index agent_sessions_agent on public.agent_sessions (agent_id);
alter table public.agent_sessions enable row level security;
revoke all on table public.agent_sessions from public, anon, authenticated;
grant select, insert, update, delete on table public.agent_sessions to service_role;
comment on column public.agent_sessions.answered_count is
  'How many of the conversation''s question_count have had their answer: at most one each.';
comment on column public.agent_sessions.answered_at is
  'When the newest answers were given, oldest first, as many as agent_limited_until counts.';

-- source: supabase/schemas/functions/resolve_conversation.sql
-- The contact's one conversation, created `open` with the first operation that needs it.
create or replace function public.resolve_conversation(instance_id uuid, contact_id uuid)
returns public.conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.conversations;
begin
  select c.* into conversation
  from public.conversations c
  where c.contact_id = resolve_conversation.contact_id;
  if found then
    return conversation;
  end if;
  insert into public.conversations (instance_id, contact_id)
  values (resolve_conversation.instance_id, resolve_conversation.contact_id)
  on conflict do nothing
  returning * into conversation;
  if conversation.id is null then
    select c.* into conversation
    from public.conversations c
    where c.contact_id = resolve_conversation.contact_id;
  end if;
  return conversation;
end;
$$;
revoke all on function public.resolve_conversation(uuid, uuid) from public, anon, authenticated;
grant execute on function public.resolve_conversation(uuid, uuid) to service_role;

-- source: supabase/schemas/functions/find_operator.sql
-- The operator of a workspace named by UUID or by e-mail (in any case). Error: MI001.
create or replace function public.find_operator(workspace_id uuid, reference text)
returns public.operators
language plpgsql
stable
set search_path = ''
as $$
declare
  operator public.operators;
begin
  select o.* into operator
  from public.operators o
  where o.workspace_id = find_operator.workspace_id
    and (o.id::text = lower(btrim(reference)) or lower(o.email) = lower(btrim(reference)));
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return operator;
end;
$$;
revoke all on function public.find_operator(uuid, text) from public, anon, authenticated;
grant execute on function public.find_operator(uuid, text) to service_role;

-- source: supabase/schemas/functions/assign_conversation.sql
-- Assigns a conversation to an operator (specification, section 3; decisions, section 4). One code
-- for conversations-api/assign and send-message. `assignment`: assignTo, portfolio, departmentId.
-- Assigning whom it already has changes nothing of the operator. A change from one operator to
-- another writes the transfer log and an automatic note; every new operator is e-mailed through the
-- outbox, all in the caller's transaction. Locks the conversation. Errors: MI001, MI002.
create or replace function public.assign_conversation(
  instance public.instances,
  contact public.contacts,
  conversation public.conversations,
  assignment jsonb
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  operator public.operators := public.find_operator(instance.workspace_id, assignment->>'assignTo');
  previous public.operators;
  department uuid := (assignment->>'departmentId')::uuid;
  previous_id uuid;
  is_transfer boolean;
begin
  if department is not null and not exists (
    select from public.departments d
    where d.id = department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;

  select c.assigned_to into previous_id
  from public.conversations c where c.id = conversation.id for no key update;
  is_transfer := previous_id is not null and previous_id <> operator.id;

  update public.conversations c
  set assigned_to = operator.id,
    department_id = coalesce(department, c.department_id),
    updated_at = now()
  where c.id = conversation.id
  returning c.department_id into department;

  if is_transfer then
    select o.* into previous from public.operators o where o.id = previous_id;
    insert into public.chat_transfer_log
      (instance_id, conversation_id, from_operator_id, to_operator_id)
    values (instance.id, conversation.id, previous.id, operator.id);
    insert into public.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format('Conversa transferida de %s para %s.', previous.name, operator.name), true
    );
  end if;

  if coalesce((assignment->>'portfolio')::boolean, false) then
    insert into public.portfolios (contact_id, instance_id, operator_id)
    values (contact.id, instance.id, operator.id)
    on conflict on constraint portfolios_pkey
    do update set operator_id = excluded.operator_id, created_at = now()
    where portfolios.operator_id <> excluded.operator_id;
  elsif is_transfer then
    delete from public.portfolios p where p.contact_id = contact.id and p.operator_id <> operator.id;
  end if;

  if previous_id is distinct from operator.id then
    insert into public.outbox (workspace_id, kind, payload)
    values (
      instance.workspace_id, 'assignment_email',
      jsonb_build_object(
        'instanceId', instance.id,
        'operatorName', operator.name,
        'operatorEmail', operator.email,
        'contactName', contact.name,
        'contactPhone', coalesce(public.phone_of(contact), public.address_of(contact, null)),
        'instancePhone', instance.connected_phone
      )
    );
  end if;

  return jsonb_build_object(
    'contactId', contact.id,
    'assignedTo', operator.id,
    'previousAssignedTo', previous_id,
    'portfolio', exists (
      select from public.portfolios p
      where p.contact_id = contact.id and p.operator_id = operator.id
    ),
    'transferred', is_transfer,
    'departmentId', department
  );
end;
$$;
revoke all on function public.assign_conversation(public.instances, public.contacts, public.conversations, jsonb) from public, anon, authenticated;
grant execute on function public.assign_conversation(public.instances, public.contacts, public.conversations, jsonb) to service_role;

-- source: supabase/schemas/functions/resolve_agent.sql
-- The active agent that an instance speaks as: the one named, else its only one.
-- Errors: MI003 (none, or the named one is not active here), MI009 (several, and none named).
create or replace function public.resolve_agent(instance_id uuid, agent_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  select array_agg(a.id) into agent_ids
  from public.ai_agents a
  where a.instance_id = resolve_agent.instance_id and a.is_active
    and (resolve_agent.agent_id is null or a.id = resolve_agent.agent_id);
  if agent_ids is null then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  if cardinality(agent_ids) > 1 then
    raise exception using errcode = 'MI009', message = 'agent_id_required';
  end if;
  return agent_ids[1];
end;
$$;
revoke all on function public.resolve_agent(uuid, uuid) from public, anon, authenticated;
grant execute on function public.resolve_agent(uuid, uuid) to service_role;

-- source: supabase/schemas/functions/speaking_agent.sql
-- Whose words an `ai_agent` message of a conversation are: its linked agent's, else those of the
-- instance's first active one; NULL where there is none.
create or replace function public.speaking_agent(conversation public.conversations)
returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    conversation.agent_id,
    (
      select a.id from public.ai_agents a
      where a.instance_id = conversation.instance_id and a.is_active
      order by a.created_at, a.id
      limit 1
    )
  );
$$;
revoke all on function public.speaking_agent(public.conversations) from public, anon, authenticated;
grant execute on function public.speaking_agent(public.conversations) to service_role;

-- source: supabase/schemas/functions/object_bytes.sql
-- Size of a JSON object in bytes as compact JSON in UTF-8: exact to the values of its members, which
-- count as Postgres writes them.
create or replace function public.object_bytes(object jsonb)
returns bigint
language sql
immutable parallel safe
set search_path = ''
as $$
  select coalesce(sum(octet_length(to_jsonb(m.key)::text) + octet_length(m.value::text) + 2), 0) + 1
  from jsonb_each(object) as m;
$$;
revoke all on function public.object_bytes(jsonb) from public, anon, authenticated;
grant execute on function public.object_bytes(jsonb) to service_role;

-- source: supabase/schemas/functions/limit_merged_object.sql
-- A merged object (customLabels, collected_data) that holds at most 64 KiB (decisions, section 3):
-- calls of 32 KiB each would add up without a bound. Called where the row is locked. `refusal` is the
-- SQLSTATE that a larger one raises, and names the request's field. Errors: MI020, MI021.
create or replace function public.limit_merged_object(merged jsonb, refusal text)
returns jsonb
language plpgsql
immutable parallel safe
set search_path = ''
as $$
begin
  if public.object_bytes(merged) > 64 * 1024 then
    raise exception 'a merged object would exceed 64 KiB' using errcode = refusal;
  end if;
  return merged;
end;
$$;
revoke all on function public.limit_merged_object(jsonb, text) from public, anon, authenticated;
grant execute on function public.limit_merged_object(jsonb, text) to service_role;

-- source: supabase/schemas/functions/begin_agent_session.sql
-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId or NULL, collectedData or NULL.
-- Returns the agent's id. Errors: MI003, MI009, MI021 (collected_data would exceed 64 KiB).
create or replace function public.begin_agent_session(
  instance_id uuid,
  conversation_id uuid,
  agent jsonb
)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  resolved_id constant uuid := public.resolve_agent(instance_id, (agent->>'agentId')::uuid);
begin
  update public.conversations c
  set agent_id = linked.agent_id, updated_at = now()
  from (select resolved_id as agent_id) as linked
  where c.id = begin_agent_session.conversation_id;
  insert into public.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, resolved_id,
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = public.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return resolved_id;
end;
$$;
revoke all on function public.begin_agent_session(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.begin_agent_session(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/agent_limited_until.sql
-- Until when an agent has used up its answers to one contact, which are 30 an hour; NULL where it may
-- answer. People stay far below that. Without a bound two robots answer each other for ever.
-- `answered_at`: when the newest 30 answers were given, oldest first.
create or replace function public.agent_limited_until(answered_at timestamptz[])
returns timestamptz
language sql
stable
set search_path = ''
as $$
  select answered_at[cardinality(answered_at) - 29] + interval '1 hour'
  where cardinality(answered_at) >= 30
    and answered_at[cardinality(answered_at) - 29] + interval '1 hour' > clock_timestamp();
$$;
revoke all on function public.agent_limited_until(timestamptz[]) from public, anon, authenticated;
grant execute on function public.agent_limited_until(timestamptz[]) to service_role;

-- source: supabase/schemas/functions/read_agent_variables.sql
-- What fills the variables of the text that opens a conversation, besides what its call brings.
-- `request`: instanceId, phone. Writes nothing.
-- Returns {collectedData, name, phone}: as the contact is known, all empty for an unknown one.
create or replace function public.read_agent_variables(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  contact public.contacts := public.find_contact(
    (request->>'instanceId')::uuid, request->>'phone'
  );
begin
  return jsonb_build_object(
    'collectedData', coalesce((
      select s.collected_data
      from public.conversations c
      join public.agent_sessions s on s.conversation_id = c.id
      where c.contact_id = contact.id
    ), '{}'),
    'name', contact.name,
    'phone', public.phone_of(contact)
  );
end;
$$;
revoke all on function public.read_agent_variables(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_variables(jsonb) to service_role;

-- source: supabase/schemas/functions/take_agent_turn.sql
-- Takes an agent's turn in a conversation: from here on its first `answers_through` questions count
-- as answered, so each has at most one answer. The model was told that `answered_before` of them had
-- been: another answer since then makes this one stale. Locks the conversation.
-- Errors: MI018 where the agent is to be silent: paused for the contact by now, no longer active, its
-- answers of this hour used up, or the turn has been taken.
create or replace function public.take_agent_turn(
  conversation public.conversations,
  agent_id uuid,
  answered_before bigint,
  answers_through bigint
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.conversations c where c.id = conversation.id for no key update;
  insert into public.agent_sessions as session
    (conversation_id, instance_id, agent_id, answered_count, answered_at)
  select conversation.id, conversation.instance_id, a.id, take_agent_turn.answers_through,
    array[clock_timestamp()]
  from public.ai_agents a
  where a.id = take_agent_turn.agent_id and a.is_active
    and not exists (
      select from public.agent_pauses p
      where p.contact_id = conversation.contact_id and p.paused_until > clock_timestamp()
    )
  on conflict on constraint agent_sessions_pkey do update
  set answered_count = excluded.answered_count, agent_id = excluded.agent_id, updated_at = now(),
    answered_at =
      (session.answered_at || excluded.answered_at)[greatest(cardinality(session.answered_at) - 28, 1):]
  where session.answered_count = take_agent_turn.answered_before
    and session.answered_count < excluded.answered_count
    and public.agent_limited_until(session.answered_at) is null;
  if not found then
    raise exception using errcode = 'MI018', message = 'agent_silent';
  end if;
end;
$$;
revoke all on function public.take_agent_turn(public.conversations, uuid, bigint, bigint) from public, anon, authenticated;
grant execute on function public.take_agent_turn(public.conversations, uuid, bigint, bigint) to service_role;
