-- messages-api: cancels a question that waits or is open; its message stays, and so does a question that has ended.
-- `request`: instanceId, questionId. Returns the question. Locks it. Errors: MI070.
create or replace function public.cancel_question(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  question constant messaging.questions := messaging.find_question(request);
begin
  perform messaging.end_question(question.id, 'canceled', 'canceled');
  return messaging.describe_question(q) from messaging.questions q where q.id = question.id;
end;
$$;
