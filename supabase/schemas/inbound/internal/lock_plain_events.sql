-- Takes the locks of lock_provider_messages and lock_addresses for all these events, in the order of
-- the two: every transaction that names messages and addresses locks in this order.
create or replace function messaging.lock_plain_events(events messaging.plain_event[])
returns void language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select 1 as turn, null::uuid as instance_id,
      messaging.provider_message_lock_key(e.instance_id, e.provider_message_id) as lock_key
    from unnest(events) as e
    union
    select 2, e.instance_id,
      messaging.address_lock_key(e.instance_id, key.value)
    from unnest(events) as e
    cross join lateral unnest(e.identity_keys) as key(value)
    order by turn, instance_id, lock_key
  ) as wanted;
end;
$$;
