-- What a message's record says of a question: of the message that asks, {question: {questionId, status}}; of the one
-- that answers, {answers: questionId}.
create or replace function messaging.shown_question(question_id uuid, direction text)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  if direction = 'inbound' then
    return jsonb_build_object('answers', question_id);
  end if;
  return coalesce(
    (
      select jsonb_build_object('question', jsonb_build_object('questionId', q.id, 'status', q.status))
      from messaging.questions q
      where q.id = shown_question.question_id
    ),
    '{}'
  );
end;
$$;
