-- The operator of a workspace named by UUID or by e-mail (in any case). Error: MI001.
create or replace function messaging.find_operator(workspace_id uuid, reference text)
returns messaging.operators language plpgsql stable set search_path = '' as $$
declare
  operator messaging.operators;
begin
  select o.* into operator
  from messaging.operators o
  where o.workspace_id = find_operator.workspace_id
    and (o.id::text = lower(btrim(reference)) or lower(o.email) = lower(btrim(reference)));
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return operator;
end;
$$;
