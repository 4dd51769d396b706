-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/agents/internal/agent_limited_until.sql
-- Until when an agent has used up its answers to one contact (30 an hour); NULL while it may answer.
-- Without a bound two robots would answer each other for ever. People stay far below it.
-- `answered_at`: when the newest 30 answers were given, oldest first.
create or replace function messaging.agent_limited_until(answered_at timestamptz[])
returns timestamptz
language sql
stable
set search_path = ''
as $$
  select answered_at[cardinality(answered_at) - 29] + interval '1 hour'
  where cardinality(answered_at) >= 30
    and answered_at[cardinality(answered_at) - 29] + interval '1 hour' > clock_timestamp();
$$;
revoke all
on function messaging.agent_limited_until(timestamptz[])
from public, anon, authenticated;
grant execute on function messaging.agent_limited_until(timestamptz[]) to service_role;

-- source: supabase/schemas/agents/internal/begin_agent_session.sql
-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId or NULL, collectedData or NULL.
-- Returns the agent's id. Errors: MI003, MI009, MI021 (collected_data would exceed 64 KiB).
create or replace function messaging.begin_agent_session(
  instance_id uuid,
  conversation_id uuid,
  agent jsonb
)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  resolved_id constant uuid := messaging.resolve_agent(instance_id, (agent->>'agentId')::uuid);
begin
  update messaging.conversations c
  set agent_id = linked.agent_id, updated_at = now()
  from (select resolved_id as agent_id) as linked
  where c.id = begin_agent_session.conversation_id;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, resolved_id,
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = messaging.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return resolved_id;
end;
$$;
revoke all
on function messaging.begin_agent_session(uuid, uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.begin_agent_session(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/agents/internal/conversation_agent.sql
-- Whose words an `ai_agent` message of a conversation are: its linked agent's, else those of the
-- instance's first active one; NULL where there is none.
create or replace function messaging.conversation_agent(conversation messaging.conversations)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    conversation.agent_id,
    (
      select a.id from messaging.ai_agents a
      where a.instance_id = conversation.instance_id and a.is_active
      order by a.created_at, a.id
      limit 1
    )
  );
end;
$$;
revoke all
on function messaging.conversation_agent(messaging.conversations)
from public, anon, authenticated;
grant execute on function messaging.conversation_agent(messaging.conversations) to service_role;

-- source: supabase/schemas/agents/internal/describe_agent_pause.sql
-- Whether the agent is silent towards a contact, and until when, as conversations-api tells it.
create or replace function messaging.describe_agent_pause(
  instance messaging.instances,
  contact_id uuid
)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'contactId', describe_agent_pause.contact_id,
    'paused', p.paused_until is not null,
    'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, instance.time_zone)
  )
  from (values (true)) as always
  left join messaging.agent_pauses p
    on p.contact_id = describe_agent_pause.contact_id and p.paused_until > clock_timestamp();
$$;
revoke all
on function messaging.describe_agent_pause(messaging.instances, uuid)
from public, anon, authenticated;
grant execute on function messaging.describe_agent_pause(messaging.instances, uuid) to service_role;

