-- accept_message: finds or creates what a call is about, step by step: any call that the one statement of
-- accept_message does not answer. The contact, its conversation, the address, the message that it answers,
-- the assignment, and the agent. `request` and the errors are accept_message's.
create or replace function messaging.resolve_send(
  instance messaging.instances, request jsonb, out contact_id uuid, out phone text,
  out conversation_id uuid, out assigned_to uuid, out address text,
  out quoted_provider_message_id text, out quoted_is_ours boolean, out assignment jsonb,
  out agent_id uuid
) language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
begin
  select (r.contact).* into contact from messaging.resolve_recipient(instance.id, request) r;
  if draft->>'mediaId' is not null then
    perform messaging.take_media(instance.id, (draft->>'mediaId')::uuid);
  end if;
  if draft ? 'ladder' then
    perform messaging.hold_ladder_files(instance.id, draft->'ladder', request->'delivery');
  end if;
  if draft is not null then
    -- With a ladder a closed window refuses nothing yet: see decide_ladder.
    perform messaging.refuse_send(
      case when draft->'ladder' is null then instance end, contact, draft->>'messageType',
      draft->>'purpose'
    );
    address := messaging.channel_send_address(
      instance, contact, request->>'phone', draft->>'needsPhone' is not null
    );
  end if;
  if draft->>'replyTo' is not null then
    select m.provider_message_id, m.direction = 'outbound'
    into quoted_provider_message_id, quoted_is_ours
    from messaging.messages m
    where m.id = (draft->>'replyTo')::uuid and m.instance_id = instance.id
      and m.contact_id = any (messaging.merged_contact_ids(contact.id))
      and m.provider_message_id is not null;
    if not found then
      raise exception using errcode = 'MI004', message = 'message_not_found';
    end if;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;
  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    if request->'agent'->>'isContinued' is null then
      perform messaging.take_agent_turn(
        conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
        (request->'agent'->>'answersThrough')::bigint
      );
    end if;
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;
  contact_id := contact.id;
  phone := contact.phone;
  conversation_id := conversation.id;
  assigned_to := coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to);
end;
$$;

-- resolve_send: lets a ladder's templates have files as their headers: they must be there (see
-- lock_media_to_send), and stay until the message has left, however it goes. That is bounded by 30 days after
-- the instant at which the call lets it leave or expire. `delivery` as accept_message's. Locks the files in
-- the order of their ids. Errors: MI051 to MI054.
create or replace function messaging.hold_ladder_files(
  instance_id uuid, ladder jsonb, delivery jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  latest constant timestamptz := interval '30 days' + greatest(
    messaging.earliest_departure(delivery, clock_timestamp()),
    (nullif(delivery->'timing', 'null')->>'expiresAt')::timestamptz
  );
  file_id uuid;
begin
  foreach file_id in array messaging.ladder_files(ladder) loop
    perform messaging.lock_media_to_send(hold_ladder_files.instance_id, file_id);
    update messaging.media m
    set held_until = greatest(m.held_until, latest),
      expires_at = case when m.expires_at is not null then greatest(m.expires_at, latest) end
    where m.id = file_id;
  end loop;
end;
$$;

-- Takes an agent's turn in a conversation: the first `answers_through` questions now count as
-- answered, so that each gets at most one answer. The model was given a state in which
-- `answered_before` questions were answered; another answer since then makes this one stale. Locks the
-- conversation.
-- Errors: MI018 where the agent must not answer: it has stepped back (see agent_steps_back), is no longer active,
-- has used up its answers of this hour, or the turn is taken.
create or replace function messaging.take_agent_turn(
  conversation messaging.conversations, agent_id uuid, answered_before bigint,
  answers_through bigint
) returns void language plpgsql set search_path = '' as $$
begin
  select c.* into conversation from messaging.conversations c
  where c.id = conversation.id for no key update;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, answered_count, answered_at)
  select conversation.id, conversation.instance_id, a.id, take_agent_turn.answers_through,
    array[clock_timestamp()]
  from messaging.ai_agents a
  where a.id = take_agent_turn.agent_id and a.is_active
    and not messaging.agent_steps_back(conversation, clock_timestamp())
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

-- Links an agent to a conversation and merges what is given into its `collected_data`, for the whole
-- conversation (specification 4.5). `agent`: agentId, or NULL for the instance's only active one;
-- collectedData or NULL. Returns the agent's id. Errors: MI003 (none, or the named one is not active here),
-- MI009 (several, and none named), MI021 (collected_data would exceed 64 KiB).
create or replace function messaging.begin_agent_session(
  instance_id uuid, conversation_id uuid, agent jsonb
) returns uuid language plpgsql set search_path = '' as $$
declare
  agent_ids constant uuid[] := array(
    select a.id from messaging.ai_agents a
    where a.instance_id = begin_agent_session.instance_id and a.is_active
      and (agent->>'agentId' is null or a.id = (agent->>'agentId')::uuid)
  );
begin
  if agent_ids = '{}' then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  if cardinality(agent_ids) > 1 then
    raise exception using errcode = 'MI009', message = 'agent_id_required';
  end if;
  update messaging.conversations c
  set agent_id = agent_ids[1], updated_at = now()
  where c.id = begin_agent_session.conversation_id;
  insert into messaging.agent_sessions as session
    (conversation_id, instance_id, agent_id, collected_data)
  values (
    begin_agent_session.conversation_id, begin_agent_session.instance_id, agent_ids[1],
    coalesce(nullif(agent->'collectedData', 'null'), '{}')
  )
  on conflict on constraint agent_sessions_pkey do update
  set agent_id = excluded.agent_id,
    collected_data = messaging.limit_merged_object(
      session.collected_data || excluded.collected_data, 'MI021'
    ),
    updated_at = now();
  return agent_ids[1];
end;
$$;
