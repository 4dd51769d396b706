-- Whether news of a number are another instance's of the workspace: news of an account come to all of its
-- instances. `phone`: the number as the channel writes it; NULL for news of the whole account.
create or replace function messaging.concerns_other_instance(
  instance messaging.instances, phone text
) returns boolean language plpgsql stable set search_path = '' as $$
declare
  digits constant text := regexp_replace(phone, '[^0-9]', '', 'g');
  number_key constant text := messaging.phone_identity_key(nullif(digits, ''));
begin
  return coalesce(number_key <> instance.connected_phone_key, false) and exists (
    select from messaging.instances other
    where other.workspace_id = instance.workspace_id and other.provider = instance.provider
      and other.connected_phone_key = number_key
  );
end;
$$;
