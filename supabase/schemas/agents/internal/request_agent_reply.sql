-- Requests the agent's answer to a contact's message: one outbox row, due in three seconds, or when the
-- contact's turn ends where the instance has turns (see join_turn), so that several messages in a row get one
-- answer. Requests nothing while the agent is paused for the contact, while another responder holds the
-- conversation, where it has no active agent, or where the message is too old for it.
-- Returns whether an answer is requested.
-- An agent that has used up its answers of this hour is paused until it may answer again, and a note
-- tells the operators. That message's outbox row becomes `dead`: it is never answered.
-- Locks the conversation, then the agent's pause or the outbox row that the message joins.
create or replace function messaging.request_agent_reply(
  instance messaging.instances, contact_id uuid, conversation_id uuid, written_at timestamptz
) returns boolean language plpgsql set search_path = '' as $$
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
      and messaging.is_young_enough(a, written_at, clock_timestamp())
  ) or messaging.agent_steps_back(conversation, clock_timestamp()) then
    return false;
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
    perform messaging.record_agent_pauses(array[request_agent_reply.contact_id]);
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
    return true;
  end if;
  insert into messaging.outbox (workspace_id, kind, payload, run_at, conversation_id)
  values (
    instance.workspace_id, 'agent_reply',
    jsonb_build_object('instanceId', instance.id, 'conversationId', conversation.id),
    case
      when instance.turns is null then clock_timestamp() + interval '3 seconds'
      else coalesce(
        (
          select t.due_at from messaging.conversation_turns t
          where t.contact_id = request_agent_reply.contact_id
        ),
        clock_timestamp() + make_interval(secs => (instance.turns->>'quietSeconds')::integer)
      )
    end,
    conversation.id
  );
  return true;
end;
$$;
