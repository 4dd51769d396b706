-- admin-api: a new agent. `request`: instanceId, name, instructions, model, isActive,
-- maxMessagesPerAnswer (absent for 1), answersWithin (absent for six hours), idempotency (see begin_idempotent).
-- Returns the agent, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_ai_agent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  agent messaging.ai_agents;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  insert into messaging.ai_agents (
    instance_id, name, instructions, model, is_active, max_messages_per_answer,
    answers_within_seconds
  )
  values (
    instance.id, request->>'name', request->>'instructions', request->>'model',
    (request->>'isActive')::boolean, coalesce((request->>'maxMessagesPerAnswer')::integer, 1),
    coalesce((request->>'answersWithin')::integer, 21600)
  )
  returning * into agent;
  return messaging.keep_outcome(request, messaging.describe_ai_agent(agent));
end;
$$;

-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.require_record((
    select messaging.describe_ai_agent(r) from messaging.ai_agents r
    where r.id = (request->>'agentId')::uuid
  ), 'MI003', 'agent_not_found');
$$;

-- admin-api: agents, oldest first, a page at a time.
-- `request`: instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_ai_agents(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_ai_agent(r))
    from messaging.ai_agents r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes an agent. `request`: agentId, changes {name, instructions, model, isActive,
-- maxMessagesPerAnswer, answersWithin, each optional}. Error: MI003.
create or replace function public.update_ai_agent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  agent messaging.ai_agents;
begin
  update messaging.ai_agents r
  set name = coalesce(changes->>'name', r.name),
    instructions = coalesce(changes->>'instructions', r.instructions),
    model = coalesce(changes->>'model', r.model),
    is_active = coalesce((changes->>'isActive')::boolean, r.is_active),
    max_messages_per_answer = coalesce(
      (changes->>'maxMessagesPerAnswer')::integer, r.max_messages_per_answer
    ),
    answers_within_seconds = coalesce(
      (changes->>'answersWithin')::integer, r.answers_within_seconds
    ),
    updated_at = now()
  where r.id = (request->>'agentId')::uuid
  returning r.* into agent;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return messaging.describe_ai_agent(agent);
end;
$$;

-- admin-api: an agent as a response shows it.
create or replace function messaging.describe_ai_agent(agent messaging.ai_agents)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'agentId', agent.id,
    'instanceId', agent.instance_id,
    'name', agent.name,
    'instructions', agent.instructions,
    'model', agent.model,
    'isActive', agent.is_active,
    'maxMessagesPerAnswer', agent.max_messages_per_answer,
    'answersWithin', agent.answers_within_seconds,
    'createdAt', messaging.iso_in_zone(agent.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(agent.updated_at, 'UTC')
  );
$$;
