-- Adds a contact's message, which the caller has just stored (at `stored_at`), to the turn of its contact, or begins one: see
-- instances.turns, whose value is `turns`. A turn that is over, or has 50 messages, ends first, so that its event
-- depends on the clock alone and not on when the dispatcher looks. The agent's waiting answer waits for the
-- turn's end. The caller holds the contact: of two messages the later one waits. Locks the conversation, as
-- request_agent_reply does, then the turn, then the agent's outbox row.
create or replace function messaging.join_turn(
  turns jsonb, instance_id uuid, contact_id uuid, conversation_id uuid, message_id uuid,
  stored_at timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  turn messaging.conversation_turns;
begin
  perform from messaging.conversations c where c.id = join_turn.conversation_id for no key update;
  select t.* into turn from messaging.conversation_turns t
  where t.contact_id = join_turn.contact_id for update;
  if turn.due_at > stored_at and cardinality(turn.message_ids) < 50 then
    update messaging.conversation_turns t
    set message_ids = t.message_ids || join_turn.message_id,
      due_at = least(t.ends_by, stored_at + make_interval(secs => t.quiet_seconds))
    where t.contact_id = turn.contact_id
    returning t.due_at into turn.due_at;
    perform messaging.postpone_agent_reply(turn.conversation_id, turn.due_at);
    return;
  end if;
  if turn.contact_id is not null then
    delete from messaging.conversation_turns t where t.contact_id = turn.contact_id;
    perform messaging.tell_turn(turn, least(turn.due_at, stored_at));
    -- What the agent was to answer at the end of the turn.
    update messaging.outbox o
    set run_at = clock_timestamp()
    where o.conversation_id = turn.conversation_id and o.kind = 'agent_reply'
      and o.status = 'pending' and o.claim_token is null and o.attempts = 0
      and o.run_at = turn.due_at;
  end if;
  insert into messaging.conversation_turns (
    contact_id, instance_id, conversation_id, started_at, due_at, ends_by, quiet_seconds, message_ids
  )
  values (
    join_turn.contact_id, join_turn.instance_id, join_turn.conversation_id, stored_at,
    stored_at + make_interval(
      secs => least((turns->>'quietSeconds')::integer, (turns->>'maxSeconds')::integer)
    ),
    stored_at + make_interval(secs => (turns->>'maxSeconds')::integer),
    (turns->>'quietSeconds')::integer, array[join_turn.message_id]
  );
end;
$$;
