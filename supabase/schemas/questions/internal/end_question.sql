-- Ends a question that waits or is open: as `answered`, `expired` or `canceled` for `reason`. Records its one
-- event, and promises to tell it at the address that the call gave. The time of a reminder that still waits is over,
-- so that no worker claims it; taking it out of the queue, which locks what this may not wait for, is left to the
-- dispatcher (see run_questions).
-- Where an answer had come to a question whose message did not leave after all, the agent is asked for a reply.
-- Returns whether it has ended now. Locks the question; whose contact is held or not.
create or replace function messaging.end_question(
  question_id uuid, status text, reason text, answer jsonb default null,
  answer_message_id uuid default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  ended messaging.questions;
  pending jsonb;
  sealed_notify text;
  event messaging.events;
begin
  select q.pending_answer, q.sealed_notify into pending, sealed_notify from messaging.questions q
  where q.id = end_question.question_id and messaging.is_question_live(q.status)
  for no key update;
  if not found then
    return false;
  end if;
  update messaging.questions q
  set status = end_question.status, reason = end_question.reason, answer = end_question.answer,
    answer_message_id = end_question.answer_message_id, ended_at = clock_timestamp(), pending_answer = null,
    sealed_notify = null,
    reminder_status = nullif(q.reminder_status, 'waiting'),
    due_at = case
      when exists (
        select from messaging.message_queue w where w.message_id = q.reminder_message_id
      ) then clock_timestamp()
    end
  where q.id = end_question.question_id
  returning q.* into ended;
  if ended.due_at is not null then
    update messaging.messages m set expires_at = ended.ended_at
    where m.id = (
      select w.id from messaging.messages w
      where w.id = ended.reminder_message_id and w.status = 'queued'
      for no key update skip locked
    );
  end if;
  event := messaging.record_event(
    ended.instance_id, case when reason is distinct from 'erased' then ended.contact_id end,
    'question.' || end_question.status, messaging.question_event_data(ended)
  );
  if sealed_notify is not null then
    insert into messaging.outbox (workspace_id, kind, payload)
    select i.workspace_id, 'question_notification', jsonb_build_object(
      'instanceId', ended.instance_id,
      'questionId', ended.id,
      'sealedNotify', sealed_notify,
      'event', messaging.describe_event(event)
    )
    from messaging.instances i
    where i.id = ended.instance_id;
  end if;
  if pending is not null and reason = 'not_sent' then
    perform messaging.request_agent_reply(i, m.contact_id, m.conversation_id, m.sent_at)
    from messaging.messages m
    join messaging.instances i on i.id = m.instance_id
    where m.id = (pending->>'messageId')::uuid;
  end if;
  return true;
end;
$$;

-- What an ended question's event tells. Of an erased person it names nobody.
create or replace function messaging.question_event_data(question messaging.questions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  is_erased constant boolean := coalesce(question.reason = 'erased', false);
begin
  return jsonb_build_object(
    'questionId', question.id,
    'key', case when not is_erased then question.key end,
    'messageId', question.message_id,
    'batchId', question.batch_id
  )
  || case
    when question.status = 'answered' then jsonb_build_object(
      'answerMessageId', question.answer_message_id, 'answer', question.answer
    )
    when question.status = 'canceled' then jsonb_build_object('reason', question.reason)
    else '{}'
  end
  || coalesce(
    case when not is_erased then messaging.read_message_contact(question.contact_id) end,
    '{"contact": null}'
  );
end;
$$;
