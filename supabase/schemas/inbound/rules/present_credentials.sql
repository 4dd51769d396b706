-- One row, the identity key of the own number, where a delivery was checked against the credentials that its
-- instance has now.
create or replace function messaging.present_credentials(
  instance_id uuid, sealed_provider_config text
) returns setof text language sql stable
begin atomic
  select i.connected_phone_key
  from messaging.instances as i
  where
    i.id = present_credentials.instance_id
    and (i.sealed_provider_config != present_credentials.sealed_provider_config) is not true
  limit 1;
end;
