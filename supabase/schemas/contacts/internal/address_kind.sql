-- What kind of identity an address is, by its form: phone, lid, user_id, parent_user_id, username; NULL
-- for what is no person's (a group). Usernames are stored as `username:<name>`: see identity_value.
create or replace function messaging.address_kind(address text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case
    when address ~ '^[0-9]+$' then 'phone'
    when address ~ '@lid$' then 'lid'
    when address like 'username:%' then 'username'
    when address ~ '^[A-Z]{2}\.ENT\.[0-9A-Za-z]{1,128}$' then 'parent_user_id'
    when address ~ '^[A-Z]{2}\.[0-9A-Za-z]{1,128}$' then 'user_id'
  end;
end;
$$;
