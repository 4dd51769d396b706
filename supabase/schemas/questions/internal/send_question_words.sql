-- Sends words that belong to a question, its reminder or those for what does not fit, as a text of the system, due
-- at once. They pause no agent, and expire with the question. Returns the message's id; NULL, with nothing sent,
-- where the contact may not be written to now, or the agent that asks may not speak.
-- The caller holds the contact, and the pacing row of an instance with protection.
create or replace function messaging.send_question_words(question messaging.questions, words text)
returns uuid language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  message_id constant uuid := gen_random_uuid();
  instance constant messaging.instances := messaging.find_instance(question.instance_id);
  placed record;
begin
  if messaging.words_refusal(instance, question.contact_id, clock) is not null
    or question.agent_id is not null and messaging.is_asking_agent_silent(question, clock) then
    return null;
  end if;
  placed := messaging.schedule_message(message_id, instance, question.contact_id, clock);
  perform messaging.add_outbound_messages(array[row(
    message_id, instance.id, question.contact_id,
    (messaging.resolve_conversation(instance.id, question.contact_id)).id,
    jsonb_build_object(
      'messageType', 'text', 'message', words, 'sentBy', 'system', 'pausesAgent', false
    ),
    null, null, 'scheduled', null, placed.slot, placed.held_by, null, null,
    jsonb_build_object('expiresAt', question.expires_at), null, null
  )::messaging.outbound_message]);
  return message_id;
end;
$$;

-- send_question_words: whether the agent that asks is paused for the contact, as while a person writes in its
-- place, or not active.
create or replace function messaging.is_asking_agent_silent(
  question messaging.questions, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return not exists (
    select from messaging.ai_agents a where a.id = question.agent_id and a.is_active
  ) or exists (
    select from messaging.contacts c
    where c.id = question.contact_id and messaging.keeps_agent_silent(c, clock)
  );
end;
$$;
