-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_operator(r) from messaging.operators r
    where r.id = (request->>'operatorId')::uuid
  ), 'MI001', 'operator_not_found');
$$;
