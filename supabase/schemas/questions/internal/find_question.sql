-- The question that `request` (instanceId, questionId) names. Errors: MI070.
create or replace function messaging.find_question(request jsonb)
returns messaging.questions language plpgsql stable set search_path = '' as $$
declare
  question messaging.questions;
begin
  select q.* into question from messaging.questions q
  where q.id = (request->>'questionId')::uuid and q.instance_id = (request->>'instanceId')::uuid;
  if not found then
    raise exception using errcode = 'MI070', message = 'question_not_found';
  end if;
  return question;
end;
$$;
