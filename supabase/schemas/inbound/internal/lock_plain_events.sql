-- Takes the locks of lock_provider_messages and lock_addresses for all these events, in the order of
-- the two: every transaction that names messages and addresses locks in this order.
create or replace function messaging.lock_plain_events(events messaging.plain_event[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select 1 as turn, null::uuid as instance_id,
      hashtextextended(e.instance_id::text, 0) # (hashtext(e.provider_message_id) & 255) as lock_key
    from unnest(events) as e
    union
    select 2, e.instance_id,
      hashtextextended('addresses ' || e.instance_id::text, 0) # (hashtext(key.value) & 255)
    from unnest(events) as e
    cross join lateral unnest(e.identity_keys) as key(value)
    order by turn, instance_id, lock_key
  ) as wanted;
end;
$$;
revoke all
on function messaging.lock_plain_events(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.lock_plain_events(messaging.plain_event[]) to service_role;
