-- Which field of a request has another instance's value, given the unique index that refused it: the
-- business instance id where the call sets one, else the provider's own id. NULL for any other index.
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
