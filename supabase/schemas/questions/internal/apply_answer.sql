-- Writes what match_question has decided about a message that is stored now: the end of the question, what waits
-- for its message, or the words for what does not fit, which go once, as an ordinary message.
-- The caller holds the contact and the question. `may_send`: nobody else holds the conversation.
create or replace function messaging.apply_answer(
  question_id uuid, outcome text, answer jsonb, message_id uuid, quoted text, may_send boolean
) returns void language plpgsql set search_path = '' as $$
declare
  question messaging.questions;
begin
  case outcome
    when 'answered' then
      perform messaging.end_question(question_id, 'answered', null, answer, message_id);
    when 'pending' then
      update messaging.questions q
      set pending_answer = jsonb_build_object(
        'messageId', apply_answer.message_id, 'answer', apply_answer.answer, 'quoted', quoted
      )
      where q.id = apply_answer.question_id;
    when 'invalid' then
      if may_send then
        select q.* into question from messaging.questions q where q.id = apply_answer.question_id;
        update messaging.questions q
        set invalid_message_id = messaging.send_question_words(question, question.on_invalid)
        where q.id = apply_answer.question_id;
      end if;
  end case;
end;
$$;
