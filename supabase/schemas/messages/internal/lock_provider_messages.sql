-- Lets one transaction at a time speak of a provider's message, until it commits: so that a delivery
-- event and the recording of the send it belongs to never miss each other. Takes instances and
-- provider message ids in pairs; locks in one order for all. Messages of an instance share 256 locks:
-- a delivery of thousands must not use up what the server has for all.
create or replace function messaging.lock_provider_messages(
  instance_ids uuid[],
  provider_message_ids text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended(pair.instance_id::text, 0)
      # (hashtext(pair.provider_message_id) & 255) as lock_key
    from unnest(instance_ids, provider_message_ids) as pair(instance_id, provider_message_id)
    where pair.provider_message_id is not null
    order by lock_key
  ) as wanted;
end;
$$;
revoke all
on function messaging.lock_provider_messages(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.lock_provider_messages(uuid[], text[]) to service_role;
