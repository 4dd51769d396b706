-- Whether an address is the number of the instance itself, in any spelling: it is never a contact's.
create or replace function messaging.is_own_number(instance_id uuid, address text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from messaging.instances i
    where i.id = is_own_number.instance_id
      and i.connected_phone_key = messaging.phone_identity_key(address)
  );
end;
$$;
