-- Serialises transactions about the same provider message until they commit, so that a delivery event
-- and the settling of its send never miss each other. Takes instances and provider message ids in
-- pairs. All callers lock in one order. The messages of an instance share 256 locks: a delivery of
-- thousands must not exhaust the server's lock table.
create or replace function messaging.lock_provider_messages(
  instance_ids uuid[], provider_message_ids text[]
) returns void language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct messaging.provider_message_lock_key(
      pair.instance_id, pair.provider_message_id
    ) as lock_key
    from unnest(instance_ids, provider_message_ids) as pair(instance_id, provider_message_id)
    where pair.provider_message_id is not null
    order by lock_key
  ) as wanted;
end;
$$;
