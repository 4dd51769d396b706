-- Takes what came while the message was under way for the answer, now that it is known to have left. An answer
-- that quotes another message is none. Called when the message's own events are recorded.
create or replace function messaging.take_pending_answer(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  question messaging.questions;
begin
  select q.* into question from messaging.questions q
  where q.id = message.question_id and q.status = 'open' and q.pending_answer is not null;
  if not found then
    return;
  elsif question.pending_answer->>'quoted' <> message.provider_message_id then
    update messaging.questions q set pending_answer = null where q.id = question.id;
  elsif messaging.end_question(
    question.id, 'answered', null, question.pending_answer->'answer',
    (question.pending_answer->>'messageId')::uuid
  ) then
    update messaging.messages m set question_id = question.id
    where m.id = (question.pending_answer->>'messageId')::uuid;
  end if;
end;
$$;
