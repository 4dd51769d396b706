-- Whether an instance's channel has delivered anything after the first of these messages was sent: a
-- message received, or a confirmation. By the order of the newest 500 events; where they do not reach
-- back to that message, of these.
create or replace function messaging.has_confirmed_after(instance_id uuid, message_ids uuid[])
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    with newest as materialized (
      select e.sequence, e.type, (e.message).id as message_id
      from messaging.events e
      where e.instance_id = has_confirmed_after.instance_id
      order by e.sequence desc
      limit 500
    )
    select from newest n
    where n.type in ('message.received', 'message.delivered', 'message.read')
      and n.sequence > coalesce(
        (
          select min(f.sequence) from newest f
          where f.type = 'message.sent' and f.message_id = any (message_ids)
        ),
        0
      )
  );
end;
$$;
