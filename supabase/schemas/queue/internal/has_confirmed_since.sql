-- Whether an instance's channel has delivered anything since: a message received, or a confirmation. Of
-- the newest 500 events.
create or replace function messaging.has_confirmed_since(instance_id uuid, since timestamptz)
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    select from (
      select e.type, e.recorded_at
      from messaging.events e
      where e.instance_id = has_confirmed_since.instance_id
      order by e.sequence desc
      limit 500
    ) as newest
    where newest.recorded_at > since
      and newest.type in ('message.received', 'message.delivered', 'message.read')
  );
end;
$$;
