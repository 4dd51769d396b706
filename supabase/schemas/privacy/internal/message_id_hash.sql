-- The hash by which erased_messages knows a message: see there.
create or replace function messaging.message_id_hash(message_id text)
returns bytea
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select sha256(convert_to(message_id, 'UTF8'));
$$;
revoke all on function messaging.message_id_hash(text) from public, anon, authenticated;
grant execute on function messaging.message_id_hash(text) to service_role;
