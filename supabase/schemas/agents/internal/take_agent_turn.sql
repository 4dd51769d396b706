-- Takes an agent's turn in a conversation: the first `answers_through` questions now count as
-- answered, so that each gets at most one answer. The model was given a state in which
-- `answered_before` questions were answered; another answer since then makes this one stale. Locks the
-- conversation.
-- Errors: MI018 where the agent must not answer: it is paused for the contact, no longer active, has
-- used up its answers of this hour, or the turn is taken.
create or replace function messaging.take_agent_turn(
  conversation messaging.conversations, agent_id uuid, answered_before bigint,
  answers_through bigint
) returns void language plpgsql set search_path = '' as $$
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