-- source: supabase/schemas/agents/internal/describe_ai_agent.sql
-- admin-api: an agent as a response shows it.
create or replace function messaging.describe_ai_agent(agent messaging.ai_agents)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'agentId', agent.id,
    'instanceId', agent.instance_id,
    'name', agent.name,
    'instructions', agent.instructions,
    'model', agent.model,
    'isActive', agent.is_active,
    'createdAt', messaging.iso_in_zone(agent.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(agent.updated_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_ai_agent(messaging.ai_agents)
from public, anon, authenticated;
grant execute on function messaging.describe_ai_agent(messaging.ai_agents) to service_role;

-- source: supabase/schemas/agents/internal/pause_agent.sql
-- Pauses the instance's agent for a contact, for 30 minutes from when a person wrote (specification,
-- section 3). Does nothing where the instance has no active agent or the 30 minutes are over.
-- Returns the end of the pause, or NULL.
create or replace function messaging.pause_agent(
  instance_id uuid,
  contact_id uuid,
  written_at timestamptz
)
returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  until timestamptz;
begin
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  select pause_agent.contact_id, pause_agent.instance_id, written_at + interval '30 minutes'
  where written_at > clock_timestamp() - interval '30 minutes' and exists (
    select from messaging.ai_agents a
    where a.instance_id = pause_agent.instance_id and a.is_active
  )
  on conflict on constraint agent_pauses_pkey do update
  set paused_until = greatest(pause.paused_until, excluded.paused_until)
  returning pause.paused_until into until;
  return until;
end;
$$;
revoke all
on function messaging.pause_agent(uuid, uuid, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.pause_agent(uuid, uuid, timestamptz) to service_role;

-- source: supabase/schemas/agents/internal/request_agent_reply.sql
-- Requests the agent's answer to a contact's message: one outbox row, due in three seconds, so that
-- several messages in a row get one answer. Requests nothing while the agent is paused for the
-- contact, or where the conversation has no active agent.
-- An agent that has used up its answers of this hour is paused until it may answer again, and a note
-- tells the operators. That message's outbox row becomes `dead`: it is never answered.
-- Locks the conversation, then the agent's pause or the outbox row that the message joins.
create or replace function messaging.request_agent_reply(
  instance messaging.instances,
  contact_id uuid,
  conversation_id uuid
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation messaging.conversations;
  limited_until timestamptz;
begin
  -- Of two simultaneous messages the second sees the row of the first.
  select c.* into conversation from messaging.conversations c
  where c.id = request_agent_reply.conversation_id for no key update;
  if not exists (
    select from messaging.ai_agents a
    where a.id = messaging.conversation_agent(conversation) and a.is_active
  ) or exists (
    select from messaging.agent_pauses p
    where p.contact_id = request_agent_reply.contact_id and p.paused_until > clock_timestamp()
  ) then
    return;
  end if;
  update messaging.conversations c
  set question_count = c.question_count + 1
  where c.id = conversation.id;
  select messaging.agent_limited_until(s.answered_at) into limited_until
  from messaging.agent_sessions s where s.conversation_id = conversation.id;
  if limited_until is not null then
    insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
    values (request_agent_reply.contact_id, instance.id, limited_until)
    on conflict on constraint agent_pauses_pkey do update
    set paused_until = excluded.paused_until;
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format(
        'O agente chegou ao limite de respostas por hora a este contato e está em pausa até %s.',
        to_char(limited_until at time zone instance.time_zone, 'DD/MM HH24:MI')
      ),
      true
    );
  end if;
  -- Locked until this message is committed: a worker that claimed the row now would not see it.
  perform from messaging.outbox o
  where o.conversation_id = request_agent_reply.conversation_id
    and o.kind = 'agent_reply' and o.status = 'pending' and o.claim_token is null
  for no key update;
  if found then
    return;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  values (
    instance.workspace_id, 'agent_reply',
    jsonb_build_object('instanceId', instance.id, 'conversationId', conversation.id),
    clock_timestamp() + interval '3 seconds', conversation.id
  );
end;
$$;
revoke all
on function messaging.request_agent_reply(messaging.instances, uuid, uuid)
from public, anon, authenticated;
grant execute
on function messaging.request_agent_reply(messaging.instances, uuid, uuid)
to service_role;

-- source: supabase/schemas/agents/internal/resolve_agent.sql
-- The active agent that an instance speaks as: the one named, else its only one.
-- Errors: MI003 (none, or the named one is not active here), MI009 (several, and none named).
create or replace function messaging.resolve_agent(instance_id uuid, agent_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  select array_agg(a.id) into agent_ids
  from messaging.ai_agents a
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
revoke all on function messaging.resolve_agent(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.resolve_agent(uuid, uuid) to service_role;

-- source: supabase/schemas/agents/internal/restart_agent_pauses.sql
-- settle_messages: restarts the agent's pauses now that the messages have left. They began when the
-- calls were accepted. Writes in the order of the contacts, so that two calls never wait for each
-- other.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[],
  clock timestamptz
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.pause_agent(paused.instance_id, paused.contact_id, clock)
  from (
    select s.instance_id, s.contact_id
    from unnest(settlements) as s
    where s.pauses_agent and exists (
      select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
    )
    order by s.contact_id
  ) as paused;
end;
$$;
revoke all
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.restart_agent_pauses(messaging.settlement[], timestamptz)
to service_role;

-- source: supabase/schemas/agents/internal/take_agent_turn.sql
-- Takes an agent's turn in a conversation: the first `answers_through` questions now count as
-- answered, so that each gets at most one answer. The model was given a state in which
-- `answered_before` questions were answered; another answer since then makes this one stale. Locks the
-- conversation.
-- Errors: MI018 where the agent must not answer: it is paused for the contact, no longer active, has
-- used up its answers of this hour, or the turn is taken.
create or replace function messaging.take_agent_turn(
  conversation messaging.conversations,
  agent_id uuid,
  answered_before bigint,
  answers_through bigint
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from messaging.conversations c where c.id = conversation.id for no key update;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, answered_count, answered_at)
  select conversation.id, conversation.instance_id, a.id, take_agent_turn.answers_through,
    array[clock_timestamp()]
  from messaging.ai_agents a
  where a.id = take_agent_turn.agent_id and a.is_active
    and not exists (
      select from messaging.agent_pauses p
      where p.contact_id = conversation.contact_id and p.paused_until > clock_timestamp()
    )
  on conflict on constraint agent_sessions_pkey do update
  set answered_count = excluded.answered_count, agent_id = excluded.agent_id, updated_at = now(),
    answered_at =
      (session.answered_at || excluded.answered_at)[greatest(cardinality(session.answered_at) - 28, 1):]
  where session.answered_count = take_agent_turn.answered_before
    and session.answered_count < excluded.answered_count
    and messaging.agent_limited_until(session.answered_at) is null;
  if not found then
    raise exception using errcode = 'MI018', message = 'agent_silent';
  end if;
end;
$$;
revoke all
on function messaging.take_agent_turn(messaging.conversations, uuid, bigint, bigint)
from public, anon, authenticated;
grant execute
on function messaging.take_agent_turn(messaging.conversations, uuid, bigint, bigint)
to service_role;

-- source: supabase/schemas/agents/rpc/create_ai_agent.sql
-- admin-api: a new agent. `request`: instanceId, name, instructions, model, isActive, idempotency
-- (see begin_idempotent). Returns the agent, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  agent messaging.ai_agents;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.ai_agents (instance_id, name, instructions, model, is_active)
  values (
    instance.id, request->>'name', request->>'instructions', request->>'model',
    (request->>'isActive')::boolean
  )
  returning * into agent;
  return messaging.keep_outcome(request, messaging.describe_ai_agent(agent));
end;
$$;
revoke all on function public.create_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.create_ai_agent(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/get_agent_pause.sql
-- conversations-api agent-pause: the agent's pause for the contact of a phone. For an unknown phone
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId, phone.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  return messaging.describe_agent_pause(
    instance, (messaging.find_contact(instance.id, request->>'phone')).id
  );
end;
$$;
revoke all on function public.get_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.get_agent_pause(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/get_ai_agent.sql
-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  agent messaging.ai_agents;
begin
  select r.* into agent from messaging.ai_agents r where r.id = (request->>'agentId')::uuid;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;
revoke all on function public.get_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.get_ai_agent(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/list_ai_agents.sql
-- admin-api: agents, oldest first, a page at a time.
-- `request`: instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_ai_agents(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_ai_agent(r)
      )
      from messaging.ai_agents r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_ai_agents(jsonb) from public, anon, authenticated;
grant execute on function public.list_ai_agents(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/read_agent_turn.sql
-- Returns what an agent needs to answer in a conversation: the agent, what it may know of the contact,
-- and the recent history. `request`: instanceId, conversationId, limit.
-- Returns {turn, isLimitReached}. turn is NULL when the agent must not answer now (paused, not active,
-- a blocked contact, or its answers of this hour used up: isLimitReached) or no question is open.
-- History and number of questions (answersThrough) come from one snapshot: a message that commits
-- later is counted later and requests a turn of its own.
create or replace function public.read_agent_turn(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation messaging.conversations;
  contact messaging.contacts;
  agent messaging.ai_agents;
  answered_count bigint;
  collected_data jsonb;
  limited_until timestamptz;
begin
  select c.* into conversation from messaging.conversations c
  where c.id = (request->>'conversationId')::uuid
    and c.instance_id = (request->>'instanceId')::uuid;
  select c.* into contact from messaging.contacts c where c.id = conversation.contact_id;
  select a.* into agent from messaging.ai_agents a
  where a.id = messaging.conversation_agent(conversation) and a.is_active;
  select s.answered_count, s.collected_data, messaging.agent_limited_until(s.answered_at)
  into answered_count, collected_data, limited_until
  from messaging.agent_sessions s where s.conversation_id = conversation.id;
  if agent.id is null or contact.is_blocked
    or conversation.question_count <= coalesce(answered_count, 0)
    or limited_until is not null
    or exists (
      select from messaging.agent_pauses p
      where p.contact_id = contact.id and p.paused_until > clock_timestamp()
    ) then
    return jsonb_build_object(
      'turn', null,
      'isLimitReached', limited_until is not null
        and conversation.question_count > coalesce(answered_count, 0)
    );
  end if;
  return jsonb_build_object('isLimitReached', false, 'turn', jsonb_build_object(
    'agentId', agent.id,
    'model', agent.model,
    'instructions', agent.instructions,
    'collectedData', coalesce(collected_data, '{}'),
    'givenName', case when not contact.is_profile_name then contact.name end,
    'profileName', case when contact.is_profile_name then contact.name end,
    'contactPhone', messaging.contact_display_phone(contact),
    'address', messaging.contact_send_address(contact, null),
    'answeredBefore', coalesce(answered_count, 0),
    'answersThrough', conversation.question_count,
    'history', messaging.history_page(
      contact.instance_id, contact.id, '-infinity', 'infinity', null, (request->>'limit')::integer
    )->'messages'
  ));
end;
$$;
revoke all on function public.read_agent_turn(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_turn(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/read_agent_variables.sql
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
  contact messaging.contacts := messaging.find_contact(
    (request->>'instanceId')::uuid, request->>'phone'
  );
begin
  return jsonb_build_object(
    'collectedData', coalesce((
      select s.collected_data
      from messaging.conversations c
      join messaging.agent_sessions s on s.conversation_id = c.id
      where c.contact_id = contact.id
    ), '{}'),
    'name', contact.name,
    'phone', messaging.contact_display_phone(contact)
  );
end;
$$;
revoke all on function public.read_agent_variables(jsonb) from public, anon, authenticated;
grant execute on function public.read_agent_variables(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/set_agent_pause.sql
-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  known_contact_id uuid;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).id into known_contact_id
  from messaging.resolve_contact(instance.id, request->>'phone') r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id;
  end if;
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;
revoke all on function public.set_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.set_agent_pause(jsonb) to service_role;

-- source: supabase/schemas/agents/rpc/update_ai_agent.sql
-- admin-api: changes an agent. `request`: agentId, changes {name, instructions, model, isActive,
-- each optional}. Error: MI003.
create or replace function public.update_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  agent messaging.ai_agents;
begin
  update messaging.ai_agents r
  set name = coalesce(changes->>'name', r.name),
    instructions = coalesce(changes->>'instructions', r.instructions),
    model = coalesce(changes->>'model', r.model),
    is_active = coalesce((changes->>'isActive')::boolean, r.is_active),
    updated_at = now()
  where r.id = (request->>'agentId')::uuid
  returning r.* into agent;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;
revoke all on function public.update_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.update_ai_agent(jsonb) to service_role;
