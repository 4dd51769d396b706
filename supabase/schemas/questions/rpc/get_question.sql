-- messages-api: one question. `request`: instanceId, questionId. Errors: MI070.
create or replace function public.get_question(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return messaging.describe_question(messaging.find_question(request));
end;
$$;
