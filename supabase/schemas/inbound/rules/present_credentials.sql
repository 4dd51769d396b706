-- One row where a delivery was checked against the credentials that its instance has now.
create or replace function messaging.present_credentials(
  instance_id uuid,
  sealed_provider_config text
)
returns setof boolean
language sql
stable
begin atomic
  select true
  from messaging.instances as i
  where
    i.id = present_credentials.instance_id
    and (i.sealed_provider_config != present_credentials.sealed_provider_config) is not true
  limit 1;
end;
