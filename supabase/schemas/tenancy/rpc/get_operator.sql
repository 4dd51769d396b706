-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  operator messaging.operators;
begin
  select r.* into operator from messaging.operators r where r.id = (request->>'operatorId')::uuid;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return messaging.describe_operator(operator);
end;
$$;
