set local check_function_bodies = off;

-- Whether an instance's channel has delivered anything after the first of these messages was sent: a
-- message received, or a confirmation. By the order of the newest 500 events; where they do not reach
-- back to that message, of these.
create or replace function messaging.has_confirmed_after(instance_id uuid, message_ids uuid[])
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
revoke all on function messaging.has_confirmed_after(uuid, uuid[]) from public, anon, authenticated;
grant execute on function messaging.has_confirmed_after(uuid, uuid[]) to service_role;

-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count.
-- Reads the newest messages and events, in their indexes.
create or replace function messaging.is_suspect(
  instance_id uuid,
  trusted_from timestamptz,
  clock timestamptz
)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  streak constant integer := 20;
  ids uuid[];
  has_confirmed boolean;
  first_at timestamptz;
begin
  select array_agg(newest.id), bool_or(newest.is_confirmed), min(newest.sent_at)
  into ids, has_confirmed, first_at
  from (
    -- What a person typed on the phone came from the channel: it is alive.
    select m.id, m.sent_at, m.status <> 'sent' or m.is_typed_on_phone as is_confirmed
    from messaging.messages m
    where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
      and m.sent_at is not null and m.status <> 'failed'
    order by m.sent_at desc
    limit streak
  ) as newest;
  if coalesce(cardinality(ids), 0) < streak or has_confirmed
    or first_at > clock - interval '10 minutes' or first_at <= trusted_from then
    return false;
  end if;
  return not messaging.has_confirmed_after(instance_id, ids) and exists (
    select from (
      select m.status
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed' and m.id <> all (ids)
        and m.sent_at <= first_at
      order by m.sent_at desc
      limit 1000
    ) as earlier
    where earlier.status in ('delivered', 'read')
  );
end;
$$;
revoke all
on function messaging.is_suspect(uuid, timestamptz, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.is_suspect(uuid, timestamptz, timestamptz) to service_role;
