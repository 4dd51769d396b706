-- Whether kept_denials knows an identity (see denial_identities) of the instance. The caller of the RPC gives
-- the identities' hashes: see take_denial_hashes.
-- Errors: MI037 where the instance keeps denials and the hash was not given: the call must be repeated
-- with it.
create or replace function messaging.is_kept_denial(instance_id uuid, identity text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  given jsonb;
begin
  if not exists (
    select from messaging.kept_denials d where d.instance_id = is_kept_denial.instance_id
  ) then
    return false;
  end if;
  given := nullif(current_setting('messaging.denial_hashes', true), '')::jsonb;
  if (given ? identity) is not true then
    raise exception using errcode = 'MI037', message = 'denial_hashes_needed';
  end if;
  return exists (
    select from messaging.kept_denials d
    where d.instance_id = is_kept_denial.instance_id and d.identity_hash = given->>identity
  );
end;
$$;
