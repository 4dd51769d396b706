-- What the dispatcher finds to do for webhooks: `due` where claim_event_deliveries has work, `idle`
-- where there are active endpoints and no work, `none` without an active endpoint.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.event_work()
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  endpoint_id uuid;
  has_endpoints boolean := false;
begin
  for endpoint_id in
    select e.id from messaging.event_endpoints e where e.is_active
  loop
    has_endpoints := true;
    if exists (
      select from messaging.event_endpoints e
      where e.id = endpoint_id and (
        exists (
          select from messaging.events v
          where v.instance_id = e.instance_id
            and (v.instance_id, v.sequence) > (e.instance_id, e.told_through)
        )
        or exists (
          select from messaging.event_deliveries d
          where d.endpoint_id = e.id and d.next_attempt_at <= clock
        )
        or exists (select from messaging.event_replays r where r.endpoint_id = e.id)
      )
    ) then
      return 'due';
    end if;
  end loop;
  return case when has_endpoints then 'idle' else 'none' end;
end;
$$;
revoke all on function messaging.event_work() from public, anon, authenticated;
grant execute on function messaging.event_work() to service_role;
