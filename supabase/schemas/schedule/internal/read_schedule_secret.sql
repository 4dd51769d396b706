-- A secret of Vault that the schedule needs; NULL where Vault has none of that name.
-- Raises what Vault raises where it cannot decrypt the secret, as after a restore into another project,
-- whose root key is another one (22000): in words that name the secret.
-- Vault is named in a text: a database without it can hold this function too.
create or replace function messaging.read_schedule_secret(secret_name text)
returns text
language plpgsql
set search_path = ''
as $$
declare
  secret text;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
  into secret using secret_name;
  return secret;
exception when data_exception then
  raise exception using
    errcode = sqlstate,
    message = format('Vault cannot decrypt the secret named %s: %s', secret_name, sqlerrm);
end;
$$;
