-- Which field of an instance has another instance's value, by the unique index that refused it: the
-- business instance id where the call gives one or changes it, else the provider's own id. NULL for
-- an index that is about neither.
create or replace function messaging.taken_instance_field(
  index_name text,
  changes_business_id boolean
)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when index_name = 'instances_gateway_id' then 'gatewayInstanceId'
    when index_name not like 'instances\_name\_at\_%' then null
    when changes_business_id then 'businessInstanceId'
    else 'gatewayInstanceId'
  end;
$$;
revoke all
on function messaging.taken_instance_field(text, boolean)
from public, anon, authenticated;
grant execute on function messaging.taken_instance_field(text, boolean) to service_role;
